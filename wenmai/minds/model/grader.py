"""Grades a draft by a model that sees evidence and calls, never the planner's reasoning."""

import logging
from dataclasses import dataclass
from typing import cast

from langchain_core.messages import HumanMessage, SystemMessage

from nodes.prompts.roles import GRADER, grading
from nodes.roles import GradeRequest, Verdict
from state.schema import Scores
from wenmai.minds.model.caller import Caller
from wenmai.minds.model.schemas import TYPES, Graded

log = logging.getLogger("wenmai.model")


@dataclass(frozen=True, slots=True)
class ModelGrader:
    """The grader's model."""

    caller: Caller

    async def grade(self, request: GradeRequest) -> Verdict:
        """Score a draft on the five dimensions. Raises ModelError."""
        messages = [SystemMessage(GRADER[request.language]), HumanMessage(grading(request))]
        answer = await self.caller.structured(messages, Graded)
        points = {name: round(value) for name, value in answer.scores.model_dump().items()}
        if round(answer.score) != sum(points.values()):
            log.info("the grader's total %g is not the sum of its scores %d", answer.score, sum(points.values()))
        kind = answer.question_type if answer.question_type in TYPES else "fact"
        return Verdict(
            question_type=kind,
            scores=cast(Scores, points),
            reason=answer.reason,
            suggestion=answer.suggestion,
            hallucination_detected=answer.hallucination_detected,
        )
