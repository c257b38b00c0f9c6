"""A whole graph on scripted minds and tools: what each role says is a list, what it was asked is kept."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import RetryPolicy
from pydantic import BaseModel

from graph.builder import AgentDependencies, build_graph
from nodes.policy import Policy
from nodes.roles import (
    AnswerReader,
    GradeRequest,
    PlanRequest,
    RefineRequest,
    Reply,
    Resolution,
    ResolveRequest,
    Verdict,
)
from nodes.scope import Clock
from state.context import Context
from state.draft import Scores
from state.schema import AgentState, CallRecord, Evidence, ResolvedMention
from tests.fakes import FakeCatalog, FakeEmbedder, FakePassageStore, FakeStoryGraph
from tools.base import Scope, ToolResult
from tools.dispatch import Toolbox
from tools.errors import is_transient
from tools.records import Entity, Horizon, LibraryInfo
from tools.story.names import EntityLinker
from wenmai.checkpoints.serde import CompressedSerializer
from wenmai.language.segmenting import cut
from wenmai.minds.offline.mind import offline_mind

LIBRARY = "natlan"
NO_WAIT = RetryPolicy(max_attempts=3, initial_interval=0.0, jitter=False, retry_on=is_transient)
PEOPLE = ("恰斯卡", "卡齐娜", "基尼奇", "阿尤")
GOOD = Scores(tool_usage=18, evidence=16, completeness=14, citation=15, depth=15)
SHALLOW = Scores(tool_usage=20, evidence=15, completeness=10, citation=10, depth=5)

Turn = Reply | BaseException | Callable[[PlanRequest], Reply]


def says(text: str) -> AIMessage:
    """Return a model turn without calls."""
    return AIMessage(text)


numbers = itertools.count(1)


def calls(*wanted: tuple[str, dict[str, Any]], text: str = "") -> AIMessage:
    """Return a model turn with calls."""
    made = [{"name": name, "args": args, "id": f"c{next(numbers)}"} for name, args in wanted]
    return AIMessage(text, tool_calls=made)


def search(query: str = "古名", text: str = "") -> AIMessage:
    """Return a model turn with one search."""
    return calls(("search", {"query": query}), text=text)


def stop(reason: str = "sufficient") -> AIMessage:
    """Return a model turn that ends the retrieval."""
    return calls(("stop", {"reason": reason}))


def verdict(scores: Scores = GOOD, suggestion: str = "补充经过", **more: Any) -> Verdict:
    """Return a grader's opinion."""
    fields: dict[str, Any] = {"question_type": "fact", "reason": "因为", "suggestion": suggestion} | more
    return Verdict(scores=scores, **fields)


def piece(text: str, number: int = 1, **more: Any) -> Evidence:
    """Return a passage as evidence."""
    base = Evidence(
        id=f"p{number}",
        kind="passage",
        tool="",
        call=0,
        text=text,
        score=0.9,
        library=LIBRARY,
        source="t1",
        part=1,
        chapter=number,
        title=f"第{number}章",
        event_order=number,
        entities=[],
        location=None,
        start=0,
        end=len(text),
    )
    return base | more  # type: ignore[return-value]  # the keys are those of Evidence


def found(*pieces: Evidence, text: str = "找到") -> ToolResult:
    """Return a successful result."""
    return ToolResult(data=None, text=text, evidence=list(pieces), items=len(pieces))


NOTHING = ToolResult(data=[], text="未找到相关信息")
ONE = found(piece("卡齐娜终于获得了自己的古名。"))


class Query(BaseModel):
    """What the scripted tools take."""

    query: str = ""
    top_k: int = 10


Answer = ToolResult | BaseException | Callable[[Query, Scope], Awaitable[ToolResult]]


@dataclass
class ScriptedTool:
    """A tool that gives its answers in turn, the last one for ever."""

    name: str
    answers: Sequence[Answer] = (ONE,)
    description: str = "测试"
    arguments: type[BaseModel] = Query
    history: list[tuple[Query, Scope]] = field(default_factory=list)

    async def __call__(self, arguments: Query, scope: Scope) -> ToolResult:
        answer = self.answers[min(len(self.history), len(self.answers) - 1)]
        self.history.append((arguments, scope))
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, ToolResult) else await answer(arguments, scope)


