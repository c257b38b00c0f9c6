"""Patterns of relations and events, as data. `A` and `B` are places where a name must stand.

A relation pattern is (type, description, expression, reversed): the expression joins what may stand between the end of
the first name and the start of the second, and its reversal swaps source and target. What stands between two names
never crosses the end of a sentence.
"""
# ruff: noqa: E501 - one line is one rule

from dataclasses import dataclass
from typing import Literal

from tools.records import EventType

Sides = Literal["AB", "A", "B"]


@dataclass(frozen=True, slots=True)
class RelationPattern:
    """`between` matches the whole text between two names, `after` what must follow the second.

    Without a description the words of `after` are one.
    """

    type: str
    description: str
    between: str
    after: str = ""
    swap: bool = False
    kinds: tuple[str, str] = ("Character", "Character")


@dataclass(frozen=True, slots=True)
class EventPattern:
    """A word that tells an event. `sides`: whether it needs names around it (A before, B after) and which roles.

    `weight` orders events where a chapter has too many: deaths and crownings before skirmishes. `reach` is how many
    characters before the words the subject may be named. `passive`: the event happens to its subject.
    """

    type: EventType
    words: str
    name: str
    sides: Sides = "A"
    outcome: str = ""
    weight: int = 1
    passive: bool = False
    reach: int = 24


