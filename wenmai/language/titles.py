"""Titles, honorifics and kinship words that stand with a name, and the gender that they tell.

Words of kinship that a story uses as names are here too: those of one group mean one relative.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, product
from typing import Literal

from tools.language import HAN
from wenmai.language.lexicon import is_surname, word_set, words
from wenmai.language.segmenting import cut, segmenter
from wenmai.language.spans import Span, meet

Gender = Literal["", "f", "m"]
SHORT_FORMS = {
    "abby": "abigail", "alec": "alexander", "alex": "alexander", "alf": "alfred", "andy": "andrew",
    "annie": "anne anna", "archie": "archibald", "bart": "bartholomew", "becky": "rebecca", "bella": "isabella",
    "ben": "benjamin", "bert": "albert herbert bertram", "bess": "elizabeth", "bessie": "elizabeth",
    "beth": "elizabeth", "betsy": "elizabeth", "betty": "elizabeth", "biddy": "bridget", "bill": "william",
    "billy": "william", "bob": "robert", "bobby": "robert", "carrie": "caroline", "cathy": "catherine",
    "charley": "charles", "charlie": "charles", "chris": "christopher christine", "dan": "daniel", "danny": "daniel",
    "dave": "david", "davy": "david", "dick": "richard", "dolly": "dorothy", "dot": "dorothy", "ed": "edward edwin",
    "eddie": "edward edwin", "effie": "euphemia", "eliza": "elizabeth", "ellie": "eleanor ellen", "fanny": "frances",
    "frank": "francis franklin", "fred": "frederick alfred", "freddy": "frederick", "gus": "augustus", "hal": "henry",
    "hank": "henry", "harry": "henry harold", "hetty": "henrietta", "jack": "john", "jake": "jacob",
    "jem": "james jeremy", "jenny": "jane jennifer", "jim": "james", "jimmy": "james", "jo": "josephine",
    "joe": "joseph", "joey": "joseph", "johnny": "john", "kate": "catherine katherine",
    "kitty": "catherine katherine", "larry": "lawrence", "lily": "lilian", "liz": "elizabeth", "lizzie": "elizabeth",
    "lizzy": "elizabeth", "lottie": "charlotte", "maggie": "margaret", "mat": "matthew", "matt": "matthew",
    "meg": "margaret", "mike": "michael", "milly": "mildred", "minnie": "wilhelmina", "molly": "mary",
    "nan": "anne anna", "nancy": "anne anna", "nat": "nathaniel", "ned": "edward edmund",
    "nell": "helen eleanor ellen", "nelly": "helen eleanor ellen", "nick": "nicholas", "patty": "martha",
    "peg": "margaret", "peggy": "margaret", "phil": "philip", "polly": "mary", "rob": "robert", "robin": "robert",
    "ron": "ronald", "sally": "sarah", "sam": "samuel samantha", "sandy": "alexander", "sophy": "sophia",
    "steve": "stephen steven", "stevie": "stephen steven", "sue": "susan", "susie": "susan", "ted": "edward theodore",
    "teddy": "edward theodore", "tess": "theresa", "tilly": "matilda", "tim": "timothy", "toby": "tobias",
    "tom": "thomas", "tommy": "thomas", "tony": "anthony antonia", "vicky": "victoria", "walt": "walter",
    "will": "william", "willie": "william", "willy": "william",
}  # fmt: skip
FEMALE = word_set("""
    abigail adela agnes alice amelia amy ann anna anne annie barbara beatrice becky bella bertha bess bessie betsy
    betty bridget caroline catherine charlotte christine clara constance daisy deborah diana dolly dora dorothy edith
    eleanor eliza elizabeth ella ellen emily emma esther ethel eva eve fanny flora florence frances georgina gertrude
    grace hannah harriet helen henrietta hester hetty ida irene isabel isabella jane janet jemima jenny jessica jessie
    joan josephine judith julia juliet kate katherine kathleen kitty laura lavinia lily linda lizzie lizzy lottie
    louisa lucy lydia mabel madeleine maggie margaret maria marian marianne marion martha mary matilda maud meg
    mildred millicent miriam molly nancy nell nelly nora olive olivia patty peggy penelope phoebe polly priscilla
    rachel rebecca rosa rosamond rose ruth sally sarah selina sophia sophie sophy stella susan susanna susie sylvia
    theresa ursula veronica victoria violet virginia winifred louise lucilla leonora edna marie blanche minnie winnie
    dinah prudence rosalind letitia eugenia evelina cecilia camilla arabella augusta cora cordelia celia pauline
    yvonne antoinette katharine georgiana jennifer lisa karen michelle nicole jean joanna sybil beth carrie biddy
    lilian madge muriel nina
    """)
MALE = word_set("""
    abraham adam alan albert alexander alfred allan ambrose andrew anthony archibald arnold arthur augustus barnaby
    bartholomew basil ben benjamin bernard bertram bill billy bob bobby cecil charles charley charlie christopher
    clement cuthbert cyril dan daniel david dick donald douglas edgar edmund edward edwin ernest eric eugene ezra
    felix ferdinand francis frank franklin fred frederick geoffrey george gerald gilbert godfrey gregory harold harry
    henry herbert herman horace howard hubert hugh humphrey isaac jack jacob james jasper jeremiah jerome jim jimmy
    joe john johnny jonathan joseph joshua julian julius laurence lawrence leonard lewis lionel louis luke malcolm
    mark martin matthew maurice michael moses nathaniel ned nicholas noah oliver oscar oswald patrick paul peter
    philip ralph raymond reginald richard robert roderick roger roland rudolf rudolph rupert samuel sebastian sidney
    silas simon solomon stanley stephen steven ted theodore thomas timothy tobias tom tommy toby victor vincent walter
    wilfred william willie
    """)
TRANSLATED_FEMALE = word_set("""
    玛丽 玛丽亚 玛利亚 玛格丽特 玛莎 伊丽莎白 安娜 安妮 安 简 珍妮 珍 爱玛 艾玛 艾米丽 埃米莉 艾米 爱丽丝 艾丽丝 露西
    凯瑟琳 卡罗琳 夏洛特 夏洛蒂 苏珊 苏珊娜 海伦 海伦娜 艾琳 艾伦娜 伊莎贝拉 伊莎贝尔 索菲 索菲亚 索菲娅 莎拉 萨拉
    露丝 丽莎 莉莉 丽贝卡 瑞贝卡 朱莉 朱丽叶 朱莉娅 茱莉亚 维多利亚 弗吉尼亚 多萝西 多丽丝 格蕾丝 黛安娜 黛西 克拉拉
    克莱尔 劳拉 罗拉 路易丝 露易丝 琳达 南希 尼娜 奥利维亚 佩吉 波莉 萝丝 罗丝 罗莎 莫莉 梅格 乔安娜 约瑟芬 娜塔莎
    娜塔莉 塔季扬娜 奥尔加 卡捷琳娜 索尼娅 薇拉 艾达 伊迪丝 埃莉诺 埃伦 芬妮 范妮 弗洛拉 凯特 凯蒂 贝拉 贝蒂 芭芭拉
    布里奇特 贝尔 阿黛尔
    """)
TRANSLATED_MALE = word_set("""
    约翰 约翰尼 杰克 詹姆斯 詹姆士 吉姆 吉米 威廉 威利 比尔 罗伯特 鲍勃 理查德 理查 迪克 托马斯 汤姆 汤米 爱德华 内德
    亨利 哈里 哈利 乔治 查尔斯 查理 彼得 保罗 大卫 戴维 丹尼尔 塞缪尔 山姆 约瑟夫 乔 乔瑟夫 本杰明 本 亚历山大 安德鲁
    安东尼 托尼 阿瑟 亚瑟 马丁 马克 马修 迈克尔 迈克 菲利普 弗兰克 弗雷德 弗雷德里克 埃德加 埃德蒙 爱德蒙 埃里克
    奥利弗 奥斯卡 雷蒙德 罗杰 罗兰 鲁道夫 西蒙 斯蒂芬 史蒂文 维克多 文森特 沃尔特 阿尔伯特 阿尔弗雷德 伯纳德 雨果 休
    雅各布 雅克 让 皮埃尔 路易 路易斯 卢克 尼古拉 尼古拉斯 伊万 谢尔盖 安德烈 阿列克谢 德米特里 米哈伊尔 弗拉基米尔
    鲍里斯 帕维尔 卡尔 汉斯 弗里茨 弗朗茨 海因里希 奥托 古斯塔夫 哈罗德 霍华德 塞德里克 西里尔 吉尔伯特 杰弗里
    格雷戈里 赫伯特 雷金纳德 塞西尔 西奥多 蒂莫西 蒂姆 托拜厄斯
    """)
ENDINGS = ("ie", "y", "ey")
LEAST_STEM = 3


def is_short_for(nick: str, given: str) -> bool:
    """Return True for a short form of an English given name: Bob for Robert, Marmie for Marmaduke."""
    nick, given = nick.lower(), given.lower()
    if given in SHORT_FORMS.get(nick, "").split():
        return True
    stems = [nick, *(nick[: -len(end)] for end in ENDINGS if nick.endswith(end))]
    return any(len(given) - 1 > len(stem) >= LEAST_STEM and given.startswith(stem) for stem in stems)


def given_gender(name: str) -> Gender:
    name = name.lower()
    return (
        "f" if name in FEMALE or name in TRANSLATED_FEMALE else "m" if name in MALE or name in TRANSLATED_MALE else ""
    )


def told_gender(name: str) -> Gender:
    """Return the gender that a name with its titles tells: Mrs. Hale, Captain Mary Hale, 王大娘, 玛丽·格雷."""
    if HAN.search(name):
        return without_title(name)[2] or given_gender(name.split("·")[0])
    titles = [word for word in name.split() if is_english_title(word)]
    rest = [word for word in name.split() if word not in titles]
    told: list[Gender] = [gender for title in titles if (gender := english_gender(title))]
    if told or not rest or (titles and len(rest) == 1):
        return told[0] if told else ""
    return given_gender(rest[0])


CHINESE_FEMALE = words("""
    太太 小姐 夫人 女士 姑娘 大嫂 嫂子 嫂 婶子 婶 大姐 姐姐 姐 妹妹 妹 妈妈 妈 奶奶 婆婆 婆 阿姨 姨娘 姨妈 姨 大娘
    娘娘 娘 公主 王妃 皇后 贵妃 师太 老太太 太君 大妈 姑妈 姑姑 姑 女王 嬷嬷 修女 女侠 仙子 老夫人 老太 少奶奶 大奶奶
    二奶奶 大小姐 二小姐 嫂嫂 婶婶 二婶 三婶 二嫂 三嫂 大姨 小姨 婆子 新娘 氏 妃 才人 贵人 嫔 学姐 学妹 师娘 丫头 寡妇
    """)
CHINESE_MALE = words("""
    先生 大哥 哥哥 哥 弟弟 弟 大叔 叔叔 叔公 叔 伯伯 大伯 伯 爷爷 爷 大爷 老爷 少爷 公子 员外 舅舅 舅 爵士 神父 相公
    太监 公公 和尚 王爷 大师 国王 王子 太子 驸马 侠 老头 老汉 老先生 老爹 老翁 大老爷 二老爷 二爷 三爷 四爷 五爷
    老太爷 少 二哥 三哥 四哥 二叔 三叔 四叔 二伯 三伯 表哥 表弟 世兄 长兄 仁兄 兄 大官人 官人 官 老官 大郎 二郎 三郎
    郎 汉子 屠户 老头子 老头儿 学长 学弟 师公 牧师 老哥 老弟 小哥 大兄弟 兄弟 公
    """)
CHINESE_NEUTRAL = words("""
    师傅 师父 师兄 师姐 师弟 师妹 师叔 师尊 掌柜 老板 队长 队 处长 局长 院长 主任 医生 大夫 老师 教授 警官 警长 经理
    总 工 董 科长 所长 校长 书记 镇长 村长 厂长 站长 会长 社长 县长 市长 部长 班长 连长 营长 团长 排长 司令 参谋 县令
    知县 知府 知州 大人 将军 都督 太守 丞相 尚书 侍郎 侍卫 御史 巡抚 总督 提督 道长 道人 真人 长老 尊者 掌门 帮主 堂主
    监生 秀才 举人 翰林 学道 司业 相国 专员 博士 船长 上尉 中尉 少尉 上校 中校 少校 上将 少将 中士 下士 伯爵 公爵 侯爵
    男爵 子爵 法官 律师 记者 秘书 管家 护士 教练 导演 编辑 同志 同学 前辈 大王 大仙 菩萨 陛下 殿下 父母 乡绅 贡生 进士
    学台 宗师 通政 参军 客人 朋友 孝廉 解元 状元 探花 中丞 太傅 太师 太尉 校尉 都尉 元帅 司令员 政委 干事 主编 总监
    总裁 董事长 助理 组长 科 处 局 院 所 法医 主席 总统 首相 大使 领事 船主 大副 教头 都头 提辖 押司 管事 总管 捕头
    捕快 师长 军长 旅长 探长 侦探 探员 舰长 机长 车长 馆长 领班 股长 庭长 审判长 参赞 主教 修士 校监 督学 道士 道友
    仙师 上人 法师 师伯 门主 宗主 岛主 谷主 庄主 城主 教主 阁主 楼主 舵主 护法 供奉 家主 少主 小友 嬷 导
    """)
CHINESE_PREFIXES = "老小阿大"
ENGLISH_FEMALE = word_set("""
    mrs miss ms madam madame mademoiselle lady dame mistress aunt auntie sister mother grandma grandmother widow goody
    queen princess duchess countess baroness empress
    """)
ENGLISH_MALE = word_set("""
    mr master sir lord uncle brother father grandpa grandfather king prince duke count baron earl emperor monsieur
    squire
    """)
ENGLISH_NEUTRAL = word_set("""
    dr doctor professor captain capt colonel col major general lieutenant sergeant corporal inspector detective
    constable judge reverend rev president senator governor old young little poor dear cousin the von van de da di del
    la le of agent special canon pastor marshal marshall bishop cardinal chief commander admiral sheriff
    """)
ENGLISH_QUALIFIERS = word_set("old young little poor dear the von van de da di del la le of")
"""Words before a name that no person bears as a title."""
MARRIED = word_set("夫人 太太 老太太 大娘 大嫂 嫂子 嫂 婶子 婶 二婶 三婶 大妈 奶奶 老夫人 少奶奶 mrs")
"""Titles of women with the family name of a man."""
THROUGH_OTHERS = MARRIED | word_set("妈妈 妈 爸爸 爸 嫂嫂 婶婶 媳妇 寡妇 婆子")
"""Titles that come with the name of a husband, a wife or a child."""
WOMEN = MARRIED | {"miss", "madame", "lady"}
KINSHIP = word_set("cousin aunt auntie sister uncle brother father")
EXCLUSIVE = (
    word_set("mrs"),
    word_set("miss"),
    word_set("mr"),
    word_set("sir lord king prince duke count baron earl lady queen princess duchess countess baroness"),
)
"""Titles of which a person bears those of one group alone."""
MAIDEN = "氏"  # the title behind the name of a family that a woman was born into
KIN = frozenset("嫂婶姐妹妈婆姨娘姑哥弟叔伯爷舅")
"""Titles of one character that stand behind given names too; the others stand behind a surname alone."""
RELATIONS = frozenset("父母妻妇子女弟兄妹姐嫂爹娘妈爸夫孙侄舅婆")
"""Characters behind a name that make another person of it: 刘备母."""
_BY_LENGTH = sorted(
    [(word, "f") for word in CHINESE_FEMALE]
    + [(word, "m") for word in CHINESE_MALE]
    + [(word, "") for word in CHINESE_NEUTRAL],
    key=lambda row: -len(row[0]),
)

CHINESE_TITLES = frozenset(title for title, _ in _BY_LENGTH)
LONGEST_TITLE = len(_BY_LENGTH[0][0])


def without_title(name: str) -> tuple[str, str, Gender]:
    """Return a Chinese name without the title behind it, the title, and the gender that it tells."""
    for title, gender in _BY_LENGTH:
        rest = name[: -len(title)]
        if rest and name.endswith(title) and (len(title) > 1 or title in KIN or is_surname(rest)):
            return rest, title, "m" if gender == "m" else "f" if gender == "f" else ""
    return name, "", ""


def english_gender(title: str) -> Gender:
    word = title.lower().rstrip(".")
    return "f" if word in ENGLISH_FEMALE else "m" if word in ENGLISH_MALE else ""


def is_english_title(word: str) -> bool:
    """Return True for a title, an honorific or a particle."""
    word = word.lower().rstrip(".")
    return word in ENGLISH_FEMALE or word in ENGLISH_MALE or word in ENGLISH_NEUTRAL


_WORD = re.compile(r"[^\W\d_]+(?:[-.][^\W\d_]+)*")
_POINTING = re.compile(r"^[这那该此]|[他她它您你谁]")
_ROLE_ENDS = "长匠工员师生士夫官医警手"  # last characters of what people are, as in 邹场长 and 周铁匠


def telling_part(text: str, span: Span) -> tuple[Span, str]:
    """Return where a whole name stands that a span has most of, and the part that tells its bearer; '' for no name.

    The whole name has its titles and its surname. In Latin script its place is that of its last word alone.
    """
    return _chinese(text, span) if HAN.search(text, *span) else _latin(text, span)


def _latin(text: str, span: Span) -> tuple[Span, str]:
    own = [word for word in _WORD.finditer(text) if meet(word.span(), span) and word[0][0].isupper()]
    names = [word for word in own if not is_english_title(word[0])]
    return ((own[0].start(), names[-1].end()), names[-1][0]) if names else (span, "")


def _chinese(text: str, span: Span) -> tuple[Span, str]:
    start, end = span
    before = max(0, start - 1)
    if is_surname(text[before : start + 1]) or (is_surname(text[before:start]) and not is_surname(text[start])):
        start = before
    name = text[start:end].removesuffix("的")
    is_cut = bool(segmenter().has_word(text[end - 1 : end + 1])) and end not in accumulate(map(len, cut(text)))
    if len(name) < 2 or name in CHINESE_TITLES or _POINTING.search(name) or is_cut:
        return span, ""
    bare = name[1:] if len(name) == 2 and name[0] in CHINESE_PREFIXES else without_title(name)[0]
    if bare == name and is_surname(name[0]) and name[-1] in _ROLE_ENDS and segmenter().has_word(name[1:]):
        bare = name[0]
    return (start, start + len(name)), bare


_FEMALE = """
    妈妈 母亲 妈 娘 娘亲 阿妈 老妈 / 奶奶 祖母 / 外婆 姥姥 外祖母 / 姐姐 姐 / 妹妹 妹 / 舅妈 舅母 / 姑姑 姑妈 姑 /
    姨妈 姨 姨母 / 婶婶 婶 婶子 / 伯母 / 嫂子 嫂 嫂嫂 / 妻子 老婆 媳妇 / Mother Mamma Mama Mummy Mum Mommy Mom Ma /
    Grandmother Grandma Granny Gran Grandmamma
    """
_MALE = """
    爸爸 父亲 爸 爹 爹爹 阿爸 老爸 / 爷爷 祖父 / 外公 姥爷 外祖父 / 哥哥 哥 / 弟弟 弟 / 舅舅 舅 / 姑父 姑夫 姑丈 /
    姨父 姨夫 / 叔叔 叔 叔父 / 伯伯 伯父 / 姐夫 / 丈夫 老公 / Father Papa Daddy Dad Pa / Grandfather Grandpa
    Granddad Grandad
    """
_RANKED_FEMALE = ("姨 姨妈", "姑 姑姑", "婶 婶婶", "舅妈", "姐", "嫂", "奶奶")
_RANKED_MALE = ("舅 舅舅", "叔 叔叔", "伯 伯伯", "哥", "爷爷", "姑父", "姨父")
_RANKS = "大二三四五六七八九小老幺"


def _groups() -> Iterator[tuple[Gender, Sequence[str]]]:
    """Yield the words of each relative with the gender, those with a number among them."""
    sexes: tuple[tuple[Gender, str, Sequence[str]], ...] = (("f", _FEMALE, _RANKED_FEMALE), ("m", _MALE, _RANKED_MALE))
    for gender, plain, ranked in sexes:
        for row in plain.split("/"):
            yield gender, row.split()
        for rank, row in product(_RANKS, ranked):
            yield gender, [rank + word for word in row.split()]


RELATIVES: dict[str, tuple[str, Gender]] = {word: (group[0], gender) for gender, group in _groups() for word in group}
"""The words, each with the first of its group and the gender."""
CLAIMED = word_set("""
    大叔 大伯 大婶 大哥 大姐 大嫂 大奶奶 小叔 小哥 小姐 小姑 老叔 老伯 老哥 老姐 老婶 老嫂 老爷爷 老奶奶
    哥哥 姐姐 弟弟 妹妹 叔叔 婶婶 婶子 伯伯 嫂子 嫂嫂 妻子 老婆 媳妇 丈夫 老公
    """)
"""What others are called too: a relative of the narrator where "my" stands before it somewhere."""
ELDERS = word_set("爷爷 奶奶 外公 外婆 姥姥 姥爷 舅舅 舅妈 姑姑 姑父 姑妈 姨妈 姨父")
"""What a story that is told from outside may call a person throughout."""
MY = ("我", "咱", "俺")


def _either(found: Iterable[str]) -> str:
    return "|".join(sorted(found, key=len, reverse=True))


CHINESE_WORD = re.compile(rf"(?:{_either(word for word in RELATIVES if not word.isascii())})")
ENGLISH_WORD = re.compile(rf"\b(?:{_either(word for word in RELATIVES if word.isascii())})\b(?!\s+[A-Z])")
MY_ENGLISH = re.compile(rf"\b[Mm]y\s+({_either(word.lower() for word in RELATIVES if word.isascii())})\b")


def relative_word(name: str) -> str:
    """Return the word of kinship of a name, without "my": 妈 for 我妈; '' where the name holds none."""
    word = name[1:] if name[:1] in MY else name.split()[-1].capitalize() if " " in name else name
    return word if word in RELATIVES else ""


def relative_gender(name: str) -> Gender:
    word = relative_word(name)
    return RELATIVES[word][1] if word else ""
