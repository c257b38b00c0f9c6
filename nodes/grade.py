"""Check the draft by code, score it on five dimensions, and decide whether it passes."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from langgraph.runtime import Runtime

from nodes.call_time import call_time
from nodes.checking.draft_check import CheckRequest, DraftCheck
from nodes.checking.judged import judged_draft
from nodes.drafts import NOTHING, refused_by_code
from nodes.notices import joined_warning, slow_model
from nodes.policy import DEPTH_GATE, DIMENSION_MAX, EVIDENCE_GATE, TOTAL_GATE, Policy
from nodes.prompts.grading import (
    HARD_GATE,
    MORE_SUGGESTION,
    NO_CALL_SUGGESTION,
    NOT_FOUND_SUGGESTION,
    NOTHING_LEFT_SUGGESTION,
    UNGRADED_SUGGESTION,
)
from nodes.record import closed_attempt
from nodes.roles import GradeRequest, JudgedClaim, Mind, Minds, Verdict
from nodes.scope import Clock, context_of, horizon_of, seconds_left
from nodes.usage import metered, over_limit, tokens_left
from state.context import Context, Grading, Language
from state.draft import CODE, Draft, Gate, Grade, Note, QuestionType, Scores
from state.schema import AgentState
from tools.dispatch import STOP
from tools.errors import STORE_FAILURES, ModelError, OutOfTokens
from tools.messages import say_in, speaking
from tools.story.names import EntityLinker, NameTable

VERIFIED_CONFIDENCE = 0.5
"""How sure the mind without a model must be that a verbatim draft answers, where no model is asked."""
REFUSED_CONFIDENCE = 0.8
"""How sure it must be that nothing found answers what a model refuses, where no model is asked."""
GRADER_TRIES = 2
REFINING_TOKENS = 600  # what the search words of a refiner cost

log = logging.getLogger("wenmai.loop")
LEAST_SEARCHES = 2
"""Different searches after which a refusal may be right."""
QUESTION_TYPES = get_args(QuestionType)
NO_SCORES = Scores(tool_usage=0, evidence=0, completeness=0, citation=0, depth=0)
CLAIM_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class CheckTurn:
    check: DraftCheck
    linker: EntityLinker

    async def __call__(self, state: AgentState, context: Context) -> Draft:
        """Return what is left of a model's draft, the refusal where nothing is; what code has written stays."""
        draft = state["draft"] or NOTHING
        if draft["by"] != "model":
            return draft
        try:
            table = await self.linker.table(context.library, horizon_of(state))
        except STORE_FAILURES as error:
            log.warning("draft checked without names: %s", error)
            table = NameTable.build(())
        request = CheckRequest(
            question=state["question"],
            resolved=state["resolved_question"],
            draft=draft,
            evidence=state["evidence"],
            table=table,
            known=[text for turn in state["session"]["turns"] for text in (turn["resolved"], turn["answer"])],
        )
        found = Draft({**draft, **await self.check(request)})
        for one in found["notes"]:
            log.info("draft: a sentence was %s (%s)", one["action"], one["reason"])
        return found if found["sentences"] else nothing_left(state, found["notes"])


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
        left = tokens_left(state, context)
        with speaking(state["language"]), metered("grader", state["attempt"], self.clock, left) as rows:
            draft = await self.check(state, context)
            state = {**state, "draft": draft}
            draft, grade = await self.verdict(state, draft, context)
            state = {**state, "draft": draft}
        closing: dict[str, Any] = {}  # the keys that prevent another attempt
        if grade and is_ungraded(grade):
            told = grade["reason"] in (state["warning"] or "")  # of a draft that was cut
            closing = {} if told else {"warning": joined_warning(state["warning"], grade["reason"])}
        elif grade and not grade["passed"] and over_limit(state, context, rows, needed=REFINING_TOKENS):
            warning = joined_warning(state["warning"], say_in(state["language"], "turn.out_of_tokens"))
            closing = {"status": "out_of_tokens", "warning": warning}
        return {
            "draft": draft,
            "grade": grade,
            "attempts": [*state["attempts"], closed_attempt(state, grade, self.clock())],
            "usage": [*state["usage"], *rows],
            **closing,
        }

    async def verdict(self, state: AgentState, draft: Draft, context: Context) -> tuple[Draft, Grade | None]:
        """Return what a verdict leaves of a draft, and the verdict.

        There is none on a draft that states nothing, or where nobody may judge.
        """
        if reason := draft.get("unfinished"):
            return draft, ungraded(reason, state["language"])
        if draft["status"] in ("clarify", "chat"):
            return draft, None
        is_model = self.minds.of(state).grader_model is not None
        by_code = verdict_by_code(state, draft, asks_of_refusals=is_model and grading_of(state, context) != "never")
        # A refusal that fails whatever a grader says, while another attempt is left: none need see it.
        is_early = draft["status"] == "not_found" and state["attempt"] < state["limits"]["attempts"]
        fails = too_few(state) or ({"refusal": "refusal=wrong"} if is_answered(draft["notes"]) else {})
        if by_code is None and is_model and grading_of(state, context) == "auto" and is_early and fails:
            by_code = of_refusal(nothing_found(state, NOT_FOUND_SUGGESTION[state["language"]]), fails)
        draft, grade = (draft, by_code) if by_code else await self.grade_by(state, draft, context)
        if grade is None or is_ungraded(grade) or draft["status"] != "not_found":
            return draft, grade
        if draft["by"] != "model" and draft["refused"] != "nothing_left":
            grade = Grade({**grade, "confidence": draft["confidence"]})
        if draft["refused"] == "own_words" and grade.get("confidence") is None and self.minds.fallback:
            _, read = await self.ask_grader(state, context, self.minds.fallback)
            grade = Grade({**grade, "confidence": read.get("confidence")})
        return draft, grade if by_code or not grade["passed"] else of_refusal(grade, too_few(state))

    async def grade_by(self, state: AgentState, draft: Draft, context: Context) -> tuple[Draft, Grade | None]:
        """Ask the grader that the run wants: that without a model first where it may be enough."""
        reader, grading = self.minds.fallback or self.minds.of(state), grading_of(state, context)
        if grading == "never":
            return (draft, None) if reader.grader_model else await self.ask_grader(state, context, reader)
        mind = self.minds.of(state)
        if grading == "auto" and mind.grader_model and not reader.grader_model and self.is_plain(draft):
            _, grade = await self.ask_grader(state, context, reader)
            confidence = grade.get("confidence") or 0.0
            if draft["refused"] and confidence >= REFUSED_CONFIDENCE:
                return draft, of_refusal(grade, {})
            if not draft["refused"] and grade["passed"] and confidence >= VERIFIED_CONFIDENCE:
                return draft, grade
        try:
            return await self.ask_grader(state, context, mind)
        except OutOfTokens:
            return await self.ask_grader(state, context, self.minds.fallback)

    def is_plain(self, draft: Draft) -> bool:
        """Return True if a draft says nothing that code has not verified, or refuses what code sees no answer to."""
        is_refusal = draft["refused"] == "own_words" and not is_answered(draft["notes"])
        is_verified = draft["verified"] and draft["status"] == "answer"
        return (is_refusal or is_verified) and self.check.check.reader() is not None

    async def ask_grader(self, state: AgentState, context: Context, mind: Mind | None) -> tuple[Draft, Grade]:
        """Ask a grader, once more after a failure, then give up: ungraded. Raises OutOfTokens."""
        draft = state["draft"] or NOTHING
        if mind is None:
            return draft, ungraded(say_in(state["language"], "turn.out_of_tokens"), state["language"])
        request, reason = grade_request(state, context), ""
        for _ in range(GRADER_TRIES):
            left_s = seconds_left(state, self.clock)
            try:
                async with call_time(self.policy.model_timeout_s, left_s):
                    verdict = await mind.grader.grade(request)
                left, claims = judged_draft(draft, verdict.claims, request.evidence)
                by = verdict.by or mind.grader_model or mind.name
                grade = grade_from(verdict, request.language, by, draft["notes"], claims)
                return left if left["sentences"] else nothing_left(state, left["notes"]), grade
            except OutOfTokens:
                raise
            except (ModelError, *STORE_FAILURES, TimeoutError) as error:
                reason = str(error) or slow_model("grader", request.language, min(self.policy.model_timeout_s, left_s))
                log.warning("grader failed: %s", reason)
                if isinstance(error, TimeoutError) and not self.policy.tries_slow:
                    break
                wait_s = error.retry_after_s if isinstance(error, ModelError) else 0.0  # as long as the service asks
                if wait_s and wait_s >= seconds_left(state, self.clock):
                    break
                await asyncio.sleep(wait_s)
        return draft, ungraded(reason, state["language"])


