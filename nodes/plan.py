"""One model turn: tool calls, or the draft."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime

from nodes.policy import Policy, limit_of
from nodes.prompts import DRAFT_INSTRUCTION, user_text
from nodes.roles import Planner, PlanRequest
from nodes.scope import Clock, Toolboxes, context_of, horizon_of, seconds_left, toolkits_of
from nodes.transcript import pack, unpack
from state.context import Context
from state.schema import AgentState, PendingCall, Thought
from tools.control import STOP
from tools.errors import ModelError

NOT_RUN = '{"error": "not run: a draft is due"}'


@dataclass(frozen=True, slots=True)
class Plan:
    """Ask the planner for one turn; after stop or a cap it has no tools and writes the draft (S000-18, LOP-03)."""

    planner: Planner
    toolboxes: Toolboxes
    policy: Policy
    clock: Clock

    async def __call__(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return the calls that are to be run, or the draft."""
        context = context_of(runtime)
        if state["timed_out"] or seconds_left(state, self.clock) <= 0:
            return {"draft": None, "pending": [], "timed_out": True}
        if draft_due(state) and (missing := draft_by_code(state)):
            return {"draft": missing, "pending": []}
        try:
            reply, transcript = await self.turn(state, context, self.prepared(state))
        except TimeoutError:
            return {"draft": None, "pending": [], "timed_out": True}
        calls = [] if draft_due(state) else pending_calls(reply)
        update: dict[str, Any] = {"transcript": pack(transcript), "pending": calls}
        if calls:
            rounds = any(call["name"] != STOP for call in calls)
            return {**update, "thoughts": thoughts_with(state, reply), "turns": state["turns"] + rounds}
        return {**update, "draft": draft_by_code(state) or reply.text.strip() or no_text(state)}

    def prepared(self, state: AgentState) -> list[AnyMessage]:
        """Return the working messages, with the draft instruction behind them when a draft is due (S000-35)."""
        transcript = unpack(state["transcript"])
        if draft_due(state):
            instruction = DRAFT_INSTRUCTION[state["language"]].format(question=state["resolved_question"])
            transcript.append(HumanMessage(instruction))
        return transcript

    async def turn(
        self, state: AgentState, context: Context, transcript: list[AnyMessage]
    ) -> tuple[AIMessage, list[AnyMessage]]:
        """Ask once, and once more where the reply is empty or calls tools that it may not (PLA-04, PLA-05)."""
        reply = await self.ask(state, context, transcript)
        if draft_due(state) and reply.tool_calls:
            answers = [ToolMessage(NOT_RUN, tool_call_id=call["id"] or "") for call in reply.tool_calls]
            transcript = [*transcript, reply, *answers]
            reply = await self.ask(state, context, transcript)
        elif not reply.tool_calls and not reply.text.strip():
            reply = await self.ask(state, context, transcript)
        return reply, [*transcript, reply]

    async def ask(self, state: AgentState, context: Context, transcript: Sequence[AnyMessage]) -> AIMessage:
        """Call the planner within its time. Raises ModelError, and TimeoutError at the question's deadline."""
        request = PlanRequest(
            question=state["question"],
            resolved=state["resolved_question"],
            entities=state["entities"],
            hint=state["hint"],
            queries=state["queries"],
            transcript=transcript,
            calls=state["tool_calls"],
            evidence=state["evidence"],
            attempt=state["attempt"],
            limit=limit_of(state["attempt"], state["limits"]["search"]),
            declarations=self.toolboxes(toolkits_of(state, context)).declarations(),
            toolkits=context.toolkits,
            mode=state["mode"],
            draft_only=draft_due(state),
            small_talk=state["small_talk"],
            library=context.library,
            title=state["title"],
            horizon=horizon_of(context),
            language=state["language"],
            session=state["session"],
        )
        seconds = min(self.policy.model_timeout_s, seconds_left(state, self.clock))
        try:
            async with asyncio.timeout(seconds):
                return await self.planner.plan(request)
        except TimeoutError as exc:
            if seconds < self.policy.model_timeout_s:
                raise
            raise ModelError(f"规划模型在 {seconds:g} 秒内没有回答。", transient=True) from exc


def draft_due(state: AgentState) -> bool:
    """Tell whether retrieval has ended: the next turn has no tools."""
    return state["stop_reason"] is not None or state["mode"] == "rag"


def draft_by_code(state: AgentState) -> str | None:
    """Return not_found for an attempt without a row, error where every call failed (S000-34)."""
    if state["small_talk"] or state["evidence"]:
        return None
    executed = [call for call in state["tool_calls"] if call["executed"]]
    failed = bool(executed) and not any(call["ok"] for call in executed)
    return user_text("error" if failed else "not_found", state["language"])


def no_text(state: AgentState) -> str:
    """Return what stands for a draft that the model did not write, even when asked again (S004-24)."""
    return user_text("limit" if state["stop_reason"] == "max_turns" else "no_answer", state["language"])


def thoughts_with(state: AgentState, reply: AIMessage) -> list[Thought]:
    """Return the attempt's thoughts with the text that stands beside the calls of this turn."""
    beside = [Thought(call=len(state["tool_calls"]) + 1, text=reply.text)] if reply.text else []
    return [*state["thoughts"], *beside]


def pending_calls(reply: AIMessage) -> list[PendingCall]:
    """Return the calls of a turn, in order."""
    return [PendingCall(id=call["id"] or "", name=call["name"], args=call["args"]) for call in reply.tool_calls]
