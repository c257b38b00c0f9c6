"""The StoryGraph port: what the fake and every engine must keep with equal results (PLA-28)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.engines import engines
from tests.fakes import FakeStoryGraph, somebody
from tests.neo4j_rig import emptied, endpoint
from tools.errors import LibraryNotFound
from tools.records import Entity, Horizon, MajorEvent, Name, Participant, Relation
from wenmai.stores.graph.ladybug import LadybugEngine
from wenmai.stores.graph.neo4j import Neo4jEngine
from wenmai.stores.graph.store import StoryGraphStore
from wenmai.stores.neo4j import given_connection, graph_of

LIBRARY = "三国"
HOSTILE = "x'}) DETACH DELETE n // \"`\\ % _ * 😀𠀀\0"
Graph = FakeStoryGraph | StoryGraphStore


GIVEN = "neo4j by a graph of langchain-neo4j"
PARAMS = engines(__name__, "fake", "ladybug", servers=("neo4j",))


@pytest.fixture(params=[*PARAMS, *([GIVEN] if "neo4j" in PARAMS else [])])
async def graph(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Graph]:
    if request.param == GIVEN:
        async with emptied():
            pass
        with graph_of(endpoint()) as opened:
            yield StoryGraphStore(Neo4jEngine(given_connection(opened), somebody))
        return
    if request.param == "neo4j":
        async with emptied() as connection:
            yield StoryGraphStore(Neo4jEngine(connection, somebody))
        return
    made: Graph = FakeStoryGraph() if request.param == "fake" else StoryGraphStore(LadybugEngine(tmp_path))
    yield made
    await made.close()


def edge(source: str, type: str, target: str, chapter: int | None = 1, **fields: Any) -> Relation:
    return Relation(source=source, type=type, target=target, part=1, chapter=chapter, task_id="t", **fields)


def event(name: str, *people: str, chapter: int | None = 1, **fields: Any) -> MajorEvent:
    cast = tuple(Participant(person, "subject" if n == 0 else "object") for n, person in enumerate(people))
    values = {"event_type": "conflict", "part": 1, "task_id": "t", **fields}
    return MajorEvent(name=name, primary_character=people[0], participants=cast, chapter=chapter, **values)


async def put(graph: Graph, *edges: Relation, events: tuple[MajorEvent, ...] = (), chapter: int = 1) -> None:
    await graph.put_chapter(LIBRARY, "t", 1, chapter, edges, events)


async def test_unknown_library(graph: Graph) -> None:
    """PLA-28: a library that nobody made is an error of the caller."""
    for call in (graph.names("无此库", None), graph.entity("无此库", "x", None), graph.counts("无此库")):
        with pytest.raises(LibraryNotFound, match="无此库"):
            await call


async def test_names_in_a_fixed_order(graph: Graph) -> None:
    """STO-07: an alias of two entities appears once for each; the order is fixed."""
    await graph.put_entities(
        LIBRARY,
        [
            Entity(name="关羽", aliases=("云长", "关公", "关羽"), mentions=9, first=(1, 1)),
            Entity(name="关平", aliases=("关公",), kind="Character"),
            Entity(name="荆州", kind="Location"),
        ],
    )
    names = await graph.names(LIBRARY, None)
    assert [(name.text, name.entity) for name in names] == [
        ("云长", "关羽"),
        ("关公", "关平"),
        ("关公", "关羽"),
        ("关平", "关平"),
        ("关羽", "关羽"),
        ("荆州", "荆州"),
    ]
    assert Name(text="关羽", entity="关羽", kind="Character", first=(1, 1), mentions=9) in names


async def test_relation_types_are_those_of_the_visible_edges(graph: Graph) -> None:
    """STO-19: that two will be enemies is nothing for a reader of chapter 1."""
    await put(graph, edge("关羽", "FRIEND_OF", "曹操", 1), edge("关羽", "ENEMY_OF", "曹操", 2))
    assert await graph.relation_types(LIBRARY, Horizon(1, 1)) == ["FRIEND_OF"]
    assert await graph.relation_types(LIBRARY, None) == ["ENEMY_OF", "FRIEND_OF"]


async def test_names_follow_writes(graph: Graph) -> None:
    """PLA-28: what a reader may keep is renewed by the next write."""
    await graph.put_entities(LIBRARY, [Entity(name="关羽", aliases=("云长",))])
    assert len(await graph.names(LIBRARY, None)) == 2
    await graph.put_entities(LIBRARY, [Entity(name="关羽", aliases=("关公", "美髯公"))])
    assert [name.text for name in await graph.names(LIBRARY, None)] == ["关公", "关羽", "美髯公"]
    await put(graph, edge("关羽", "FRIEND_OF", "刘备"))
    assert "刘备" in [name.text for name in await graph.names(LIBRARY, None)]
    assert await graph.relation_types(LIBRARY, None) == ["FRIEND_OF"]
    await put(graph, edge("关羽", "ENEMY_OF", "曹操"))
    assert await graph.relation_types(LIBRARY, None) == ["ENEMY_OF"]


async def test_entities_and_aliases_have_a_horizon(graph: Graph) -> None:
    """STO-19: an entity or alias counts from its first passage; without one it is hidden under a guard."""
    known = Entity(
        name="徐庶",
        description="化名单福，后来入曹营",
        aliases=("单福", "元直", "徐元直"),
        alias_first=((1, 2), (1, 5), None),
        first=(1, 2),
        mentions=3,
    )
    await graph.put_entities(LIBRARY, [known, Entity(name="法正"), Entity(name="邓艾", first=(2, 1))])
    assert await graph.entity(LIBRARY, "徐庶", None) == known
    early = await graph.entity(LIBRARY, "徐庶", Horizon(1, 4))
    assert early == Entity(name="徐庶", aliases=("单福",), alias_first=((1, 2),), first=(1, 2), mentions=3)
    assert [name.text for name in await graph.names(LIBRARY, Horizon(1, 4))] == ["单福", "徐庶"]
    assert [name.text for name in await graph.names(LIBRARY, Horizon(2, 1))] == ["元直", "单福", "徐庶", "邓艾"]
    for hidden, horizon in (("徐庶", Horizon(1, 1)), ("法正", Horizon(9, 9)), ("邓艾", Horizon(1, 99))):
        assert await graph.entity(LIBRARY, hidden, horizon) is None
    assert await graph.entity(LIBRARY, "无此人", None) is None


async def test_relations_have_a_horizon(graph: Graph) -> None:
    """STO-19: no method shows a relation, event or end that lies beyond the guard."""
    await graph.put_entities(LIBRARY, [Entity(name="曹操", first=(1, 1)), Entity(name="司马懿", first=(1, 8))])
    await put(
        graph,
        edge("曹操", "FRIEND_OF", "袁绍", 2),
        edge("曹操", "ENEMY_OF", "袁绍", 6),
        edge("袁绍", "FAMILY_OF", "袁术", 3),
        edge("曹操", "LEADER_OF", "司马懿", 2),
        edge("曹操", "FRIEND_OF", "许攸", None),
        events=(event("官渡之战", "曹操", "袁绍", chapter=6), event("献刀", "曹操", chapter=2)),
    )
    guard = Horizon(1, 3)
    assert [r.target for r in await graph.relations(LIBRARY, "曹操", guard)] == ["袁绍"]
    near = await graph.neighbourhood(LIBRARY, "曹操", None, 2, 20, guard)
    assert [(n.name, n.relation) for n in near.neighbours] == [("袁绍", "FRIEND_OF"), ("袁术", "FAMILY_OF")]
    assert all(r.chapter is not None and r.chapter <= 3 for r in near.edges)
    assert await graph.path(LIBRARY, "曹操", "司马懿", 4, [], guard) == []
    assert await graph.path(LIBRARY, "曹操", "许攸", 4, [], guard) == []
    assert [r.type for r in await graph.path(LIBRARY, "曹操", "袁绍", 4, [], guard)] == ["FRIEND_OF"]
    assert [e.name for e in await graph.events(LIBRARY, "曹操", None, guard)] == ["献刀"]
    assert [e.name for e in await graph.events(LIBRARY, "曹操", None, None)] == ["献刀", "官渡之战"]


async def test_relations_of_one_hop(graph: Graph) -> None:
    """STO-11: both directions in story position, those without one last; a pair and a type narrow them."""
    rows = [
        edge("张飞", "FRIEND_OF", "刘备", None),
        edge("刘备", "FRIEND_OF", "张飞", 5, event_order=50, evidence="桃园结义", start=7, description="兄弟"),
        edge("刘备", "ENEMY_OF", "曹操", 5, event_order=20),
        edge("关羽", "FRIEND_OF", "刘备", 2),
        edge("刘备", "KNOWS", "刘备", 9),
        edge("关羽", "FRIEND_OF", "张飞", 1),
    ]
    await put(graph, *rows)
    ordered = [rows[3], rows[2], rows[1], rows[4], rows[0]]
    assert await graph.relations(LIBRARY, "刘备", None) == ordered
    assert await graph.relations(LIBRARY, "刘备", None, other="张飞") == [rows[1], rows[0]]
    assert await graph.relations(LIBRARY, "刘备", None, type="ENEMY_OF") == [rows[2]]
    assert await graph.relations(LIBRARY, "刘备", None, other="刘备") == [rows[4]]
    assert await graph.relations(LIBRARY, "刘备", None, other="曹操", type="FRIEND_OF") == []
    assert await graph.relations(LIBRARY, "无此人", None) == []


async def test_neighbourhood(graph: Graph) -> None:
    """S000-12 PLA-27: distinct neighbours at their smallest hop, by (hop, relation, name), start excluded."""
    await put(
        graph,
        edge("A", "FRIEND_OF", "B"),
        edge("B", "FRIEND_OF", "A", 2),
        edge("C", "ENEMY_OF", "A", description="旧怨"),
        edge("B", "FRIEND_OF", "C"),
        edge("C", "FRIEND_OF", "D"),
        edge("B", "FAMILY_OF", "E"),
        edge("E", "FRIEND_OF", "F"),
        edge("A", "KNOWS", "A"),
    )
    near = await graph.neighbourhood(LIBRARY, "A", None, 2, 20, None)
    assert [(n.name, n.relation, n.direction, n.hop) for n in near.neighbours] == [
        ("C", "ENEMY_OF", "in", 1),
        ("B", "FRIEND_OF", "out", 1),
        ("E", "FAMILY_OF", "out", 2),
        ("D", "FRIEND_OF", "out", 2),
    ]
    assert near.neighbours[0].description == "旧怨"
    assert near.total == 4
    assert [r.source + r.target for r in near.edges] == ["AB", "CA", "BA", "BE", "CD"]
    cut = await graph.neighbourhood(LIBRARY, "A", None, 3, 3, None)
    assert (len(cut.neighbours), cut.total) == (3, 5)
    assert {end for r in cut.edges for end in (r.source, r.target)} == {"A", "B", "C", "E"}
    friends = await graph.neighbourhood(LIBRARY, "A", "FRIEND_OF", 3, 20, None)
    assert [(n.name, n.hop) for n in friends.neighbours] == [("B", 1), ("C", 2), ("D", 3)]
    assert (await graph.neighbourhood(LIBRARY, "A", "没有", 2, 20, None)).total == 0
    assert (await graph.neighbourhood(LIBRARY, "无此人", None, 2, 20, None)).neighbours == ()


async def test_path(graph: Graph) -> None:
    """S003-D14: shortest, with true directions, not through avoided kinds, ties always broken alike."""
    await graph.put_entities(LIBRARY, [Entity(name="许昌", kind="Location")])
    await put(
        graph,
        edge("曹操", "LOCATED_IN", "许昌"),
        edge("刘备", "LOCATED_IN", "许昌"),
        edge("曹操", "FRIEND_OF", "袁绍"),
        edge("刘备", "FRIEND_OF", "公孙瓒"),
        edge("公孙瓒", "ENEMY_OF", "袁绍"),
        edge("袁绍", "ENEMY_OF", "公孙瓒", 4),
        edge("吕布", "ENEMY_OF", "曹操", evidence="濮阳"),
        edge("刘备", "ENEMY_OF", "吕布"),
        edge("陈登", "FRIEND_OF", "曹操"),
        edge("刘备", "FRIEND_OF", "陈登"),
    )
    path = await graph.path(LIBRARY, "刘备", "曹操", 4, ["Location"], None)
    assert [(r.source, r.type, r.target) for r in path] == [
        ("刘备", "ENEMY_OF", "吕布"),
        ("吕布", "ENEMY_OF", "曹操"),
    ]
    back = await graph.path(LIBRARY, "曹操", "刘备", 4, ["Location"], None)
    assert back == path[::-1]
    for _ in range(5):
        assert await graph.path(LIBRARY, "刘备", "曹操", 4, ["Location"], None) == path
    to_place = await graph.path(LIBRARY, "吕布", "许昌", 4, ["Location"], None)
    assert [r.type for r in to_place] == ["ENEMY_OF", "LOCATED_IN"]
    [far] = await graph.path(LIBRARY, "公孙瓒", "袁绍", 4, [], None)
    assert (far.source, far.chapter) == ("公孙瓒", 1)
    assert await graph.path(LIBRARY, "公孙瓒", "陈登", 1, [], None) == []
    assert await graph.path(LIBRARY, "刘备", "刘备", 4, [], None) == []
    assert await graph.path(LIBRARY, "刘备", "无此人", 4, [], None) == []


async def test_path_of_four_hops(graph: Graph) -> None:
    """S003-D14: four hops are found, five are not."""
    await put(graph, *(edge(f"N{n}", "NEXT", f"N{n + 1}") for n in range(5)))
    assert len(await graph.path(LIBRARY, "N0", "N4", 4, [], None)) == 4
    assert await graph.path(LIBRARY, "N0", "N5", 4, [], None) == []


async def test_events(graph: Graph) -> None:
    """S003-07 S003-D15: two events of one type by one character in one chapter both survive, in story order."""
    first = event(
        "温酒斩华雄", "关羽", "华雄", chapter=5, event_order=9, summary="斩", evidence="其酒尚温", outcome="胜"
    )
    second = event("三英战吕布", "关羽", chapter=5, event_order=12, start=4)
    other = event("单刀赴会", "鲁肃", "关羽", chapter=66, event_type="encounter")
    await put(graph, events=(other, second, first, first))
    assert await graph.events(LIBRARY, "关羽", None, None) == [first, second, other]
    assert await graph.events(LIBRARY, "关羽", "encounter", None) == [other]
    assert await graph.events(LIBRARY, "华雄", None, None) == [first]
    assert (await graph.counts(LIBRARY))["events"] == 3


async def test_put_chapter_is_idempotent(graph: Graph) -> None:
    """STO-05 S003-D15: writing a chapter again gives equal counts; other chapters and imports stay."""
    rows = (edge("刘备", "FRIEND_OF", "关羽"), edge("刘备", "FRIEND_OF", "关羽"))
    await put(graph, *rows, events=(event("结义", "刘备"),))
    counts = await graph.counts(LIBRARY)
    await put(graph, *rows, events=(event("结义", "刘备"),))
    assert await graph.counts(LIBRARY) == counts == {"entities": 2, "aliases": 0, "relations": 1, "events": 1}
    await graph.put_chapter(LIBRARY, "t", 1, 2, [edge("刘备", "ENEMY_OF", "曹操", 2)], [])
    await graph.put_chapter(LIBRARY, "t", 1, None, [edge("刘备", "KNOWS", "曹操", None)], [])
    await graph.put_imported(LIBRARY, "t", [edge("刘备", "FAMILY_OF", "刘禅")], [])
    await put(graph)
    assert await graph.relation_types(LIBRARY, None) == ["ENEMY_OF", "FAMILY_OF", "KNOWS"]
    await graph.put_imported(LIBRARY, "t", [], [])
    await graph.put_chapter(LIBRARY, "t", 1, None, [], [])
    assert await graph.relation_types(LIBRARY, None) == ["ENEMY_OF"]


async def test_unknown_ends_become_entities(graph: Graph) -> None:
    """STO-05: an unknown end is made with the record's kind and its first position; a known one stays as it is."""
    await graph.put_entities(LIBRARY, [Entity(name="刘备", kind="Character", description="汉中王", mentions=5)])
    later = edge("刘备", "LOCATED_IN", "成都", 65)
    sooner = edge("刘备", "LEADER_OF", "成都", 60, source_kind="Event", target_kind="Location")
    await put(graph, later, sooner)
    assert await graph.entity(LIBRARY, "成都", None) == Entity(name="成都", kind="Location", first=(1, 60))
    kept = await graph.entity(LIBRARY, "刘备", None)
    assert kept == Entity(name="刘备", kind="Character", description="汉中王", mentions=5)
    assert [r.source_kind for r in await graph.relations(LIBRARY, "刘备", None)] == ["Character", "Character"]


