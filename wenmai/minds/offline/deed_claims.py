"""Deeds between two people that a question takes for granted, and whether a story narrates them (S003-D08).

A deed is told where its verb follows its doer with nobody else between them, and whom it befell stands beside it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tools.story.linking import Mention, NameTable
from wenmai.minds.offline.lexicon import DEEDS, DEEDS_ALONE, MUTUAL_DEEDS
from wenmai.minds.offline.matching import any_of, name_pattern, told_together

ATTEMPT = "(?![得退散败进入到出奔向条开来过])"  # 杀得曹操割须: not slain
SPEECH = re.compile(r"[“「『][^”」』]*[”」』]?")  # 吾必斩之: what is said may be a threat
EDGE = re.compile(r" --\w+--> ")
TOWARDS = "[给向对把将跟和与同被让]"  # before the one whom a verb behind him befalls, or who does it
ADVERBS = 4  # characters between a name and the verb that is all his: 曹操后来登基
CLAUSE = 14  # characters between a doer and his deed
REACH = 60  # and at most, where a text tells what he does before it
SENTENCE_ENDS = "。！？"
NOT_DONE = "(?<![欲不未莫勿誓掩追突冲直厮混])"  # 不杀, 欲杀, 掩杀: what is not done, or to nobody
NO_OBJECT = re.compile(
    "[之死讫为其于]|了?(?:[^\\u4e00-\\u9fff]|$)|[下翻落倒].?马"
)  # 斩之, 射死: whom, the text has said
KILLS = frozenset("杀斩")  # deeds that a head tells: 提华雄之头
OBJECT = 4  # characters between a deed and whom it befell


@dataclass(frozen=True, slots=True)
class ClaimedDeed:
    """Somebody's deed and whom it befell, by canonical names, with the words that stories have for it."""

    doer: str
    forms: tuple[str, ...]
    sufferer: str | None  # None where the deed needs nobody else: 登基
    is_mutual: bool = False
    is_meant: bool = False  # planned, ordered or nearly done: told where its verb stands by both names


MEANT = re.compile(
    "(?:(?<![主首需])要|想|欲|打算|准备|差点|险些|企图|图谋|下令|喝令|吩咐|命令|(?:派|差|劝|说服)(?![^，]*(?:以后|之后|后来))[^，]{1,12}|"
    "(?<![过])去(?!年))[^，后]{0,2}$"
)
"""What stands before a deed that is only meant, ordered or nearly done: 孔明要斩魏延时."""
WHY = re.compile("为什么|为何|为啥|干吗|干嘛|凭什么")
"""Why somebody means to do a deed takes for granted that he does."""
HIS = re.compile(r"哪|的?(?:部将|手下|部下|麾下|帐下|大将|儿子|女儿|弟弟|兄弟|妻子|使者|父亲|母亲|家人)")
"""斩了袁绍哪员大将, 杀了曹操的部将: behind a name whose other it befell."""
NOT_WHOM = re.compile("[的，妻]|[以之][后前]|时")
"""Between a verb and a name that it does not befall: 杀妻款待刘备, 被废以后，孙綝."""
BORDER = re.compile("[，。？]|被杀时|被害时|[死亡][^，]{0,1}[后时]")
ASKED_DEED = re.compile(f"(?<!追){any_of((*DEEDS, *MUTUAL_DEEDS))}")  # 追杀: not yet done
ASKED_ALONE = re.compile(any_of(tuple(DEEDS_ALONE)))


def deeds_of(question: str, people: Sequence[Mention]) -> Iterator[ClaimedDeed]:
    """Yield each deed whose verb stands by two names (赵云为什么背叛刘备), or behind its only one (曹操登基)."""
    why = WHY.search(question)
    for verb in ASKED_DEED.finditer(question):
        if pair := parts(question, verb, people):
            mutual, meant = verb[0] in MUTUAL_DEEDS, not why and MEANT.search(question, 0, verb.start()) is not None
            yield ClaimedDeed(pair[0], (MUTUAL_DEEDS if mutual else DEEDS)[verb[0]], pair[1], mutual, meant)
    for verb in ASKED_ALONE.finditer(question):
        doers = [m.entity for m in people if 0 <= verb.start() - m.end <= ADVERBS]
        if doers and doers[-1]:
            yield ClaimedDeed(doers[-1], DEEDS_ALONE[verb[0]], None)


def parts(question: str, verb: re.Match[str], people: Sequence[Mention]) -> tuple[str, str] | None:
    """Return who does a deed and whom it befalls, None where the question does not name both."""
    before = [m for m in people if verb.start() - m.end >= 0 and not BORDER.search(question, m.end, verb.start())]
    before = [m for m in before if question[m.start - 1 : m.start] not in ("替", "为")]  # for whose sake
    behind = [
        m
        for m in people
        if 0 <= m.start - verb.end() <= OBJECT - 1 and not NOT_WHOM.search(question, verb.end(), m.start)
    ]
    if behind and HIS.match(question, behind[0].end):
        return None
    if behind and (head := head_of(question, behind[0].end, people)):
        return distinct([head], behind[:1])
    if behind:
        doers = [m for m in before if verb.start() - m.end <= CLAUSE and not towards(question, m)]
        return distinct(doers[-1:], behind[:1])
    joined = verb[0] not in MUTUAL_DEEDS and question[before[-1].start - 1] in "和跟与同" if before else False
    if (
        len(before) < 2
        or joined
        or not towards(question, before[-1])
        or "的" in question[before[-1].end : verb.start()]
    ):
        return None  # 把孙权派去的使者杀了
    passive = question[before[-1].start - 1] in "被让为"
    return distinct(before[-1:], before[-2:-1]) if passive else distinct(before[-2:-1], before[-1:])


