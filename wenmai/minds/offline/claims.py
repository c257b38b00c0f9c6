"""What a question takes for granted between two people: a deed, a kinship, a number of times.

A claim that no text bears out speaks for a refusal (S003-D08): an extract beside it would confirm what never happened.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, get_args

from tools.story.linking import Mention, NameTable
from wenmai.minds.offline.analysis import HISTORY_KINDS, Analysis
from wenmai.minds.offline.deed_claims import deeds_told
from wenmai.minds.offline.lexicon import ANY_KIN, KIN, KINSHIPS, PRESUPPOSED, PRESUPPOSITION
from wenmai.minds.offline.matching import any_of, name_patterns, told_together, windows
from wenmai.minds.offline.reading import LONGEST_QUESTION
from wenmai.minds.offline.state_claims import is_person, states_told
from wenmai.minds.offline.words import content_words, expansions, masked

Claim = Literal["clauses", "deeds", "states", "kinship", "kin", "times"]
CLAIMS: tuple[Claim, ...] = get_args(Claim)
ASKED_KINSHIP = re.compile(any_of(tuple(KINSHIPS)))
ASKED_OF_DEED = re.compile(r"为什么|为何|为啥|怎么|如何|怎样|是谁|哪")
ASKED_KIN = re.compile(f"的(?:[亲义大小长次幼]|结发)?({any_of(tuple(KIN))})")
ASKED_RELATIVES = re.compile("什么亲戚|亲戚关系|是亲戚")
OPEN_KINSHIP = re.compile(r"什么(?:关系|亲戚|人)|何关系")  # asked, not claimed
JOINED = re.compile(r"(?:[和与跟同、及]|以及)")
_MEN = "(?:部将|部下|手下|麾下|副将|大将|爱将|谋士|心腹|侍妾|家奴|门客|好友|朋友|同乡|使者)"
OWNED = re.compile(f"的?[长次幼小大亲义]?(?:{any_of(tuple(KIN))}|[兄弟子女妻妹姐姊母父侄孙叔])|的?{_MEN}")
"""蔡邕的女儿蔡琰, 孙策幼弟孙匡, 曹操的部将于禁: who is named before it is named only to say whose the next one is."""
NTH_TIME = re.compile(r"第([四五六七八九十百]+)[次番度遍]")  # a second and a third time stories tell by 又, 再, 复


# Told by way of others: 夏侯渊有四子：长名霸.
INDIRECT_KIN = frozenset(["父亲", "母亲", "儿子", "岳父", "女婿", "叔父", "叔叔", "外公"])
KIN_BEHIND, KIN_BEFORE = 8, 4  # characters between a name and a word for kin of his


def claims_untold(analysis: Analysis, texts: Sequence[str], table: NameTable) -> Iterator[Claim]:
    """Yield which of `CLAIMS` a question makes that no text bears out.

    A history says what it means in other words: of one only what it takes for granted of a time before is looked for.
    """
    if not clauses_told(analysis, texts, table):
        yield "clauses"
    if analysis.kind in HISTORY_KINDS:
        return
    question = analysis.question[:LONGEST_QUESTION]  # of a longer one its beginning: pairs of names and verbs are many
    mentions = [m for m in analysis.mentions if m.end <= len(question)]
    people = [m for m in mentions if is_person(m, table)]
    if not deeds_told(question, people, texts, table):
        yield "deeds"
    if not states_told(question, mentions, texts, table):
        yield "states"
    if not kinship_told(question, people, texts, table):
        yield "kinship"
    if not kin_told(question, people, texts, table):
        yield "kin"
    if not times_told(question, people, texts, table):
        yield "times"


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
    claims: list[tuple[tuple[str, ...], tuple[str, ...], bool]] = []
    for person in people:
        asked = ASKED_KIN.match(question, person.end)
        other = next((m.entity for m in people if asked and m.start == asked.end()), None)
        if person.entity and other:  # 糜夫人的哥哥糜竺: told from either side
            claims.append(((person.entity, other), ANY_KIN, True))
        elif asked and person.entity:
            claims.append(((person.entity,), KIN[asked[1]], asked[1] in INDIRECT_KIN))
    named = tuple(dict.fromkeys(m.entity for m in people if m.entity))
    if ASKED_RELATIVES.search(question) and len(named) == 2:
        first, second = (next(m for m in people if m.entity == name) for name in named)
        if JOINED.fullmatch(question[first.end : second.start]):
            claims.append((named, ANY_KIN, False))
    return all(
        told_together(names, forms, texts, table) if indirect else kin_beside(names, forms, texts, table)
        for names, forms, indirect in claims
    )


def kin_beside(names: Sequence[str], forms: tuple[str, ...], texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a word for kin stands beside one of the names, with all of them in two sentences."""
    patterns = name_patterns(names, table)
    kin = any_of(forms)
    beside = [
        re.compile(
            rf"{name.pattern}[^。！？，]{{0,{KIN_BEHIND}}}{kin}|{kin}[^。！？，]{{0,{KIN_BEFORE}}}{name.pattern}"
        )
        for name in patterns
    ]
    near = re.compile(kin)
    return any(
        near.search(window)
        and all(name.search(window) for name in patterns)
        and any(side.search(window) for side in beside)
        for text in texts
        for window in windows(text)
    )


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


def words_told(clause: str, texts: Iterable[str], table: NameTable, *, names_needed: int) -> bool:
    """Tell whether the verb of a clause stands within two sentences of all its names; true where it has none."""
    mentions = table.find(clause)
    verbs = [word for word in content_words(masked(clause, mentions)) if word in PRESUPPOSED]
    people = [m for m in mentions if is_person(m, table)]
    if any(JOINED.fullmatch(clause[one.end : other.start]) for one, other in pairwise(people)):
        return True  # 周公瑾和孙伯符各娶了谁: each by himself
    owners = {one for one, after in pairwise(people) if OWNED.fullmatch(clause[one.end : after.start])}
    entities = list(dict.fromkeys(m.entity for m in people if m.entity and m not in owners))
    if not verbs or len(entities) < names_needed:
        return True
    forms = [form for verb in verbs for form in (verb, *expansions(verb))]
    return told_together(entities, forms, texts, table)
