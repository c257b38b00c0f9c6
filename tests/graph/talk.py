"""The whole graph on the real Gemini client: what the service answers is scripted, stores are small and in memory."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import RetryPolicy

from graph.builder import AgentDependencies, build_graph
from nodes.policy import Policy
from nodes.remember import Memories
from nodes.roles import Mind
from tests.fakes import FakeCatalog
from tests.gemini.parts import Json, as_json
from tests.gemini.replies import Always, Reply, Step, turn, usage
from tests.gemini.space import LOOPBACK_MODEL, Space
from tests.graph.rig import LIBRARY, NO_WAIT, Traces, config, run_context, strict_saver, wall_clock
from tests.unit.tools.world import World, edge, passage
from tools.records import Entity, LibraryInfo, MajorEvent, Participant
from tools.story.names import EntityLinker
from tools.toolboxes import toolbox_for
from wenmai.language.segmenting import cut
from wenmai.minds.model.caller import Breaker
from wenmai.minds.model.client import ModelEndpoint, ModelSettings, Provider
from wenmai.minds.model.mind import OpeningSearch, RoleModels, model_mind
from wenmai.minds.model.providers import provider_of
from wenmai.minds.offline.book import BookReader
from wenmai.minds.offline.memories import asks_memories
from wenmai.minds.offline.mind import offline_mind
from wenmai.reader.reader import Reader

GRADER = "gemini-99-grader"
REFINER = "gemini-99-refiner"
RESOLVER = "gemini-99-resolver"
GOOD = {"tool_usage": 18, "evidence": 20, "completeness": 10, "citation": 15, "depth": 15}
SHALLOW = {"tool_usage": 20, "evidence": 20, "completeness": 5, "citation": 10, "depth": 5}
TOKENS = usage(1000, 50, thoughts=20, cached=400)


def grade(scores: Json = GOOD, **more: Any) -> Reply:
    """Return a grader's answer."""
    answer = {
        "claims": [{"text": "答案的论断", "marks": [1], "supported": "yes"}],
        "missing": ["答案深度不足，请调用 search_memory 获取具体剧情内容"],
        "follows_material": False,
        "refusal_ok": "none",
        "queries": [],
        "question_type": "relation",
        "scores": scores,
    }
    return turn(as_json(answer | more), tokens=TOKENS)


def resolved(question: str, *mentions: tuple[str, str], refers_back: bool = True, topic: str = "") -> Reply:
    """Return a resolver's answer."""
    listed = [{"mention": mention, "entity": entity} for mention, entity in mentions]
    return turn(as_json({"refers_back": refers_back, "question": question, "mentions": listed, "topic": topic}))


def settings(id: str, variable: str, **more: Any) -> ModelSettings:
    return ModelSettings(id=id, variable=variable, prefix=variable.removesuffix("_MODEL"), **more)


def models(prefix: str = "GEMINI", **changed: ModelSettings) -> RoleModels:
    """Return a model for each role, each under an id of its own."""
    known = {
        "agent": settings(LOOPBACK_MODEL, f"{prefix}_MODEL", summaries=True),
        "grader": settings(GRADER, "GRADER_MODEL", thinking="low"),
        "refiner": settings(REFINER, "REFINER_MODEL"),
        "resolver": settings(RESOLVER, "RESOLVER_MODEL"),
    }
    made = known | changed
    return RoleModels(**{"searcher": made["agent"]} | made)


