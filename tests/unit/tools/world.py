"""A small story that the tools' tests search, and the stores that hold it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fake_recall import FakeRecall
from tests.fakes import FakeEmbedder, FakePassageStore, FakeStoryGraph
from tools.base import Scope, Tool
from tools.dispatch import Outcome, Toolbox
from tools.formatting import unmarked
from tools.recall.recall_memories import Recall, RecallMemories
from tools.records import (
    Entity,
    Horizon,
    MajorEvent,
    Neighbourhood,
    Participant,
    Passage,
    PassageFilter,
    Ranked,
    Relation,
)
from tools.toolboxes import story_tools

LIBRARY = "natlan"

TEXTS: list[tuple[int, int | None, str, tuple[str, ...]]] = [
    (1, 0, "序章：纳塔的大地上，战争的火焰从未熄灭。", ("纳塔",)),
    (1, 1, "恰斯卡在集市遇见了卡齐娜，两人一见如故。", ("恰斯卡", "卡齐娜")),
    (1, 2, "玛薇卡点燃圣火，向众人立下誓言。", ("玛薇卡",)),
    (1, 3, "基尼奇与阿尤在悬崖边争吵，最后一同跃下。", ("基尼奇", "阿尤")),
    (1, 4, "卡齐娜在比赛中落败，恰斯卡安慰了她。", ("恰斯卡", "卡齐娜")),
    (2, 1, "玛薇卡与恰斯卡并肩守住了边境。", ("玛薇卡", "恰斯卡")),
    (2, 2, "卡齐娜终于获得了自己的古名。", ("卡齐娜",)),
]

ENTITIES = [
    Entity(
        name="玛薇卡", aliases=("火神", "战神"), alias_first=((1, 2), (1, 2)), description="纳塔的领袖", first=(1, 2)
    ),
    Entity(name="恰斯卡", aliases=("战神",), alias_first=((1, 1),), description="调停人", first=(1, 1)),
    Entity(name="卡齐娜", aliases=("Kachina",), alias_first=((1, 1),), description="努力的年轻人", first=(1, 1)),
    Entity(name="基尼奇", first=(1, 3)),
    Entity(name="阿尤", description="龙伙伴", first=(1, 3)),
    Entity(name="纳塔", kind="Location", first=(1, 0)),
    Entity(name="隐士", description="独居者", first=(1, 1)),
]


def edge(source: str, type: str, target: str, chapter: int | None, **more: Any) -> Relation:
    fields: dict[str, Any] = {"part": 1, "chapter": chapter, "task_id": "t1"} | more
    return Relation(source=source, type=type, target=target, **fields)


def relations() -> list[Relation]:
    return [
        edge("恰斯卡", "FRIEND_OF", "卡齐娜", 1, evidence="两人一见如故", start=13, description="一见如故"),
        edge("恰斯卡", "FRIEND_OF", "卡齐娜", 4, evidence="恰斯卡安慰了她", start=10),
        edge("玛薇卡", "LEADER_OF", "恰斯卡", 1, part=2, task_id="t2", description="领袖"),
        edge("基尼奇", "PARTNER_OF", "阿尤", 3, evidence="基尼奇与阿尤"),
        edge("基尼奇", "LOCATED_IN", "纳塔", None, target_kind="Location"),
        edge("玛薇卡", "LOCATED_IN", "纳塔", 2, target_kind="Location"),
    ]


def events() -> list[MajorEvent]:
    return [
        MajorEvent(
            name="卡齐娜初赛落败",
            event_type="loss",
            primary_character="卡齐娜",
            participants=(Participant("卡齐娜"), Participant("恰斯卡", "witness")),
            part=1,
            chapter=4,
            task_id="t1",
            event_order=4,
            summary="卡齐娜在比赛中落败，得到恰斯卡安慰",
            evidence="卡齐娜在比赛中落败",
            start=0,
        ),
        MajorEvent(
            name="卡齐娜获得古名",
            event_type="acquisition",
            primary_character="卡齐娜",
            participants=(Participant("卡齐娜"),),
            part=2,
            chapter=2,
            task_id="t2",
            event_order=6,
            summary="卡齐娜得到古名",
            evidence="卡齐娜终于获得了自己的古名",
            outcome="成为名副其实的战士",
            start=0,
        ),
    ]


def passage(order: int, part: int, chapter: int | None, text: str, entities: tuple[str, ...]) -> Passage:
    return Passage(
        id=f"00000000-0000-5000-8000-{order:012d}",
        library=LIBRARY,
        text=text,
        part=part,
        chapter=chapter,
        event_order=order,
        start=0,
        end=len(text),
        task_id=f"t{part}",
        chapter_title=f"第{chapter}章",
        entities=entities,
    )


def passages() -> list[Passage]:
    return [passage(i, *row) for i, row in enumerate(TEXTS)]


class Passages(FakePassageStore):
    """Keeps what each query was asked with: (method, filter, limit), and how many scrolls read texts."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, PassageFilter | None, int | None]] = []
        self.texts = 0

    async def dense(self, library: str, vector: Sequence[float], where: PassageFilter, limit: int) -> list[Ranked]:
        self.asked.append(("dense", where, limit))
        return await super().dense(library, vector, where, limit)

    async def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        self.asked.append(("sparse", where, limit))
        return await super().sparse(library, text, where, limit)

    async def scroll(
        self, library: str, where: PassageFilter, limit: int | None = None, *, texts: bool = True
    ) -> list[Passage]:
        self.asked.append(("scroll", where, limit))
        self.texts += texts
        return await super().scroll(library, where, limit, texts=texts)


