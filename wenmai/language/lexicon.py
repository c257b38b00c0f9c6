"""Word tables of name finding. Policies, not knowledge of any one story.

Titles with which a story may mean one person throughout (船长, 会长) are no generic terms: an alias that several people
bear is no merge anyway.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from state.context import Language
from tools.text.scripts import simplified_character


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


RELATIVE = word_set("""
    父亲 母亲 爸爸 妈妈 爹爹 爹 娘 娘亲 爹娘 父母 儿子 女儿 孩子 孩儿 哥哥 弟弟 姐姐 妹妹 兄弟 姐妹 兄长 大哥 二哥
    大姐 嫂子 大嫂 丈夫 妻子 夫君 娘子 相公 媳妇 爷爷 奶奶 外公 外婆 祖父 祖母 叔叔 伯伯 舅舅 姑姑 姑妈 姨妈 婶婶
    侄儿 侄女 孙子 孙女 师父 师傅 师尊 徒弟 徒儿 弟子 师兄 师弟 师姐 师妹 师娘 老师 学生 主人 朋友 同伴 恩人 仇人
    father mother dad mum mom brother sister son daughter husband wife uncle aunt grandfather grandmother cousin nephew
    niece master teacher pupil friend sir madam
    """)
"""Kinship terms and roles: their meaning depends on the speaker, so they are never a name."""
DESCRIPTIVE = word_set("""
    老人 老人家 老者 老头 老头子 老头儿 老汉 老太太 老婆婆 老妇人 少年 少女 姑娘 小姑娘 女孩 男孩 小女孩 小男孩 小孩
    小孩子 女人 男人 女子 男子 妇人 青年 年轻人 中年人 陌生人 客人 汉子 大汉 书生 先生 和尚 道士 丫鬟 丫头 仆人 侍女
    士兵 守卫 船夫 水手 店家 掌柜 伙计
    man woman boy girl child stranger soldier sailor servant guard gentleman lady youth
    oldman oldwoman youngman youngwoman littleboy littlegirl
    """)
"""A story may use one for a person throughout: a name where it is the only one, never an alias."""
_ARTICLE = re.compile(r"^(?:the|a|an|my|your|his|her|our|their|我|你|他|她|这个|那个|这位|那位)的?\s*", re.IGNORECASE)


def bare_form(spelling: str) -> str:
    """Return a spelling without article, owner and blanks, in lower case."""
    return "".join(_ARTICLE.sub("", spelling.strip()).casefold().split())


def proper_names(spellings: list[str]) -> list[str]:
    """Return the spellings that are names; a description counts where it is the only spelling."""
    named = [one for one in spellings if bare_form(one) not in RELATIVE and bare_form(one) not in DESCRIPTIVE]
    if named or not spellings:
        return named
    return [] if bare_form(spellings[0]) in RELATIVE else spellings[:1]


SURNAMES = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗"
    "凤花方俞任袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛"
    "禹狄米贝明臧计伏成戴谈宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌"
    "霍虞万支柯管卢莫经房裘缪干解应宗丁宣贲邓郁单杭洪包诸左石崔吉钮龚程嵇邢滑裴陆荣翁荀羊甄麴家封芮羿储靳汲邴糜"
    "松井段富巫乌焦巴弓牧隗山谷车侯宓蓬全郗班仰秋仲伊宫宁仇栾暴甘厉戎祖武符刘景詹束龙叶幸司韶郜黎蓟薄印宿白怀蒲"
    "从鄂索咸籍赖卓蔺屠蒙池乔阴能苍双闻莘党翟谭贡劳逄姬申扶堵冉宰郦雍却桑桂濮牛寿通边扈燕冀郏浦尚农温别庄晏柴瞿"
    "阎充慕连茹习宦艾鱼容向古易慎戈廖庾终暨居衡步都耿满弘匡国文寇广禄阙东欧沃利蔚越夔隆师巩聂晁勾敖融冷訾辛阚那"
    "简饶空曾沙养鞠须丰关蒯相查后荆红游竺权盖益桓公岳帅淳涂蹇"
    "肖闫付代佟佘覃楚仝逯丛冼牟商亓谌揭占邸苑"
)
COMPOUND_SURNAMES = word_set("""
    诸葛 司马 夏侯 公孙 上官 欧阳 皇甫 尉迟 澹台 淳于 单于 太史 申屠 令狐 轩辕 宇文 长孙 慕容 司徒 司空 钟离
    东方 独孤 南宫 西门 百里 呼延 端木 拓跋 濮阳 鲜于 闾丘 公冶 宗政 赫连 东郭 贺兰 完颜 耶律 纳兰 第五
    """)
SPEECH_AFTER = re.compile(
    r"(?:[^，。；！？：“”‘’\n]{0,6}?)(?:曰|道|说|問|问|答|叫|喊|喝|骂|奏|谏|叹|言|云)(?:道|曰)?[：:，,]?[“‘\"「『]"
)
"""What stands between a speaker's name and the quotation: 大怒曰：“, 笑道：“, 低声说，“."""
ADDRESSEE_BEFORE = re.compile(r"[谓問问对\u5c0d告与向和跟替给劝教令唤骂指见]$")
"""The word before a name that is spoken to and not speaking: 操谓备曰."""
AGENT_NEXT = frozenset(
    "曰乃遂大谓問问答笑怒喜惊叹哭泣引领率令命使教闻见视急忙自亲又亦便即欲已既得入出至到回上下拜奏谏纵拍挺挥拔举执"
    "持提将以不知恐疑听告请求退走死卒败胜斩杀射刺从应喝骂叫唤跪伏辞谢再方正在立坐起披带因由与兵军之皆必若可虽更只"
)
"""Characters that follow a bare given name where it acts: 操大怒, 瑜乃, 飞引军."""
OBJECT_BEFORE = frozenset("谓见与杀斩劝助投擒刺召请封问说射救迎随从害拜围攻降赶追唤教令使引告对辞背归捉拿保送扶")
"""Characters before a bare given name where it is acted upon: 谓操曰, 斩良于马下."""
CLAUSE_START = frozenset("，。；：！？、“”‘’「」『』（）()\n \u3000—…")
KINDS = {
    "人名": "Character", "人物": "Character", "character": "Character", "person": "Character", "per": "Character",
    "地名": "Location", "州名": "Location", "地点": "Location", "location": "Location", "place": "Location",
    "loc": "Location", "势力": "Organization", "组织": "Organization", "机构": "Organization", "国名": "Organization",
    "organization": "Organization", "org": "Organization", "事件": "Event", "战役": "Event", "event": "Event",
    "物品": "Object", "物件": "Object", "object": "Object", "item": "Object", "thing": "Object",
}  # fmt: skip
POWER_BEFORE = frozenset("伐攻投降归入取灭西北大东事助破平侵犯寇拒叛仕于")
POWER_AFTER = frozenset("兵军主国将中人地寨王帝营臣使境朝吴蜀魏晋侯都阵船")
"""Neighbours that make a single character the name of a power: 伐吴, 魏兵."""


