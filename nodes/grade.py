"""Score the draft on five dimensions and decide whether it passes."""

import asyncio
import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

from langgraph.runtime import Runtime

from nodes.policy import (
    DEPTH_GATE,
    DIMENSION_MAX,
    EVIDENCE_GATE,
    TOTAL_GATE,
    Policy,
    limit_of,
)
from nodes.prompts.chinese import apologies, refuses
from nodes.prompts.hints import HARD_GATE, NO_CALL_SUGGESTION, NOT_FOUND_SUGGESTION, UNGRADED_SUGGESTION
from nodes.results.citations import marks_of
from nodes.results.notices import GRADER_SLOW, OUT_OF_TOKENS, joined_warning
from nodes.results.usage import metered, over_limit
from nodes.roles import Grader, GradeRequest, Minds, Verdict
from nodes.scope import Clock, context_of, horizon_of, seconds_left
from state.context import Context, Language
from state.schema import AgentState, Attempt, Grade, QuestionType, Scores, UsageRow
from tools.errors import STORE_FAILURES, ModelError
from tools.wording import speaking

QUESTION_TYPES = get_args(QuestionType)
NO_SCORES = Scores(tool_usage=0, evidence=0, completeness=0, citation=0, depth=0)
UNGRADED = "ungraded"  # the grade of a draft that no grader could judge

log = logging.getLogger("wenmai.loop")


