"""Turn a failed draft into new search words and a hint, and open the next attempt."""

import asyncio
import logging
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from nodes.policy import MAX_QUERIES, Policy
from nodes.prompts import earlier_attempts, hint, question_prompt
from nodes.roles import Refiner, RefineRequest
from nodes.scope import Clock, context_of, horizon_of, seconds_left
from nodes.transcript import pack
from state.context import Context
from state.schema import AgentState, Attempt, Grade
from tools.errors import ModelError

log = logging.getLogger("wenmai.loop")


@dataclass(frozen=True, slots=True)
class Refine:
    """Open the next attempt from the session's conversation and the hinted question (S003-05, S003-D09)."""

    refiner: Refiner
    policy: Policy
    clock: Clock

    async def __call__(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return the keys of a fresh attempt."""
        context, grade = context_of(runtime), state["grade"]
        if grade is None:
            raise ValueError("refine runs only behind a grade")
        queries = await self.queries(state, grade, context)
        attempts = [*state["attempts"][:-1], Attempt({**state["attempts"][-1], "queries": queries})]
        told = hint(grade, queries, context.toolkits, state["attempt"], state["limits"]["attempts"])
        question = f"{state['resolved_question']}\n\n{told}\n\n{earlier_attempts(attempts)}"
        return {
            "attempts": attempts,
            "attempt": state["attempt"] + 1,
            "attempt_started_at": self.clock().isoformat(),
            "hint": told,
            "queries": queries,
            "transcript": pack([HumanMessage(question_prompt(question, state["session"]))]),
            "turns": 0,
            "executed_calls": 0,
            "thoughts": [],
            "evidence": [],
            "draft": None,
            "stop_reason": None,
        }

    async def queries(self, state: AgentState, grade: Grade, context: Context) -> list[str]:
        """Return 2-3 queries without blanks and doubles, [] when the refiner fails (S003-19, S003-D04)."""
        request = RefineRequest(
            question=state["resolved_question"],
            suggestion=grade["suggestion"],
            queries_used=[query for attempt in state["attempts"] for query in attempt["queries"]],
            library=context.library,
            horizon=horizon_of(context),
            language=state["language"],
        )
        try:
            async with asyncio.timeout(min(self.policy.model_timeout_s, seconds_left(state, self.clock))):
                found = await self.refiner.refine(request)
        except (ModelError, TimeoutError) as error:
            log.warning("refiner failed: %s", error)
            return []
        return list(dict.fromkeys(query.strip() for query in found if query.strip()))[:MAX_QUERIES]
