"""Which people a whole source shows to be men, and which women: by titles, kinship and pronouns."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tools.language import HAN
from wenmai.ingestion.names.names import Namer, within
from wenmai.language.narration import narrated
from wenmai.language.titles import RELATIVES

Gender = Literal["m", "f", "m?", "f?"]  # with a question mark where it is probable only

LEAST_VOTES, CLEAR, PROBABLE = 2, 0.75, 0.6
"""Pronouns that show how a person is called, the share of them that must agree, and the share that makes a guess."""
TITLED = 6  # pronouns that a title in a name or alias outweighs
REACH = 1200  # characters before a pronoun in which it may mean a person that its paragraph does not name
KINSHIP = 2  # characters of a word of kinship right before a name: 母亲王婉
OPENING = 3  # votes of a Chinese pronoun that opens a clause: it is the subject, as the person named before it is
_GUESSES: Mapping[Gender, Gender] = {"m": "m?", "f": "f?"}
_CLAUSE_ENDS = frozenset("。！？”…，；")
_PRONOUNS = {
    "zh": re.compile(r"(?P<m>他)(?![们人])|(?P<f>她)(?!们)"),
    "en": re.compile(r"\b(?:(?P<m>[Hh]e|him|[Hh]is)|(?P<f>[Ss]he|[Hh]er))\b"),
}
_TITLES: Mapping[Gender, re.Pattern[str]] = {
    "f": re.compile(
        r"(?:夫人|小姐|太太|姑娘|婆婆|奶奶|大娘|大妈|姐姐?|妹妹?|嫂子?|婶子?|姑姑|姨妈?|氏|女士|公主|皇后|娘娘)$|^(?:Mrs|Miss|Lady|Queen|Princess|Madame?|Mademoiselle|Countess|Duchess|Aunt|Sister)\b"
    ),
    "m": re.compile(
        r"(?:先生|公子|爷|伯伯?|叔叔?|大哥|哥哥|弟弟|大叔|王子)$|^(?:Mr|Sir|Lord|King|Prince|Count|Duke|Baron|Monsieur|Captain|Colonel|Father|Uncle|Brother)\b"
    ),
}


@dataclass(frozen=True, slots=True)
class _Vote:
    """What shows a person's gender, as a pronoun after the only name of its paragraph; `near` are others nearby."""

    name: str
    gender: Gender
    weight: int
    near: frozenset[str]


def genders_of(texts: Sequence[str], namer: Namer) -> dict[str, Gender]:
    """Return the people that a source shows clearly, or probably, to be men or women.

    Where the pronouns behind a name are mixed, those count alone that mean nobody else nearby.
    """
    titles = [
        _Vote(name, gender, TITLED, frozenset())
        for name, entry in namer.entries.items()
        for gender, title in _TITLES.items()
        if any(map(title.search, (entry.base, *entry.aliases)))
    ]
    votes = [vote for text in texts for vote in _votes(text, namer)]
    found = _counted([*titles, *votes])
    sure: dict[str, Gender] = {name: gender for name, gender in found.items() if len(gender) == 1}
    alone = [vote for vote in votes if not any(sure.get(name) == vote.gender for name in vote.near - {vote.name})]
    return found | _counted([*titles, *alone]) | sure


def _votes(text: str, namer: Namer) -> Iterator[_Vote]:
    """Yield the people behind words of kinship, and the only ones of their narrated paragraph before a pronoun."""
    told = narrated(text)
    people = [m for m in namer.mentions(text) if namer.kind(m.entity) == "Character" and not told[m.start].isspace()]
    for one in people:
        if relative := RELATIVES.get(told[max(0, one.start - KINSHIP) : one.start]):
            yield _Vote(one.entity, relative[1] or "m", LEAST_VOTES, frozenset())
    for match in _PRONOUNS["zh" if HAN.search(text) else "en"].finditer(told):
        start = match.start()
        before = {m.entity for m in within(people, text.rfind("\n", 0, start) + 1, start)}
        if len(before) == 1:
            near = frozenset(m.entity for m in within(people, max(0, start - REACH), start))
            weight = OPENING if text[start - 1] in _CLAUSE_ENDS else 1
            yield _Vote(before.pop(), "m" if match["m"] else "f", weight, near)


def _counted(votes: Iterable[_Vote]) -> dict[str, Gender]:
    cast: defaultdict[str, Counter[Gender]] = defaultdict(Counter)
    for vote in votes:
        cast[vote.name][vote.gender] += vote.weight
    found: dict[str, Gender] = {}
    for name, counts in cast.items():
        gender, most = counts.most_common(1)[0]
        share = most / counts.total()
        if most >= LEAST_VOTES and share >= PROBABLE:
            found[name] = gender if share >= CLEAR else _GUESSES[gender]
    return found
