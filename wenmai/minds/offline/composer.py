"""The draft of an attempt: what the reader points at in the best evidence, put together as the question asks for it."""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nodes.prompts.planner import UNNAMED
from nodes.roles import AnswerReader, PlanRequest
from state.context import Language
from state.draft import Draft, Sentence
from state.schema import Evidence
from tools.evidence import is_meeting
from tools.language import HAN
from tools.ports import PassageStore
from tools.records import PassageFilter
from tools.story.names import NameTable, fold
from tools.text.sentences import on_one_line
from wenmai.language.spans import meet
from wenmai.language.titles import telling_part
from wenmai.minds.offline.book.book import asks_of_book, book_lines
from wenmai.minds.offline.calibration import EXTRACT, REFUSAL_OF_FILES, STATED
from wenmai.minds.offline.documents.asking import admitted, names_files
from wenmai.minds.offline.documents.lines import listing, row_lines, term_lines
from wenmai.minds.offline.documents.tables import is_row_asked
from wenmai.minds.offline.drafting import (
    answer_lines,
    draft_from,
    first_cited,
    history_lines,
    refusal_draft,
    relation_lines,
    see_also_line,
    surest,
)
from wenmai.minds.offline.follow_ups.talk import TalkReader
from wenmai.minds.offline.grader import stated_probability
from wenmai.minds.offline.memories.earlier import SURE, asks_memories, remembered
from wenmai.minds.offline.questions.asked import Asked
from wenmai.minds.offline.questions.order import events_asked, events_told, in_order
from wenmai.minds.offline.questions.question import HISTORIES, PLACES, Question
from wenmai.minds.offline.questions.speech import asks_speaker, holding, quoted_in, spoken, unquoted
from wenmai.minds.offline.ranker import ReadingRanker
from wenmai.minds.offline.reading import Extractor, Read, no_reader, read
from wenmai.minds.offline.wordings import cited, say, sentence
from wenmai.reader.layout import NameKind

LEAST_QUOTED, MOST_CHUNKS = 6, 4
"""Characters of quoted words that a passage must have; chunks of documents that are read beside other evidence."""
LOOKED_AT = 10
"""Passages that have the most of a name."""


