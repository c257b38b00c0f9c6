"""One model turn of a recall: calls of the memory tools, or a text that ends it; the window of messages it sees."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from nodes.call_time import call_time
from nodes.drafts import by_code, finish_of, pack, unpack
from nodes.notices import slow_model
from nodes.plan import pending_calls
from nodes.policy import Policy
from nodes.prompts.memory import recall_prompt
from nodes.roles import Minds, RecallRequest
from nodes.scope import Clock, context_of
from nodes.usage import metered, tokens_left
from state.context import Context
from state.recall import HistoryMessage, RecallState, SeenMemory
from tools.errors import ModelError
from tools.messages import say
from tools.recall.context import Iteration
from tools.recall.schemas import ErrorCode
from tools.recall.tools import REMEDIES, declarations

log = logging.getLogger("wenmai.recall")


@dataclass(frozen=True, slots=True)
class PlanRecall:
    """Ask the recaller for one turn; caps and the deadline end the recall instead."""

    minds: Minds
    policy: Policy
    clock: Clock

    async def __call__(self, state: RecallState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return the calls that are to be run, or that the recall is over. Raises ModelError."""
        seconds = state["deadline_at"] - self.clock().timestamp()
        if seconds <= 0 or state["rounds"] >= self.policy.recall_rounds:
            return {"pending": [], "is_over": True, "usage": state["usage"]}
        left = tokens_left(state, context_of(runtime))
        with metered("recaller", state["iteration"], self.clock, left) as rows:
            try:
                update = await self.turn(state, seconds)
            except TimeoutError as exc:
                if state["deadline_at"] > self.clock().timestamp():  # a model that was only slow is asked again
                    slow = slow_model("recaller", state["language"], self.policy.model_timeout_s)
                    raise ModelError(slow, transient=self.policy.tries_slow) from exc
                update = {"pending": [], "is_over": True}
        return {**update, "usage": [*state["usage"], *rows]}

    async def turn(self, state: RecallState, seconds: float) -> dict[str, Any]:
        transcript = unpack(state["transcript"])
        async with call_time(self.policy.model_timeout_s, seconds):
            reply = await self.ask(state, transcript)
            if not reply.tool_calls and not reply.text.strip():
                log.warning("empty reply (%s), asked again", finish_of(reply, "no reason"))
                reply = await self.ask(state, transcript)
        calls = pending_calls(reply)
        return {
            "transcript": pack([*transcript, reply]),
            "pending": calls,
            "rounds": state["rounds"] + (not by_code(reply)),
            "text": "" if calls else reply.text.strip(),
            "is_over": not calls,
        }

    async def ask(self, state: RecallState, transcript: Sequence[AnyMessage]) -> AIMessage:
        request = RecallRequest(
            query=state["query"],
            window=list(state.get("history") or [])[-state["window"] :],
            iteration=iteration_of(state, self.policy),
            transcript=transcript,
            calls=state["calls"],
            seen=state["seen"],
            leads=state["leads"],
            declarations=declarations(state["language"]),
            language=state["language"],
        )
        return await self.minds.of(state).recaller.recall(request)


def iteration_of(state: RecallState, policy: Policy) -> Iteration:
    available = len(state.get("history") or [])
    return Iteration(
        number=state["iteration"], most=policy.recall_iterations, window=state["window"], available=available
    )


def opened_window(
    query: str,
    history: Sequence[HistoryMessage],
    at: Iteration,
    seen: Mapping[str, SeenMemory],
    language: Literal["zh", "en"],
) -> dict[str, Any]:
    prompt = recall_prompt(query, history[-at.window :], at, seen, language)
    return {
        "iteration": at.number,
        "window": at.window,
        "rounds": 0,
        "searches_in_row": 0,
        "transcript": pack([HumanMessage(prompt)]),
        "pending": [],
    }


def error_record(code: ErrorCode, error: str) -> dict[str, Any]:
    remedy = str(REMEDIES[code])
    return {"error": say("recall.with_remedy", error=error, remedy=remedy), "error_code": code}