async def test_put_entities_leaves_relations(graph: Graph) -> None:
    """STO-05: replacing an entity keeps its relations and events, which show its new kind."""
    await put(graph, edge("刘备", "LEADER_OF", "蜀汉"), events=(event("称帝", "刘备"),))
    await graph.put_entities(LIBRARY, [Entity(name="蜀汉", kind="Organization"), Entity(name="刘备", mentions=2)])
    [relation] = await graph.relations(LIBRARY, "刘备", None)
    assert relation.target_kind == "Organization"
    assert len(await graph.events(LIBRARY, "刘备", None, None)) == 1


async def test_delete_source_and_entities(graph: Graph) -> None:
    """STO-05: a source takes its relations and events along, an entity its aliases and edges."""
    await graph.put_entities(
        LIBRARY, [Entity(name="刘备", aliases=("玄德", "使君")), Entity(name="曹操", aliases=("使君",))]
    )
    await put(graph, edge("刘备", "ENEMY_OF", "曹操"), events=(event("煮酒", "曹操", "刘备"),))
    await graph.put_imported(LIBRARY, "t", [edge("刘备", "FAMILY_OF", "刘禅")], [])
    await graph.put_imported(LIBRARY, "其他", [edge("曹操", "FAMILY_OF", "曹丕")], [])
    assert await graph.delete_source(LIBRARY, "t") == {"relations": 2, "events": 1}
    assert await graph.delete_source(LIBRARY, "t") == {"relations": 0, "events": 0}
    assert await graph.delete_entities(LIBRARY, ["曹操", "无此人"]) == 1
    assert await graph.counts(LIBRARY) == {"entities": 3, "aliases": 2, "relations": 0, "events": 0}
    assert await graph.delete_entities(LIBRARY, []) == 0
    assert [name.text for name in await graph.names(LIBRARY, None)] == ["使君", "刘备", "刘禅", "曹丕", "玄德"]