def head_of(question: str, at: int, people: Sequence[Mention]) -> Mention | None:
    """Return whom a clause describes that tells a deed: 公孙康 of 斩袁尚首级献给曹操的公孙康."""
    later = (m for m in people if m.start > at and question[m.start - 1] == "的")
    return next((m for m in later if "，" not in question[at : m.start]), None)


def towards(question: str, mention: Mention) -> bool:
    """Tell whether a name stands behind a preposition or a conjunction: 把关羽, 和关羽."""
    return re.match(TOWARDS, question[mention.start - 1 : mention.start]) is not None


def distinct(first: Sequence[Mention], second: Sequence[Mention]) -> tuple[str, str] | None:
    """Return the two names, None where one is missing or both are the same person's."""
    names = [m.entity for m in (*first, *second) if m.entity]
    return (names[0], names[1]) if len(names) == 2 and names[0] != names[1] else None


def deeds_told(question: str, people: Sequence[Mention], texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether every deed of a question is narrated."""
    deeds = list(deeds_of(question, people))
    narrated = [SPEECH.sub("“”", text) for text in texts] if deeds else []
    return all(deed_told(deed, narrated, table) for deed in deeds if not deed.is_meant) and all(
        told_together((deed.doer, deed.sufferer or deed.doer), deed.forms, texts, table)
        for deed in deeds
        if deed.is_meant
    )


def deed_told(deed: ClaimedDeed, narrated: Sequence[str], table: NameTable) -> bool:
    """Tell whether some text narrates a deed, or an edge of the graph says it."""
    verb = any_of(deed.forms)
    if deed.sufferer is None:
        alone = re.compile(rf"{name_pattern(deed.doer, table)}[^。！？]{{0,{CLAUSE}}}{verb}")
        return any(alone.search(text) for text in narrated)
    ways = [deed, replace(deed, doer=deed.sufferer, sufferer=deed.doer)] if deed.is_mutual else [deed]
    return any(told_of(way, verb, narrated, table) for way in ways)


def told_of(deed: ClaimedDeed, verb: str, narrated: Sequence[str], table: NameTable) -> bool:
    """Tell whether an edge says a deed, or a text has its verb behind its doer and by whom it befell."""
    doer, sufferer = deed.doer, deed.sufferer or ""
    edge = re.compile(rf"{re.escape(doer)} --\w+--> {re.escape(sufferer)}: [^「]*{verb}")
    done = re.compile(rf"{NOT_DONE}{verb}{ATTEMPT}")
    first, second = (re.compile(name_pattern(name, table)) for name in (doer, sufferer))
    plain = sufferer.split("[")[0]
    given = f"|了?{re.escape(plain[1])}(?=[，。；之于而])" if len(plain) == 2 else ""  # 降操
    trophy = re.compile(
        rf"{first.pattern}[^。！？]{{0,{REACH}}}[提取割献持][^，。]{{0,4}}{second.pattern}[^，。]{{0,2}}(?:首级|头)"
    )
    kills = any(form in KILLS for form in deed.forms)
    behind = re.compile(rf"[^，。！？]{{0,{OBJECT}}}{second.pattern}{given}")

    def is_told(text: str, at: re.Match[str]) -> bool:
        by = last_before(first, text, at.start(), SENTENCE_ENDS)
        if not by:
            return False
        between = text[by.end() : at.start()]
        if behind.match(text, at.end()):  # 马超斩杨柏，来降玄德
            return not strangers_in(between[between.rfind("，") + 1 :], (doer, sufferer), table)
        whom = last_before(second, text, at.start(), "") if deed.is_mutual or NO_OBJECT.match(text, at.end()) else None
        first_of = min(by.end(), whom.end()) if whom else 0
        return whom is not None and not strangers_in(text[first_of : at.start()], (doer, sufferer), table)

    return any(
        edge.match(text)
        if EDGE.search(text)
        else any(is_told(text, at) for at in done.finditer(text)) or (kills and trophy.search(text))
        for text in narrated
    )


def last_before(name: re.Pattern[str], text: str, at: int, ends: str) -> re.Match[str] | None:
    """Return the last place of a name before a deed and near it, in its sentence where it has ends."""
    start = max([max(0, at - REACH), *(text.rfind(sign, 0, at) for sign in ends)])
    return max(name.finditer(text, start, at), key=lambda found: found.start(), default=None)


def strangers_in(between: str, pair: tuple[str, str], table: NameTable) -> bool:
    """Tell whether anybody else is named between a doer and the verb, outside of a list: 姜维引张翼、廖化来降."""
    return any(
        m.entity not in pair and "、" not in (between[m.start - 1 : m.start], between[m.end : m.end + 1])
        for m in table.find(between)
        if m.entity and table.kind(m.entity) == "Character"
    )