@dataclass(frozen=True, slots=True)
class Composer:
    """Writes the drafts of the mind without a model."""

    ranker: ReadingRanker
    reader: Callable[[], AnswerReader | None]
    names: Callable[[], TalkReader | None] = no_reader

    async def draft(self, request: PlanRequest, question: Question, table: NameTable) -> Draft:
        """Return the sentences that answer, or the refusal; without the reader a notice says so."""
        found = await self._found(request, question, table)
        if found["status"] != "answer":
            return found
        lines = found["sentences"]
        cited = first_cited([one for one in lines if one["role"] == "answer"], request.evidence)
        recorded = stated_probability(question, request.evidence, cited)
        confidence = self._claimed(found["confidence"] or 0.0) if recorded is None else recorded
        return draft_from(lines if self.reader() else [*lines, _no_reader_notice(request.language)], confidence)

    async def _found(self, request: PlanRequest, question: Question, table: NameTable) -> Draft:
        """Return the first that answers: lists, memories, the whole book, speeches, orders, reading."""
        if files := listing(request):
            return draft_from(files, 0.0)
        if found := await self._from_memories(request, question, table):
            return found
        if asks_of_book(request, question):
            lines = book_lines(request, question, table)
            return draft_from(lines, 0.0) if lines else await self.refusal(request, question, table)
        if name := await unknown_name(self.names(), self.ranker.passages, request, question, table):
            more = "" if request.horizon else UNNAMED[request.language].format(name=name)
            return refusal_draft(request.language, "unknown_name", STATED, more)
        pieces = await self.best(request, question)
        if words := asks_speaker(question.text):
            return await self._speaker(request, question, table, words, pieces)
        if events := events_asked(question.text):
            told = await events_told(self.reader() or Extractor(), events, table, pieces, request.language)
            likely = min((one.probability for _, one in told), default=0.0)
            lines = in_order(told, request.language)
            return draft_from(lines, likely) if lines else await self.refusal(request, question, table)
        return await self._read(request, question, table, pieces)

    async def _read(
        self, request: PlanRequest, question: Question, table: NameTable, pieces: Sequence[Evidence]
    ) -> Draft:
        """Return the first that answers: rows of tables, a history, stated relations, what the reader points at."""
        asked = Asked.of(question, table)
        if _misquotes(question, pieces):
            return await self.refusal(request, question, table)
        reads = await read(self.reader() or Extractor(), question.text, asked, pieces)
        kept = _of_rows_asked(question, reads)
        rows = await row_lines(request)
        if rows and not any(one.piece["kind"] != "document" and one.probability >= SURE for one in kept):
            return _draft_of(rows, reads, request)
        if question.kind in HISTORIES and question.entities:
            lines = history_lines(kept, asked, request.evidence)
            return _draft_of(lines, kept, request) if lines else await self.refusal(request, question, table, reads)
        stated, met = _relations_asked(request, question)
        if stated:
            return draft_from(relation_lines(stated, kept, request.language), 0.0)
        if lines := answer_lines(kept, request.language):
            return draft_from(lines, kept[0].probability)
        if lines := term_lines(request):
            return _draft_of(lines, reads, request)
        if met:
            return draft_from(relation_lines(met, kept, request.language), 0.0)
        return await self.refusal(request, question, table, reads)

    async def refusal(
        self, request: PlanRequest, question: Question, table: NameTable, reads: Sequence[Read] | None = None
    ) -> Draft:
        """Return the refusal, and how surely none of the evidence answers."""
        if not request.evidence:
            return refusal_draft(request.language, "no_evidence", None)
        if reads is None:
            pieces, asked = await self.best(request, question), Asked.of(question, table)
            reads = await read(self.reader() or Extractor(), question.text, asked, pieces)
        doubt = self._claimed(1 - max((one.probability for one in reads), default=0.0))
        return refusal_draft(request.language, "unlikely", round(doubt, 2))

    def _claimed(self, probability: float) -> float:
        """Return a probability as far as it may be claimed."""
        return probability if self.reader() else min(probability, EXTRACT)

    async def _from_memories(self, request: PlanRequest, question: Question, table: NameTable) -> Draft | None:
        """Return what memories answer, or the refusal: a story does not know what its reader said; else None."""
        if not asks_memories(request):
            return None
        memories = [piece for piece in request.evidence if piece["kind"] == "memory"]
        found = await remembered(self.reader() or Extractor(), request.resolved, memories, request.language)
        is_elsewhere = bool(question.entities) or any(one["kind"] == "document" for one in request.evidence)
        return found or (None if is_elsewhere else await self.refusal(request, question, table))

    async def best(self, request: PlanRequest, question: Question) -> list[Evidence]:
        """Return the pieces, best first."""
        pieces = admitted(question.text, request.evidence)
        ranked = await self.ranker.rank(question.text, pieces, request.calls, request.library, request.horizon)
        return _mixed([one for one in ranked if _is_asked(one, question)])

    async def _speaker(
        self, request: PlanRequest, question: Question, table: NameTable, words: str, pieces: Sequence[Evidence]
    ) -> Draft:
        """Return the sentence that says who spoke quoted words, or that the text does not name the speaker."""
        found = await asyncio.to_thread(spoken, self.reader() or Extractor(), request.resolved, words, pieces)
        if found is None:
            return await self.refusal(request, question, table)
        line = cited(on_one_line(found.quote), found.piece)
        if found.speaker:
            return draft_from([line], found.probability)
        doubt, more = self._claimed(found.probability), say("reading.no_speaker", request.language)
        return refusal_draft(
            request.language, "unlikely", round(doubt, 2), more, [see_also_line(line, request.language)]
        )