async def test_hostile_names_are_only_names(graph: Graph) -> None:
    """PLA-26 S000-D05: user text never becomes part of a query."""
    await put(graph, edge(HOSTILE, HOSTILE, "曹操", evidence=HOSTILE), events=(event(HOSTILE, HOSTILE),))
    assert [n.name for n in (await graph.neighbourhood(LIBRARY, HOSTILE, HOSTILE, 2, 5, None)).neighbours] == ["曹操"]
    assert len(await graph.path(LIBRARY, HOSTILE, "曹操", 4, [HOSTILE], None)) == 1
    [found] = await graph.events(LIBRARY, HOSTILE, None, None)
    assert found.name == HOSTILE
    for wildcard in ("*", "%", ".*", "' OR true //"):
        assert await graph.relations(LIBRARY, "曹操", None, other=wildcard) == []
        assert await graph.entity(LIBRARY, wildcard, None) is None
    assert (await graph.counts(LIBRARY))["entities"] == 2


async def test_fifty_readers_beside_a_writer(graph: Graph) -> None:
    """PLA-28: concurrent reads see a whole chapter or none of it."""
    await put(graph, *(edge("刘备", "FRIEND_OF", f"N{n}") for n in range(20)))

    async def read() -> int:
        return len(await graph.relations(LIBRARY, "刘备", None))

    writes = (put(graph, *(edge("刘备", "FRIEND_OF", f"M{n}") for n in range(20)), chapter=c) for c in range(2, 5))
    seen = await asyncio.gather(*(read() for _ in range(50)), *writes)
    assert {count for count in seen if count is not None} <= {20, 40, 60, 80}
    assert await read() == 80


