"""People of a passage, also where it calls them by their given name alone: 泰抱权上马 behind 周泰."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from tools.story.linking import Mention, NameTable
from wenmai.ingestion.names.given_names import acts
from wenmai.language.lexicon import CLAUSE_START, given_character
from wenmai.language.segmenting import segmenter
from wenmai.minds.offline.categories import category
from wenmai.minds.offline.reading import Named

_ACTED_ON = frozenset("被把将为与和同谓问见杀斩刺射擒捉救助抱扶劝引使令迎请拜送从随向对封赐教")
"""Words before a given name that is acted upon: 抱权, 被慈."""


KEPT_PASSAGES = 128  # of the talks that are under way: a follow-up reads those of the turn before again


def names_in(text: str, tagged: Iterable[str], table: NameTable) -> list[Named]:
    """Return the listed names of a passage in order; `tagged` are the entities that it is known to be about."""
    return list(_names_in(text, tuple(tagged), table))


@lru_cache(maxsize=KEPT_PASSAGES)
def _names_in(text: str, tagged: tuple[str, ...], table: NameTable) -> tuple[Named, ...]:
    mentions = [(mention, name) for mention in table.find(text) if (name := mention.entity or namesake(mention))]
    full = [
        Named(name, category(name, one.candidates[0].kind), one.start, one.end, bool(one.entity))
        for one, name in mentions
    ]
    covered = {at for one in full for at in range(one.start, one.end)}
    people = [one for one in full if one.category == "person"]
    holders: dict[str, list[str]] = {}
    for name in dict.fromkeys([*(one.name for one in people), *tagged]):
        char = given_character(name.split("[")[0])
        if char and table.kind(name) == "Character":
            holders.setdefault(char, []).append(name)
    bare = [
        Named(_latest(owners, people, at), "person", at, at + 1, True)
        for char, owners in holders.items()
        for at in (match.start() for match in re.finditer(char, text))
        if at not in covered and _stands_alone(text, at)
    ]
    return tuple(sorted([*full, *bare], key=lambda one: one.start))


def namesake(mention: Mention) -> str | None:
    """Return a person's full name that several of the library's people bear: it stands for itself."""
    candidates = mention.candidates
    full = all(one.kind == "Character" and one.entity.split("[")[0] == mention.text for one in candidates)
    return mention.text if full else None


def _latest(owners: Sequence[str], people: Sequence[Named], at: int) -> str:
    """Return who was last named in full before a place, else the first who may be meant."""
    return next((one.name for one in reversed(people) if one.end <= at and one.name in owners), owners[0])


def _stands_alone(text: str, at: int) -> bool:
    """Tell whether a character stands where a given name acts or is acted upon, and makes no word with the next one."""
    if acts(text, at):
        return True
    before, behind = text[at - 1 : at] or "\n", text[at : at + 2]
    return (before in CLAUSE_START or before in _ACTED_ON) and not segmenter().has_word(behind)
