"""Which of several events came first: each is looked for by itself, and told in story order in the question's words."""

import re
from collections.abc import Mapping, Sequence

from state.context import Language
from wenmai.minds.offline.calibration import REFUSAL
from wenmai.minds.offline.reading import Read

_ASKED = re.compile(
    r"(?:[，,：:]?\s*(?:它们|三者|两者|这[两三几]件事)?(?:的)?(?:先后(?=[？?。！!]*$)|(?:先后)?(?:顺序|次序)|哪(?:个|件事?|一个|一件)(?:在先|在前|先|最先|更早)).*)$"
    r"|^(?:what|which)(?: of these)? (?:comes?|came|happen(?:s|ed)?) first[:,]?\s*"
    r"|^in (?:what|which) order (?:do|did|does)\s*",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s*(?:[、，,；;]|还是|以及|和|or\b|and\b)\s*", re.IGNORECASE)
_EDGES = " ，。？?！!、,.：:"
FIRST: Mapping[Language, str] = {"zh": "先是{event}", "en": "First {event}"}
THEN: Mapping[Language, str] = {"zh": "，然后是{event}", "en": ", then {event}"}
END: Mapping[Language, str] = {"zh": "。", "en": "."}
LEAST_EVENTS = 2
LONGEST_EVENT = 60


def events_asked(question: str) -> list[str]:
    """Return the events whose order a question asks for, [] for another question."""
    if not _ASKED.search(question):
        return []
    rest = _ASKED.sub("", question, count=1)
    events = [part.strip(_EDGES) for part in _BETWEEN.split(rest)]
    found = [event for event in events if event and len(event) <= LONGEST_EVENT]
    return found if len(found) >= LEAST_EVENTS else []


def in_order(found: Sequence[tuple[str, Read]], language: Language) -> str:
    """Return the events as the story has them, each with its mark; '' where their order is not known.

    Args:
        found: each event with what was read of it.
        language: of the answer.
    """
    rows = sorted(found, key=lambda row: _place(row[1]))
    if any(read.probability < REFUSAL for _, read in rows) or not _are_placed([read for _, read in rows]):
        return ""
    parts = [
        f"{(THEN if at else FIRST)[language].format(event=event)}[E{read.number}]"
        for at, (event, read) in enumerate(rows)
    ]
    return "".join(parts) + END[language]


def _are_placed(reads: Sequence[Read]) -> bool:
    """Return True if a story, or one text, tells each event at a place of its own."""
    is_one_text = len({read.number for read in reads}) == 1
    is_ordered = is_one_text or all(read.piece["event_order"] is not None for read in reads)
    return is_ordered and len({_place(read) for read in reads}) == len(reads)


def _place(read: Read) -> tuple[int, int]:
    return read.piece["event_order"] or 0, read.start