def _of_rows_asked(question: Question, reads: Sequence[Read]) -> list[Read]:
    """Return the reads but for rows of tables that say too little; documents first where files are spoken of."""
    kept = [one for one in reads if is_row_asked(question.text, one.sentence, one.piece)]
    if not names_files(question.text):
        return kept
    return sorted(kept, key=lambda one: one.piece["kind"] != "document" or one.probability < REFUSAL_OF_FILES)


def _draft_of(lines: Sequence[Sentence], reads: Sequence[Read], request: PlanRequest) -> Draft:
    """Return the draft of lines, as sure as the reader is of what the first of them cites."""
    return draft_from(lines, surest(reads, first_cited(lines, request.evidence)))


def _no_reader_notice(language: Language) -> Sentence:
    return {**sentence(say("reading.no_reader", language)), "role": "notice"}


def _misquotes(question: Question, pieces: Sequence[Evidence]) -> bool:
    """Return True if a question quotes words that no passage has."""
    words = quoted_in(question.text) or ""
    passages = [piece for piece in pieces if piece["kind"] == "passage"]
    return len(words) >= LEAST_QUOTED and bool(passages) and not holding(words, passages)


def _relations_asked(request: PlanRequest, question: Question) -> tuple[list[Evidence], list[Evidence]]:
    """Return the relations of the two names whose relation is asked: the stated ones, and that they spoke."""
    if question.kind != "relation":
        return [], []
    asked = [piece for piece in request.evidence if "edge" in piece and _is_asked(piece, question)]
    met = [piece for piece in asked if is_meeting(piece)]
    return [piece for piece in asked if piece not in met], met


def _is_asked(piece: Evidence, question: Question) -> bool:
    """Return False for a relation that does not join the names of a question with two."""
    edge = piece.get("edge")
    if edge is None or len(question.entities) < 2:
        return True
    return {edge["source"], edge["target"]} <= set(question.entities)


def _mixed(rows: Sequence[Evidence]) -> list[Evidence]:
    """Return evidence of which documents do not crowd out the rest, nor the rest documents."""
    documents = [row for row in rows if row["kind"] == "document"]
    others = [row for row in rows if row["kind"] != "document"]
    return [*documents[:MOST_CHUNKS], *others] if others else documents


async def unknown_name(
    reader: TalkReader | None, passages: PassageStore, request: PlanRequest, question: Question, table: NameTable
) -> str | None:
    """Return the person that a question names and no text of its library does, None where there is none.

    李医生 may be a known 李.
    """
    if not (reader and request.library):
        return None
    text = PLACES["chapter"].sub(lambda place: " " * len(place[0]), unquoted(question.text))
    for one in await asyncio.to_thread(reader.names, text):
        span, part = telling_part(text, (one.start, one.end))
        is_known = any(meet((span[1] - len(part), span[1]), (other.start, other.end)) for other in question.mentions)
        is_form = len(part) == 1 and any(fold(part) in spelling for spelling in table.spellings)
        if one.kind == NameKind.PERSON and part and not (is_known or is_form):
            name = text[slice(*span)]
            if not await _is_mentioned(name, part if len(part) > 1 else name, passages, request):
                return name
    return None


async def _is_mentioned(name: str, part: str, passages: PassageStore, request: PlanRequest) -> bool:
    """Return True if the evidence has a name, or another script than it, or the passages that have most of it do."""
    texts = [piece["text"] for piece in request.evidence]
    if not any(bool(HAN.search(text)) == bool(HAN.search(name)) for text in texts):
        return True
    rows = await passages.sparse(request.library, name, PassageFilter(horizon=request.horizon), LOOKED_AT)
    found = await passages.fetch(request.library, [row.id for row in rows]) if rows else []
    wanted = re.compile(rf"(?<![a-z]){re.escape(fold(part))}(?![a-z])")
    return any(wanted.search(fold(text)) for text in [*texts, *(row.passage.text for row in found)])
