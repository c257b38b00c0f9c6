"""One model turn: tool calls, or the draft."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime

from nodes.call_time import call_time
from nodes.citations import letters, marked_text, plain_text
from nodes.drafts import (
    draft_beside_stop,
    draft_by_code,
    draft_due,
    draft_of,
    finish_of,
    is_about_assistant,
    no_text,
    pack,
    thoughts_in,
    turn_by_code,
    unpack,
    written_by_code,
)
from nodes.modes import offered_toolkits
from nodes.notices import joined_warning, slow_model
from nodes.policy import Policy, limit_of
from nodes.prompts.planner import DRAFT_INSTRUCTION
from nodes.roles import Minds, Planner, PlanRequest, Reply
from nodes.scope import Clock, Toolboxes, context_of, horizon_of, networks_of, seconds_left, toolkits_of, zone_of
from nodes.streaming import DraftStream, draft_stream
from nodes.turn import deadline_of
from nodes.usage import metered, over_limit, tokens_left
from state.context import Context, Language
from state.events import ReadingEvent
from state.schema import AgentState, PendingCall, Thought
from tools.dispatch import STOP
from tools.errors import STORE_FAILURES, ModelError, OutOfTokens
from tools.messages import say_in, speaking

LATE: dict[str, Any] = {"draft": None, "pending": [], "status": "timed_out"}
CUT = "MAX_TOKENS"
FILTERED = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"})
"""Reasons for which a reply ended before its end, in Gemini's words, as all providers give them."""
NOT_RUN = '{"error": "not run: a draft is due"}'

log = logging.getLogger("wenmai.loop")


TIMER_S = 0.01  # by which a timer may be early


