"""Which of several events came first: each is looked for by itself, and told in story order with its sentence."""

import re
from collections.abc import Sequence
from dataclasses import replace

from nodes.roles import AnswerReader
from state.context import Language
from state.draft import Sentence
from state.schema import Evidence
from tools.story.names import NameTable
from wenmai.language.patterns import patterns
from wenmai.minds.offline.drafting import cited_line, distinct
from wenmai.minds.offline.questions.asked import Asked
from wenmai.minds.offline.questions.question import understood
from wenmai.minds.offline.reading import Read, read
from wenmai.minds.offline.wordings import cited, say, say_cited, sentence

SAYINGS = patterns("wenmai.minds.offline.questions", "sayings.toml")
_ASKED = SAYINGS["order"]
_PAIRED = SAYINGS["order_of_two"]
_BETWEEN = re.compile(r"\s*(?:[、，,；;]|还是|以及|和|or\b|and\b)\s*", re.IGNORECASE)
_EDGES = " ，。？?！!、,.：:"
LONGEST_EVENT = 60
EVENT_TOLD = 0.1
"""Probability from which on an event counts as found: the question takes for granted that the story tells it."""


def events_asked(question: str) -> list[str]:
    """Return the events whose order a question asks for, [] for another question."""
    if paired := _PAIRED.search(question.strip(_EDGES)):
        return [event.strip(_EDGES) for event in paired.groups() if event]
    if not _ASKED.search(question):
        return []
    events = [part.strip(_EDGES) for part in _BETWEEN.split(_ASKED.sub("", question, count=1))]
    found = [event for event in events if event and len(event) <= LONGEST_EVENT]
    return found if len(found) > 1 else []


async def events_told(
    reader: AnswerReader, events: Sequence[str], table: NameTable, pieces: Sequence[Evidence], language: Language
) -> list[tuple[str, Read]]:
    """Return events as the story has them, each at a place of its own; [] where one of them is not told surely.

    Each is looked for by its own words and by "when": that points at what tells it, not at what speaks of it.
    """
    rows: list[tuple[str, Read]] = []
    for event in events:
        asked = Asked.of(understood(event, table), table)
        told: dict[tuple[str, str], Read] = {}
        for form in (event, say("reading.when", language, event=event)):
            for one in await read(reader, form, asked, pieces):
                place = one.piece["id"], one.sentence
                told[place] = replace(one, score=one.score / 2 + (told[place].score if place in told else 0.0))
        likely = [one for one in told.values() if one.probability >= EVENT_TOLD]
        rows += [(event, one) for one in likely if one.piece["event_order"] is not None]
    found: dict[str, Read] = {}
    for event, one in sorted(rows, key=lambda row: -row[1].score):
        if event not in found and _place(one) not in map(_place, found.values()):
            found[event] = one
    return sorted(found.items(), key=lambda row: _place(row[1])) if len(found) == len(set(events)) else []


def in_order(told: Sequence[tuple[str, Read]], language: Language) -> list[Sentence]:
    """Return the order of events, then the sentences that tell them; one sentence that tells all stands alone."""
    lines = [cited_line(read) for read in distinct([read for _, read in told])]
    if len(lines) < 2:
        return lines
    events = [cited(event, read.piece["id"], spaced=False) for event, read in told]
    order = [say_cited("reading.then" if at else "reading.first", language, event=one) for at, one in enumerate(events)]
    return [sentence(*order, say("shared.end", language)), *lines]


def _place(read: Read) -> tuple[int, int]:
    return read.piece["event_order"] or 0, read.start
