"""Open a recall: every key of its state, and the first iteration."""

from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from nodes.policy import Policy
from nodes.recall.plan_recall import error_record, opened_window
from nodes.scope import Clock, context_of, place_of
from nodes.turn import deadline_of, language_of, trace_id
from state.context import Context
from state.recall import RecallState
from tools.errors import InputError
from tools.messages import say, speaking
from tools.recall.context import Iteration
from tools.story.guard import Outlines, read_horizon


@dataclass(frozen=True, slots=True)
class BeginRecall:
    """Set every key of the state; without a user nothing is read."""

    catalog: Outlines
    policy: Policy
    clock: Clock

    async def __call__(self, state: RecallState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return the state of the first iteration. Raises InputError for a blank query, StoreError."""
        context, query = context_of(runtime), state["query"]
        if not query.strip():
            raise InputError("query cannot be empty")
        language = language_of(query, context)
        history = list(state.get("history") or [])
        with speaking(language):
            failure = (
                None if (context.user_id or "").strip() else error_record("permission_denied", say("recall.no_user"))
            )
        horizon = await read_horizon(self.catalog, context.library, context.as_of_chapter, context.as_of_part)
        now = self.clock()
        at = Iteration(most=self.policy.recall_iterations, available=len(history))
        return {
            "trace_id": trace_id(now, query),
            "started_at": now.isoformat(),
            "thread_id": runtime.execution_info.thread_id if runtime.execution_info else None,
            "owner": context.user_id,
            "history": history,
            "as_of": place_of(horizon),
            "language": language,
            "deadline_at": now.timestamp() + min(deadline_of(context, self.policy), self.policy.recall_timeout_s),
            **opened_window(query, history, at, {}, language),
            "searches": 0,
            "seen": {},
            "leads": {},
            "calls": [],
            "text": "",
            "is_over": failure is not None,
            "handed_off": None,
            "degraded": False,
            "usage": [],
            "failure": failure,
            "recalled": {},
            "trace": None,
        }
