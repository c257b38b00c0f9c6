"""The verdict of the mind without a model: what the reader thinks of the sentences that a draft cites."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nodes.grade import NO_SCORES
from nodes.policy import DIMENSION_MAX
from nodes.prompts.chinese import user_text
from nodes.results.citations import MARK, bigrams, letters, marked_pieces
from nodes.roles import AnswerReader, GradeRequest, Verdict
from state.schema import CallRecord, Evidence, Scores
from tools.documents.list_documents import NAME as LIST_DOCUMENTS
from tools.story.linking import EntityLinker, NameTable
from wenmai.minds.offline.documents.rows import asked_rows
from wenmai.minds.offline.extracting import Extractor
from wenmai.minds.offline.networks.ranking import is_network
from wenmai.minds.offline.questions.asked import Asked
from wenmai.minds.offline.questions.question import ABOUT_THE_BOOK, Question, understood
from wenmai.minds.offline.reading import READ_KINDS, read

SUGGESTION = {
    "zh": "检索到的原文里没有明确回答这个问题的句子，可以换个说法或给出更多线索",
    "en": "No passage answers this clearly; other words or more detail may help",
}
WITHOUT_READING = 0.8
"""Probability of what a graph, a network or the book's own list says of the very thing that is asked."""
FROM_RECORDS = frozenset({*ABOUT_THE_BOOK, "first"})


@dataclass(frozen=True, slots=True)
class ReaderGrader:
    """Scores a draft from its calls and the evidence that it cites."""

    linker: EntityLinker
    reader: Callable[[], AnswerReader | None]

    async def grade(self, request: GradeRequest) -> Verdict:
        """Return five scores: evidence, completeness and depth are the reader's probability of the answer."""
        if request.draft == user_text("not_found", request.language):
            return Verdict(question_type="fact", scores=NO_SCORES, reason="not found", suggestion="")
        table = await self.linker.table(request.library, request.horizon)
        question = understood(request.question, table)
        probability = await self._probability(request, question, table)
        points = round(DIMENSION_MAX * probability)
        cited = marked_pieces(request.draft, request.evidence)
        return Verdict(
            question_type=question.grader_type,
            scores=Scores(
                tool_usage=DIMENSION_MAX if _looked(request.calls) else 0,
                evidence=min(points, supported(request.draft, cited)),
                completeness=points,
                citation=citation(request),
                depth=points,
            ),
            reason=f"reader: {probability:.2f}",
            suggestion=SUGGESTION[request.language],
            confidence=round(probability, 2),
        )

    async def _probability(self, request: GradeRequest, question: Question, table: NameTable) -> float:
        """Return how surely the first line answers."""
        first = next((line for line in request.draft.splitlines() if MARK.search(line)), "")
        cited = [(at, piece) for at, piece in enumerate(marked_pieces(first, request.evidence), 1)]
        if not cited:
            return 0.0
        if (
            question.kind in FROM_RECORDS
            or _is_edge(question, cited[0][1])
            or _is_listed(request.question, [piece for _, piece in cited])
        ):
            return WITHOUT_READING
        reader = self.reader() or Extractor()
        found = await read(reader, request.question, Asked.of(question, table), cited)
        recalled = [piece["score"] or 0.0 for _, piece in cited if piece["kind"] == "memory"]
        return max([*(one.probability for one in found), *recalled], default=0.0)


def _is_edge(question: Question, first: Evidence) -> bool:
    """Return True for a relation of the graph where a relation is asked."""
    return question.kind == "relation" and first["kind"] == "relation"


def _is_listed(question: str, cited: Sequence[Evidence]) -> bool:
    """Return True for what needs no reading: networks, listed files, and rows of tables that are asked for."""
    if all(is_network(one) or one["kind"] not in READ_KINDS or one["tool"] == LIST_DOCUMENTS for one in cited):
        return True
    return bool(asked_rows(question, [piece for piece in cited if piece["kind"] == "document"]))


def _looked(calls: Sequence[CallRecord]) -> bool:
    return any(call["ok"] and call["executed"] for call in calls)


def supported(draft: str, pieces: Sequence[Evidence]) -> int:
    """Score the share of the answer's bigrams that pieces of evidence hold."""
    said = bigrams(MARK.sub("", draft))
    unheard = said
    for piece in pieces:
        if not unheard:
            break
        known = letters(piece["text"])
        unheard = {pair for pair in unheard if pair not in known}
    return round(DIMENSION_MAX * (len(said) - len(unheard)) / len(said)) if said else 0


def citation(request: GradeRequest) -> int:
    """Score the share of the answer's lines that carry a mark which names evidence."""
    lines = [line for line in request.draft.splitlines() if line.strip()]
    good = [line for line in lines if marked_pieces(line, request.evidence)]
    return round(DIMENSION_MAX * len(good) / len(lines)) if lines else 0