@dataclass
class ScriptedPlanner:
    """A planner that says its turns one after another; behind the last it goes on with `rest`."""

    turns: Sequence[Turn] = ()
    rest: Callable[[PlanRequest], Reply] = lambda request: says("完了")
    history: list[PlanRequest] = field(default_factory=list)

    async def plan(self, request: PlanRequest) -> Reply:
        number = len(self.history)
        self.history.append(request)
        turn = self.turns[number] if number < len(self.turns) else self.rest
        if isinstance(turn, BaseException):
            raise turn
        return turn(request) if callable(turn) else turn


@dataclass
class ScriptedGrader:
    """A grader that gives its verdicts in turn, the last one for ever."""

    verdicts: Sequence[Verdict | BaseException] = (verdict(),)
    history: list[GradeRequest] = field(default_factory=list)

    async def grade(self, request: GradeRequest) -> Verdict:
        opinion = self.verdicts[min(len(self.history), len(self.verdicts) - 1)]
        self.history.append(request)
        if isinstance(opinion, BaseException):
            raise opinion
        return opinion


@dataclass
class ScriptedRefiner:
    """A refiner that gives its queries in turn, the last ones for ever."""

    queries: Sequence[list[str] | BaseException | None] = (["少女 献出 身体", "三月 权能 转交"],)
    history: list[RefineRequest] = field(default_factory=list)

    async def refine(self, request: RefineRequest) -> list[str] | None:
        words = self.queries[min(len(self.history), len(self.queries) - 1)]
        self.history.append(request)
        if isinstance(words, BaseException):
            raise words
        return words


@dataclass
class ScriptedResolver:
    """A resolver that answers by question; an unknown question stays as it is, small talk is a greeting."""

    resolutions: dict[str, Resolution | BaseException] = field(default_factory=dict)
    history: list[ResolveRequest] = field(default_factory=list)

    async def resolve(self, request: ResolveRequest) -> Resolution:
        self.history.append(request)
        known = self.resolutions.get(request.question)
        if isinstance(known, BaseException):
            raise known
        entities = [name for name in PEOPLE if name in request.question]
        return known or Resolution(
            question=request.question, mentions=[], entities=entities, topic=None, small_talk=request.question == "你好"
        )


def becomes(question: str, *mentions: tuple[str, str], topic: str | None = None) -> Resolution:
    """Return a resolution that replaced these mentions."""
    made = [ResolvedMention(mention=mention, entity=entity) for mention, entity in mentions]
    return Resolution(question=question, mentions=made, entities=[entity for _, entity in mentions], topic=topic)


class ScriptedRanker:
    """Turns evidence round, so that a ranking is seen."""

    async def rank(
        self,
        question: str,
        evidence: Sequence[Evidence],
        calls: Sequence[CallRecord],
        library: str,
        horizon: Horizon | None,
    ) -> list[Evidence]:
        return list(evidence)[::-1]


@dataclass
class Traces:
    """Keeps traces; None stands for a disk that refuses."""

    records: list[dict[str, Any]] = field(default_factory=list)
    path: str | None = "trace.json"

    async def write(self, record: dict[str, Any]) -> str | None:
        self.records.append(record)
        return self.path

    async def amend(self, path: str, more: dict[str, Any]) -> None:
        self.records[-1] |= more


@dataclass
class Hands:
    """A clock that goes on by `step` seconds at each look."""

    now: datetime = datetime(2026, 1, 30, 21, 10, 13, tzinfo=UTC)
    step: float = 0.0

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=self.step)
        return self.now


def wall_clock() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


def strict_saver() -> InMemorySaver:
    """Return checkpoints in memory that refuse anything but plain data and messages."""
    return InMemorySaver(serde=CompressedSerializer())