@dataclass(frozen=True, slots=True)
class Plan:
    """Ask the planner for one turn; after stop or a cap it has no tools and writes the draft."""

    minds: Minds
    toolboxes: Toolboxes
    policy: Policy
    clock: Clock

    async def __call__(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return the calls that are to be run, or the draft."""
        if state["status"] in ("failed", "ready"):
            return {"pending": []}
        is_late = state["status"] == "timed_out" or self.seconds(state, context_of(runtime)) <= 0
        left = tokens_left(state, context_of(runtime))
        with speaking(state["language"]), metered("planner", state["attempt"], self.clock, left) as rows:
            update = await (self.without_model(state, runtime) if is_late else self.next_step(state, runtime))
        return {**update, "usage": [*state["usage"], *rows]}

    def seconds(self, state: AgentState, context: Context) -> float:
        """Return the seconds that the mind of a turn has: a model leaves some to the one that stands in for it."""
        left = seconds_left(state, self.clock)
        if self.minds.fallback is None or state["degraded"]:
            return left
        return left - self.policy.kept_s(deadline_of(context, self.policy))

    async def without_model(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Let the fallback mind answer in the time that is kept for it, and where that is over from what was found.

        An earlier draft is returned as it is; where nothing was found, nothing can be said.
        """
        if self.minds.fallback is None or self.policy.on_model_failure != "offline" or state["attempts"]:
            return LATE
        warning = joined_warning(state["warning"], say_in(state["language"], "turn.out_of_time"))
        told: dict[str, Any] = {"degraded": True, "warning": warning}
        late = cast(AgentState, {**state, **told})
        if not state["degraded"] and seconds_left(state, self.clock) > 0 and state["status"] != "timed_out":
            return {**told, **await self.next_step(late, runtime)}
        if not state["evidence"]:
            return LATE
        asking = Asking(self.minds.fallback.planner, draft_only=True, stream=None)
        request = self.request(late, context_of(runtime), unpack(state["transcript"]), asking)
        reply = await self.minds.fallback.planner.plan(request)  # only reads what is there: it takes its time
        draft = draft_of(state, reply.text) if isinstance(reply, AIMessage) else reply
        return {**told, "pending": [], "status": "timed_out", "draft": draft}

    async def next_step(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return the turn; a draft that needs no model comes first."""
        context = context_of(runtime)
        over = over_limit(state, context)
        if not over and draft_due(state) and (missing := draft_by_code(state)):
            return {"draft": missing, "pending": []}
        shown = draft_stream(state, runtime)
        asking = Asking(self.minds.of(state).planner, draft_due(state), shown, waits=self.reading(state, runtime))
        try:
            if over:
                return await self.out_of_tokens_draft(state, context)
            if spoken := draft_beside_stop(state):
                return with_stream_end(state, {"draft": spoken, "pending": []}, shown)
            if calls := await self.opening(state, context):
                return {"transcript": [*state["transcript"], *pack([turn_by_code(*calls)])], "pending": calls}
            reply, transcript = await self.turn(state, context, asking)
        except (TimeoutError, ModelError) as error:
            if shown:
                shown.restart()
            if isinstance(error, OutOfTokens):
                return await self.out_of_tokens_draft(state, context)
            if isinstance(error, ModelError):
                raise
            return await self.without_model(state, runtime)
        return with_stream_end(state, outcome(state, reply, transcript), shown)

    async def opening(self, state: AgentState, context: Context) -> list[PendingCall]:
        """Return the calls of the code that come before the model's first turn of an attempt."""
        opener = self.minds.of(state).opener
        has_begun = state["turns"] > 0 or draft_due(state) or state["status"] == "small_talk"
        if opener is None or has_begun or not context.opening_search or is_about_assistant(state["question"]):
            return []
        asking = Asking(self.minds.of(state).planner, draft_only=False, stream=None)
        try:
            return await opener.calls(self.request(state, context, unpack(state["transcript"]), asking))
        except STORE_FAILURES as error:
            log.warning("no opening search: %s", error)
            return []

    async def out_of_tokens_draft(self, state: AgentState, context: Context) -> dict[str, Any]:
        """End a question whose tokens are spent: keep an earlier draft, else let the fallback mind write one."""
        warning = joined_warning(state["warning"], say_in(state["language"], "turn.out_of_tokens"))
        over: dict[str, Any] = {"pending": [], "status": "out_of_tokens", "warning": warning}
        if state["attempts"]:
            return {**over, "draft": None}
        if self.minds.fallback is None or not state["evidence"]:
            return {**over, "draft": written_by_code("limit", state["language"])}
        asking = Asking(self.minds.fallback.planner, draft_only=True, stream=None)
        reply = await self.ask(state, context, unpack(state["transcript"]), asking)
        if isinstance(reply, AIMessage):
            reply = draft_of(state, reply.text) if reply.text.strip() else no_text(state)
        return {**over, "draft": reply, "degraded": True}

    async def turn(self, state: AgentState, context: Context, asking: "Asking") -> tuple[Reply, list[AnyMessage]]:
        """Ask once, and once more if the reply is empty or calls tools in a draft turn."""
        transcript = unpack(state["transcript"])
        if draft_due(state):
            instruction = DRAFT_INSTRUCTION[state["language"]].format(question=state["resolved_question"])
            transcript.append(HumanMessage(instruction))
        reply = await self.ask(state, context, transcript, asking)
        if isinstance(reply, AIMessage) and asking.draft_only and reply.tool_calls:
            transcript = [*transcript, reply, *not_run(reply)]
            reply = await self.ask(state, context, transcript, replace(asking, has_tools=False))
            if isinstance(reply, AIMessage) and reply.tool_calls and not reply.text.strip():
                raise ModelError(say_in(state["language"], "turn.calls_without_tools"))
        elif isinstance(reply, AIMessage) and not reply.tool_calls and not reply.text.strip():
            log.warning("empty reply (%s), asked again", finish_of(reply, "no reason"))
            reply = await self.ask(state, context, transcript, asking)
            is_empty = isinstance(reply, AIMessage) and not reply.tool_calls and not reply.text.strip()
            called = any(call["round"] or call["tool"] == STOP for call in state["tool_calls"])
            if is_empty and not called and state["status"] != "small_talk" and state["mode"] != "rag":
                # Before any call of its own it was blocked, not without a find; in rag mode the code has called.
                reason = finish_of(cast(AIMessage, reply), "no reason")
                raise ModelError(say_in(state["language"], "turn.no_text", reason=reason), transient=False)
        if not isinstance(reply, AIMessage):
            return reply, transcript
        return reply, [*transcript, reply, *(not_run(reply) if asking.draft_only else ())]

    async def ask(
        self, state: AgentState, context: Context, transcript: Sequence[AnyMessage], asking: "Asking"
    ) -> Reply:
        """Call the planner within its time. Raises ModelError, and TimeoutError at the question's deadline."""
        if asking.stream:
            asking.stream.restart()
        request = self.request(state, context, transcript, asking)
        silence_s, left_s, loop = self.policy.model_timeout_s, self.seconds(state, context), asyncio.get_running_loop()
        end = loop.time() + left_s
        try:
            async with call_time(silence_s, left_s, asking.waits):
                return await asking.planner.plan(request)
        except TimeoutError as exc:
            if loop.time() >= end - TIMER_S:  # the turn's time has ended the call, not the model's silence
                raise
            slow = slow_model("planner", state["language"], silence_s)
            raise ModelError(slow, transient=self.policy.tries_slow) from exc

    def reading(self, state: AgentState, runtime: Runtime[Context]) -> Callable[[], None] | None:
        """Return what tells a person that a model reads the evidence; None where it was given none."""
        if not state["evidence"] or self.minds.of(state).agent_model is None:
            return None
        event = ReadingEvent(event="reading", attempt=state["attempt"], pieces=len(state["evidence"]))
        return partial(runtime.stream_writer, event)

    def request(
        self, state: AgentState, context: Context, transcript: Sequence[AnyMessage], asking: "Asking"
    ) -> PlanRequest:
        tools = self.toolboxes(toolkits_of(state, context))
        return PlanRequest(
            question=state["question"],
            resolved=state["resolved_question"],
            entities=state["entities"],
            queries=state["queries"],
            transcript=transcript,
            calls=state["tool_calls"],
            evidence=state["evidence"],
            attempt=state["attempt"],
            limit=limit_of(state["attempt"], state["limits"]["search"]),
            declarations=tools.declarations(state["language"]),
            declares=asking.has_tools,
            toolkits=offered_toolkits(context),
            mode=state["mode"],
            draft_only=asking.draft_only,
            small_talk=state["status"] == "small_talk",
            library=context.library,
            title=state["title"],
            horizon=horizon_of(state),
            language=state["language"],
            session=state["session"],
            max_turns=state["limits"]["turns"],
            networks=networks_of(context),
            stream=asking.stream,
            today=datetime.fromisoformat(state["started_at"]).astimezone(zone_of(context)).date(),
        )


def not_run(reply: AIMessage) -> list[ToolMessage]:
    """Return the answers to calls in a turn that may make none: services refuse a call without one."""
    return [ToolMessage(NOT_RUN, tool_call_id=call["id"] or "") for call in reply.tool_calls]


@dataclass(frozen=True, slots=True)
class Asking:
    """How a planner is called.

    `has_tools` is False for a model that calls them though it may not; `waits` is called where a token takes its time.
    """

    planner: Planner
    draft_only: bool
    stream: DraftStream | None
    has_tools: bool = True
    waits: Callable[[], None] | None = None


def outcome(state: AgentState, reply: Reply, transcript: Sequence[AnyMessage]) -> dict[str, Any]:
    """Return what a turn of the mind changes: calls that are to be run, or a draft."""
    if not isinstance(reply, AIMessage):
        return {"pending": [], "draft": reply}
    calls = [] if draft_due(state) else pending_calls(reply)
    update: dict[str, Any] = {"transcript": pack(transcript), "pending": calls}
    # Summaries of thinking, and text beside calls.
    texts = [*thoughts_in(reply), *([reply.text] if calls else [])]
    text = "\n".join(text.strip() for text in texts if text.strip())
    new = [Thought(call=len(state["tool_calls"]) + 1, text=text)] if text else []
    update["thoughts"] = [*state["thoughts"], *new]
    if calls:
        rounds = any(call["name"] != STOP for call in calls)
        return {**update, "turns": state["turns"] + rounds}
    # Where an attempt, this one or an earlier one, found evidence, no words do not mean that there is nothing to find.
    has_found = draft_by_code(state) is None or any(attempt["evidence"] for attempt in state["attempts"])
    if has_found and not reply.text.strip():
        update["warning"] = joined_warning(
            state["warning"], say_in(state["language"], "turn.no_text", reason=finish_of(reply, "no reason"))
        )
        return {**update, "draft": no_text(state)}
    draft = draft_of(state, reply.text)
    if reason := unfinished(reply, state["language"]):
        update["warning"], draft["unfinished"] = joined_warning(state["warning"], reason), reason
    return {**update, "draft": draft}


def unfinished(reply: AIMessage, language: Language) -> str:
    """Return that a reply was cut at its length, or by a filter of the service; '' for a whole one."""
    finish = finish_of(reply)
    if finish == CUT:
        return say_in(language, "turn.reply_cut")
    return say_in(language, "turn.reply_filtered", reason=finish) if finish in FILTERED else ""


def with_stream_end(state: AgentState, update: dict[str, Any], shown: DraftStream | None) -> dict[str, Any]:
    """Return what a turn changes, and show its end: that it calls, or its draft, unless the code has written that."""
    if shown and update["pending"]:
        shown.calls()
    elif shown and update["draft"]["by"] != "code":
        is_own = letters(shown.text.raw) in letters(plain_text(update["draft"]["sentences"]))
        if update["draft"]["by"] == "rules" and not is_own:
            shown.withdraw("replaced")  # what a small model wrote does not stand
        shown.end(marked_text(update["draft"]["sentences"], state["evidence"]))
    return update


def pending_calls(reply: AIMessage) -> list[PendingCall]:
    return [PendingCall(id=call["id"] or "", name=call["name"], args=call["args"]) for call in reply.tool_calls]