class Graph(FakeStoryGraph):
    """Keeps the arguments of traversals."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[Any, ...]] = []

    async def neighbourhood(
        self, library: str, name: str, relation: str | None, depth: int, limit: int, horizon: Horizon | None
    ) -> Neighbourhood:
        self.asked.append((name, relation, depth, limit, horizon))
        return await super().neighbourhood(library, name, relation, depth, limit, horizon)

    async def path(
        self, library: str, start: str, end: str, max_hops: int, avoid_kinds: Sequence[str], horizon: Horizon | None
    ) -> list[Relation]:
        self.asked.append((start, end, max_hops, tuple(avoid_kinds), horizon))
        return await super().path(library, start, end, max_hops, avoid_kinds, horizon)


@dataclass
class World:
    """What is stored, the stores, and a scope; the stores are filled at the first call."""

    rows: Sequence[Passage] = field(default_factory=passages)
    entities: Sequence[Entity] = field(default_factory=lambda: list(ENTITIES))
    relations: Sequence[Relation] = field(default_factory=relations)
    events: Sequence[MajorEvent] = field(default_factory=events)
    scope: Scope = field(default_factory=lambda: Scope(library=LIBRARY))
    passages: Passages = field(default_factory=Passages)
    graph: Graph = field(default_factory=Graph)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    recall: Recall = field(default_factory=FakeRecall)
    stocked: bool = False

    async def stock(self) -> "World":
        """Fill the stores once."""
        if not self.stocked:
            self.stocked = True
            vectors = await FakeEmbedder().embed_passages([one.text for one in self.rows])
            await self.passages.upsert(LIBRARY, self.rows, vectors)
            await self.graph.put_entities(LIBRARY, self.entities)
            await self.graph.put_imported(LIBRARY, "import", self.relations, self.events)
        return self

    def tools(self) -> dict[str, Tool]:
        recall = RecallMemories(self.recall)
        return {**story_tools(self.passages, self.graph, self.embedder), recall.name: recall}

    async def run(self, name: str, args: object, scope: Scope | None = None, call_no: int = 1) -> Outcome:
        """Run one tool alone through a toolbox that holds nothing else."""
        await self.stock()
        return await Toolbox([self.tools()[name]]).run(name, args, scope or self.scope, call_no)

    async def call(self, name: str, scope: Scope | None = None, /, **arguments: Any) -> Outcome:
        return await self.run(name, arguments, scope)


def text_of(outcome: Outcome) -> str:
    """Return what a successful call tells, without the signs of its rows."""
    assert outcome.ok and outcome.result is not None, outcome.error
    return unmarked(outcome.result.text)


def data_of(outcome: Outcome) -> Any:
    assert outcome.ok and outcome.result is not None, outcome.error
    return outcome.result.data