@dataclass
class Rig:
    """Scripts in, a graph out."""

    planner: ScriptedPlanner = field(default_factory=ScriptedPlanner)
    grader: ScriptedGrader = field(default_factory=ScriptedGrader)
    refiner: ScriptedRefiner = field(default_factory=ScriptedRefiner)
    resolver: ScriptedResolver = field(default_factory=ScriptedResolver)
    tools: Sequence[ScriptedTool] = field(default_factory=lambda: [ScriptedTool("search"), ScriptedTool("lookup")])
    rag_tool: ScriptedTool = field(default_factory=lambda: ScriptedTool("vector_search"))
    traces: Traces = field(default_factory=Traces)
    clock: Clock = field(default_factory=Hands)
    policy: Policy = field(default_factory=Policy)
    retries: RetryPolicy = NO_WAIT
    saver: BaseCheckpointSaver[Any] = field(default_factory=strict_saver)
    stories: FakeStoryGraph = field(default_factory=FakeStoryGraph)
    catalog: FakeCatalog | None = None
    toolkits: list[tuple[str, ...]] = field(default_factory=list)
    names: Sequence[Entity] = tuple(Entity(name=name) for name in PEOPLE)
    reader: Callable[[], AnswerReader | None] = lambda: None
    graph: CompiledStateGraph[Any, Any, Any, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.graph = build_graph(self.parts(), self.saver)

    def parts(self) -> AgentDependencies:
        linker = EntityLinker(self.stories)
        mind = replace(
            offline_mind(linker, FakePassageStore(), FakeEmbedder()),  # its roles for memories
            name="scripted",
            resolver=self.resolver,
            planner=self.planner,
            grader=self.grader,
            refiner=self.refiner,
            ranker=ScriptedRanker(),
        )
        info = LibraryInfo(name=LIBRARY, title="原神", embedder="fake", dimension=32)
        return AgentDependencies(
            mind=mind,
            catalog=self.catalog or FakeCatalog(info),
            linker=linker,
            toolboxes=self.toolbox,
            traces=self.traces,
            policy=self.policy,
            clock=self.clock,
            segment=cut,
            retries=self.retries,
            reader=lambda: self.reader(),
        )

    def toolbox(self, toolkits: Sequence[str]) -> Toolbox:
        self.toolkits.append(tuple(toolkits))
        return Toolbox([self.rag_tool] if "rag" in toolkits else self.tools, self.policy.tool_timeout_s)

    async def stock(self) -> None:
        await self.stories.put_entities(LIBRARY, list(self.names))

    async def ask(self, question: str = "卡齐娜的古名怎么来的？", thread: str = "t1", **context: Any) -> dict[str, Any]:
        """Ask on a thread and return the result record."""
        await self.run({"messages": [{"role": "user", "content": question}]}, thread, **context)
        result: dict[str, Any] = (await self.state(thread))["result"]
        return result

    async def run(self, given: Any, thread: str = "t1", **context: Any) -> dict[str, Any]:
        """Run the graph on an input and return its output."""
        await self.stock()
        output: dict[str, Any] = await self.graph.ainvoke(given, config(thread), context=run_context(**context))
        return output

    async def state(self, thread: str = "t1") -> AgentState:
        """Return what the thread's last checkpoint holds."""
        return (await self.graph.aget_state(config(thread))).values  # type: ignore[return-value]  # values is a dict


def run_context(**context: Any) -> Context:
    """Return a context of this library."""
    fields: dict[str, Any] = {"library": LIBRARY} | context
    return Context(**fields)


def config(thread: str = "t1") -> RunnableConfig:
    """Return the configuration of a thread."""
    return {"configurable": {"thread_id": thread}}


def unanswered(transcript: Sequence[AnyMessage]) -> list[str]:
    """Return what is wrong with a transcript: each call must have exactly one result, in order, before the next turn.

    The calls of the very last message are those that wait for their results.
    """
    problems: list[str] = []
    for at, message in enumerate(transcript):
        if isinstance(message, AIMessage) and at + 1 < len(transcript):
            wanted = [call["id"] for call in message.tool_calls]
            behind = itertools.takewhile(lambda m: isinstance(m, ToolMessage), transcript[at + 1 :])
            given = [m.tool_call_id for m in behind if isinstance(m, ToolMessage)]
            problems += [] if wanted == given else [f"{wanted} answered by {given}"]
    return problems


async def forever(arguments: Query, scope: Scope) -> ToolResult:
    """Never answer."""
    await asyncio.Event().wait()
    return NOTHING