@dataclass
class Talk:
    """A graph over the loopback service."""

    service: Space
    world: World = field(default_factory=World)
    policy: Policy = field(default_factory=Policy)
    models: RoleModels | None = None
    breaker: Breaker = field(default_factory=lambda: Breaker(failures=100))
    retries: RetryPolicy = NO_WAIT
    timeout_s: float = 60.0
    has_fallback: bool = True
    title: str = "原神"
    key: str | None = None
    url: str | None = None
    traces: Traces = field(default_factory=Traces)
    saver: BaseCheckpointSaver[Any] = field(default_factory=strict_saver)
    memories: Memories | None = None
    reader: Callable[[], Reader | None] = lambda: None
    provider: Provider = field(init=False)
    graph: CompiledStateGraph[Any, Any, Any, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.service.know(GRADER, REFINER, RESOLVER)
        endpoint = ModelEndpoint(
            provider=self.service.provider,
            key=self.key or self.service.key,
            base_url=self.url or self.service.url,
            timeout_s=self.timeout_s,
        )
        self.provider = provider_of(endpoint)
        self.graph = build_graph(self.parts(), self.saver)

    def parts(self) -> AgentDependencies:
        linker = EntityLinker(self.world.graph)
        offline: Mind = offline_mind(linker, self.world.passages, self.world.embedder, reader=self.reader)
        tools = self.world.tools()
        roles = self.models or models(self.service.words.prefix)
        opener = OpeningSearch(asks_memories=asks_memories, of_book=BookReader(linker))
        return AgentDependencies(
            mind=model_mind(self.provider, self.breaker, roles, linker, offline, opener),
            fallback=offline if self.has_fallback else None,
            catalog=FakeCatalog(LibraryInfo(name=LIBRARY, title=self.title, embedder="fake", dimension=32)),
            linker=linker,
            toolboxes=lambda toolkits: toolbox_for(toolkits, tools),
            traces=self.traces,
            policy=self.policy,
            clock=wall_clock,
            segment=cut,
            retries=self.retries,
            memories=self.memories,
            reader=self.reader,
        )

    @property
    def mends(self) -> int:
        """How often a structured answer that is none is asked for: the second protocol asks once more."""
        return 2 if self.service.provider == "openai" else 1

    def agent(self, *steps: Step | Always) -> None:
        """Script the agent's model."""
        self.service.play(*steps, model=LOOPBACK_MODEL)

    def grader(self, *steps: Step | Always) -> None:
        self.service.play(*steps, model=GRADER)

    def refiner(self, *steps: Step | Always) -> None:
        self.service.play(*steps, model=REFINER)

    def resolver(self, *steps: Step | Always) -> None:
        self.service.play(*steps, model=RESOLVER)

    async def ask(self, question: str, thread: str = "t1", *, session: Any = None, **context: Any) -> dict[str, Any]:
        """Ask and return the result record."""
        output = await self.graph.ainvoke(await self.given(question, session), config(thread), context=ctx(context))
        result: dict[str, Any] = output["result"]
        return result

    async def stream(self, question: str, mode: Any, **context: Any) -> list[Any]:
        """Ask and return what a stream mode shows."""
        given = await self.given(question, None)
        stream = self.graph.astream(given, config(), context=ctx(context), stream_mode=mode)
        return [chunk async for chunk in stream]

    async def given(self, question: str, session: Any) -> Any:
        await self.world.stock()
        return {"messages": [{"role": "user", "content": question}], "session_context": session}


def ctx(context: dict[str, Any]) -> Any:
    """Return a context of the pure loop: the model makes every call itself, unless a test says otherwise."""
    return run_context(**{"opening_search": False} | context)


@asynccontextmanager
async def talking(service: Space, **fields: Any) -> AsyncIterator[Talk]:
    """Open a graph and close its connections."""
    talk = Talk(service, **fields)
    try:
        yield talk
    finally:
        await talk.provider.close()


MAIDEN_TEXTS = [
    (1607, 15, "少女在月下遇见了努昂诺塔，两人第一次交谈。", ("少女", "努昂诺塔")),
    (1608, 16, "少女献出了自己的身体，三月的权能由此转交，她重回世界。", ("少女",)),
    (1608, 16, "努昂诺塔看着少女归来，泪流满面。", ("努昂诺塔", "少女")),
]


def maiden() -> World:
    """Return the story of the acceptance runs S003-20, S003-28, S003-29."""
    rows = [
        replace(passage(i, 1, chapter, text, names), task_id=str(task))
        for i, (task, chapter, text, names) in enumerate(MAIDEN_TEXTS)
    ]
    event = MajorEvent(
        name="少女献出身体",
        event_type="sacrifice",
        primary_character="少女",
        participants=(Participant("少女"),),
        part=1,
        chapter=16,
        task_id="1608",
        event_order=1,
        summary="少女献出身体，权能转交，重回世界",
        evidence="少女献出了自己的身体",
        outcome="重回世界",
        start=0,
    )
    people = [Entity(name="少女", first=(1, 15)), Entity(name="努昂诺塔", first=(1, 15))]
    relation = edge("努昂诺塔", "FRIEND_OF", "少女", 15, task_id="1607", evidence="两人第一次交谈", start=13)
    return World(rows=rows, entities=people, relations=[relation], events=[event])
