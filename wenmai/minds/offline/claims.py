"""What a question takes for granted between two people: a deed, a kinship, a number of times.

A claim that no text bears out is refused (S003-D08): an extract beside it would confirm what never happened.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tools.linking import Mention, NameTable
from wenmai.minds.offline.analysis import HISTORY_KINDS, Analysis
from wenmai.minds.offline.lexicon import ANY_KIN, DEEDS, DEEDS_ALONE, KIN, KINSHIPS, PRESUPPOSED, PRESUPPOSITION
from wenmai.minds.offline.matching import name_pattern, name_patterns, told_together, windows
from wenmai.minds.offline.words import content_words, expansions, masked


def _any_of(words: Iterable[str]) -> str:
    return "(?:" + "|".join(sorted(map(re.escape, words), key=len, reverse=True)) + ")"


ASKED_DEED = re.compile(_any_of(DEEDS))
ASKED_ALONE = re.compile(_any_of(DEEDS_ALONE))
ASKED_KINSHIP = re.compile(_any_of(KINSHIPS))
ASKED_OF_DEED = re.compile(r"为什么|为何|为啥|怎么|如何|怎样|是谁|哪")
ASKED_KIN = re.compile(f"的(?:[亲义大小长次幼]|结发)?({_any_of(KIN)})")
ASKED_RELATIVES = re.compile("什么亲戚|亲戚关系|是亲戚")
OPEN_KINSHIP = re.compile(r"什么(?:关系|亲戚|人)|何关系")  # asked, not claimed
JOINED = re.compile(r"(?:[和与跟同、及]|以及)")
NTH_TIME = re.compile(r"第([四五六七八九十百]+)[次番度遍]")  # a second and a third time stories tell by 又, 再, 复
SPEECH = re.compile(r"[“「『][^”」』]*[”」』]?")  # 吾必斩之: what is said may be a threat
ATTEMPT = "(?![得退散败进入到出奔向条开])"  # 杀得曹操割须: not slain
ADVERBS = 4  # characters between a name and the verb that is all his: 曹操后来登基
CLAUSE = 14  # characters between a doer and his deed
SCENE = 60  # and at most, where other people act between them
OBJECT = 4  # characters between a deed and whom it befell


@dataclass(frozen=True, slots=True)
class ClaimedDeed:
    """Somebody's deed and whom it befell, by canonical names, with the words that stories have for it."""

    doer: str
    forms: tuple[str, ...]
    sufferer: str | None  # None where the deed needs nobody else: 登基


