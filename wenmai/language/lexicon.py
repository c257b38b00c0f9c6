"""Word tables of name finding. Policies, not knowledge of any one story."""

import re


def words(text: str) -> tuple[str, ...]:
    """Read a table of words that stands in a text."""
    return tuple(text.split())


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
COMPOUND_SURNAMES = frozenset(
    words("""
    诸葛 司马 夏侯 公孙 上官 欧阳 皇甫 尉迟 澹台 淳于 单于 太史 申屠 令狐 轩辕 宇文 长孙 慕容 司徒 司空 钟离
    东方 独孤 南宫 西门 百里 呼延 端木 拓跋 濮阳 鲜于 闾丘 公冶 宗政 赫连 东郭 贺兰 完颜 耶律 纳兰 第五
    """)
)
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
}  # fmt: skip
POWER_BEFORE = frozenset("伐攻投降归入取灭西北大东事助破平侵犯寇拒叛仕于")
POWER_AFTER = frozenset("兵军主国将中人地寨王帝营臣使境朝吴蜀魏晋侯都阵船")
"""Neighbours that make a single character the name of a power: 伐吴, 魏兵."""


def kind_of(label: str | None) -> str:
    """Map a dictionary's type to a label of the graph; an unknown label is kept as it is."""
    return KINDS.get((label or "人名").strip().lower(), (label or "").strip() or "Character")


def is_surname(word: str) -> bool:
    """Return True for a Chinese surname."""
    return word in COMPOUND_SURNAMES or (len(word) == 1 and word in SURNAMES)


def surname(name: str) -> str:
    """Return the surname of a Chinese full name, '' if it begins with none."""
    if name[:2] in COMPOUND_SURNAMES and len(name) > 2:
        return name[:2]
    return name[:1] if name[:1] in SURNAMES and len(name) > 1 else ""


def given_character(name: str) -> str:
    """Return the one-character given name of a Chinese full name (曹操: 操), '' if it has none."""
    family = surname(name)
    return name[len(family) :] if family and len(name) == len(family) + 1 else ""
