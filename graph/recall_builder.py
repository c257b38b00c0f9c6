"""The recall as a state machine of its own: begin → plan ⇄ run → end, and how the main agent calls it."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables.config import var_child_runnable_config
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import NodeError
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, RetryPolicy, StreamMode

from graph.recovery import reason_of
from graph.routing import after_plan_recall, before_plan_recall, run_inline
from graph.wrappers import NODE_MARGIN_S, RETRIES, Node, RetryingNode
from nodes.answer import TraceSink
from nodes.policy import Policy
from nodes.recall.begin_recall import BeginRecall
from nodes.recall.end_recall import EndRecall
from nodes.recall.plan_recall import PlanRecall
from nodes.recall.run_recall import RunRecall
from nodes.roles import Mind, Minds
from nodes.scope import Clock
from nodes.turn import ASKER
from state.context import Context
from state.recall import RecallInput, RecallOutput, RecallState
from tools.base import Scope
from tools.errors import InputError, ModelError
from tools.holding import holding
from tools.recall.context import MemoryReader
from tools.recall.recall_memories import Recalled
from tools.story.guard import Outlines

# Above the largest legal recall: 3 iterations of 8 rounds of two steps each; the counters end it long before.
RECURSION_LIMIT = 200

log = logging.getLogger("wenmai.recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallDependencies:
    """The live objects of a recall, bound when its graph is built; `traces` only where no question's trace has it."""

    mind: Mind
    reader: MemoryReader
    catalog: Outlines
    policy: Policy
    clock: Clock
    retries: RetryPolicy = RETRIES
    fallback: Mind | None = None
    traces: TraceSink | None = None


def build_recall(
    parts: RecallDependencies, checkpointer: BaseCheckpointSaver[Any] | None = None
) -> CompiledStateGraph[RecallState, Context, RecallInput, RecallOutput]:
    """Compile the graph memory_recall. Policies of the agent are not inherited, so they are set again."""
    builder = StateGraph(RecallState, context_schema=Context, input_schema=RecallInput, output_schema=RecallOutput)
    recover = RecallRecovery(parts.policy, has_fallback=parts.fallback is not None)
    seconds = parts.policy.recall_timeout_s + NODE_MARGIN_S
    builder.set_node_defaults(timeout=seconds, error_handler=recover)  # type: ignore[arg-type]  # NodeError is injected by its annotation
    minds, policy, clock = Minds(parts.mind, parts.fallback), parts.policy, parts.clock
    plan = PlanRecall(minds, policy, clock)
    nodes: dict[str, Node] = {
        "begin_recall": BeginRecall(parts.catalog, policy, clock),
        "plan_recall": RetryingNode(plan, parts.retries, lambda state, _: state["deadline_at"] - clock().timestamp()),
        "run_recall": RunRecall(minds, parts.reader, policy, clock),
        "end_recall": EndRecall(minds, parts.reader, parts.traces, policy, clock),
    }
    for name, node in nodes.items():
        builder.add_node(name, node, retry_policy=parts.retries)
    builder.add_edge(START, "begin_recall")
    builder.add_conditional_edges("begin_recall", run_inline(before_plan_recall))
    builder.add_conditional_edges("plan_recall", run_inline(after_plan_recall))
    builder.add_conditional_edges("run_recall", run_inline(before_plan_recall))
    builder.add_edge("end_recall", END)
    graph = builder.compile(checkpointer=checkpointer, name="memory_recall")
    return graph.with_config(recursion_limit=RECURSION_LIMIT)


@dataclass(frozen=True, slots=True)
class RecallRecovery:
    """Decides what becomes of a recall whose step failed for good: the offline rules go on, or it ends."""

    policy: Policy
    has_fallback: bool

    async def __call__(self, state: RecallState, error: NodeError) -> Command[Any]:
        """Let the fallback mind go on, or end with what was found; wrong input fails the run."""
        cause = error.error
        if isinstance(cause, InputError) or error.node == "end_recall":
            raise cause
        log.error("%s failed: %s", error.node, cause)
        usage = [*state["usage"], *(cause.paid if isinstance(cause, ModelError) else [])]
        if error.node == "plan_recall" and self.has_fallback and not state["degraded"]:
            return Command(update={"degraded": True, "pending": [], "usage": usage}, goto="plan_recall")
        failure = {"error": reason_of(cause, state["language"]), "error_code": "database_error"}
        return Command(update={"failure": failure, "pending": [], "usage": usage}, goto="end_recall")


@dataclass(frozen=True, slots=True)
class GraphRecall:
    """Runs the graph behind a tool call or a plain call, apart from the run that asks."""

    graph: CompiledStateGraph[RecallState, Context, RecallInput, RecallOutput]

    async def __call__(self, query: str, scope: Scope) -> Recalled:
        """Look for memories of the scope's user; its session is what the recall may read."""
        guard = scope.horizon
        context = Context(
            library=scope.library,
            as_of_chapter=guard.chapter if guard else None,
            as_of_part=guard.part if guard else None,
            user_id=scope.user_id,
            permissions=sorted(scope.permissions),
            language=scope.language,
            deadline_s=max(scope.seconds, 0.001),
            max_tokens=scope.tokens,
        )
        run = self.run({"query": query, "history": list(scope.history)}, context, scope)
        with holding(ASKER, scope.user_id or ASKER.get()):
            variables = copy_context()
        # Without LangGraph's variables the recall is no sub-graph of the run that asks: it would else write into that
        # run's checkpoints, and its steps would be taken for steps of the question.
        variables.run(var_child_runnable_config.set, None)
        return await asyncio.create_task(run, context=variables)

    async def run(self, given: RecallInput, context: Context, scope: Scope) -> Recalled:
        state: dict[str, Any] = {}
        modes: list[StreamMode] = ["values", "custom"]
        stream: AsyncIterator[Any] = self.graph.astream(given, context=context, stream_mode=modes)
        async for mode, chunk in stream:
            if mode == "values":
                state = dict(chunk)
            elif scope.emit:
                scope.emit(dict(chunk))
        return Recalled(record=state["recalled"], calls=state["calls"], usage=state.get("usage", []))
