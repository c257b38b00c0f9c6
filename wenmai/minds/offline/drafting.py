"""Lines of a draft from what was read: the sentence that answers, a rival of it, where else to look; event order."""

import re
from collections.abc import Sequence
from dataclasses import replace

from nodes.citations import cited_pieces
from nodes.drafts import NOTHING, refusal_text
from nodes.roles import AnswerReader, PlanRequest
from state.context import Language
from state.draft import Draft, Refusal, Sentence
from state.schema import Evidence
from tools.documents.query_table import ROW
from tools.story.names import NameTable, fold
from tools.text.sentences import PROPERTY, on_one_line
from wenmai.language.lexicon import patterns
from wenmai.language.narration import narrated
from wenmai.minds.offline.questions.question import QuestionParts, understood
from wenmai.minds.offline.reading import Read, read, readable, sentences_of
from wenmai.minds.offline.wordings import cited, say, say_cited, sentence

SECOND_ANSWER_SHARE = 0.8
"""Share of the first sentence's probability from which on a second one belongs to the answer: a rival of it."""
SEE_ALSO = 0.06
"""Probability from which on a passage is worth a look."""
MOST_SEE_ALSO, MOST_EDGES = 2, 2
MOST_NEAREST = 3
"""Passages that a refusal shows."""
MOST_STAGES, STAGE = 6, 0.2
"""Sentences of a history, and how probable each must be."""


def answer_lines(question: str, reads: Sequence[Read], language: Language) -> list[Sentence]:
    """Return the sentence that answers, with a rival of it; [] where none answers surely enough.

    Where a row or a property answers there is nothing to see also: its neighbours say the same of something else.
    """
    if not reads or not reads[0].answers(question):
        return []
    best, *others = distinct_reads(reads)
    lines = [cited_line(best)]
    if others and others[0].probability >= SECOND_ANSWER_SHARE * best.probability:
        lines.append(cited_line(others.pop(0)))
    is_value = ROW.match(best.sentence) or PROPERTY in best.sentence
    return lines if is_value else lines + see_also(others, language)


def relation_lines(edges: Sequence[Evidence], reads: Sequence[Read], language: Language) -> list[Sentence]:
    """Return the relations of two people as the graph has them, then the passages that tell of both."""
    lines = [cited(" ".join(readable(piece).split()), piece["id"]) for piece in edges[:MOST_EDGES]]
    return lines + see_also([one for one in distinct_reads(reads) if one.piece["kind"] == "passage"], language)


def see_also(reads: Sequence[Read], language: Language) -> list[Sentence]:
    """Return the lines that say where else to look; a file has its place beside passages of a story."""
    also = [one for one in reads if one.probability >= SEE_ALSO]
    files = [one for one in also if one.piece["kind"] == "document"]
    if files and files[0] not in also[:MOST_SEE_ALSO]:
        also.insert(MOST_SEE_ALSO - 1, files[0])
    return [see_also_line(cited_line(one), language) for one in also[:MOST_SEE_ALSO]]


def see_also_line(line: Sentence, language: Language) -> Sentence:
    """Return a quotation as one that does not answer but is worth a look."""
    return {**sentence(say("offline.reading.see", language), line), "role": "see_also"}


def history_lines(reads: Sequence[Read], asked: QuestionParts, evidence: Sequence[Evidence]) -> list[Sentence]:
    """Return a history in the order of the story: the likeliest sentences, where none is likely those with the name."""
    found = distinct_reads(reads)
    likely = [one for one in found if one.probability >= STAGE]
    kept = (likely or [one for one in found if asked.named(one.sentence, one.piece) == 1])[:MOST_STAGES]
    place = {piece["id"]: at for at, piece in enumerate(evidence)}
    kept.sort(key=lambda one: (one.piece["event_order"] or 0, place[one.piece["id"]]))
    return [cited_line(one) for one in kept]


def deed_lines(pieces: Sequence[Evidence], asked: QuestionParts) -> list[Sentence]:
    """Return the narrated sentences that name all whose deeds a question asks for, in the order of the story.

    Of many those with a name nearest to their beginning: it is their subject.
    """
    found: list[tuple[int, Evidence, str]] = []
    for piece in sorted(pieces, key=lambda one: one["event_order"] or 0):
        told = fold(narrated(piece["text"]))
        for start, end in sentences_of(piece, piece["text"]):
            names = [pattern.search(told, start, end) for pattern in asked.names.values()]
            if all(name and told[name.end() : name.end() + 1] not in (":", "：") for name in names):
                first = min(name.start() for name in names if name) - start
                found.append((first, piece, piece["text"][start:end]))
    kept = sorted(found, key=lambda row: row[0])[:MOST_STAGES]
    return [cited(on_one_line(text), piece["id"]) for first, piece, text in found if (first, piece, text) in kept]


