"""What becomes of a question whose step fails or is cut short: a trace in every case, an answer where one is due."""

import asyncio
import logging
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from langgraph.errors import NodeError
from langgraph.runtime import Runtime
from langgraph.types import Command

from nodes.answer import TraceSink
from nodes.grade import open_attempts
from nodes.policy import Policy
from nodes.resolve_pronouns import fresh_turn
from nodes.scope import Clock, context_of
from nodes.trace import trace_record
from state.context import Context
from state.schema import AgentState
from tools.errors import InputError, WenmaiError

# Before the first of them there is nothing to answer with; behind the second nobody writes the answer.
OPENING = "resolve_pronouns"
FATAL_NODES = (OPENING, "answer")

log = logging.getLogger("wenmai.loop")


class Node(Protocol):
    """A step of the turn."""

    async def __call__(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return the keys that change."""
        ...


@dataclass(frozen=True, slots=True)
class Recovery:
    """The error handler of every node, and the guard around each for a run that is cancelled."""

    traces: TraceSink
    policy: Policy
    clock: Clock
    mind: str

    async def __call__(self, state: AgentState, runtime: Runtime[Context], error: NodeError) -> Command[Any]:
        """Answer with the error message what retries did not cure; wrong input fails the run (loop.md §5)."""
        cause = error.error
        log.error("%s failed: %s", error.node, cause)
        if isinstance(cause, InputError) or error.node in FATAL_NODES:
            await self.leave_trace(error.node, state, runtime, "failed")
            raise cause
        reason = str(cause) if isinstance(cause, WenmaiError) else f"内部错误 ({type(cause).__name__})"
        return Command(update={"failure": reason, "pending": []}, goto="answer")

    def guarded(self, name: str, node: Node) -> Node:
        """Wrap a node so that a cancelled question leaves a whole trace (S003-D12, S003-D18)."""

        async def run(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
            try:
                return await node(state, runtime)
            except asyncio.CancelledError:
                await asyncio.shield(self.leave_trace(name, state, runtime, "cancelled"))
                raise

        return run

    async def leave_trace(
        self, name: str, state: AgentState, runtime: Runtime[Context], status: Literal["cancelled", "failed"]
    ) -> None:
        """Write the trace of a question that gets no answer, with the attempt that was open."""
        now = self.clock()
        known = self.unopened(state, runtime) if name == OPENING else state
        record = trace_record(known, open_attempts(known, now), "", now, mind=self.mind, passed=None, status=status)
        await self.traces.write(record)

    def unopened(self, state: AgentState, runtime: Runtime[Context]) -> AgentState:
        """Return the state of a question that was never opened; the thread may still hold an older one's."""
        question = state["messages"][-1].text if state["messages"] else ""
        thread = runtime.execution_info.thread_id if runtime.execution_info else None
        fresh = fresh_turn(self.clock(), question, context_of(runtime), self.policy)
        opened: AgentState = {**state, **fresh, "resolved_question": question, "resolutions": [], "thread_id": thread}  # type: ignore[typeddict-item]  # fresh_turn holds keys of AgentState
        return opened
