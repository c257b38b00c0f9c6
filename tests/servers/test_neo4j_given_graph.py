"""A `Neo4jGraph` that a user of langchain-neo4j has open, handed in: story graphs and networks are kept through it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_neo4j import Neo4jGraph

import wenmai
from tests.neo4j_rig import emptied, endpoint
from tools.errors import InputError
from wenmai.app import sample
from wenmai.application.operations import Application
from wenmai.stores.neo4j import GivenNeo4j, graph_of

STORY = "第一回 雾港初遇\n\n陆沉舟在码头遇见了卖灯的姑娘苏晚照。苏晚照的哥哥苏晚亭是灯塔的守塔人。\n"
BROTHERS = "苏晚照和苏晚亭是什么关系？"


@pytest.fixture
def graph() -> Iterator[Neo4jGraph]:
    async def empty() -> None:
        async with emptied():
            pass

    asyncio.run(empty())
    with graph_of(endpoint()) as opened:
        yield opened


async def test_a_library_on_a_graph_that_is_handed_in(graph: Neo4jGraph, tmp_path: Path) -> None:
    """PLA-27 PLA-41: ingest, look up, ask and delete; what is written is seen through the graph, which stays open."""
    story = tmp_path / "story.txt"
    story.write_text(STORY, encoding="utf-8")
    folders: dict[str, Any] = {"data_dir": tmp_path / "data", "trace_dir": tmp_path / "traces"}
    async with wenmai.open(story_graph=graph, **folders) as app:
        assert isinstance(app, Application) and isinstance(app.services.neo4j, GivenNeo4j)
        await app.libraries.ingest(story, "river")
        names = {one.name for one in (await app.entities.list("river")).items}
        assert {"苏晚照", "苏晚亭"} <= names
        found = graph.query("MATCH (e:Entity {library: 'river'}) RETURN e.name AS name")
        assert {row["name"] for row in found} == names
        assert (await app.relations.list("river")).items
    assert not list((tmp_path / "data").rglob("*.lbug*"))
    async with wenmai.open_agent(story_graph=graph, **folders) as agent:
        answer = await agent.ask(BROTHERS, library="river")
        assert "哥哥" in answer.text and answer.citations
        # Concurrent questions: each transaction has its thread, none waits for another for ever.
        many = await asyncio.gather(*(agent.ask(BROTHERS, library="river") for _ in range(8)))
        assert {one.text for one in many} == {answer.text}
    async with wenmai.open(story_graph=graph, **folders) as app:
        await app.libraries.delete("river")
    assert graph.query("MATCH (n:Entity {library: 'river'}) RETURN count(n) AS n") == [{"n": 0}]


async def test_the_same_as_by_settings(graph: Neo4jGraph, tmp_path: Path) -> None:
    """PLA-28: what one process wrote by NEO4J_URI, another reads through its own graph, networks too."""
    at = endpoint()
    folders: dict[str, Any] = {"data_dir": tmp_path / "data", "trace_dir": tmp_path / "traces"}
    server: dict[str, Any] = {"neo4j_uri": at.uri, "neo4j_user": at.user, "neo4j_password": at.password}
    async with wenmai.open(**folders, **server) as app:
        await app.networks.load(sample.sample_folder() / sample.NETWORK)
        by_settings = [one.id for one in (await app.networks.list()).items]
    async with wenmai.open(story_graph=graph, **folders) as app:
        assert [one.id for one in (await app.networks.list()).items] == by_settings != []


async def test_a_graph_that_is_closed(graph: Neo4jGraph, tmp_path: Path) -> None:
    """PLA-06: one line that says what to hand in."""
    graph.close()
    with pytest.raises(InputError, match="Neo4jGraph"):
        async with wenmai.open_agent(story_graph=graph, data_dir=tmp_path / "data"):
            pass


async def test_what_is_no_graph(tmp_path: Path) -> None:
    """PLA-06."""
    text: Any = "bolt://127.0.0.1:9"
    with pytest.raises(InputError, match="story_graph 必须是 Neo4jGraph，收到 str"):
        async with wenmai.open_agent(story_graph=text, data_dir=tmp_path / "data"):
            pass


async def test_a_graph_and_an_address_are_two_places(graph: Neo4jGraph) -> None:
    with pytest.raises(TypeError, match="story graph"):
        async with wenmai.open(story_graph=graph, url="http://127.0.0.1:9"):
            pass
