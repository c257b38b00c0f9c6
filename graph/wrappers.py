"""The wrappers of a node: it says when it begins, and is repeated when its model fails."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from langgraph.runtime import Runtime
from langgraph.types import RetryPolicy

from nodes.scope import context_of
from nodes.turn import ASKER, TURN, thread_of
from state.context import Context
from state.events import StepEvent
from state.schema import UsageRow
from tools.errors import ModelError, is_transient
from tools.holding import holding

# A model call is repeated after 1 s and 2 s.
RETRIES = RetryPolicy(max_attempts=3, initial_interval=1.0, backoff_factor=2.0, jitter=False, retry_on=is_transient)
NODE_MARGIN_S = 60.0  # a node keeps its own deadlines for model and tool calls; this one only guards them

# A step of the turn or of a recall: each has a state of its own.
SecondsLeft = Callable[[Any, Runtime[Context]], float]


class Node(Protocol):
    async def __call__(self, state: Any, runtime: Runtime[Context]) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class RetryingNode:
    """A node with its attempts; `paid` holds what failed ones cost until the next, by the id of the task."""

    node: Node
    retries: RetryPolicy
    seconds_left: SecondsLeft
    paid: dict[str, list[UsageRow]] = field(default_factory=dict)

    async def __call__(self, state: Any, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return the node's update with the cost of the attempts before. Raises ModelError that bears it."""
        info = runtime.execution_info
        before = self.paid.pop(info.task_id, []) if info else []
        try:
            update = await self.node(state, runtime)
        except ModelError as error:
            error.paid[:0] = before
            left = self.seconds_left(state, runtime)
            if not error.transient or info is None or info.node_attempt >= self.retries.max_attempts:
                raise
            if error.retry_after_s >= left:
                error.transient = False
                raise
            # Wait as long as the service asks; the policy itself waits after this attempt.
            grown = self.retries.initial_interval * self.retries.backoff_factor ** (info.node_attempt - 1)
            await asyncio.sleep(max(0.0, error.retry_after_s - min(self.retries.max_interval, grown)))
            self.paid[info.task_id] = error.paid
            raise
        return {**update, "usage": [*before, *update["usage"]]} if before else update


@dataclass(frozen=True, slots=True)
class AnnouncedNode:
    """A node that says that it begins: to who watches, and to `begin` with the name of its step."""

    name: str
    node: Node
    begin: Callable[[str, Context], None]

    async def __call__(self, state: Any, runtime: Runtime[Context]) -> dict[str, Any]:
        runtime.stream_writer(StepEvent(event="step", node=self.name))
        context = context_of(runtime)
        if runtime.execution_info is not None:
            self.begin(runtime.execution_info.checkpoint_ns, context)
        user = context.user_id
        with holding(TURN, thread_of(runtime) or TURN.get()), holding(ASKER, user or ASKER.get()):
            return await self.node(state, runtime)
