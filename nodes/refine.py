"""Turn a failed draft into new search words and a hint, and open the next attempt, if it can see something new."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime

from nodes.call_time import call_time
from nodes.drafts import pack, unpack
from nodes.modes import offered_toolkits
from nodes.notices import joined_warning
from nodes.policy import MAX_QUERIES, Policy, limit_of
from nodes.prompts.grading import hint, objection, revision
from nodes.prompts.planner import QUESTION
from nodes.roles import Minds, RefineRequest
from nodes.scope import Clock, context_of, horizon_of, seconds_left
from nodes.streaming import reset
from nodes.usage import metered, tokens_left
from state.context import Context
from state.draft import Grade
from state.schema import AgentState, Attempt
from tools.errors import STORE_FAILURES, ModelError
from tools.messages import speaking

log = logging.getLogger("wenmai.loop")


@dataclass(frozen=True, slots=True)
class Refine:
    """Open the next attempt: it goes on with what was found and said, and is told what was wrong with its draft."""

    minds: Minds
    policy: Policy
    clock: Clock

    async def __call__(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return the keys of a fresh attempt; the cost alone, and no new attempt, if that would see nothing new."""
        context, grade = context_of(runtime), state["grade"]
        if grade is None:
            raise ValueError("refine runs only behind a grade")
        if repeats(state):
            log.info("The same draft again: no more attempts")
            return {}
        left = tokens_left(state, context)
        with speaking(state["language"]), metered("refiner", state["attempt"], self.clock, left) as rows:
            queries, warning = await self.queries(state, grade)
        cost = {"usage": [*state["usage"], *rows], "warning": warning}
        # Searched with success, and for as many rows as the next attempt asks.
        limit = limit_of(state["attempt"] + 1, state["limits"]["search"])
        calls = [one for one in state["tool_calls"] if one["executed"] and one["ok"] and one["limit"] >= limit]
        known = {str(call["args"].get("query", "")).strip() for call in calls}
        if queries is None or (queries and {*queries} <= known):
            log.info("Nothing new to search: the attempts so far are all")
            return cost
        last = Attempt({**state["attempts"][-1], "queries": queries})
        if context.stream_drafts and last["draft"]["by"] != "code":
            why = objection(last, grade, state["language"])
            runtime.stream_writer(reset(state, last["attempt"], "failed", why))
        number, most, language = state["attempt"], state["limits"]["attempts"], state["language"]
        advice = hint(grade, queries, offered_toolkits(context), number, most, language)
        question = QUESTION[language].format(question=state["resolved_question"])
        transcript = unpack(state["transcript"])
        while transcript and isinstance(transcript[-1], AIMessage) and not transcript[-1].content:
            transcript.pop()  # an empty reply
        return {
            "attempts": [*state["attempts"][:-1], last],
            "attempt": state["attempt"] + 1,
            "attempt_started_at": self.clock().isoformat(),
            "queries": queries,
            "transcript": pack([*transcript, HumanMessage(f"{question}\n\n{advice}\n\n{revision(last, language)}")]),
            "turns": 0,
            "executed_calls": 0,
            "thoughts": [],
            "draft": None,
            "stop_reason": None,
            **cost,
        }

    async def queries(self, state: AgentState, grade: Grade) -> tuple[list[str] | None, str | None]:
        """Return the grader's own queries, or 2-3 of the refiner: [] if it fails, None if it sees no use in more.

        The second value is the question's warning; a failure that will repeat is named in it.
        """
        own = distinct_queries(grade.get("queries", []))
        if not {*own} <= {*earlier_queries(state)}:
            return own, state["warning"]
        request = RefineRequest(
            question=state["resolved_question"],
            suggestion=grade["suggestion"],
            queries_used=earlier_queries(state),
            language=state["language"],
            refused=state["attempts"][-1]["draft"]["refused"],
            library=state["library"],
            horizon=horizon_of(state),
            unanswered=own,
        )
        try:
            async with call_time(self.policy.model_timeout_s, seconds_left(state, self.clock)):
                found = await self.minds.of(state).refiner.refine(request)
        except (ModelError, *STORE_FAILURES, TimeoutError) as error:
            log.warning("refiner failed: %s", error)
            lasting = isinstance(error, STORE_FAILURES) or (isinstance(error, ModelError) and not error.transient)
            return [], joined_warning(state["warning"], str(error)) if lasting else state["warning"]
        if found is None:
            return None, state["warning"]
        return distinct_queries(found), state["warning"]


def distinct_queries(queries: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(query.strip() for query in queries if query.strip()))[:MAX_QUERIES]


def repeats(state: AgentState) -> bool:
    """Return True if a model wrote again the draft in which code had found the same faults, although it was told."""
    drafts = [one["draft"] for one in state["attempts"][-2:]]
    return len(drafts) > 1 and drafts[0] == drafts[1] and bool(drafts[1]["notes"])


def earlier_queries(state: AgentState) -> list[str]:
    asked = [query for attempt in state["attempts"] for query in attempt["queries"]]
    called = [
        str(call["args"]["query"]) for call in state["tool_calls"] if call["executed"] and "query" in call["args"]
    ]
    return list(dict.fromkeys([*asked, *called]))
