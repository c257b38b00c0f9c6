"""Check the draft by code, score it on five dimensions, and decide whether it passes."""

import asyncio
import logging
from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from nodes.drafts import NOTHING
from nodes.grading.checked import CheckTurn
from nodes.grading.gates import (
    UNGRADED,
    WRONG_REFUSAL,
    early_refusal,
    graded,
    of_refusal,
    too_few,
    ungraded,
    verdict_by_code,
)
from nodes.grading.opinions import Verdict
from nodes.policy import Policy
from nodes.results.citations import plain_text
from nodes.results.notices import GRADER_SLOW, OUT_OF_TOKENS, joined_warning
from nodes.results.record import closed_attempt
from nodes.results.usage import metered, over_limit
from nodes.roles import GradeRequest, Mind, Minds
from nodes.scope import Clock, context_of, horizon_of, seconds_left
from state.context import Context
from state.draft import Draft
from state.grading import Grade
from state.schema import AgentState, UsageRow
from tools.errors import STORE_FAILURES, ModelError
from tools.language import characters
from tools.wording import speaking

VERIFIED_CHARACTERS = 200
"""Chinese characters of a draft that may do without a model's verdict."""
VERIFIED_CONFIDENCE = 0.5
GRADER_TRIES = 2

log = logging.getLogger("wenmai.loop")


@dataclass(frozen=True, slots=True)
class GradeDraft:
    """Check and judge the draft in time and close the attempt; some drafts need no grader."""

    minds: Minds
    check: CheckTurn
    policy: Policy
    clock: Clock

    async def __call__(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return the checked draft, its grade, and the attempt with both."""
        context = context_of(runtime)
        with speaking(state["language"]), metered("grader", state["attempt"], self.clock) as rows:
            draft = await self.check(state, context)
            state = {**state, "draft": draft}
            grade = await self.verdict(state, draft, context)
        return {
            "draft": draft,
            "grade": grade,
            "attempts": [*state["attempts"], closed_attempt(state, grade, self.clock())],
            "usage": [*state["usage"], *rows],
            **ending(state, context, grade, rows),
        }

    async def verdict(self, state: AgentState, draft: Draft, context: Context) -> Grade | None:
        """Return the verdict on a draft; None for one that states nothing, or where nobody may judge."""
        if draft["status"] in ("clarify", "chat"):
            return None
        is_model = self.minds.of(state).grader_model is not None
        by_code = verdict_by_code(state, draft, asks_of_refusals=is_model and context.grade != "never")
        if by_code is None and is_model and context.grade == "auto":
            by_code = early_refusal(state, draft)
        grade = by_code or await self.judged(state, draft, context)
        if grade is None or grade["fail_reason"] == UNGRADED or draft["status"] != "not_found":
            return grade
        if draft["by"] != "model" and draft["refused"] != "nothing_left":
            grade = Grade({**grade, "confidence": draft["confidence"]})
        return grade if by_code else of_refusal(grade, grade["fail_reason"] or too_few(state))

    async def judged(self, state: AgentState, draft: Draft, context: Context) -> Grade | None:
        """Ask the grader that the run wants: that without a model where code has verified a short draft."""
        reader = self.minds.fallback or self.minds.of(state)
        if context.grade == "never":
            return None if reader.grader_model else await self.asked(state, context, reader)
        mind = self.minds.of(state)
        if over_limit(state, context):
            return await self.asked(state, context, self.minds.fallback)
        if context.grade == "auto" and mind.grader_model and not reader.grader_model and self.is_plain(draft):
            grade = await self.asked(state, context, reader)
            if grade["passed"] and (grade.get("confidence") or 0.0) >= VERIFIED_CONFIDENCE:
                return grade
        return await self.asked(state, context, mind)

    def is_plain(self, draft: Draft) -> bool:
        """Return True if a draft is short, answers, and says nothing that code has not verified."""
        text = plain_text(draft["sentences"])
        is_short = len(text) <= characters(text, VERIFIED_CHARACTERS)
        return draft["verified"] and is_short and draft["status"] == "answer" and self.check.check.reader() is not None

    async def asked(self, state: AgentState, context: Context, mind: Mind | None) -> Grade:
        """Ask a grader, once more after a failure, then give up: ungraded."""
        if mind is None:
            return ungraded(OUT_OF_TOKENS[state["language"]], state["language"])
        request, reason = grade_request(state, context), ""
        for _ in range(GRADER_TRIES):
            seconds = min(self.policy.model_timeout_s, seconds_left(state, self.clock))
            try:
                async with asyncio.timeout(seconds):
                    return made(await mind.grader.grade(request), request, mind.grader_model or mind.name)
            except (ModelError, *STORE_FAILURES, TimeoutError) as error:
                reason = str(error) or GRADER_SLOW[request.language].format(seconds=max(0, seconds))
                log.warning("grader failed: %s", reason)
                if not await waited(error, seconds_left(state, self.clock)):
                    break
        return ungraded(reason, state["language"])


def made(verdict: Verdict, request: GradeRequest, by: str) -> Grade:
    """Return the grade that a verdict gives; of a refusal only whether it is right counts.

    A grader without an opinion of a refusal does not save it where code has seen a piece that answers.
    """
    grade = graded(verdict, request.language, by)
    is_answered = any(note["reason"] == "answered" for note in request.draft["notes"])
    if verdict.refusal_ok is None and not is_answered:
        return grade
    return of_refusal(grade, "" if verdict.refusal_ok and not is_answered else WRONG_REFUSAL)


def grade_request(state: AgentState, context: Context) -> GradeRequest:
    """Return what a grader is asked: the calls of all attempts, newest first."""
    turns = state["session"]["turns"]
    return GradeRequest(
        question=state["resolved_question"],
        draft=state["draft"] or NOTHING,
        calls=state["tool_calls"][::-1],
        evidence=state["evidence"],
        library=context.library,
        horizon=horizon_of(state),
        language=state["language"],
        last_turn=turns[-1] if turns else None,
    )


async def waited(error: Exception, left_s: float) -> bool:
    """Wait as long as the service asks; return False if that leaves no time for another try."""
    asked = error.retry_after_s if isinstance(error, ModelError) else 0.0
    if asked and asked >= left_s:
        return False
    await asyncio.sleep(asked)
    return True


def ending(state: AgentState, context: Context, grade: Grade | None, rows: list[UsageRow]) -> dict[str, Any]:
    """Return the keys that prevent another attempt, with a warning: no tokens are left, or no grader answered."""
    if grade is None:
        return {}
    if grade["fail_reason"] == UNGRADED:
        return {"warning": joined_warning(state["warning"], grade["reason"])}
    if not grade["passed"] and over_limit(state, context, rows):
        warning = joined_warning(state["warning"], OUT_OF_TOKENS[state["language"]])
        return {"status": "out_of_tokens", "warning": warning}
    return {}