@dataclass(frozen=True, slots=True)
class GradeDraft:
    """Judge the draft in time and close the attempt; some drafts need no grader."""

    minds: Minds
    policy: Policy
    clock: Clock

    async def __call__(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return the grade, and the attempt with it."""
        context = context_of(runtime)
        with speaking(state["language"]), metered("grader", state["attempt"], self.clock) as rows:
            grade = guard(state) or await self.judged(state, context)
            if is_refusal(state):
                grade["confidence"] = await self.confidence_of_refusal(state, context)
        return {
            "grade": grade,
            "attempts": [*state["attempts"], closed_attempt(state, grade, self.clock())],
            "usage": [*state["usage"], *rows],
            **ending(state, context, grade, rows),
        }

    async def judged(self, state: AgentState, context: Context) -> Grade:
        """Ask the grader, once more after a failure, then give up: ungraded."""
        grader = self.grader(state, context)
        if grader is None:
            return ungraded(OUT_OF_TOKENS[state["language"]], state["language"])
        request, reason = grade_request(state, context), ""
        for _ in range(2):
            seconds = min(self.policy.model_timeout_s, seconds_left(state, self.clock))
            try:
                async with asyncio.timeout(seconds):
                    return graded(
                        await grader.grade(request), *marks_of(request.draft, request.evidence), request.language
                    )
            except (ModelError, *STORE_FAILURES, TimeoutError) as error:
                reason = str(error) or GRADER_SLOW[request.language].format(seconds=max(0, seconds))
                log.warning("grader failed: %s", reason)
                if not await waited(error, seconds_left(state, self.clock)):
                    break
        return ungraded(reason, state["language"])

    async def confidence_of_refusal(self, state: AgentState, context: Context) -> float | None:
        """Return how surely the evidence does not answer; None without evidence, or where that costs a model call."""
        mind = self.minds.of(state)
        if mind.grader_model or not state["evidence"]:
            return None
        try:
            async with asyncio.timeout(min(self.policy.model_timeout_s, seconds_left(state, self.clock))):
                verdict = await mind.grader.grade(grade_request(state, context))
        except (ModelError, *STORE_FAILURES, TimeoutError) as error:
            log.warning("no confidence in the refusal: %s", error)
            return None
        return probability(verdict.confidence)

    def grader(self, state: AgentState, context: Context) -> Grader | None:
        """Return the grader; once the tokens are spent that of the fallback mind, which needs none."""
        if not over_limit(state, context):
            return self.minds.of(state).grader
        return self.minds.fallback.grader if self.minds.fallback else None


def grade_request(state: AgentState, context: Context) -> GradeRequest:
    """Return what a grader is asked: the calls of all attempts, newest first."""
    return GradeRequest(
        question=state["resolved_question"],
        draft=state["draft"] or "",
        calls=state["tool_calls"][::-1],
        evidence=state["evidence"],
        library=context.library,
        horizon=horizon_of(state),
        language=state["language"],
    )


async def waited(error: Exception, left_s: float) -> bool:
    """Wait as long as the service asks; return False if that leaves no time for another try."""
    asked = error.retry_after_s if isinstance(error, ModelError) else 0.0
    if asked and asked >= left_s:
        return False
    await asyncio.sleep(asked)
    return True


def ending(state: AgentState, context: Context, grade: Grade, rows: list[UsageRow]) -> dict[str, Any]:
    """Return the keys that prevent another attempt, with a warning: no tokens are left, or no grader answered."""
    if grade["fail_reason"] == UNGRADED:
        return {"warning": joined_warning(state["warning"], grade["reason"])}
    if not grade["passed"] and over_limit(state, context, rows):
        return {"out_of_tokens": True, "warning": joined_warning(state["warning"], OUT_OF_TOKENS[state["language"]])}
    return {}


def guard(state: AgentState) -> Grade | None:
    """Return the verdict that needs no model: no call in any attempt, or a draft that the code wrote."""
    language = state["language"]
    if not any(call["executed"] for call in state["tool_calls"]):
        verdict = Verdict(question_type="fact", scores=NO_SCORES, reason="", suggestion=NO_CALL_SUGGESTION[language])
        return graded(verdict, language=language)
    if is_refusal(state) or state["draft"] in apologies(language):
        scores = Scores(tool_usage=DIMENSION_MAX, evidence=0, completeness=0, citation=0, depth=0)
        suggestion = NOT_FOUND_SUGGESTION[language]
        verdict = Verdict(question_type="fact", scores=scores, reason="not found", suggestion=suggestion)
        return graded(verdict, language=language)
    return None


def is_refusal(state: AgentState) -> bool:
    """Return True if the draft says that nothing was found."""
    return refuses(state["draft"], state["language"])


def graded(verdict: Verdict, real: int = 0, invented: int = 0, language: Language = "zh") -> Grade:
    """Compute total and gates from a verdict: each dimension is clamped, a missing one is 0.

    Citation points are scaled by the share of marks that name evidence.

    Args:
        verdict: the grader's scores.
        real: marks in the draft that name evidence.
        invented: marks that name nothing.
        language: of the reason.
    """
    points = {name: clamped(verdict.scores.get(name, 0)) for name in NO_SCORES}
    if invented:
        points["citation"] = points["citation"] * real // (real + invented)
    if verdict.hallucination_detected:
        points["evidence"] = 0
    total = sum(points.values())
    scores = Scores(**points)  # type: ignore[typeddict-item]  # the names are those of Scores
    reason = fail_reason(scores, total, language)
    return Grade(
        question_type=verdict.question_type if verdict.question_type in QUESTION_TYPES else "fact",
        scores=scores,
        score=total,
        reason=verdict.reason,
        suggestion=verdict.suggestion,
        hallucination_detected=verdict.hallucination_detected,
        passed=not reason,
        fail_reason=reason,
        confidence=probability(verdict.confidence),
    )


def probability(confidence: float | None) -> float | None:
    """Return a confidence within 0..1, None for none."""
    return None if confidence is None else max(0.0, min(1.0, confidence))


def clamped(score: object) -> int:
    """Return a score within 0..20."""
    return max(0, min(DIMENSION_MAX, int(score))) if isinstance(score, int | float) else 0


def fail_reason(scores: Scores, total: int, language: Language) -> str:
    """Name every failed gate in the order depth, evidence, total."""
    gates = [("depth", scores["depth"], DEPTH_GATE), ("evidence", scores["evidence"], EVIDENCE_GATE)]
    failed = [f"{name}={value} < {least} ({HARD_GATE[language]})" for name, value, least in gates if value < least]
    return "; ".join([*failed, *([f"score={total} < {TOTAL_GATE}"] if total < TOTAL_GATE else [])])


def ungraded(reason: str, language: Language) -> Grade:
    """Return the verdict of a grader that failed twice: not passed, and no further attempt."""
    verdict = Verdict(question_type="fact", scores=NO_SCORES, reason=reason, suggestion=UNGRADED_SUGGESTION[language])
    return {**graded(verdict, language=language), "fail_reason": UNGRADED}


def open_attempts(state: AgentState, now: datetime) -> list[Attempt]:
    """Return every attempt of the question; one that is still open is closed without a grade."""
    closed = state["attempts"]
    is_closed = any(attempt["attempt"] == state["attempt"] for attempt in closed)
    return closed if is_closed else [*closed, closed_attempt(state, None, now)]


def closed_attempt(state: AgentState, grade: Grade | None, now: datetime) -> Attempt:
    """Return the attempt as it ended; the refiner's queries are added by refine."""
    started = datetime.fromisoformat(state["attempt_started_at"])
    return Attempt(
        attempt=state["attempt"],
        limit=limit_of(state["attempt"], state["limits"]["search"]),
        draft=state["draft"] or "",
        stop_reason=state["stop_reason"],
        grade=grade,
        queries=[],
        thoughts=state["thoughts"],
        evidence=state["evidence"],
        calls=[call for call in state["tool_calls"] if call["attempt"] == state["attempt"]],
        started_at=state["attempt_started_at"],
        duration_ms=round((now - started).total_seconds() * 1000),
    )