def grading_of(state: AgentState, context: Context) -> Grading:
    """Return who grades a run: in rag mode, which asks a model once, never a model."""
    return "never" if state["mode"] == "rag" else context.grade


def nothing_left(state: AgentState, notes: list[Note]) -> Draft:
    return {**refused_by_code(state["language"], horizon_of(state), "nothing_left"), "notes": notes}


def grade_request(state: AgentState, context: Context) -> GradeRequest:
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


def grade_from(
    verdict: Verdict,
    language: Language = "zh",
    by: str = CODE,
    notes: Sequence[Note] = (),
    left: Sequence[JudgedClaim] | None = None,
) -> Grade:
    """Compute total and gates from a verdict: each dimension is clamped, a missing one is 0.

    Evidence is the share of supported claims of those that are left of the draft, where there are claims. Those without
    support fail a draft where nothing else is left, or a part of the question is unanswered. Of a refusal only whether
    it is right counts; a grader without an opinion of it does not save it where code has seen a piece that answers.
    """
    left = verdict.claims if left is None else left
    given = {name: verdict.scores.get(name) for name in NO_SCORES}
    points = {
        name: max(0, min(DIMENSION_MAX, int(score))) if isinstance(score, int | float) else 0
        for name, score in given.items()
    }
    good = sum(claim.supported == "yes" for claim in left)
    if verdict.claims:
        points["evidence"] = round(DIMENSION_MAX * good / max(1, len(left)))
    is_contradicted = any(claim.supported == "contradicted" for claim in left)
    if verdict.follows_material or is_contradicted or (verdict.hallucination_detected and not verdict.claims):
        points["evidence"] = 0
    total = sum(points.values())
    scores = Scores(**points)  # type: ignore[typeddict-item]  # the names are those of Scores
    unsupported = [claim.text[:CLAIM_CHARACTERS] for claim in verdict.claims if claim.supported != "yes"]
    is_lacking = is_contradicted or not good or bool(verdict.unanswered)
    failed = failed_gates(scores, total, language, len(unsupported) if is_lacking else 0)
    grade = Grade(
        question_type=verdict.question_type if verdict.question_type in QUESTION_TYPES else "fact",
        scores=scores,
        score=total,
        reason=verdict.reason,
        suggestion=verdict.suggestion or (MORE_SUGGESTION[language] if failed else ""),
        hallucination_detected=verdict.hallucination_detected,
        passed=not failed,
        fail_reason="; ".join(failed.values()),
        failed=list(failed),
        confidence=None if verdict.confidence is None else max(0.0, min(1.0, verdict.confidence)),
        unsupported=unsupported,
        queries=list(verdict.queries),
        by=by,
    )
    is_wrong = is_answered(notes)
    if (verdict.refusal_ok is None or unsupported) and not is_wrong:  # a refusal claims nothing that could be wrong
        return grade
    return of_refusal(grade, {} if verdict.refusal_ok and not is_wrong else {"refusal": "refusal=wrong"})


