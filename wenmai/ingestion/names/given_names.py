"""Bare given names of people that a chapter has named in full (rule 4 of `names.py`)."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from wenmai.ingestion.names.mentions import Mention
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.lexicon import AGENT_NEXT, CLAUSE_START, OBJECT_BEFORE, given_character
from wenmai.language.segmenting import segmenter

GIVEN_REACH = 3000
"""Characters after which a bare given name no longer refers to the full name before it."""


def given_names(text: str, found: Sequence[Mention], entries: Mapping[str, KnownName]) -> list[Mention]:
    """Find bare given names of the people that the chapter has named (rule 4)."""
    holders: dict[str, list[tuple[int, str]]] = {}
    covered = bytearray(len(text))
    for mention in found:
        covered[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
        char = given_character(entries[mention.entity].base)
        if char and entries[mention.entity].kind == "Character":
            holders.setdefault(char, []).append((mention.end, mention.entity))
    return [
        Mention(at, at + 1, entity, sure=False)
        for char, named in holders.items()
        for at in _occurrences(text, char)
        if not covered[at] and acts(text, at) and (entity := _latest(named, at))
    ]


def acts(text: str, at: int) -> bool:
    """Return True if the single character at `at` stands where a bare given name speaks, acts or is acted upon."""
    before = text[at - 1] if at else "\n"
    after = text[at + 1] if at + 1 < len(text) else "\n"
    if after == "曰":
        return before in CLAUSE_START or before in OBJECT_BEFORE or not _word(before + text[at])
    if _word(text[at] + after) or _word(before + text[at]):
        return False
    if before in CLAUSE_START:
        return after in AGENT_NEXT
    return before in OBJECT_BEFORE and (after in CLAUSE_START or after in AGENT_NEXT or after in "于\u65bc")


def _word(text: str) -> bool:
    return bool(segmenter().has_word(text))


def _occurrences(text: str, char: str) -> Iterable[int]:
    at = text.find(char)
    while at >= 0:
        yield at
        at = text.find(char, at + 1)


def _latest(named: Sequence[tuple[int, str]], at: int) -> str | None:
    """Return the entity named last before `at`, within reach; `named` is in order of its ends."""
    place = bisect_right(named, at, key=lambda row: row[0]) - 1
    return named[place][1] if place >= 0 and at - named[place][0] <= GIVEN_REACH else None
