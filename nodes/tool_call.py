"""Answer every call of the model turn, in order; independent ones run concurrently."""

import asyncio
import logging
from collections.abc import Sequence
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.messages import ToolCall as ToolCallPart
from langgraph.runtime import Runtime

from nodes.drafts import pack
from nodes.modes import PASSAGES
from nodes.policy import KEPT_RESULT, OPENING_CHARACTERS, OPENING_WHOLE, Policy
from nodes.scope import Clock, Toolboxes, context_of, scope_of, seconds_left, toolkits_of
from nodes.streaming import send
from nodes.tool_runs import tool_run
from state.context import Context
from state.schema import AgentState, CallRecord, Evidence, PendingCall, UsageRow
from tools.base import Scope
from tools.dispatch import STOP, Toolbox, failed, not_run, reason_to_stop
from tools.formatting import unmarked

AFTER_STOP = "not run: retrieval stopped"
OVER_CAP = "limit reached"
DEADLINE = "deadline of the question reached"

log = logging.getLogger("wenmai.loop")


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """A call with its result: the message for the model, the record, the evidence; `late`: the deadline ended it."""

    message: ToolMessage
    record: CallRecord
    evidence: Sequence[Evidence]
    late: bool = False
    usage: Sequence[UsageRow] = ()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Run the pending calls: one result each, placeholders after stop and beyond the cap."""

    toolboxes: Toolboxes
    clock: Clock
    policy: Policy

    async def __call__(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return results, records and evidence of this turn, and the reason if retrieval ends."""
        context = context_of(runtime)
        toolbox, scope = self.toolboxes(toolkits_of(state, context)), scope_of(state, context, self.clock)
        plans = self.plans(state, scope)
        first = [plan for plan in plans if plan.twin is None]
        results = await asyncio.gather(*(self.answer(state, plan, toolbox, scope, runtime) for plan in first))
        by_number = {plan.number: result for plan, result in zip(first, results, strict=True)}
        answered = [
            by_number[plan.number] if plan.twin is None else twin_of(plan, by_number[plan.twin], runtime, self.policy)
            for plan in plans
        ]
        records = [answer.record for answer in answered]
        counted = [record for plan, record in zip(plans, records, strict=True) if "rows" not in plan.call]
        executed = state["executed_calls"] + sum(record["executed"] for record in counted)
        pieces = {piece["id"]: piece for piece in state["evidence"]}
        for piece in (piece for answer in answered for piece in answer.evidence):
            pieces.setdefault(piece["id"], piece)  # a known one keeps its place and number
        stop = next((reason_to_stop(call["args"]) for call in state["pending"] if call["name"] == STOP), None)
        is_capped = state["turns"] >= state["limits"]["turns"] or executed >= state["limits"]["calls"]
        return {
            "transcript": [*state["transcript"], *pack([answer.message for answer in answered])],
            "pending": [],
            "tool_calls": [*state["tool_calls"], *records],
            "evidence": list(pieces.values()),
            "executed_calls": executed,
            "stop_reason": stop or ("max_turns" if is_capped else None),
            "usage": [*state["usage"], *(row for answer in answered for row in answer.usage)],
            **({"status": "timed_out"} if any(answer.late for answer in answered) else {}),
        }

    def plans(self, state: AgentState, scope: Scope) -> list["Planned"]:
        """Decide for each call in order whether it runs, is repeated from the record, or gets a placeholder."""
        plans: list[Planned] = []
        stopped, executed, number = False, state["executed_calls"], len(state["tool_calls"])
        for call in state["pending"]:
            is_over = "rows" not in call and executed >= state["limits"]["calls"]  # the code's searches have no cap
            refusal = AFTER_STOP if stopped else OVER_CAP if is_over else None
            if call["name"] == STOP and not stopped:
                stopped, refusal = True, None
            number += 1
            executed += call["name"] != STOP and refusal is None and "rows" not in call
            key, limit = (call["name"], call["args"]), call.get("rows", scope.limit)
            done = (one for one in state["tool_calls"] if one["ok"] and one["executed"] and one["limit"] == limit)
            earlier = None if refusal else next((one for one in done if (one["tool"], one["args"]) == key), None)
            run = (one for one in plans if one.refusal is None and one.earlier is None and one.twin is None)
            twins = (one.number for one in run if (one.call["name"], one.call["args"]) == key)
            plans.append(Planned(call, number, refusal, earlier, None if refusal or earlier else next(twins, None)))
        return plans

    async def answer(
        self, state: AgentState, plan: "Planned", toolbox: Toolbox, scope: Scope, runtime: Runtime[Context]
    ) -> AnsweredCall:
        call = plan.call
        if "rows" in call:  # a search by the code has its own rows, and characters for passages; of two names the edges
            scope = replace(scope, limit=call["rows"], hops=1)
            if call["name"] in PASSAGES.values():
                scope = replace(scope, budget=OPENING_CHARACTERS, whole=OPENING_WHOLE)
            scope = replace(scope, budget=call.get("budget", scope.budget))
        if plan.refusal:
            content = not_run(call["name"], plan.refusal).content
            record = self.record(state, plan, scope, content, ok=False, executed=False)
            return AnsweredCall(answer_to(call, record), record, ())
        if (earlier := plan.earlier) is not None:  # it counts and emits events like any other
            record = self.record(state, plan, scope, earlier["content"], ok=True, executed=True)
            record["items"], record["evidence"] = earlier["items"], earlier["evidence"]
            emit_start(runtime, plan, state["turns"], self.policy)
            emit_end(runtime, call, record)
            pieces = [piece for attempt in state["attempts"] for piece in attempt["evidence"]]
            again = [piece for piece in pieces if piece["id"] in earlier["evidence"]]
            return AnsweredCall(answer_to(call, record), record, again)
        return await self.run(state, plan, toolbox, scope, runtime)

    async def run(
        self, state: AgentState, plan: "Planned", toolbox: Toolbox, scope: Scope, runtime: Runtime[Context]
    ) -> AnsweredCall:
        call, started = plan.call, self.clock()
        emit_start(runtime, plan, state["turns"], self.policy)
        late = False
        async with tool_run(call) as end:
            try:
                async with asyncio.timeout(seconds_left(state, self.clock)):
                    # The writer needs the context variables of this run, wherever it is called from.
                    run, write = copy_context().run, runtime.stream_writer
                    observed = replace(
                        scope, emit=lambda step: run(write, {**step, "step": step["call"], "call": plan.number})
                    )
                    outcome = await toolbox.run(call["name"], call["args"], observed, plan.number)
            except TimeoutError:
                outcome, late = failed(call["name"], DEADLINE), True
            await end(outcome.content, outcome.ok)
        record = self.record(state, plan, scope, outcome.content, ok=outcome.ok, executed=outcome.executed)
        result, record["warning"] = outcome.result, outcome.warning
        record["items"] = result.items if result else 0
        if result and result.steps:
            record["steps"] = result.steps
        record["started_at"] = started.isoformat()
        record["duration_ms"] = round((self.clock() - started).total_seconds() * 1000)
        emit_end(runtime, plan.call, record)
        evidence = result.evidence if result else ()
        record["evidence"] = [piece["id"] for piece in evidence]
        return AnsweredCall(answer_to(call, record), record, evidence, late, result.usage if result else ())

    def record(
        self, state: AgentState, plan: "Planned", scope: Scope, content: str, *, ok: bool, executed: bool
    ) -> CallRecord:
        plain = unmarked(content)
        return CallRecord(
            call=plan.number,
            attempt=state["attempt"],
            round=state["turns"],
            tool=plan.call["name"],
            args=plan.call["args"],
            limit=scope.limit,
            ok=ok,
            executed=executed,
            items=0,
            evidence=[],
            content=content,
            result=plain[:KEPT_RESULT],
            cut=len(plain) > KEPT_RESULT,
            started_at=self.clock().isoformat(),
            duration_ms=0,
            warning=None,
        )


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan for a call: run it, refuse it, repeat an earlier one, or share the result of a twin."""

    call: PendingCall
    number: int
    refusal: str | None
    earlier: CallRecord | None
    twin: int | None


def answer_to(call: PendingCall, record: CallRecord) -> ToolMessage:
    """Return the result of a call as it goes back to the model; the ids of its evidence stay beside it."""
    return ToolMessage(record["content"], tool_call_id=call["id"], name=call["name"], artifact=record["evidence"])


def twin_of(plan: Planned, first: AnsweredCall, runtime: Runtime[Context], policy: Policy) -> AnsweredCall:
    """Answer a call with the result of its twin; it counts and emits events like any other."""
    message = first.message.model_copy(update={"tool_call_id": plan.call["id"]})
    record = CallRecord({**first.record, "call": plan.number})
    emit_start(runtime, plan, record["round"], policy)
    emit_end(runtime, plan.call, record)
    return AnsweredCall(message, record, ())


def emit_start(runtime: Runtime[Context], plan: Planned, turn: int, policy: Policy) -> None:
    call = plan.call
    if call["name"] == STOP:
        log.info("[Stop] Reason: %s", call["args"].get("reason"))
    else:
        log.info("[Turn %d] Calling: %s(%s)", turn, call["name"], policy.shown(call["args"]))
        named = ToolCallPart(name=call["name"], args=call["args"], id=call["id"])
        send(AIMessage("", id=str(uuid4()), tool_calls=[named]))
    event = {"call": plan.number, "round": turn, "tool": call["name"], "args": call["args"]}
    runtime.stream_writer({"event": "tool_start", **event})


def emit_end(runtime: Runtime[Context], call: PendingCall, record: CallRecord) -> None:
    if call["name"] != STOP:
        status, id = "success" if record["ok"] else "error", str(uuid4())
        send(ToolMessage(record["result"], id=id, tool_call_id=call["id"], name=call["name"], status=status))
    event = {name: record[name] for name in ("call", "tool", "ok", "items")}
    runtime.stream_writer({"event": "tool_end", **event})