def is_answered(notes: Sequence[Note]) -> bool:
    """Return True if code has seen a piece that answers what a draft refuses."""
    return any(note["reason"] == "answered" and note["action"] != "replaced" for note in notes)


def of_refusal(grade: Grade, failed: Mapping[Gate, str]) -> Grade:
    """Return the verdict on a refusal, which no points decide: it passes where nothing fails it."""
    return {**grade, "passed": not failed, "fail_reason": "; ".join(failed.values()), "failed": list(failed)}


def failed_gates(scores: Scores, total: int, language: Language, unsupported: int) -> dict[Gate, str]:
    """Return every failed gate, as a person reads it, in the order depth, evidence, total, unsupported claims."""
    hard = HARD_GATE[language]
    gates: dict[Gate, str] = {}
    if scores["depth"] < DEPTH_GATE:
        gates["depth"] = f"depth={scores['depth']} < {DEPTH_GATE} ({hard})"
    if scores["evidence"] < EVIDENCE_GATE:
        gates["evidence"] = f"evidence={scores['evidence']} < {EVIDENCE_GATE} ({hard})"
    if total < TOTAL_GATE:
        gates["total"] = f"score={total} < {TOTAL_GATE}"
    if unsupported:
        gates["unsupported"] = f"unsupported={unsupported}"
    return gates


