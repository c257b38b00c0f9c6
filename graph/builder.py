"""The state machine: seven nodes, their edges, and the policies that hold for all of them."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from langchain_core.messages import convert_to_messages
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config
from langchain_core.runnables.graph import Graph
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import RetryPolicy

from graph.recovery import InterruptedTurnTracer, Recovery, TraceOnce
from graph.routing import (
    after_answer,
    after_grade,
    after_plan,
    after_refine,
    after_remember,
    after_resolve,
    run_inline,
)
from graph.wrappers import NODE_MARGIN_S, RETRIES, AnnouncedNode, Node, RetryingNode
from nodes.answer import AnswerQuestion, TraceSink
from nodes.checking.draft_check import DraftCheck
from nodes.checking.evidence import Segment
from nodes.grade import CheckTurn, GradeDraft
from nodes.plan import Plan
from nodes.policy import LONGEST_DEADLINE_S, Policy
from nodes.refine import Refine
from nodes.remember import Memories, Remember
from nodes.resolve_pronouns import ResolvePronouns
from nodes.roles import AnswerReader, Mind, Minds
from nodes.scope import Clock, Toolboxes, seconds_left
from nodes.tool_call import ToolCall
from state.context import Context
from state.schema import AgentInput, AgentOutput, AgentState
from tools.networks.lexicon import Lexicons
from tools.ports import Catalog, DocumentStore
from tools.story.names import EntityLinker

# Of LangGraph's own: where its server puts the checkpoints of a run; what a graph that runs as a step of another finds.
CHECKPOINTER, TASK = "__pregel_checkpointer", "__pregel_task_id"
# What each node does, as Studio and the drawing of the graph show it.
DOES = {
    "resolve_pronouns": "opens the turn, finds what pronouns mean",
    "plan": "chooses tools, or writes a draft",
    "tool_call": "answers every call with evidence",
    "grade": "scores the draft in five dimensions",
    "refine": "turns a failure into search words and a hint",
    "answer": "cites the evidence, closes the turn",
    "remember": "keeps what the turn taught of the user",
}


class TurnGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled graph whose every input asks a new question.

    Its drawing leaves out LangGraph's error handler, a node that no edge leads to.
    """

    async def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        """Yield what happens; see `CompiledStateGraph.astream`."""
        events: Any = super().astream(await self._asking(input, ensure_config(config)), config, **options)
        async with aclosing(events):
            async for event in events:
                yield event

    async def _asking(self, input: Any, config: RunnableConfig) -> Any:
        """Return an input whose question has an id of its own: LangGraph would replace the message that had it."""
        given = input.get("messages") if isinstance(input, Mapping) else None
        if not given:
            return input
        *earlier, question = convert_to_messages(given if isinstance(given, list) else [given])
        if question.id is None:
            return input
        known = {one.id for one in earlier}
        configurable = config.get("configurable", {})
        saver = configurable.get(CHECKPOINTER, self.checkpointer)
        # As a step of another graph it keeps nothing of its own, and ids are the other's.
        if isinstance(saver, BaseCheckpointSaver) and "thread_id" in configurable and TASK not in configurable:
            known |= {one.id for one in (await self.aget_state(config)).values.get("messages", ())}
        if question.id not in known:
            return input
        return {**input, "messages": [*earlier, question.model_copy(update={"id": str(uuid4())})]}

    def get_graph(self, config: RunnableConfig | None = None, *, xray: int | bool = False) -> Graph:
        """Return the drawing of the graph."""
        return with_edges(super().get_graph(config, xray=xray))

    async def aget_graph(self, config: RunnableConfig | None = None, *, xray: int | bool = False) -> Graph:
        """Return the drawing of the graph."""
        return with_edges(await super().aget_graph(config, xray=xray))


def with_edges(drawn: Graph) -> Graph:
    """Return a drawing without the nodes that no edge touches."""
    ends = {end for edge in drawn.edges for end in (edge.source, edge.target)}
    return Graph({id: node for id, node in drawn.nodes.items() if id in ends}, drawn.edges)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDependencies:
    """The live objects of a graph, bound when it is built; `fallback` finishes what `mind` cannot."""

    mind: Mind
    catalog: Catalog
    linker: EntityLinker
    toolboxes: Toolboxes
    traces: TraceSink
    policy: Policy
    clock: Clock
    segment: Segment
    retries: RetryPolicy = RETRIES
    fallback: Mind | None = None
    memories: Memories | None = None
    lexicons: Lexicons | None = None
    documents: DocumentStore | None = None
    reader: Callable[[], AnswerReader | None] = lambda: None


def build_graph(parts: AgentDependencies, checkpointer: BaseCheckpointSaver[Any] | None = None) -> TurnGraph:
    """Compile the turn: resolve_pronouns → plan ⇄ tool_call → grade → (refine → plan) → answer → remember.

    What asks nothing goes resolve_pronouns → remember → answer.
    """
    builder = StateGraph(AgentState, context_schema=Context, input_schema=AgentInput, output_schema=AgentOutput)
    recover = Recovery(parts.policy, has_fallback=parts.fallback is not None)
    # A time that no node needs when it keeps its own deadlines.
    seconds = LONGEST_DEADLINE_S + NODE_MARGIN_S
    builder.set_node_defaults(timeout=seconds, error_handler=recover)  # type: ignore[arg-type]  # NodeError is injected by its annotation
    traces = TraceOnce(parts.traces)
    cut_short = InterruptedTurnTracer(traces, parts.policy, parts.clock, parts.mind)
    for name, node in nodes_of(parts, traces).items():
        # Not among the defaults: those hold for the error handler too, and what it raises would be tried again.
        announced = AnnouncedNode(name, node, cut_short.begin)
        builder.add_node(name, announced, retry_policy=parts.retries, metadata={"does": DOES[name]})
    builder.add_edge(START, "resolve_pronouns")
    builder.add_conditional_edges("resolve_pronouns", run_inline(after_resolve))
    builder.add_conditional_edges("plan", run_inline(after_plan))
    builder.add_edge("tool_call", "plan")
    builder.add_conditional_edges("grade", run_inline(after_grade))
    builder.add_conditional_edges("refine", run_inline(after_refine))
    builder.add_conditional_edges("answer", run_inline(after_answer))
    builder.add_conditional_edges("remember", run_inline(after_remember))
    graph = TurnGraph(**vars(builder.compile(checkpointer=checkpointer, name="wenmai")))
    return graph.with_config(recursion_limit=parts.policy.recursion_limit, callbacks=[cut_short])


def nodes_of(parts: AgentDependencies, traces: TraceSink) -> dict[str, Node]:
    minds, policy, clock = Minds(parts.mind, parts.fallback), parts.policy, parts.clock
    opening = ResolvePronouns(minds, parts.catalog, parts.linker, parts.documents, policy, clock)
    check = CheckTurn(DraftCheck(parts.reader, parts.segment), parts.linker)
    plan = Plan(minds, parts.toolboxes, policy, clock)
    return {
        "resolve_pronouns": RetryingNode(opening, parts.retries, opening.seconds_left),
        "plan": RetryingNode(plan, parts.retries, lambda state, _: seconds_left(state, clock)),
        "tool_call": ToolCall(parts.toolboxes, clock, policy),
        "grade": GradeDraft(minds, check, policy, clock),
        "refine": Refine(minds, policy, clock),
        "answer": AnswerQuestion(minds, check, parts.linker, traces, policy, clock, parts.catalog, parts.lexicons),
        "remember": Remember(minds, parts.memories, traces, policy, clock, parts.segment),
    }
