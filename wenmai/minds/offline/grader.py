"""The verdict of the mind without a model: how probable a draft is, by what it cites."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nodes.policy import DIMENSION_MAX
from nodes.results.citations import cited_pieces
from nodes.roles import AnswerReader, GradeRequest, Verdict
from state.draft import Draft, Scores, Sentence
from state.schema import Evidence
from tools.documents.search import LIST_DOCUMENTS
from tools.evidence import is_meeting
from tools.story.names import EntityLinker, NameTable
from tools.text.scripts import simplified
from wenmai.minds.offline.calibration import EXTRACT, MET, STATED, SUMMED_UP
from wenmai.minds.offline.documents.tables import asked_rows, table_call
from wenmai.minds.offline.networks.ranking import is_network
from wenmai.minds.offline.questions.asked import Asked
from wenmai.minds.offline.questions.question import ABOUT_THE_BOOK, Kind, Question, understood
from wenmai.minds.offline.reading import READ_KINDS, Extractor, read
from wenmai.minds.offline.wordings import say

BOOK_TOOLS = frozenset({"read_chapters", "list_characters"})
SUMMARIES: frozenset[Kind] = frozenset({"book", "chapter"})


@dataclass(frozen=True, slots=True)
class ReaderGrader:
    """Scores a draft by its probability: that of its writer, of a model's draft what the reader thinks of it."""

    linker: EntityLinker
    reader: Callable[[], AnswerReader | None]

    async def grade(self, request: GradeRequest) -> Verdict:
        """Return five scores: evidence, completeness and depth are the probability of the answer."""
        request = replace(request, question=simplified(request.question))
        table = await self.linker.table(request.library, request.horizon)
        question, probability = understood(request.question, table), request.draft["confidence"]
        if probability is None:
            probability = await self._probability(request, question, table)
        points = round(DIMENSION_MAX * probability)
        return Verdict(
            question_type=question.grader_type,
            scores=Scores(
                tool_usage=DIMENSION_MAX * any(call["ok"] and call["executed"] for call in request.calls),
                evidence=points,
                completeness=points,
                citation=citation(request.draft),
                depth=points,
            ),
            reason=f"reader: {probability:.2f}",
            suggestion=say("reading.suggestion", request.language),
            confidence=round(probability, 2),
        )

    async def _probability(self, request: GradeRequest, question: Question, table: NameTable) -> float:
        """Return how surely the first line of a model's draft answers."""
        lines = (cited_pieces(line, request.evidence) for line in lines_of(request.draft))
        cited = next(filter(None, lines), [])
        if not cited:
            return 0.0
        stated = stated_probability(question, request.evidence, cited)
        if stated is not None:
            return stated
        reader, asked = self.reader(), Asked.of(question, table)
        found = await read(reader or Extractor(), request.question, asked, cited)
        recalled = [piece["score"] or 0.0 for piece in cited if piece["kind"] == "memory"]
        probability = max([*(one.probability for one in found), *recalled], default=0.0)
        return probability if reader else min(probability, EXTRACT)


def stated_probability(question: Question, evidence: Sequence[Evidence], cited: Sequence[Evidence]) -> float | None:
    """Return the probability of an answer that needs no reading, by what its first line cites; None for any other."""
    if not cited:
        return None
    if _is_of_book(question, evidence, cited):
        return SUMMED_UP if question.kind in SUMMARIES else STATED
    if question.kind == "relation" and "edge" in cited[0]:
        return MET if is_meeting(cited[0]) else STATED
    return STATED if _is_listed(question.text, cited) else None


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


def lines_of(draft: Draft) -> list[list[Sentence]]:
    """Return the sentences of each line of a draft that is not blank."""
    lines: list[list[Sentence]] = [[]]
    for one in draft["sentences"]:
        lines[-1].append(one)
        if "\n" in one["text"]:
            lines.append([])
    return [line for line in lines if any(one["text"].strip() for one in line)]


def citation(draft: Draft) -> int:
    """Score the share of the answer's lines that cite evidence."""
    lines = lines_of(draft)
    good = [line for line in lines if any(one["marks"] for one in line)]
    return round(DIMENSION_MAX * len(good) / len(lines)) if lines else 0
