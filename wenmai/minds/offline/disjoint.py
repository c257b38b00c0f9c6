"""Names of a question that its pronoun cannot mean: the clause says that somebody else is talked of."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import Anaphor, opening
from wenmai.minds.offline.reading import MASK, Named, Reading

_READ_AS_NOUNS = ("评价", "安排", "处罚", "奖赏", "伏击", "暗算", "款待", "封赏")
_BORDER = re.compile(r"[，；]|的时候|以后|之后|以前|之前|时(?!候)|后(?!来)|前(?!面)")
_COVERBS = frozenset("把将对向给从跟和与让为替拿")
_NEWS = re.compile(r"(?:听说|得知|听到|获悉|看到|看见|发现|见|，害得)$")
_AIMED = re.compile(
    r"[^，]{0,4}?(?:劝降|招降|劝说|相劝|求婚|提亲|追击|追杀|追赶|来攻|进攻|围攻|攻来|来犯|讨伐|征讨|问话|审问|拷问|挽留|阻拦|拦截|追来|来?讨要|来[要讨索请抓]|索要|"
    rf"杀来|挑战|搦战|来访|邀请|召见|探望|看望|巡视|视察|拜访|[去来]查|检查|盘问|巡查)(?:的时候|以后|之后|时|后|前|，)(?![^，]*{MASK})"
)
"""A deed whose object is left out: it is done to whom the talk is about."""
_OCCASION = re.compile(r"[^，]{1,6}那一?[次回]，")
"""蔡瑁设宴那次，他又帮了什么忙: the occasion is another one's."""
# The end of a clause that says when.
_WHEN = re.compile(r"(?:的?时候?|[以之][后前]|后|前)，")
_OBLIQUE = re.compile(rf"[对向给跟与从]{MASK}+")
HIS_KIN = re.compile("的?(?:" + phrases.ANY_KIN + ")")
_WHOSE_PLAN = re.compile(rf"{phrases.WHO}[^，]*，")
_AMONG = re.compile("的?(?:部将|部下|手下|将领|谋士|儿子|臣子)们?[里中]，")
_REWARDS = re.compile("[夸赞赏封奖][了赞奖赐]?$")
_CLAUSE_END = re.compile(rf"([^，。{MASK}]{{0,10}}?)(?:的?时候?|[以之][后前]|后|前)?[，。](?:那么?|结果|当时)?")
_TURNS_TO = re.compile(
    r"(?:说[到起回]?|提到|谈到|问[到起]?|关于|至于|看|讲到|聊到|回到|派|让|请|叫|令|差|遣|没有|没|等|当)$"
)
_UNLIKE = re.compile(r"[他她](?:怎么|为什么|为何|干吗)[没不](?!是)")
"""He is another one than who is contrasted with him: 那马超入川，他怎么没跟着去."""
_DEAD = re.compile(r"[^，]{0,2}?(?:被杀|被害|被斩|死了?|遇害|身亡|病故|病死|战死)(?:之?后|以后|，|$)")
_REMAINS = re.compile(r"的|自己|被|葬|埋|首级|尸|谥|" + phrases.ANY_RELATIONAL)
_REPLY = re.compile(
    r"(?:故意|假装|装作)[^，]{0,3}(?:什么|哪|啥)|(?:又|当时|当场)?(?:是)?(?:怎么|如何|怎样|用什么话)(?:回应|回答|答复|应对|对付|反驳|骂|解|猜|破|圆|辩|答)|解成|猜[出成到]"
    r"|是?(?:怎么|如何|怎样)(?:出手|上前|赶来|前去)?(?:相救|搭救|解救|解围)"
)
_REFUSES = re.compile(r"(?:不肯?听|不信|不从|不允|不答应|拒绝|没听|没有听)[^，]{0,4}，")
_REACTS = re.compile(r"[^，]{0,6}?(?:怎么|如何|什么|哪)")
"""曹爽不听，他哭着说了什么: who was refused."""
_RESCUED = re.compile("(?:救|护|保)[了出下走起住]?$")
_ATTACKS = re.compile(
    rf"[^，被遭受{MASK}]{{0,8}}?[枪刀箭剑戟矛鞭追杀砍刺射劈搠砸][^，被{MASK}]{{0,8}}(?:，|的?时候?|以后|之后|后)[^，]{{0,4}}{phrases.WHO}"
)
"""乐进持枪来刺，是谁救了他: who attacks is not whom somebody rescues."""
_POSSESSED = re.compile(r"的(?!是|[？?。]|$)|自己|" + phrases.ANY_RELATIONAL)


