"""A small story that the tools' tests search, and the stores that hold it."""

from dataclasses import dataclass, field
from typing import Any

from tests.unit.tools.doubles import Embedder, Graph, Passages
from tools.base import Scope, Tool
from tools.dispatch import Outcome, Toolbox
from tools.records import Entity, MajorEvent, Participant, Passage, Relation
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
    Entity(name="玛薇卡", aliases=("火神", "战神"), description="纳塔的领袖", first=(1, 2)),
    Entity(name="恰斯卡", aliases=("战神",), description="调停人", first=(1, 1)),
    Entity(name="卡齐娜", aliases=("Kachina",), description="努力的年轻人", first=(1, 1)),
    Entity(name="基尼奇", first=(1, 3)),
    Entity(name="阿尤", description="龙伙伴", first=(1, 3)),
    Entity(name="纳塔", kind="Location", first=(1, 0)),
    Entity(name="隐士", description="独居者", first=(1, 1)),
]


def edge(source: str, type: str, target: str, chapter: int | None, **more: Any) -> Relation:
    return Relation(
        **{"source": source, "type": type, "target": target, "part": 1, "chapter": chapter, "task_id": "t1"} | more
    )


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


def passages() -> dict[str, Passage]:
    made = [passage(i, *row) for i, row in enumerate(TEXTS)]
    return {one.id: one for one in made}


@dataclass
class World:
    """Stores, tools and a scope."""

    passages: Passages = field(default_factory=lambda: Passages(passages()))
    graph: Graph = field(default_factory=lambda: Graph(ENTITIES, relations(), events()))
    embedder: Embedder = field(default_factory=Embedder)
    scope: Scope = field(default_factory=lambda: Scope(library=LIBRARY))

    def tools(self) -> dict[str, Tool]:
        return story_tools(self.passages, self.graph, self.embedder)

    async def call(self, name: str, scope: Scope | None = None, /, **arguments: Any) -> Outcome:
        """Run one tool alone through a toolbox that holds nothing else."""
        return await Toolbox([self.tools()[name]]).run(name, arguments, scope or self.scope, 1)


def text_of(outcome: Outcome) -> str:
    """Return what the model sees of a successful call."""
    assert outcome.ok and outcome.result is not None, outcome.error
    return outcome.result.text


def data_of(outcome: Outcome) -> Any:
    assert outcome.ok and outcome.result is not None, outcome.error
    return outcome.result.data
