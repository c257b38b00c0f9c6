"""Which of several events came first: each is looked for by itself, and told in story order in the question's words."""

import re
from collections.abc import Sequence

from state.context import Language
from wenmai.minds.offline.reading import Read
from wenmai.minds.offline.wordings import say

_ASKED = re.compile(
    r"(?:[，,：:]?\s*(?:它们|三者|两者|这[两三几]件事)?(?:的)?(?:先后(?=[？?。！!]*$)|(?:先后)?(?:顺序|次序)|哪(?:个|件事?|一个|一件)(?:在先|在前|先|最先|更早)).*)$"
    r"|^(?:what|which)(?: of these)? (?:comes?|came|happen(?:s|ed)?) first[:,]?\s*"
    r"|^in (?:what|which) order (?:do|did|does)\s*",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s*(?:[、，,；;]|还是|以及|和|or\b|and\b)\s*", re.IGNORECASE)
_EDGES = " ，。？?！!、,.：:"
LEAST_EVENTS = 2
LONGEST_EVENT = 60
EVENT_TOLD = 0.1
"""Probability from which on an event counts as found: the question takes for granted that the story tells it."""


def events_asked(question: str) -> list[str]:
    """Return the events whose order a question asks for, [] for another question."""
    if not _ASKED.search(question):
        return []
    rest = _ASKED.sub("", question, count=1)
    events = [part.strip(_EDGES) for part in _BETWEEN.split(rest)]
    found = [event for event in events if event and len(event) <= LONGEST_EVENT]
    return found if len(found) >= LEAST_EVENTS else []


def in_order(found: Sequence[tuple[str, Read]], language: Language) -> str:
    """Return events, each with what was read of it, as the story has them; '' where their order is not sure."""
    rows = sorted(found, key=lambda row: _place(row[1]))
    is_sure = all(read.probability >= EVENT_TOLD and read.piece["event_order"] is not None for _, read in rows)
    if not is_sure or len({_place(read) for _, read in rows}) < len(rows):
        return ""
    parts = [
        f"{say('reading.then' if at else 'reading.first', language, event=event)}[E{read.number}]"
        for at, (event, read) in enumerate(rows)
    ]
    return "".join(parts) + say("shared.end", language)


def _place(read: Read) -> tuple[int, int]:
    return read.piece["event_order"] or 0, read.start