def claims_hold(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether every claim of a question is told by some text; a history says what it means in other words."""
    if not clauses_told(analysis, texts, table):
        return False
    if analysis.kind in HISTORY_KINDS:
        return True
    question = analysis.question
    people = [m for m in analysis.mentions if m.entity and is_person(m.entity, table)]
    return (
        deeds_told(question, people, texts, table)
        and kinship_told(question, people, texts, table)
        and kin_told(question, people, texts, table)
        and times_told(question, people, texts, table)
    )


def deeds_told(question: str, people: Sequence[Mention], texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether every deed of a question is narrated."""
    deeds = list(deeds_of(question, people))
    narrated = [SPEECH.sub("“”", text) for text in texts] if deeds else []
    return all(deed_told(deed, narrated, table) for deed in deeds)


def deeds_of(question: str, people: Sequence[Mention]) -> Iterator[ClaimedDeed]:
    """Yield each deed whose verb stands between two names (赵云为什么背叛刘备), or behind its only one (曹操登基)."""
    for verb in ASKED_DEED.finditer(question):
        doers = [m.entity for m in people if 0 <= verb.start() - m.end <= CLAUSE]
        sufferers = [m.entity for m in people if 0 <= m.start - verb.end() <= 2]
        if doers and sufferers and doers[0] and sufferers[0] and doers[0] != sufferers[0]:
            yield ClaimedDeed(doers[0], DEEDS[verb[0]], sufferers[0])
    for verb in ASKED_ALONE.finditer(question):
        doers = [m.entity for m in people if 0 <= verb.start() - m.end <= ADVERBS]
        if doers and doers[-1]:
            yield ClaimedDeed(doers[-1], DEEDS_ALONE[verb[0]], None)


def deed_told(deed: ClaimedDeed, narrated: Sequence[str], table: NameTable) -> bool:
    """Tell whether some text has doer, verb and sufferer in this order, or the sufferer before the two."""
    doer, verb = name_pattern(deed.doer, table), _any_of(deed.forms)
    if deed.sufferer is None:
        alone = re.compile(rf"{doer}[^。！？]{{0,{CLAUSE}}}{verb}")
        return any(alone.search(text) for text in narrated)
    sufferer = name_pattern(deed.sufferer, table)
    told = re.compile(
        rf"{doer}[^！？]{{0,{SCENE}}}?{verb}{ATTEMPT}[^。！？，]{{0,{OBJECT}}}{sufferer}|"
        rf"{sufferer}[^。！？]{{0,{CLAUSE}}}{doer}[^。！？]{{0,{CLAUSE}}}{verb}"
    )
    return any(told.search(text) for text in narrated)


def kinship_told(question: str, people: Sequence[Mention], texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether two sentences name both of two joined people and the kinship that is claimed of them."""
    claimed = ASKED_KINSHIP.search(question)
    if not claimed or OPEN_KINSHIP.search(question) or len(people) < 2:
        return True
    first, second = people[:2]
    if first.entity == second.entity or not JOINED.fullmatch(question[first.end : second.start]):
        return True
    if question[second.end : claimed.start()] == "的":  # kin of both, not of each other: 孟鹤和孟鸢的父母
        return True
    pair = [m.entity for m in (first, second) if m.entity]
    return told_together(pair, KINSHIPS[claimed[0]], texts, table)


def kin_told(question: str, people: Sequence[Mention], texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether somebody's kin is told beside them (甘宁的妹妹嫁给了谁), and what relatives two people are."""
    claims: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for person in people:
        asked = ASKED_KIN.match(question, person.end)
        if asked and person.entity:
            claims.append(((person.entity,), KIN[asked[1]]))
    named = tuple(dict.fromkeys(m.entity for m in people if m.entity))
    if ASKED_RELATIVES.search(question) and len(named) == 2:
        claims.append((named, ANY_KIN))
    return all(told_together(names, forms, texts, table) for names, forms in claims)


def times_told(question: str, people: Sequence[Mention], texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text counts up to the asked time beside one of the names: 第七次, 七擒, 七番."""
    asked = NTH_TIME.search(question)
    if not asked or not people:
        return True
    names = name_patterns([m.entity for m in people if m.entity], table)
    count = re.compile(rf"(?<![十百]){asked[1]}(?:[次度遍]|番(?!部)|[^，。]{{0,1}}[擒纵出伐进攻])")
    return any(count.search(w) and any(name.search(w) for name in names) for text in texts for w in windows(text))


def clauses_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether what a question takes for granted is told by two sentences of some text.

    That is the clause before 之后 (诸葛亮投降司马懿以后…), and a deed between two people that is asked about.
    """
    clause = PRESUPPOSITION.search(analysis.question)
    if clause and not words_told(clause[1], texts, table, names_needed=1):
        return False
    asked = ASKED_OF_DEED.search(analysis.question) and analysis.kind not in HISTORY_KINDS
    return not asked or words_told(analysis.question, texts, table, names_needed=2)


def is_person(name: str, table: NameTable) -> bool:
    """Tell whether a name is a person's: a place or a state is often left out where a deed is told."""
    return table.kind(name) == "Character"


def words_told(clause: str, texts: Iterable[str], table: NameTable, *, names_needed: int) -> bool:
    """Tell whether the verb of a clause stands within two sentences of all its names; true where it has none."""
    mentions = table.find(clause)
    verbs = [word for word in content_words(masked(clause, mentions)) if word in PRESUPPOSED]
    entities = [name for name in dict.fromkeys(m.entity for m in mentions if m.entity) if is_person(name, table)]
    if not verbs or len(entities) < names_needed:
        return True
    forms = [form for verb in verbs for form in (verb, *expansions(verb))]
    return told_together(entities, forms, texts, table)