async def put_secret(graph: Graph) -> None:
    """Write who is 潮生 for a reader until chapter 9, and 乌三娘 in the end."""
    told = (1, 9)
    await graph.put_entities(
        LIBRARY,
        [
            Entity(name="乌三娘", first=(1, 2), aliases=("潮生",), alias_first=(told,), mentions=2),
            Entity(name="潮生", first=(1, 1), until=told, aliases=("夜航人",), alias_first=((1, 4),), mentions=3),
            Entity(name="陆听雪", first=(1, 1)),
        ],
    )
    letter = event("来信", "潮生", "陆听雪", until=told)
    await put(
        graph,
        edge("潮生", "KNOWS", "陆听雪", 1, until=told),
        edge("乌三娘", "KNOWS", "陆听雪", 1, since=told),
        events=(letter, event("来信", "乌三娘", "陆听雪", since=told)),
    )


@pytest.mark.parametrize(
    ("horizon", "name", "other"),
    [(Horizon(1, 8), "潮生", "乌三娘"), (Horizon(1, 9), "乌三娘", "潮生"), (None, "乌三娘", "潮生")],
)
async def test_a_person_stands_for_who_is_not_told_yet(
    graph: Graph, horizon: Horizon | None, name: str, other: str
) -> None:
    """STO-19: names, relations, neighbours, paths and events are those of the one person, never of the other."""
    await put_secret(graph)
    texts = {(one.text, one.entity) for one in await graph.names(LIBRARY, horizon)}
    assert (name, name) in texts and (("潮生", "乌三娘") in texts) is (name == "乌三娘")
    assert (("夜航人", "潮生") in texts) is (name == "潮生")
    for person, there in ((name, 1), (other, 0)):
        assert len(await graph.relations(LIBRARY, person, horizon)) == there
        assert [e.primary_character for e in await graph.events(LIBRARY, person, None, horizon)] == [person] * there
        assert (await graph.neighbourhood(LIBRARY, person, None, 2, 9, horizon)).total == there
        assert len(await graph.path(LIBRARY, person, "陆听雪", 3, [], horizon)) == there
    assert (await graph.neighbourhood(LIBRARY, "陆听雪", None, 2, 9, horizon)).neighbours[0].name == name
    assert (await graph.entity(LIBRARY, "潮生", horizon) is not None) is (name == "潮生")


async def test_how_readers_know_somebody_is_no_record_of_its_own(graph: Graph) -> None:
    """STO-19: counts and receipts tell what is in the end."""
    await put_secret(graph)
    assert await graph.counts(LIBRARY) == {"entities": 2, "aliases": 1, "relations": 1, "events": 1}
    assert await graph.delete_source(LIBRARY, "t") == {"relations": 1, "events": 1}
    assert await graph.relations(LIBRARY, "潮生", Horizon(1, 8)) == []
    assert await graph.delete_entities(LIBRARY, ["潮生"]) == 1
    assert await graph.entity(LIBRARY, "潮生", Horizon(1, 8)) is None