def kind_of(label: str | None) -> str:
    """Map a dictionary's type to a label of the graph; an unknown label is kept as it is."""
    return KINDS.get((label or "人名").strip().lower(), (label or "").strip() or "Character")


def is_surname(word: str) -> bool:
    plain = "".join(map(simplified_character, word))
    return plain in COMPOUND_SURNAMES or (len(plain) == 1 and plain in SURNAMES)


def surname(name: str) -> str:
    """Return the surname of a Chinese full name, '' if it begins with none."""
    plain = "".join(map(simplified_character, name[:2]))
    if plain in COMPOUND_SURNAMES and len(name) > 2:
        return name[:2]
    return name[:1] if plain[:1] in SURNAMES and len(name) > 1 else ""


def given_character(name: str) -> str:
    """Return the one-character given name of a Chinese full name (曹操: 操), '' if it has none."""
    family = surname(name)
    return name[len(family) :] if family and len(name) == len(family) + 1 else ""


NICKNAME = (
    "外号|绰号|诨号|诨名|浑名|混号|小名|乳名|奶名|昵称|花名|代号|法号|道号|别号|雅号|艺名|笔名|化名|又名|人称|人送|号称"
)
REAL_NAME = "本名|原名|真名|真实姓名|大名|大号|学名|全名|官名"
_BE = "(?:不过|其实|原来)?(?:叫做|叫作|叫|就是|便是|是|为|唤作|唤做|唤|作|乃)?[：:，,]?"
_CALL = "(?:昵称|戏称|尊称|称呼|叫|喊|唤|称|管|尊)"
CALLED = (
    rf"(?:{_CALL}(?P<who>[他她其之我])(?:叫做|叫作|叫|作|做|为|一声)?"
    r"|[给替](?P<given>[他她我])[^，。！？；“”]{0,6}[起取]了?[^，。！？；“”]{0,3}(?:外号|绰号|诨名|名字)，?(?:叫做?|是)?)"
)
"""叫他, 管她叫, 给他起了个外号，叫."""
NAMED = (
    rf"(?:(?:{NICKNAME}|{REAL_NAME}){_BE}|被[^，。！？；“”]{{0,8}}?(?:叫|称|昵称|戏称|唤)[作做为]"
    rf"|名字，(?:叫做|叫作|就叫|叫))"
)
"""外号, 真名叫, 被朋友们称为, 只有一个名字，叫."""
ONE_OF_SEVERAL = "(?<=[，；：“])(?:[大小男女]的|老[大二三四五]|[长次幼三][子女]|头一个|另一个)(?:名叫|叫做|叫作|叫|名)"
"""大的叫 in 有两个儿子，大的叫…，小的叫…."""
HABIT = re.compile(r"[都们众总里上]|人|大家|大伙|一直|从来|从小|街坊|私下|背地|背后|江湖")
"""What tells a name that somebody has from words that are shouted at him once."""
APART = re.compile(
    r"姓([一-龥]{1,2}?)[，,、]?(?:单名(?:一个)?|名叫|名唤|名|讳)([一-龥]{1,2}?)(?:字(?=[，。；])|(?=[，,。；、]|表?字))"
)
"""Surname and name told apart: 姓沈，名川; 姓罗，单名一个蔓字."""
_ONLY = r"(?:\s+(?:anything|nothing)\s+(?:but|except)|\s+only|\s+simply)?"
_CALLS = r"(?:call(?:s|ed)?|nicknamed|dubbed|christened|named)"
ENGLISH_CALLED = rf"\b(?:{_CALLS}|knew|knows)\s+(?P<who>him|her|me){_ONLY}(?:\s+as)?(?:\s+the)?\s+"
"""called him, knew her as the."""
ENGLISH_NAMED = (
    rf"(?:\b(?:known|called)\s+(?:(?:to|by|on|in|from)\s+(?:[\w'’-]+\s+){{1,7}}?)?as|\balias"
    rf"|\b(?<!had )(?<!have )(?<!has )nicknamed|\bwhom?\s+(?:[\w'’-]+\s+){{1,6}}?(?:{_CALLS}|knew\s+as)"
    rf"|\b(?:was|is)\s+(?:never\s+|always\s+|only\s+)?called{_ONLY}|\b(?:real|true|full|own)\s+name\s+(?:was|is)"
    rf"|\bby\s+the\s+name\s+of|\banswer\w*\s+to(?:\s+the\s+name\s+of)?)(?:\s+the)?\s+"
)
"""known on both banks as, whom everyone called, answered to the name of."""
ENGLISH_BEHIND = r",?\s+as\s+(?:[\w'’-]+\s+){1,4}?called\s+(?:him|her)\b"  # as we called her, behind a name
I_AM = r"(?<![一-龥])我(?:的?(?:大名|大号|名字|真名|本名|小名|学名))?(?:就?叫做?|名叫|就?是)"
ENGLISH_I_AM = r"\b(?:[Mm]y\s+name(?:['’]s|\s+is|\s+was)|I\s+(?:was|am)\s+(?:called|named|christened)|I,)\s+"

