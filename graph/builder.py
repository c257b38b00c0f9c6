"""The state machine: six nodes, their edges, and the policies that hold for all of them."""

import asyncio
from dataclasses import dataclass
from typing import Any, Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import NodeError
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, RetryPolicy

from graph.routing import after_grade, after_plan, after_resolve
from nodes.answer import AnswerQuestion, TraceSink
from nodes.grade import GradeDraft, closed_attempt
from nodes.plan import Plan
from nodes.policy import Policy
from nodes.refine import Refine
from nodes.resolve_pronouns import ResolvePronouns
from nodes.roles import Mind
from nodes.scope import Clock, Toolboxes
from nodes.tool_call import ToolCall
from nodes.trace import trace_record
from state.context import Context
from state.schema import AgentInput, AgentOutput, AgentState
from tools.errors import InputError, WenmaiError, is_transient
from tools.linking import EntityLinker
from tools.ports import Catalog

# LOP-04: a model call is tried again after 1 s and 2 s.
RETRIES = RetryPolicy(max_attempts=3, initial_interval=1.0, backoff_factor=2.0, jitter=False, retry_on=is_transient)
NODE_SECONDS = 240.0  # above any deadline that a node keeps by itself: two model calls and a tool call


class Node(Protocol):
    """A step of the turn."""

    async def __call__(self, state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return the keys that change."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The live objects of a graph, bound when it is built."""

    mind: Mind
    catalog: Catalog
    linker: EntityLinker
    toolboxes: Toolboxes
    traces: TraceSink
    policy: Policy
    clock: Clock


def build_graph(
    parts: Parts, checkpointer: BaseCheckpointSaver[Any] | None = None
) -> CompiledStateGraph[AgentState, Context, AgentInput, AgentOutput]:
    """Compile the turn: resolve_pronouns → plan ⇄ tool_call → grade → (refine → plan | answer)."""
    builder = StateGraph(AgentState, context_schema=Context, input_schema=AgentInput, output_schema=AgentOutput)
    builder.set_node_defaults(retry_policy=RETRIES, timeout=NODE_SECONDS, error_handler=recover)  # type: ignore[arg-type]  # NodeError is injected by its annotation
    for name, node in nodes_of(parts).items():
        builder.add_node(name, traced(node, parts))
    builder.add_edge(START, "resolve_pronouns")
    builder.add_conditional_edges("resolve_pronouns", after_resolve)
    builder.add_conditional_edges("plan", after_plan)
    builder.add_edge("tool_call", "plan")
    builder.add_conditional_edges("grade", after_grade)
    builder.add_edge("refine", "plan")
    builder.add_edge("answer", END)
    graph = builder.compile(checkpointer=checkpointer, name="wenmai")
    return graph.with_config(recursion_limit=parts.policy.recursion_limit)


def nodes_of(parts: Parts) -> dict[str, Node]:
    """Return the nodes by name."""
    mind, policy, clock = parts.mind, parts.policy, parts.clock
    return {
        "resolve_pronouns": ResolvePronouns(mind.resolver, parts.catalog, policy, clock),
        "plan": Plan(mind.planner, parts.toolboxes, policy, clock),
        "tool_call": ToolCall(parts.toolboxes, clock),
        "grade": GradeDraft(mind.grader, policy, clock),
        "refine": Refine(mind.refiner, policy, clock),
        "answer": AnswerQuestion(mind.ranker, parts.linker, parts.traces, clock, mind.name),
    }


def traced(node: Node, parts: Parts) -> Node:
    """Wrap a node so that a cancelled question leaves a whole trace (S003-D12, S003-D18)."""

    async def run(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        try:
            return await node(state, runtime)
        except asyncio.CancelledError:
            if "trace_id" in state:
                await asyncio.shield(parts.traces.write(cancelled_trace(state, parts)))
            raise

    return run


def cancelled_trace(state: AgentState, parts: Parts) -> dict[str, Any]:
    """Return the trace of a question that was cut short, with the attempt that was open."""
    now = parts.clock()
    attempts = [*state["attempts"], closed_attempt(state, None, now)]
    return trace_record(state, attempts, "", now, mind=parts.mind.name, passed=None, status="cancelled")


async def recover(state: AgentState, error: NodeError) -> Command[Any]:
    """Answer with the error message what retries did not cure; wrong input fails the run (loop.md §5)."""
    cause = error.error
    if isinstance(cause, InputError) or error.node in ("resolve_pronouns", "answer"):
        raise cause
    reason = str(cause) if isinstance(cause, WenmaiError) else f"内部错误 ({type(cause).__name__})"
    return Command(update={"failure": reason, "pending": []}, goto="answer")
