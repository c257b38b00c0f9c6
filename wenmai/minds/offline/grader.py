"""The verdict of the mind without a model: how probable a draft is, by what it cites."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nodes.citations import cited_pieces
from nodes.policy import DIMENSION_MAX
from nodes.roles import AnswerReader, GradeRequest, Verdict
from state.draft import Draft, Scores, Sentence
from state.schema import Evidence
from tools.documents.list_documents import NAME as LIST_DOCUMENTS
from tools.evidence import is_meeting
from tools.story.linking import EntityLinker, NameTable
from tools.text.scripts import simplified
from wenmai.minds.offline.documents.tables import asked_rows, table_call
from wenmai.minds.offline.networks.asking import is_network
from wenmai.minds.offline.questions.question import ABOUT_THE_BOOK, Asked, Kind, Question, understood
from wenmai.minds.offline.reading import EXTRACT, MET, READ_KINDS, STATED, SUMMED_UP, Extractor, read
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
        points, lines = round(DIMENSION_MAX * probability), lines_of(request.draft)
        citing = [line for line in lines if any(one["marks"] for one in line)]
        return Verdict(
            question_type=question.grader_type,
            scores=Scores(
                tool_usage=DIMENSION_MAX * any(call["ok"] and call["executed"] for call in request.calls),
                evidence=points,
                completeness=points,
                citation=round(DIMENSION_MAX * len(citing) / len(lines)) if lines else 0,
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
    asks_of_book = question.kind in ABOUT_THE_BOOK or question.kind == "first"
    is_told = any(piece["tool"] in BOOK_TOOLS for piece in evidence)  # by its own chapters and lists
    if asks_of_book and is_told and not any(piece["kind"] in ("document", "memory") for piece in cited):
        return SUMMED_UP if question.kind in SUMMARIES else STATED
    if question.kind == "relation" and "edge" in cited[0]:
        return MET if is_meeting(cited[0]) else STATED
    if all(is_network(one) or one["kind"] not in READ_KINDS or one["tool"] == LIST_DOCUMENTS for one in cited):
        return STATED
    chunks = [piece for piece in cited if piece["kind"] == "document"]
    is_row = bool(asked_rows(question.text, chunks)) or table_call(question.text, chunks) is not None
    return STATED if is_row else None


def lines_of(draft: Draft) -> list[list[Sentence]]:
    lines: list[list[Sentence]] = [[]]
    for one in draft["sentences"]:
        lines[-1].append(one)
        if "\n" in one["text"]:
            lines.append([])
    return [line for line in lines if any(one["text"].strip() for one in line)]
