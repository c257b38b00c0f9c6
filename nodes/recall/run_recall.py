"""Answer every call of a recall's model turn, one after another."""

import asyncio
import logging
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime

from nodes.drafts import by_code, pack, unpack
from nodes.policy import KEPT_RESULT, Policy
from nodes.prompts.memory import LEADS, memory_rows
from nodes.recall.plan_recall import iteration_of, opened_window
from nodes.roles import Minds
from nodes.scope import Clock, context_of, horizon_of, zone_of
from nodes.tool_runs import tool_run
from nodes.usage import metered, tokens_left
from state.context import Context
from state.recall import HandedOff, RecallCall, RecallState, SeenMemory
from state.schema import PendingCall
from tools.dispatch import not_run
from tools.errors import WenmaiError
from tools.formatting import CUT_MARK
from tools.messages import speaking
from tools.recall.context import MemoryContext, MemoryReader
from tools.recall.dispatch import Dispatched, dispatch
from tools.recall.schemas import DetailOutput, ExpandOutput, HandoffInput, MemoryItem, Output, SearchInput, SearchOutput
from tools.recall.tools import checked_handoff, leads

HANDED_OFF = "not run: handoff"
EXPANDED = "not run: context window expanded"
LEADS_TOLD = 5  # to a model, beside the results of a search

log = logging.getLogger("wenmai.recall")