def barred(one: Named, anaphor: Anaphor, reading: Reading) -> bool:
    """Tell whether a name before a pronoun cannot be what it means."""
    if anaphor.form != "pronoun":
        return False
    text = reading.masked
    between, behind = text[one.end : anaphor.start], text[anaphor.end :]
    if _AMONG.match(between) and re.search(phrases.WHO, between):
        return True  # 张绣的部将中，是谁盗走他的双戟的
    if _REWARDS.search(text[: anaphor.start]) and _WHEN.match(between) and _acted_on(one, reading):
        return True  # 打退关公之后，曹操夸他
    if text[anaphor.start - 1] in "把将" and HIS_KIN.match(behind) and _WHOSE_PLAN.search(between):
        return True  # 曹操听了谁的计策，把他的母亲赚到许昌
    if _NEWS.search(between) or _OCCASION.fullmatch(between):
        return True
    if _WHEN.fullmatch(between) and _governs(one, reading):
        return True
    ended = _CLAUSE_END.fullmatch(between)
    if ended and _acted_on(one, reading) and not _pivot(one, ended[1], text):
        return not _POSSESSED.match(behind)
    if text[one.start - 1 : one.start] == "那" and _UNLIKE.match(text, anaphor.start):
        return True
    if _RESCUED.search(text[: anaphor.start]) and opens_clause(one, text) and _ATTACKS.match(between):
        return True
    if is_object(anaphor, reading):
        return _own_subject(one, between, text) or re.match(r"的[^，]{1,4}[，时后]", between) is not None
    opens = _opens(between)
    if opens and (_REPLY.match(behind) or (_REFUSES.match(between) and _REACTS.match(behind))):
        return True  # 纪灵不肯罢兵，他怎么回应: who replies is not who spoke
    return opens and bool(
        (_DEAD.match(between) and not _REMAINS.match(behind)) or (_AIMED.match(between) and not _REMAINS.match(behind))
    )


def is_object(anaphor: Anaphor, reading: Reading) -> bool:
    """Tell whether the anaphor is itself an object, not the possessor of one."""
    behind = reading.masked[anaphor.end :]
    own = anaphor.form == "pronoun" and not _POSSESSED.match(behind)
    return own and governed(anaphor, reading)


def is_patient(anaphor: Anaphor, reading: Reading) -> bool:
    """Tell whether the anaphor only suffers what the clause says; in 看破他装病 it acts as well."""
    behind, before = reading.masked[anaphor.end :], reading.masked[: anaphor.start]
    alone = re.match(r"[？?，。和与]|$|的(?:又?是|[人那]|[？?])|求情|说情|报仇", behind) is not None
    return is_object(anaphor, reading) and (alone or before[-1:] in tuple("把将"))


def governed(anaphor: Anaphor, reading: Reading) -> bool:
    """Tell whether a verb or preposition stands right before the anaphor: it is an object."""
    before = [word for word in reading.words if word.end <= anaphor.start]
    last = before[-1] if before and before[-1].end == anaphor.start else None
    if last is None or last.text[-1] in "，时后前":
        return False
    if last.text in ("了", "着", "过"):
        return True
    if last.text in ("是", "说", "因为", "由于", "为什么", "而", "当", "等", "如果", "但", "那"):
        return False
    if re.match(r"[和与跟]|[？?，。]|$", reading.masked[anaphor.end :]):
        return True  # 怎么离间他和韩遂: what ends a clause is its object
    return (
        last.text[-1] in _COVERBS
        or last.text in _READ_AS_NOUNS
        or (last.tag.startswith("v") and last.tag != "vd" and last.text[-1] not in "要想能会")
    )


def _governs(one: Named, reading: Reading) -> bool:
    """Tell whether a name is the object of a clause without a subject: 投曹操以前，他跟过谁."""
    clause = max(reading.masked.rfind("，", 0, one.start), -1) + 1
    begin = clause + opening(reading.masked[clause : one.start])
    words = [word for word in reading.words if begin <= word.start < one.start]
    return (
        bool(words)
        and words[0].tag[:1] in "vp"
        and words[-1].end == one.start
        and MASK not in reading.masked[begin : one.start]
    )


def _acted_on(one: Named, reading: Reading) -> bool:
    """Tell whether a name is the object of a clause that names nobody else: 为关羽报仇之前，他; 这马归吕布。那他."""
    begin = max(reading.masked.rfind(mark, 0, one.start) for mark in "，。") + 1
    lead = next((word for word in reading.words if word.end == one.start and word.start >= begin), None)
    verbal = lead is not None and (lead.tag[:1] == "v" or lead.text in _COVERBS)
    return verbal and all(other.start >= one.start or other.end <= begin for other in reading.people())


def _pivot(one: Named, rest: str, text: str) -> bool:
    """Tell whether a name that a verb governs acts itself, by the rest of its clause, or is what is turned to.

    派王平守寨，他; 再说审配，他.
    """
    if _TURNS_TO.search(text[: one.start]):
        return True
    return text[one.start - 1] not in _COVERBS and bool(rest) and rest[0] != "为"


def _opens(between: str) -> bool:
    """Tell whether the anaphor begins its clause."""
    ends = [found.end() for found in _BORDER.finditer(between)]
    return bool(ends) and opening(between[ends[-1] :]) == len(between[ends[-1] :])


def opens_clause(one: Named, text: str) -> bool:
    """Tell whether a name opens its clause."""
    clause = max(text.rfind("，", 0, one.start), -1) + 1
    return opening(text[clause : one.start]) == one.start - clause


def _own_subject(one: Named, between: str, text: str) -> bool:
    """Tell whether a name is the subject that the anaphor's clause leaves out: 赵云追上船后，从她怀里."""
    ends = [found.end() for found in _BORDER.finditer(between)]
    if not ends or not opens_clause(one, text):
        return False
    rest = _OBLIQUE.sub("", between[ends[-1] :])
    return MASK not in rest and not re.search(phrases.WHO, rest)