def surest(reads: Sequence[Read], pieces: Sequence[Evidence]) -> float:
    ids = {piece["id"] for piece in pieces}
    return max((one.probability for one in reads if one.piece["id"] in ids), default=0.0)


def first_cited(lines: Sequence[Sentence], evidence: Sequence[Evidence]) -> list[Evidence]:
    return next(filter(None, (cited_pieces([line], evidence) for line in lines)), [])


def draft_from(lines: Sequence[Sentence], confidence: float) -> Draft:
    return Draft({**NOTHING, "status": "answer", "by": "rules", "sentences": below(lines), "confidence": confidence})


def refusal_draft(
    request: PlanRequest, why: Refusal, confidence: float | None, more: str = "", also: Sequence[Sentence] = ()
) -> Draft:
    draft = Draft({**NOTHING, "status": "not_found", "by": "rules", "refused": why, "confidence": confidence})
    lines = [sentence(refusal_text(request.language, request.horizon), more), *also]
    return {**draft, "sentences": below(lines)}


def nearest_lines(reads: Sequence[Read], language: Language) -> list[Sentence]:
    """Return what stands nearest to a question that nothing answers, under a line that says so; [] for no text.

    Of a story that is asked some passage is always the nearest; files and memories may be about anything else.
    """
    texts = [one for one in reads if one.piece["kind"] == "passage" and one.piece["text"] != one.piece["title"]]
    others = [one for one in reads if one.piece["kind"] in ("document", "memory") and one.probability >= SEE_ALSO]
    near = sorted(distinct_reads([*texts, *others]), key=lambda one: -one.score)[:MOST_NEAREST]
    lines = [sentence(say("offline.reading.nearest", language)), *map(cited_line, near)] if near else []
    return [{**line, "role": "see_also"} for line in lines]


def below(lines: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences one below the other: all but the last end their line."""
    return [
        {**line, "text": line["text"].removesuffix("\n") + "\n" * (at < len(lines))} for at, line in enumerate(lines, 1)
    ]


def cited_line(read: Read) -> Sentence:
    return cited(on_one_line(read.sentence), read.piece["id"])


def distinct_reads(reads: Sequence[Read]) -> list[Read]:
    """Return the reads without those whose sentence was there already: windows and passages overlap."""
    found: list[Read] = []
    for one in reads:
        if not any(one.sentence in other.sentence or other.sentence in one.sentence for other in found):
            found.append(one)
    return found


SAYINGS = patterns("wenmai.minds.offline.questions", "sayings.toml")
_ASKED = SAYINGS["order"]
_PAIRED = SAYINGS["order_of_two"]
_BETWEEN = re.compile(r"\s*(?:[、，,；;]|还是|以及|和|or\b|and\b)\s*", re.IGNORECASE)
_TRIMMED_SIGNS = " ，。？?！!、,.：:"
LONGEST_EVENT = 60
EVENT_TOLD = 0.1
"""Probability from which on an event counts as found: the question takes for granted that the story tells it."""


def events_asked(question: str) -> list[str]:
    """Return the events whose order a question asks for, [] for another question."""
    if paired := _PAIRED.search(question.strip(_TRIMMED_SIGNS)):
        return [event.strip(_TRIMMED_SIGNS) for event in paired.groups() if event]
    if not _ASKED.search(question):
        return []
    events = [part.strip(_TRIMMED_SIGNS) for part in _BETWEEN.split(_ASKED.sub("", question, count=1))]
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
        asked = QuestionParts.of(understood(event, table), table)
        told: dict[tuple[str, str], Read] = {}
        for form in (event, say("offline.reading.when", language, event=event)):
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
    lines = [cited_line(read) for read in distinct_reads([read for _, read in told])]
    if len(lines) < 2:
        return lines
    events = [cited(event, read.piece["id"], spaced=False) for event, read in told]
    order = [
        say_cited("offline.reading.then" if at else "offline.reading.first", language, event=one)
        for at, one in enumerate(events)
    ]
    return [sentence(*order, say("offline.shared.end", language)), *lines]


def _place(read: Read) -> tuple[int, int]:
    return read.piece["event_order"] or 0, read.start