_P = "Character"
_L = "Location"
_O = "Organization"
RELATIONS = (
    RelationPattern("FAMILY_OF", "之子", r"(?:[，、]?(?:乃|是|即|者[，,]?)?)之(?:[长次三四幼少]|第[一二三四五]|嫡|庶)?子[，、]?(?:名|曰|乃)?", swap=True),
    RelationPattern("FAMILY_OF", "之女", r"之(?:[长次幼]|第.)?女[，、]?", swap=True),
    RelationPattern("FAMILY_OF", "之弟", r"(?:之|族|亲|从|胞)弟[，、]?", swap=True),
    RelationPattern("FAMILY_OF", "之兄", r"(?:之|族|亲|从|胞)兄[，、]?", swap=True),
    RelationPattern("FAMILY_OF", "之妻", r"(?:之)?妻[，、]?", swap=True),
    RelationPattern("FAMILY_OF", "之父", r"之?父[，、]?", swap=True),
    RelationPattern("FAMILY_OF", "之母", r"之?母[，、]?", swap=True),
    RelationPattern("FAMILY_OF", "之侄", r"之侄[，、]?", swap=True),
    RelationPattern("FAMILY_OF", "", r"[，]?(?:乃|是|即|者[，]?|，?就是|正是)", after=r"之?(?:[长次三幼少]|嫡)?(?:子|儿子|女儿|女|弟|兄|妻|父|母|侄|孙)(?:也|[，。；])"),
    RelationPattern("FAMILY_OF", "", r"(?:是|就是|便是|正是|乃是)", after=r"的(?:亲生)?(?:父亲|母亲|儿子|女儿|哥哥|弟弟|姐姐|妹妹|妻子|丈夫|爷爷|奶奶|外公|外婆|叔叔|侄子|侄女|孙子|孙女)"),
    RelationPattern("FAMILY_OF", "夫妻", r"(?:嫁给了?|娶了?|迎娶)(?:.{0,4})"),
    RelationPattern("FAMILY_OF", "义父义子", r"(?:遂|便|乃)?(?:拜|认)", after=r"为(?:义|干)?(?:父|爹|母|娘)"),
    RelationPattern("FRIEND_OF", "结义", r"(?:与|和|、|同)", after=r".{0,10}(?:结为(?:兄弟|金兰|异姓兄弟|八拜)|结拜|结义|义结)"),
    RelationPattern("FRIEND_OF", "好友", r"(?:与|和|同)", after=r".{0,4}(?:交厚|相善|有旧|至交|友善|交好|是(?:好|老)?(?:朋友|友))"),
    RelationPattern("PARTNER_OF", "", r"(?:是|乃|便是)", after=r"的(?:师父|师傅|徒弟|弟子|老师|学生|学徒|搭档|副手|同伴)"),
    RelationPattern("PARTNER_OF", "拜师", r"(?:拜)", after=r"为师"),
    RelationPattern("MEMBER_OF", "部将", r"(?:部将|部下|手下|麾下|帐下|副将|爱将|谋士|心腹将|牙将|大将|幕僚)[，、]?", swap=True),
    RelationPattern("MEMBER_OF", "归附", r"(?:.{0,6})(?:投奔|归顺|归降|投降|来投|投靠|降了|归附|投)(?:了|于)?"),
    RelationPattern("MEMBER_OF", "加入", r"(?:.{0,4})(?:加入了?|效力于|效忠于?)", kinds=(_P, _O)),
    RelationPattern("ENEMY_OF", "斩杀", r"(?:[^，。；！？]{0,8})(?:斩了?|杀了?|刺死|射死|砍死|刺杀|射杀|害死|诛)(?:了)?"),
    RelationPattern("ENEMY_OF", "斩于马下", r"(?:[^。！？]{0,12})(?:一刀|一枪|一箭|一戟|手起刀落)[^。！？]{0,6}(?:斩|刺|砍|射|劈)"),
    RelationPattern("ENEMY_OF", "交战", r"(?:与|和|同|战|大战|来战|直取|交锋)", after=r".{0,3}(?:交马|交锋|交战|大战|战了?.{0,3}合|战不|厮杀|决一死战)"),
    RelationPattern("ENEMY_OF", "背叛", r"(?:背叛了?|出卖了?|告发了?)"),
    RelationPattern("LOCATED_IN", "镇守", r"(?:.{0,6})(?:镇守|据守|守把|屯于|屯兵于?|驻扎在?|驻守|屯|领|为|任|住在)", kinds=(_P, _L)),
    RelationPattern("LOCATED_IN", "太守", r"(?:.{0,3})(?:为|任|领|授|除)", after=r"(?:太守|刺史|牧|令|相)", kinds=(_P, _L)),
    RelationPattern("LEADER_OF", "统领", r"(?:是|乃|便是|为|率领?|统领|执掌)(?:了)?", after=r"(?:的)?(?:首领|会长|帮主|掌门|教主|之主|国王|大军|水军|诸军|军马)", kinds=(_P, _O)),
    RelationPattern("LEADER_OF", "主公", r"(?:.{0,3})(?:拜|封|命|令)", after=r"为(?:.{0,4})(?:将军|都督|军师|丞相|先锋|大将|校尉|太守|司马|元帅|护法)"),
)  # fmt: skip
EVENTS = (
    EventPattern("sacrifice", r"自刎|自缢|触阶而死|触柱而死|投井而死|投江而死|舍身|以身殉|拔剑自刎|伏剑而死|献出了?(?:自己的)?(?:生命|身体|性命)|替\S{1,4}挡|殉(?:国|难|城)", "{A}舍身赴死", outcome="身死", weight=6),
    EventPattern("transformation", r"即(?:皇帝|帝|王|大)位|登基|继位|袭位|嗣位|登极|受禅|变成|化为|化作|摇身一变|剃度出家|皈依|拜为(?:大将军|丞相|大都督|军师|大司马)|封为(?:魏|吴|蜀|汉中|晋|齐天|斗战)\S{0,3}|自立为(?:王|帝|\S{1,3})", "{A}身份转变", weight=5, reach=8),
    EventPattern("acquisition", r"(?:夺了|夺得|袭取了?|攻取了?|占了|夺取了?|获得了?|得到了?|赢得了?|缴获了?|受封为?|加封为?|尽得|得了)[^，。；！？：“”]{2,8}", "{A}得{X}", weight=2, reach=16),
    EventPattern("loss", r"(?:斩|刺|射|砍|劈|搠|打)(?:\S{0,6})(?:于马下|落马|身死|死)|气绝(?:身亡|而死)?|病死|病故|身亡|而亡|呕血而死|吐血而死|薨|驾崩|崩于|死于|被擒|失了\S{1,4}|陷落|丢了\S{1,4}|圆寂|咽了气|断了气|香消玉殒|去世", "{A}之死", sides="A", outcome="身亡", weight=4, passive=True),
    EventPattern("encounter", r"桃园结义|结为(?:异姓)?兄弟|结拜|初遇|初次相见|第一次见(?:到|面)|三顾|相见(?:礼)?毕|来投|来见|偶遇|邂逅|相遇|会面|重逢", "{A}会{B}", sides="AB", weight=2),
    EventPattern("conflict", r"大战|交战|交锋|战了?(?:\S{1,4})合|战不(?:\S{0,3})合|攻打|厮杀|杀奔|讨伐|造反|起兵|反了|杀散|劫寨|火攻|火烧|决斗|开火|打了起来", "{A}战{B}", sides="AB", weight=2),
    EventPattern("revelation", r"识破|看破|得知|方知|真相|原来是|泄漏|事泄|事已泄|告发|揭(?:发|穿|露)|认出|醒悟|恍然大悟|供出|败露", "{A}得知真相", weight=2, reach=10),
    EventPattern("milestone", r"称帝|建国|改元|出师|大婚|成亲|拜堂|班师|迁都|加九锡|开国|上《?出师表|取经(?:回|归)|成佛|封神|加冕|就任|建立了|中(?:了)?(?:举|状元)", "{A}大事", weight=3, reach=12),
)  # fmt: skip
ENGLISH_RELATIONS = (
    RelationPattern("FAMILY_OF", "family", r"(?:,? (?:is|was|the|a|and|who|had been)){0,3} ?,? ?(?:the )?(?:elder |younger |only |eldest )?(?:son|daughter|brother|sister|wife|husband|father|mother|cousin|uncle|aunt|nephew|niece) (?:of|to) (?:the )?"),
    RelationPattern("FAMILY_OF", "family", r"(?:'s|’s) (?:elder |younger |only |eldest |late |own )?(?:son|daughter|brother|sister|wife|husband|father|mother|cousin|uncle|aunt|nephew|niece),? ?", swap=True),
    RelationPattern("FAMILY_OF", "marriage", r"(?: had)? (?:married|wed) "),
    RelationPattern("FRIEND_OF", "friend", r"(?: and| was| is|,)? ?(?:an? )?(?:old |close |best |dear )?(?:friend of|befriended|(?:'s|’s) (?:old |close |best |dear )?friend,?) ?"),
    RelationPattern("ENEMY_OF", "enemy", r"(?: had)? (?:killed|betrayed|attacked|fought|murdered|stabbed|shot) (?:with |against )?"),
    RelationPattern("MEMBER_OF", "member", r"(?: had)? (?:joined|served|swore loyalty to|worked for) (?:the )?"),
    RelationPattern("LEADER_OF", "leader", r",? ?(?:is|was|became)? ?,?(?:the )?(?:captain|leader|chief|king|queen|master|head) of (?:the )?"),
    RelationPattern("LOCATED_IN", "place", r" (?:lived|stayed|settled|was stationed|kept watch) (?:in|at|on) (?:the )?", kinds=(_P, _L)),
)  # fmt: skip
ENGLISH_EVENTS = (
    EventPattern("sacrifice", r"sacrificed (?:him|her)self|gave (?:his|her) life|laid down (?:his|her) life", "{A} dies for others", weight=6),
    EventPattern("transformation", r"became (?:the )?(?:king|queen|captain|master)|was crowned|turned into|took the throne", "{A} is changed", weight=5),
    EventPattern("acquisition", r"(?:won|inherited|obtained|captured|received|found) the [A-Za-z ]{3,30}", "{A} gains a prize", weight=2),
    EventPattern("loss", r"\bdied\b|was killed|was drowned|lost (?:his|her) \w+|fell dead|was slain", "{A} is lost", weight=4, outcome="lost"),
    EventPattern("encounter", r"met .{0,20}for the first time|\bmet\b|came face to face", "{A} meets {B}", sides="AB", weight=2),
    EventPattern("conflict", r"\bfought\b|attacked|\bbattle\b|drew (?:his|her) sword|fired (?:on|at)", "{A} fights {B}", sides="AB", weight=2),
    EventPattern("revelation", r"discovered that|learned that|realised that|realized that|revealed that|found out|the truth", "{A} learns the truth", weight=3),
    EventPattern("milestone", r"\bmarried\b|wedding|set sail|was founded|swore an oath", "{A} at a turning point", weight=3),
)  # fmt: skip