_JAPANESE_PERSON = (
    "(?:男|女|人|者|娘|少年|少女|子供?|若者|青年|老人|老婆|侍|武士|僧|医者|商人|客|職人|漁師|司書|生徒|学生|友人|弟子|犬|猫|馬"
    "|私|僕|俺|彼女?|[父母兄姉弟妹夫妻孫]|息子|[長次][男女]|祖[父母]|[伯叔][父母])"
)
_JAPANESE_NAME = "(?P<name>[一-鿿々ヶ]{2,6}|[ァ-ヺー・]{2,12}|お[一-鿿ぁ-ゖ]{1,3}?)"
JAPANESE_NAMES = (
    rf"(?:{_JAPANESE_PERSON}の|(?<!の))(?:名|名前)[はを]、?{_JAPANESE_NAME}(?=と(?:い|言|云|申|呼)|で(?:ある|す|あ)|だ)",
    rf"{_JAPANESE_NAME}と(?:いう|いった|言う|云う|申す|名乗る|呼ばれる)(?:[^、。]{{0,6}}の)?{_JAPANESE_PERSON}(?![一-鿿])",
    r"(?<![一-鿿々ァ-ヺーお])(?P<name>(?![皆神仏奥王姫貴諸若何誰各客大老女小両某坊赤父母兄姉弟妹爺婆娘嫁孫叔伯]|旦那|医者|息子)"
    r"(?:[一-鿿々ヶ]{1,5}?(?<![屋婦者手員工掌官供猿兵僧徒])(?=さん|ちゃん|くん|さま|先生|夫人|博士)|[ァ-ヺー・]{2,12}"
    r"|[一-鿿々ヶ]{2,5}?(?<![模同多異有])(?=[様君氏殿])))"
    r"(?:さん|ちゃん|くん|さま|[様君氏殿]|夫人|先生|博士)(?=[はがをにのともでへや、。」！？])",
)
"""How Japanese gives names: 少年の名は…と, …という男; and names before what people are called with: …さん, …君."""


@cache
def relation_words(language: Language) -> Mapping[str, str]:
    return {name: words for name, words in _table()[language].items() if isinstance(words, str)}


@cache
def seats(language: Language) -> tuple[tuple[str, str], ...]:
    """Return offices with the last characters of what they are offices of: 坊主, 坊."""
    return tuple((row["words"], row["ends"]) for row in _table()[language].get("seat", ()))


@cache
def bodies(language: Language) -> tuple[tuple[str, str], ...]:
    """Return the words that a body is called by alone, with the last characters of its name, '' for the word itself."""
    return tuple((row["words"], row["ends"]) for row in _table()[language].get("body", ()))


def table(package: str, file: str) -> dict[str, Any]:
    """Return the TOML table that a package has in a file."""
    return tomllib.loads(files(package).joinpath(file).read_text(encoding="utf-8"))


@cache
def _table() -> dict[str, dict[str, Any]]:
    return table("wenmai.language", "relation_words.toml")


@cache
def patterns(package: str, file: str = "patterns.toml") -> Mapping[str, re.Pattern[str]]:
    """Return the expressions of a file by name; case does not count."""
    return {name: re.compile("|".join(parts), re.IGNORECASE) for name, parts in table(package, file).items()}
