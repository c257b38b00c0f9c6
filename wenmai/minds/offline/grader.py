"""The verdict of the mind without a model: what the reader thinks of the sentences that a draft cites."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from nodes.grading.gates import NO_SCORES
from nodes.grading.opinions import Verdict
from nodes.policy import DIMENSION_MAX
from nodes.prompts.chinese import refuses, user_text
from nodes.results.citations import MARK, marked_pieces
from nodes.roles import GradeRequest
from state.grading import Scores
from state.schema import Evidence
from tools.documents.list_documents import NAME as LIST_DOCUMENTS
from tools.evidence import edge_of
from tools.story.linking import EntityLinker, NameTable
from wenmai.minds.offline.composer import Composer
from wenmai.minds.offline.documents.rows import asked_rows
from wenmai.minds.offline.documents.tables import table_call
from wenmai.minds.offline.extracting import Extractor
from wenmai.minds.offline.networks.ranking import is_network
from wenmai.minds.offline.questions.asked import Asked
from wenmai.minds.offline.questions.order import events_asked, events_told
from wenmai.minds.offline.questions.question import ABOUT_THE_BOOK, Kind, Question, understood
from wenmai.minds.offline.questions.speech import asks_speaker, spoken
from wenmai.minds.offline.reading import READ_KINDS, Read, read
from wenmai.minds.offline.sentences import Numbered
from wenmai.minds.offline.wordings import say

EXTRACT = 0.4
"""The most that is claimed without a reader: words that are shared answer nothing by themselves."""
STATED, MET, SUMMED_UP = 0.8, 0.3, 0.5
"""Probabilities of what needs no reading: what a graph, a network or the book's own list says of the very thing that
is asked; that two people spoke with each other, where their relation is asked; a summary made of sentences, which
holds what a reader asked for in half of the cases."""
BOOK_TOOLS = frozenset({"read_chapters", "list_characters"})
SUMMARIES: frozenset[Kind] = frozenset({"book", "chapter"})


@dataclass(frozen=True, slots=True)
class ReaderGrader:
    """Scores a draft from its calls and the evidence that it cites."""

    linker: EntityLinker
    composer: Composer

    async def grade(self, request: GradeRequest) -> Verdict:
        """Return five scores: evidence, completeness and depth are the reader's probability of the answer."""
        table = await self.linker.table(request.library, request.horizon)
        question = understood(request.question, table)
        if refuses(request.draft, request.language):
            return await self._of_refusal(request, question, table)
        probability = await self._probability(request, question, table)
        points = round(DIMENSION_MAX * probability)
        return Verdict(
            question_type=question.grader_type,
            scores=Scores(
                tool_usage=DIMENSION_MAX * any(call["ok"] and call["executed"] for call in request.calls),
                evidence=points,
                completeness=points,
                citation=citation(request),
                depth=points,
            ),
            reason=f"reader: {probability:.2f}",
            suggestion=say("reading.suggestion", request.language),
            confidence=round(probability, 2),
        )

    async def _of_refusal(self, request: GradeRequest, question: Question, table: NameTable) -> Verdict:
        """Return no scores, and how surely none of the evidence answers."""
        confidence = STATED
        if request.draft == user_text("not_found", request.language):  # else it says who is in no text
            found = await self._read(request, question, table, await self.composer.best(request, question))
            confidence = round(self._claimed(1 - max((one.probability for one in found), default=0.0)), 2)
        return Verdict(
            question_type=question.grader_type,
            scores=NO_SCORES,
            reason="not found",
            suggestion="",
            confidence=confidence,
        )

    async def _read(
        self, request: GradeRequest, question: Question, table: NameTable, pieces: Sequence[Numbered]
    ) -> list[Read]:
        return await read(self.composer.reader() or Extractor(), request.question, Asked.of(question, table), pieces)

    async def _probability(self, request: GradeRequest, question: Question, table: NameTable) -> float:
        """Return how surely the first line answers."""
        first = next((line for line in request.draft.splitlines() if MARK.search(line)), "")
        cited = [(at, piece) for at, piece in enumerate(marked_pieces(first, request.evidence), 1)]
        if not cited:
            return 0.0
        if recorded := _recorded(request, question, [piece for _, piece in cited]):
            return recorded
        if words := asks_speaker(request.question):
            reader = self.composer.reader() or Extractor()
            speech = await asyncio.to_thread(spoken, reader, request.question, words, cited)
            return self._claimed(speech.probability) if speech else 0.0
        if events := events_asked(request.question):
            told = await events_told(self.composer.reader() or Extractor(), events, table, cited, request.language)
            return self._claimed(min((one.probability for _, one in told), default=0.0))
        found = await self._read(request, question, table, cited)
        recalled = [piece["score"] or 0.0 for _, piece in cited if piece["kind"] == "memory"]
        return self._claimed(max([*(one.probability for one in found), *recalled], default=0.0))

    def _claimed(self, probability: float) -> float:
        """Return a probability as far as it may be claimed."""
        return probability if self.composer.reader() else min(probability, EXTRACT)


def _recorded(request: GradeRequest, question: Question, cited: Sequence[Evidence]) -> float | None:
    """Return the probability of an answer that needs no reading, None for any other."""
    if _is_of_book(question, request.evidence, cited):
        return SUMMED_UP if question.kind in SUMMARIES else STATED
    if question.kind == "relation" and (edge := edge_of(cited[0])):
        return MET if edge.is_meeting else STATED
    return STATED if _is_listed(request.question, cited) else None


def _is_of_book(question: Question, evidence: Sequence[Evidence], cited: Sequence[Evidence]) -> bool:
    """Return True for an answer about the book as a whole from its own chapters and lists."""
    is_asked = question.kind in ABOUT_THE_BOOK or question.kind == "first"
    is_told = any(piece["tool"] in BOOK_TOOLS for piece in evidence)
    return is_asked and is_told and not any(piece["kind"] in ("document", "memory") for piece in cited)


def _is_listed(question: str, cited: Sequence[Evidence]) -> bool:
    """Return True for what needs no reading: networks, listed files, and rows of tables that are asked for."""
    if all(is_network(one) or one["kind"] not in READ_KINDS or one["tool"] == LIST_DOCUMENTS for one in cited):
        return True
    chunks = [piece for piece in cited if piece["kind"] == "document"]
    return bool(asked_rows(question, chunks)) or table_call(question, chunks) is not None


def citation(request: GradeRequest) -> int:
    """Score the share of the answer's lines that carry a mark which names evidence."""
    lines = [line for line in request.draft.splitlines() if line.strip()]
    good = [line for line in lines if marked_pieces(line, request.evidence)]
    return round(DIMENSION_MAX * len(good) / len(lines)) if lines else 0
