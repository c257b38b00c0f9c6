"""Grades a draft by a model that sees the cited evidence, never the planner's reasoning; finds new search words."""

from dataclasses import dataclass
from typing import cast

from langchain_core.messages import HumanMessage, SystemMessage

from nodes.checking.wordings import ASKS, REFUSES
from nodes.prompts.grading import GRADER, grading
from nodes.prompts.refiner import REFINER, refining
from nodes.roles import GradeRequest, JudgedClaim, RefineRequest, Verdict
from state.draft import Draft, Scores
from wenmai.minds.model.caller import Caller
from wenmai.minds.model.failures import NO_CLAIMS, unusable
from wenmai.minds.model.schemas import TYPES, Claim, Graded, Queries

MOST_REASON = 300  # characters


@dataclass(frozen=True, slots=True)
class ModelGrader:
    caller: Caller

    async def grade(self, request: GradeRequest) -> Verdict:
        """Judge the claims of a draft, then score it on the five dimensions.

        Raises ModelError, also where a draft states something and no claim of it was judged.
        """
        messages = [SystemMessage(GRADER[request.language]), HumanMessage(grading(request))]
        answer = await self.caller.structured(messages, Graded)
        points = {name: round(value) for name, value in answer.scores.model_dump().items()}
        claims = [judged(claim) for claim in answer.claims if claim.text.strip()]
        failed = [f"{claim.supported}: {claim.text}" for claim in claims if claim.supported != "yes"]
        opinion = {"yes": True, "no": False}.get(answer.refusal_ok.strip().lower())
        if not claims and opinion is None and states(request.draft):
            raise unusable(None, NO_CLAIMS.say(), self.caller.settings)
        return Verdict(
            question_type=answer.question_type if answer.question_type in TYPES else "fact",
            scores=cast(Scores, points),
            reason="; ".join(failed)[:MOST_REASON],
            suggestion="; ".join(one.strip() for one in answer.missing if one.strip()),
            hallucination_detected=any(claim.supported == "contradicted" for claim in claims),
            claims=claims,
            follows_material=answer.follows_material,
            refusal_ok=opinion,
            queries=answer.queries,
        )


def states(draft: Draft) -> bool:
    """Return True if a draft has a sentence that neither refuses nor asks."""
    sentences = [one["text"] for one in draft["sentences"] if one["text"].strip()]
    return any(not REFUSES.search(one) and not ASKS.search(one) for one in sentences)


def judged(claim: Claim) -> JudgedClaim:
    """Return a claim as the loop knows it; a word that is none of the three counts as no support."""
    marks = [int(mark) for mark in claim.marks if isinstance(mark, int | float)]
    word = claim.supported.strip().lower()
    return JudgedClaim(
        claim.text, marks, "yes" if word == "yes" else "contradicted" if word == "contradicted" else "no"
    )


@dataclass(frozen=True, slots=True)
class ModelRefiner:
    caller: Caller

    async def refine(self, request: RefineRequest) -> list[str]:
        """Return the model's queries; the node drops blanks and duplicates. Raises ModelError."""
        messages = [SystemMessage(REFINER[request.language]), HumanMessage(refining(request))]
        return (await self.caller.structured(messages, Queries)).root
