"""A whole recall on the real vector engine: what the recaller says is scripted, and what it was asked is kept."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.types import RetryPolicy

from graph.recall_builder import GraphRecall, RecallDependencies, build_recall
from nodes.policy import Policy
from nodes.remember import Memories
from nodes.roles import Mind, RecallRequest
from nodes.scope import Clock
from state.recall import HistoryMessage
from tests.fakes import FakeCatalog, FakeEmbedder
from tests.graph.rig import NO_WAIT, Rig, Traces, calls, wall_clock
from tools.base import Scope
from tools.memory.ranking import MemoryRanking
from tools.memory.records import Memory, SemanticScale
from tools.memory.service import MemoryService
from tools.ports import KeywordExpander, MemoryStore
from tools.recall.context import Iteration, MemoryCaches, MemoryContext, MemoryReader
from tools.recall.dispatch import Dispatched, dispatch
from tools.recall.recall_memories import Recalled
from tools.recall.schemas import ExpandedKeyword, ExpandRequest, Expansion
from wenmai.language.segmenting import cut
from wenmai.stores.edge.collections import edge_memories

Turn = AIMessage | BaseException | Callable[[RecallRequest], AIMessage]
SCALE = SemanticScale(0.0, 0.4)  # of the cosines that texts of a test have
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
Answer = dict[str, Any]


def handoff(summary: str = "找到了", confidence: float = 0.9, **more: Any) -> AIMessage:
    """Return a model turn that hands off."""
    return calls(("handoff", {"search_summary": summary, "confidence": confidence, **more}))


def search(query: str = "数据库配置", **more: Any) -> AIMessage:
    """Return a model turn with one search."""
    return calls(("search_memories", {"query": query, **more}))


def said(*contents: str) -> list[HistoryMessage]:
    """Return a session of a user and an assistant in turn."""
    return [HistoryMessage(role="user" if n % 2 == 0 else "assistant", content=text) for n, text in enumerate(contents)]


@dataclass
class ScriptedRecaller:
    """A recaller that says its turns one after another; behind the last it goes on with `rest`."""

    turns: Sequence[Turn] = ()
    rest: Turn = field(default_factory=handoff)
    history: list[RecallRequest] = field(default_factory=list)

    async def recall(self, request: RecallRequest) -> AIMessage:
        number = len(self.history)
        self.history.append(request)
        turn = self.turns[number] if number < len(self.turns) else self.rest
        if isinstance(turn, BaseException):
            raise turn
        return turn if isinstance(turn, AIMessage) else turn(request)


@dataclass
class ScriptedExpander:
    """An expander that adds the same words to every query, or fails."""

    words: Sequence[str] = ()
    failure: BaseException | None = None
    history: list[ExpandRequest] = field(default_factory=list)

    async def expand(self, request: ExpandRequest) -> Expansion:
        self.history.append(request)
        if self.failure is not None:
            raise self.failure
        words = [*request.given, *self.words][: request.most]
        return Expansion(keywords=tuple(ExpandedKeyword(keyword=word) for word in words), expanded_query=request.query)


@dataclass
class Ticks:
    """A monotonic clock that is set by hand."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class RecallRig:
    """Memories of several users in one store, the five tools over it, and the graph."""

    store: MemoryStore
    recaller: ScriptedRecaller = field(default_factory=ScriptedRecaller)
    expander: KeywordExpander = field(default_factory=ScriptedExpander)
    embedder: FakeEmbedder = field(default_factory=lambda: FakeEmbedder(dimension=256))
    ticks: Ticks = field(default_factory=Ticks)
    clock: Clock = wall_clock
    policy: Policy = field(default_factory=Policy)
    retries: RetryPolicy = NO_WAIT
    mind: Mind | None = None
    fallback: Mind | None = None
    traces: Traces | None = None
    told: list[dict[str, Any]] = field(default_factory=list)
    caches: MemoryCaches = field(init=False)
    reader: MemoryReader = field(init=False)
    keeper: MemoryService = field(init=False)
    recall: GraphRecall = field(init=False)

    def __post_init__(self) -> None:
        self.caches = MemoryCaches(clock=self.ticks)
        ranking = MemoryRanking(self.store, self.embedder, segment=cut, scale=SCALE, clock=lambda: NOON)
        self.reader = MemoryReader(self.store, ranking, self.caches)
        self.keeper = MemoryService(
            self.store,
            self.embedder,
            segment=cut,
            clock=lambda: NOON,
            new_id=lambda: "made",
            changed=self.caches.drop,
        )
        mind = self.mind or replace(Rig().parts().mind, recaller=self.recaller, expander=self.expander)
        parts = RecallDependencies(
            mind=mind,
            reader=self.reader,
            catalog=FakeCatalog(),
            policy=self.policy,
            clock=self.clock,
            retries=self.retries,
            fallback=self.fallback,
            traces=self.traces,
        )
        self.recall = GraphRecall(build_recall(parts))

    @property
    def memories(self) -> Memories:
        """What the node remember works with."""
        return Memories(self.keeper, self.reader, self.keeper.delete)

    async def add(self, key: str, content: str, user: str = "甲", days_ago: float = 1, **fields: Any) -> Memory:
        """Store one memory."""
        return await self.keeper.add(
            user, content, memory_key=key, created_at=NOON - timedelta(days=days_ago), **fields
        )

    async def tool(self, name: str, args: object, **context: Any) -> Answer:
        """Call one tool and return what the model sees."""
        answer: Answer = json.loads((await self.dispatched(name, args, **context)).content)
        return answer

    async def dispatched(self, name: str, args: object, **context: Any) -> Dispatched:
        """Call one tool."""
        known: dict[str, Any] = {"user_id": "甲", "store": self.reader, "model": self.expander} | context
        return await dispatch(name, args, MemoryContext(**known))

    async def ask(
        self,
        query: str = "我之前的数据库配置",
        user: str | None = "甲",
        history: Sequence[HistoryMessage] = (),
        **scope: Any,
    ) -> Recalled:
        """Run the graph."""
        scope = {"library": "x"} | scope
        asked = Scope(user_id=user, history=history, emit=self.told.append, **scope)
        return await self.recall(query, asked)


@asynccontextmanager
async def remembering(folder: Path, **fields: Any) -> AsyncIterator[RecallRig]:
    """Open a rig on Qdrant Edge."""
    store = edge_memories(folder, "fake")
    try:
        yield RecallRig(store, **fields)
    finally:
        await store.close()


def at(number: int = 1, window: int = 5, available: int = 0, most: int = 3) -> Iteration:
    """Return where a recall stands."""
    return Iteration(number=number, most=most, window=window, available=available)


def called(recalled: Recalled) -> list[tuple[str, bool]]:
    """Return the calls of a recall and whether they succeeded."""
    return [(call["tool"], call["ok"]) for call in recalled.calls]
