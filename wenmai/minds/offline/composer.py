"""The draft of an attempt: what the reader points at in the best evidence, put together as the question asks for it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nodes.prompts.chinese import user_text
from nodes.roles import AnswerReader, GradeRequest, PlanRequest
from state.schema import Evidence
from tools.evidence import edge_of
from tools.story.linking import NameTable
from wenmai.minds.offline.book.book import book_draft
from wenmai.minds.offline.calibration import REFUSAL_OF_FILES
from wenmai.minds.offline.calls.retrieval import HISTORIES, asks_memories
from wenmai.minds.offline.documents.asking import admitted, names_files
from wenmai.minds.offline.documents.lines import listing, row_lines, term_lines
from wenmai.minds.offline.documents.rows import is_row_asked
from wenmai.minds.offline.drafting import drafted, joined, staged, told_speech
from wenmai.minds.offline.extracting import Extractor, no_reader
from wenmai.minds.offline.follow_ups.talk import TalkReader
from wenmai.minds.offline.memories.remembered import SURE, remembered
from wenmai.minds.offline.questions.asked import Asked
from wenmai.minds.offline.questions.order import events_asked, events_told, in_order
from wenmai.minds.offline.questions.question import Question
from wenmai.minds.offline.questions.speech import asks_speaker, holding, quoted_in, spoken
from wenmai.minds.offline.questions.strangers import unnamed
from wenmai.minds.offline.ranker import ReadingRanker
from wenmai.minds.offline.reading import Read, read
from wenmai.minds.offline.sentences import Numbered
from wenmai.minds.offline.wordings import say

LEAST_QUOTED, MOST_CHUNKS = 6, 4
"""Characters of quoted words that a passage must have; chunks of documents that are read beside other evidence."""


@dataclass(frozen=True, slots=True)
class Composer:
    """Writes the drafts of the mind without a model."""

    ranker: ReadingRanker
    reader: Callable[[], AnswerReader | None]
    names: Callable[[], TalkReader | None] = no_reader

    async def draft(self, request: PlanRequest, question: Question, table: NameTable) -> str:
        """Return sentences with `[E<n>]` marks, or the refusal; without the reader a note says so."""
        text = await self._told(request, question, table)
        is_read = self.reader() is not None or text == user_text("not_found", request.language)
        return text if is_read else f"{text}\n{say('reading.no_reader', request.language)}"

    async def _told(  # noqa: C901  # one case after the other, the first that answers
        self, request: PlanRequest, question: Question, table: NameTable
    ) -> str:
        """Return the first that answers: lists, memories, the whole book, speeches, orders, table rows, reading."""
        if listed := listing(request):
            return "\n".join(listed)
        if told := await self._from_memories(request, question):
            return told
        if about_book := book_draft(request, question, table):
            return about_book
        if refusal := await unnamed(self.names(), self.ranker.passages, request, question, table):
            return refusal
        pieces = await self.best(request, question)
        if words := asks_speaker(question.text):
            return await self._speaker(request, table, words, pieces)
        if events := events_asked(question.text):
            found = await events_told(self.reader() or Extractor(), events, table, pieces, request.language)
            return in_order(found, request.language) if found else user_text("not_found", request.language)
        asked = Asked.of(question, table)
        if _misquotes(question, pieces):
            return user_text("not_found", request.language)
        reads = await self._of_rows_asked(question, asked, pieces)
        rows = await row_lines(request)
        if rows and not any(one.piece["kind"] != "document" and one.probability >= SURE for one in reads):
            return "\n".join(rows)
        if question.kind in HISTORIES and question.entities:
            return staged(reads, asked, request.language)
        stated, met = _joining(request, question)
        if stated:
            return joined(stated, reads, request.language)
        told = drafted(reads, request.language)
        if told != user_text("not_found", request.language):
            return told
        return "\n".join(term_lines(request)) or (joined(met, reads, request.language) if met else told)

    async def _from_memories(self, request: PlanRequest, question: Question) -> str:
        """Return what memories answer, or the refusal: a story does not know what its reader said; else ''."""
        if not asks_memories(request):
            return ""
        memories = [row for row in enumerate(request.evidence, 1) if row[1]["kind"] == "memory"]
        told = await remembered(self.reader() or Extractor(), request.resolved, memories, request.language)
        is_elsewhere = bool(question.entities) or any(one["kind"] == "document" for one in request.evidence)
        return told or ("" if is_elsewhere else user_text("not_found", request.language))

    async def _of_rows_asked(self, question: Question, asked: Asked, pieces: Sequence[Numbered]) -> list[Read]:
        """Return the reads but for rows of tables that say too little; documents first where files are spoken of."""
        reads = await read(self.reader() or Extractor(), question.text, asked, pieces)
        kept = [one for one in reads if is_row_asked(question.text, one.sentence, one.piece)]
        if not names_files(question.text):
            return kept
        return sorted(kept, key=lambda one: one.piece["kind"] != "document" or one.probability < REFUSAL_OF_FILES)

    async def best(self, request: PlanRequest | GradeRequest, question: Question) -> list[Numbered]:
        """Return the pieces with their numbers, best first."""
        pieces = admitted(question.text, request.evidence)
        ranked = await self.ranker.rank(question.text, pieces, request.calls, request.library, request.horizon)
        numbers = {piece["id"]: number for number, piece in enumerate(request.evidence, 1)}
        return _mixed([(numbers[one["id"]], one) for one in ranked if _is_asked(one, question)])

    async def _speaker(self, request: PlanRequest, table: NameTable, words: str, pieces: Sequence[Numbered]) -> str:
        """Return who said the quoted words, by their name where the library has it, with the words."""
        found = await asyncio.to_thread(spoken, self.reader() or Extractor(), request.resolved, words, pieces)
        if not found:
            return user_text("not_found", request.language)
        names = table.find(found.speaker)
        return told_speech(replace(found, speaker=names[0].text) if names else found, request.language)


def _misquotes(question: Question, pieces: Sequence[Numbered]) -> bool:
    """Return True if a question quotes words that no passage has."""
    words = quoted_in(question.text) or ""
    passages = [row for row in pieces if row[1]["kind"] == "passage"]
    return len(words) >= LEAST_QUOTED and bool(passages) and not holding(words, passages)


def _joining(request: PlanRequest, question: Question) -> tuple[list[Numbered], list[Numbered]]:
    """Return the relations that join the two names whose relation is asked: the stated ones, and that they spoke."""
    if question.kind != "relation":
        return [], []
    stated: list[Numbered] = []
    met: list[Numbered] = []
    for number, piece in enumerate(request.evidence, 1):
        if (edge := edge_of(piece)) and _is_asked(piece, question):
            (met if edge.is_meeting else stated).append((number, piece))
    return stated, met


def _is_asked(piece: Evidence, question: Question) -> bool:
    """Return False for a relation that does not join the names of a question with two."""
    edge = edge_of(piece)
    if edge is None or len(question.entities) < 2:
        return True
    return {edge.source, edge.target} <= set(question.entities)


def _mixed(rows: Sequence[Numbered]) -> list[Numbered]:
    """Return evidence of which documents do not crowd out the rest, nor the rest documents."""
    documents = [row for row in rows if row[1]["kind"] == "document"]
    others = [row for row in rows if row[1]["kind"] != "document"]
    return [*documents[:MOST_CHUNKS], *others] if others else documents
