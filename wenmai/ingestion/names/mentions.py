"""Entities at their places in a chapter."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from wenmai.language.lexicon import ADDRESSEE_BEFORE, SPEECH_AFTER


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity at `[start:end]` of a chapter; `sure` mentions may decide for others."""

    start: int
    end: int
    entity: str
    sure: bool = True


def speakers(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions that speak a quotation right after: 沈川曰：“, 小满笑道：“; not 谓沈川曰."""
    return [
        mention
        for mention in mentions
        if SPEECH_AFTER.match(text, mention.end)
        and not ADDRESSEE_BEFORE.search(text, max(0, mention.start - 1), mention.start)
    ]


def within(mentions: Sequence[Mention], start: int, end: int) -> Sequence[Mention]:
    """Return the mentions that begin in `[start:end]`, out of an ordered list."""
    first = bisect_left(mentions, start, key=lambda mention: mention.start)
    return mentions[first : bisect_left(mentions, end, lo=first, key=lambda mention: mention.start)]