@dataclass(frozen=True, slots=True)
class RunRecall:
    """Run the pending calls; after a handoff or an approved expansion the others get placeholders."""

    minds: Minds
    reader: MemoryReader
    policy: Policy
    clock: Clock

    async def __call__(self, state: RecallState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return results and counters, a fresh iteration after an expansion, the end after a handoff."""
        context = context_of(runtime)
        with metered("expander", state["iteration"], self.clock, tokens_left(state, context)) as rows:
            turn = RecallTurn(self.context(state, context), dict(state["seen"]), dict(state["leads"]))
            messages: list[AnyMessage] = []
            records: list[RecallCall] = []
            for call in state["pending"]:
                number = len(state["calls"]) + len(records) + 1
                message, record = await self.answer(call, number, turn, state, runtime)
                messages.append(message)
                records.append(record)
        # Leads that neither a result nor an earlier message has shown.
        unseen = {key: one for key, one in turn.leads.items() if key not in turn.seen and key not in state["leads"]}
        if unseen and not turn.ended:
            told = memory_rows(dict(islice(unseen.items(), LEADS_TOLD)))
            messages.append(HumanMessage(LEADS[state["language"]].format(memories=told)))
        return {
            "transcript": [*state["transcript"], *pack(messages)],
            "pending": [],
            "calls": [*state["calls"], *records],
            "seen": turn.seen,
            "leads": turn.leads,
            "searches": turn.call.searches,
            "searches_in_row": turn.call.searches_in_row,
            "is_over": turn.handed_off is not None,
            "handed_off": turn.handed_off,
            "usage": [*state["usage"], *rows],
            **(turn.fresh or {}),
        }

    def context(self, state: RecallState, context: Context) -> MemoryContext:
        """Return the context of the tools; no part of it comes from a model. The code's calls cost none."""
        last = unpack(state["transcript"][-1:])
        return MemoryContext(
            user_id=context.user_id or "",
            store=self.reader,
            model=self.minds.of(state).expander,
            expands=not any(isinstance(one, AIMessage) and by_code(one) for one in last),
            iteration=iteration_of(state, self.policy),
            permissions=frozenset(context.permissions),
            seen={key: one["score"] for key, one in state["seen"].items()},
            leads=frozenset(state["leads"]),
            searches_in_row=state["searches_in_row"],
            searches=state["searches"],
            language=state["language"],
            library=context.library,
            horizon=horizon_of(state),
            zone=zone_of(context),
        )

    async def answer(
        self, call: PendingCall, number: int, turn: "RecallTurn", state: RecallState, runtime: Runtime[Context]
    ) -> tuple[ToolMessage, RecallCall]:
        started = self.clock()
        if turn.ended:
            refused = not_run(call["name"], turn.ended)
            done, executed = Dispatched(content=refused.content, ok=False), False
        else:
            log.info("[Recall %d] Calling: %s(%s)", state["iteration"], call["name"], self.policy.shown(call["args"]))
            async with tool_run(call) as end:
                done = await dispatch(call["name"], call["args"], turn.call, self.seconds(state))
                await end(done.content, done.ok)
            turn.take(done, state)
            await turn.look_around(done, self.seconds(state))
            executed = True
        at, is_handoff = turn.call.iteration, done.tool is not None and done.tool.is_handoff
        real = {"iteration_used": at.number, "context_window_used": at.window} if is_handoff else {}
        record = RecallCall(
            call=number,
            iteration=state["iteration"],
            round=state["rounds"],
            tool=call["name"],
            args=call["args"] | real,
            ok=done.ok,
            executed=executed,
            items=items_of(done.output),
            error_code=done.output.error_code if done.output else None,
            result=done.content[:KEPT_RESULT],
            cut=len(done.content) > KEPT_RESULT,
            started_at=started.isoformat(),
            duration_ms=round((self.clock() - started).total_seconds() * 1000),
        )
        event = {name: record[name] for name in ("call", "tool", "args", "ok", "items")}
        runtime.stream_writer({"event": "recall", **event})
        return ToolMessage(done.content, tool_call_id=call["id"], name=call["name"]), record

    def seconds(self, state: RecallState) -> float:
        return max(0.0, min(self.policy.tool_timeout_s, state["deadline_at"] - self.clock().timestamp()))


@dataclass(slots=True)
class RecallTurn:
    """State of the calls of one turn: counters, memories seen, what ended the turn. The code's count in no cap."""

    call: MemoryContext
    seen: dict[str, SeenMemory]
    leads: dict[str, SeenMemory]
    ended: str | None = None
    handed_off: HandedOff | None = None
    fresh: dict[str, Any] | None = None

    def take(self, done: Dispatched, state: RecallState) -> None:
        if not self.call.expands:
            pass  # the code's calls count in no cap
        elif not isinstance(done.output, SearchOutput):
            self.call = replace(self.call, searches_in_row=0)
        elif done.output.success or done.output.error_code:  # a refused search counts in neither
            row, all_of_them = self.call.searches_in_row + 1, self.call.searches + 1
            self.call = replace(self.call, searches_in_row=row, searches=all_of_them)
        remember_seen(self.seen, done.output)
        self.call = replace(self.call, seen={key: one["score"] for key, one in self.seen.items()})
        if done.tool and done.tool.is_handoff and done.ok and isinstance(done.arguments, HandoffInput):
            with speaking(state["language"]):
                self.handed_off = checked_handoff(done.arguments, self.call)
            self.ended = HANDED_OFF
        elif done.tool and done.tool.is_expansion and isinstance(done.output, ExpandOutput) and done.output.approved:
            at = replace(self.call.iteration, number=done.output.iteration, window=done.output.new_size)
            history = state.get("history") or []
            self.fresh = opened_window(state["query"], history, at, self.seen, state["language"])
            self.ended = EXPANDED

    async def look_around(self, done: Dispatched, seconds: float) -> None:
        """Collect the memories around a search's results; if that fails the results themselves are enough."""
        if not isinstance(done.arguments, SearchInput) or items_of(done.output) == 0:
            return
        try:
            async with asyncio.timeout(seconds):
                rows = await leads(done.arguments, self.call)
        except (WenmaiError, TimeoutError) as error:
            log.warning("the talk around the results was not read: %s", error)
            return
        self.leads = {row.memory_key: seen_item(row, self.seen.get(row.memory_key)) for row in rows}
        self.call = replace(self.call, leads=frozenset(self.leads))


def remember_seen(seen: dict[str, SeenMemory], output: Output | None) -> None:
    if isinstance(output, SearchOutput):
        for row in output.results:
            known = seen.get(row.memory_key)
            if known is None or not known["whole"]:
                seen[row.memory_key] = seen_item(row, known)
            else:
                seen[row.memory_key] = {**known, "score": max(known["score"], row.relevance_score)}
    elif isinstance(output, DetailOutput) and output.success:
        known = seen.get(output.memory_key)
        seen[output.memory_key] = SeenMemory(
            score=known["score"] if known else 0.0,
            text=output.content[:KEPT_RESULT],
            created_at=output.created_at or "",
            whole=True,
            sensitive=False,
        )


def seen_item(row: MemoryItem, known: SeenMemory | None) -> SeenMemory:
    return SeenMemory(
        score=max(row.relevance_score, known["score"] if known else 0.0),
        text=row.content_preview or row.summary,
        created_at=row.created_at,
        whole=bool(row.content_preview) and not row.content_preview.endswith(CUT_MARK),
        sensitive=not row.content_preview,
    )


def items_of(output: Output | None) -> int:
    if isinstance(output, SearchOutput):
        return output.returned
    return 1 if isinstance(output, DetailOutput) and output.success else 0
