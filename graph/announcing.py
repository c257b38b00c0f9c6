"""A node that says when it begins: LangGraph's own streams tell of its end."""

from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from graph.retrying import Node
from nodes.scope import context_of
from nodes.turn import ASKER, TURN, thread_of
from state.context import Context
from state.events import StepEvent
from tools.holding import holding


@dataclass(frozen=True, slots=True)
class AnnouncedNode:
    name: str
    node: Node

    async def __call__(self, state: Any, runtime: Runtime[Context]) -> dict[str, Any]:
        runtime.stream_writer(StepEvent(event="step", node=self.name))
        user = context_of(runtime).user_id
        with holding(TURN, thread_of(runtime) or TURN.get()), holding(ASKER, user or ASKER.get()):
            return await self.node(state, runtime)
