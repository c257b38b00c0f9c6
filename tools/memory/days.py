"""The days that a memory speaks of: kept beside its words, and told with them."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, tzinfo
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tools.errors import InputError
from tools.language import HAN
from tools.memory.records import Memory
from tools.messages import Message, say_in

if TYPE_CHECKING:
    from tools.text.dates import DaySpan  # its patterns cost a start 25 ms

DAYS = "days"  # key of content_metadata: where the words that mean days end, the first day and the last one
PAST = re.compile(
    r"(?:以前|之前|从前|原来|原先|曾经?|过去|早先)(?!的?(?:那个|那次|话题|问题)|[^，。？?]{0,3}(?:说|聊|谈|讨论|提|问|告诉|答))"
    r"|\bused to\b|\bbefore\b(?! (?:you|we|i)\b)|\bpreviously\b|\bformer(?:ly)?\b|\bin the past\b|\boriginally\b"
    r"|\bprevious (?!conversation|talk|chat|session|message|answer|question)",
    re.IGNORECASE,
)
"""Asks for what was true once: memories that newer ones replaced. 我之前说的 asks for earlier talk."""


def zone_named(name: str | None) -> tzinfo:
    """Return the time zone of a user's clock, by default that of this machine. Raises InputError."""
    if name is None:
        return datetime.now().astimezone().tzinfo or UTC
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError) as error:
        raise InputError(Message("question.unknown_time_zone", name=name)) from error


def asks_past(question: str) -> bool:
    return PAST.search(question) is not None


def day_metadata(content: str, now: datetime) -> dict[str, Any]:
    """Return what metadata keep of the days that a text says `now`, by the speaker's own clock; {} of none."""
    from tools.text.dates import said_days

    found = [[one.end, one.days.first.isoformat(), one.days.last.isoformat()] for one in said_days(content, now.date())]
    return {DAYS: found} if found else {}


def day_spans(metadata: Mapping[str, Any]) -> Iterator[tuple[int, "DaySpan"]]:
    """Give the days of a memory's metadata; what callers wrote there in another form is none."""
    rows = metadata.get(DAYS)
    if not isinstance(rows, list):
        return
    from tools.text.dates import DaySpan

    for row in rows:
        match row:
            case [int(end), str(first), str(last)]:
                try:
                    yield end, DaySpan(date.fromisoformat(first), date.fromisoformat(last))
                except ValueError:
                    continue


def told_text(memory: Memory, zone: tzinfo | None = None) -> str:
    """Return a memory's words with the days that they mean, and of a replaced one until when they held."""
    text, size = memory.content, len(memory.content)
    days = [(end, str(span)) for end, span in day_spans(memory.content_metadata) if 0 < end <= size]
    if days:
        from tools.text.dates import with_days

        text = with_days(text, [one for one in days if one[1] not in text])
    if memory.is_active or memory.valid_until is None:
        return text
    until = memory.valid_until.astimezone(zone).date().isoformat()
    return say_in("zh" if HAN.search(text) else "en", "recall.past", day=until, text=text)