def ungraded(reason: str, language: Language) -> Grade:
    """Return the verdict of a grader that failed twice: not passed, and no further attempt."""
    verdict = Verdict(question_type="fact", scores=NO_SCORES, reason=reason, suggestion=UNGRADED_SUGGESTION[language])
    return {**grade_from(verdict, language=language), "fail_reason": "ungraded", "failed": ["ungraded"]}


def is_ungraded(grade: Grade) -> bool:
    return "ungraded" in grade.get("failed", ())


def verdict_by_code(state: AgentState, draft: Draft, *, asks_of_refusals: bool) -> Grade | None:
    """Return the verdict on a draft that no grader need see, None for any other.

    With `asks_of_refusals` a grader is asked whether the evidence answers although a draft says that it does not.
    """
    language = state["language"]
    if not any(call["executed"] for call in state["tool_calls"]):
        verdict = Verdict(question_type="fact", scores=NO_SCORES, reason="", suggestion=NO_CALL_SUGGESTION[language])
        return grade_from(verdict, language=language)
    if draft["refused"] == "nothing_left":
        is_contradicted = any(note["reason"] == "contradicted" for note in draft["notes"])
        return nothing_found(state, NOTHING_LEFT_SUGGESTION[language], is_contradicted=is_contradicted)
    if draft["status"] == "failed":
        return nothing_found(state, NOT_FOUND_SUGGESTION[language])
    is_plain = draft["status"] == "not_found" and draft["by"] != "model"
    if not is_plain or (asks_of_refusals and state["evidence"]):
        return None
    found = nothing_found(state, NOT_FOUND_SUGGESTION[language])
    return found if state["evidence"] else of_refusal(found, too_few(state))


def nothing_found(state: AgentState, suggestion: str, *, is_contradicted: bool = False) -> Grade:
    scores = Scores(tool_usage=DIMENSION_MAX, evidence=0, completeness=0, citation=0, depth=0)
    verdict = Verdict(
        question_type="fact",
        scores=scores,
        reason="not found",
        suggestion=suggestion,
        hallucination_detected=is_contradicted,
    )
    return grade_from(verdict, language=state["language"])


def too_few(state: AgentState) -> dict[Gate, str]:
    """Return what fails a refusal after less than two different searches; {} after more, and in rag mode."""
    if state["mode"] == "rag":
        return {}
    searches = [call for call in state["tool_calls"] if call["executed"] and call["ok"] and call["tool"] != STOP]
    count = len({(call["tool"], repr(sorted(call["args"].items()))) for call in searches})
    return {} if count >= LEAST_SEARCHES else {"searches": f"searches={count} < {LEAST_SEARCHES}"}
