"""Story graphs on a Neo4j server: many libraries in one database, other processes, faults."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from devservers.running import crash, start
from tests.fakes import somebody
from tests.neo4j_rig import emptied, endpoint
from tools.errors import InputError, LibraryNotFound, StoreError, StoreUnavailable
from tools.records import Entity, Horizon, MajorEvent, Participant, Relation
from wenmai.stores.graph.neo4j import Neo4jEngine
from wenmai.stores.graph.store import StoryGraphStore
from wenmai.stores.neo4j import WRITE_RETRY_S, Neo4jConnection, Neo4jEndpoint

RESTART_S = 240.0  # for a machine that is busy with other things
ONE, OTHER = "三国", "水浒"


@pytest.fixture
async def engine() -> AsyncIterator[Neo4jEngine]:
    async with emptied() as connection:
        yield Neo4jEngine(connection, somebody)


@pytest.fixture
def graph(engine: Neo4jEngine) -> StoryGraphStore:
    return StoryGraphStore(engine)


def store_at(endpoint: Neo4jEndpoint, write_retry_s: float = WRITE_RETRY_S) -> StoryGraphStore:
    return StoryGraphStore(Neo4jEngine(Neo4jConnection(endpoint, write_retry_s), somebody))


def edge(source: str, type: str, target: str) -> Relation:
    return Relation(source=source, type=type, target=target, part=1, chapter=1, task_id="t")


async def put(graph: StoryGraphStore, library: str, friend: str) -> None:
    cast = (Participant("宋江"), Participant(friend, "object"))
    event = MajorEvent(
        name="相会", event_type="encounter", primary_character="宋江", participants=cast, part=1, chapter=1, task_id="t"
    )
    await graph.put_entities(library, [Entity(name="宋江", aliases=(f"{library}宋公明",), first=(1, 1))])
    await graph.put_chapter(library, "t", 1, 1, [edge("宋江", "FRIEND_OF", friend)], [event])


async def test_libraries_do_not_see_each_other(engine: Neo4jEngine, graph: StoryGraphStore) -> None:
    """PLA-03: the same names in two libraries of one database are two persons, in all that is asked or deleted."""
    await put(graph, ONE, "甲")
    await put(graph, OTHER, "乙")
    for library, friend, horizon in ((ONE, "甲", None), (OTHER, "乙", Horizon(1, 1))):
        assert [r.target for r in await graph.relations(library, "宋江", horizon)] == [friend]
        near = await graph.neighbourhood(library, "宋江", None, 3, 9, horizon)
        assert ([n.name for n in near.neighbours], near.total) == ([friend], 1)
        assert await graph.path(library, "宋江", {"甲": "乙", "乙": "甲"}[friend], 4, [], horizon) == []
        [event] = await graph.events(library, "宋江", None, horizon)
        assert [who.name for who in event.participants] == ["宋江", friend]
        assert f"{library}宋公明" in [name.text for name in await graph.names(library, None)]
    sizes = await graph.counts(OTHER)
    assert await graph.delete_entities(ONE, ["宋江", "乙"]) == 1
    assert await graph.delete_source(ONE, "t") == {"relations": 0, "events": 1}
    assert await graph.counts(OTHER) == sizes
    await engine.drop(ONE)
    assert await graph.counts(OTHER) == sizes
    with pytest.raises(LibraryNotFound, match=ONE):
        await graph.counts(ONE)
    await engine.drop(ONE)


async def test_names_follow_the_writes_of_another_process(graph: StoryGraphStore) -> None:
    """PLA-28: what one process keeps of a library is renewed when another has written to it."""
    await put(graph, ONE, "甲")
    before = await graph.names(ONE, None)
    assert await graph.names(ONE, None) is before
    other = store_at(endpoint())
    await other.put_entities(ONE, [Entity(name="新来的")])
    await other.close()
    assert "新来的" in [name.text for name in await graph.names(ONE, None)]


async def test_names_of_a_library_that_is_made_anew(engine: Neo4jEngine, graph: StoryGraphStore) -> None:
    """What was read of a library before it was deleted is not what a later one of its name holds."""
    await graph.put_entities(ONE, [Entity(name="旧人")])
    assert [name.text for name in await graph.names(ONE, None)] == ["旧人"]
    await engine.drop(ONE)
    await graph.put_entities(ONE, [Entity(name="新人")])
    assert [name.text for name in await graph.names(ONE, None)] == ["新人"]


async def test_types_and_indexes_of_the_database(engine: Neo4jEngine, graph: StoryGraphStore) -> None:
    """PLA-26: a type of the closed list is one of the database; any other stands in a property, never in a query."""
    hostile = "X`]->() DETACH DELETE n //"
    await graph.put_chapter(ONE, "t", 1, 1, [edge("宋江", "ENEMY_OF", "乙"), edge("宋江", hostile, "丙")], [])
    rows = await engine.connection.read(
        lambda ask: ask("MATCH (:Entity)-[r]->(:Entity) RETURN type(r), r.type ORDER BY type(r)", {})
    )
    assert rows == [["ENEMY_OF", "ENEMY_OF"], ["RELATION", hostile]]
    assert [r.target for r in await graph.relations(ONE, "宋江", None, type=hostile)] == ["丙"]
    near = await graph.neighbourhood(ONE, "宋江", "ENEMY_OF", 2, 9, None)
    assert [one.name for one in near.neighbours] == ["乙"]
    found = await engine.connection.read(
        lambda ask: ask(
            "SHOW FULLTEXT INDEXES YIELD state, options WHERE options IS NOT NULL RETURN state, options", {}
        )
    )
    assert {(state, options["indexConfig"]["fulltext.analyzer"]) for state, options in found} == {("ONLINE", "cjk")}


async def test_a_dead_server_is_not_an_empty_one() -> None:
    """PLA-28: what is unreachable, or refuses the password, says so in one line that shows no password."""
    known = endpoint()
    dead = store_at(Neo4jEndpoint("bolt://127.0.0.1:1", "neo4j", "geheim"), write_retry_s=1.0)
    for call in (dead.names(ONE, None), dead.open(ONE), dead.put_entities(ONE, [Entity(name="甲")])):
        with pytest.raises(
            StoreUnavailable, match=r"^Neo4j（bolt://127\.0\.0\.1:1）没有响应.*NEO4J_URI"
        ) as unreachable:
            await call
        assert "\n" not in str(unreachable.value)
    locked = store_at(Neo4jEndpoint(known.uri, known.user, "geheim"))
    with pytest.raises(StoreError, match="NEO4J_PASSWORD") as refused:
        await locked.names(ONE, None)
    assert not isinstance(refused.value, StoreUnavailable)
    assert "geheim" not in f"{refused.value}{locked}"
    nowhere = store_at(Neo4jEndpoint(known.uri, known.user, known.password, "nirgends"))
    with pytest.raises(StoreError, match="NEO4J_DATABASE"):
        await nowhere.names(ONE, None)
    for one in (dead, locked, nowhere):
        await one.close()


async def test_texts_that_are_none(graph: StoryGraphStore) -> None:
    """PLA-28: half a character is wrong input, and a name of a library too."""
    with pytest.raises(InputError, match="代理字符"):
        await graph.put_entities(ONE, [Entity(name="\ud800")])
    for call in (graph.put_entities("a/b", []), graph.names("a/b", None)):
        with pytest.raises(InputError, match="资料库名称"):
            await call


async def test_a_restart_is_outlasted(graph: StoryGraphStore) -> None:
    """PLA-18 PLA-28: after kill -9 nothing that was written is lost, and a write that meets the restart is done."""
    await put(graph, ONE, "甲")
    patient = store_at(endpoint(), write_retry_s=RESTART_S)
    await patient.open(ONE)
    crash("neo4j")
    with pytest.raises(StoreUnavailable):
        await graph.relations(ONE, "宋江", None)
    restart = asyncio.create_task(asyncio.to_thread(start, "neo4j"))
    await patient.put_chapter(ONE, "t", 1, 2, [edge("宋江", "ENEMY_OF", "乙")], [])
    await restart
    assert {r.target for r in await graph.relations(ONE, "宋江", None)} == {"甲", "乙"}
    await patient.close()
