"""The verdict of the mind without a model: what the reader thinks of the sentences that a draft cites."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nodes.policy import DIMENSION_MAX
from nodes.results.citations import MARK, bigrams, letters, marked_pieces
from nodes.roles import GradeRequest, Verdict
from state.schema import CallRecord, Evidence, Scores
from tools.story.linking import EntityLinker
from wenmai.minds.reading.needs import Reader
from wenmai.minds.reading.question import understood
from wenmai.minds.reading.reading import READ_KINDS, read

SUGGESTION = {
    "zh": "检索到的原文里没有明确回答这个问题的句子，可以换个说法或给出更多线索",
    "en": "No passage answers this clearly; other words or more detail may help",
}
WITHOUT_READING = 0.8
"""Probability of what a graph or a network says of the very thing that is asked: it is read from records."""


@dataclass(frozen=True, slots=True)
class ReaderGrader:
    """Scores a draft from its calls and the evidence that it cites."""

    linker: EntityLinker
    reader: Callable[[], Reader | None]

    async def grade(self, request: GradeRequest) -> Verdict:
        """Return five scores: evidence, completeness and depth are the reader's probability of the answer."""
        table = await self.linker.table(request.library, request.horizon)
        cited = marked_pieces(request.draft, request.evidence)
        probability = await self._probability(request, cited)
        points = round(DIMENSION_MAX * probability)
        return Verdict(
            question_type=understood(request.question, table).grader_type,
            scores=Scores(
                tool_usage=DIMENSION_MAX if _looked(request.calls) else 0,
                evidence=min(points, supported(request.draft, cited)),
                completeness=points,
                citation=citation(request),
                depth=points,
            ),
            reason=f"reader: {probability:.2f}",
            suggestion=SUGGESTION[request.language],
            confidence=probability,
        )

    async def _probability(self, request: GradeRequest, cited: Sequence[Evidence]) -> float:
        """Return how surely the first cited piece answers."""
        if not cited:
            return 0.0
        reader = self.reader()
        if reader is None or cited[0]["kind"] not in READ_KINDS:
            return WITHOUT_READING
        found = await read(reader, request.question, [(1, cited[0])])
        return found[0].probability if found else 0.0


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
