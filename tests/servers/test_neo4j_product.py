"""The whole product on a Neo4j server by settings alone: what it answers, merges and deletes, and a dead server."""

import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engines import settings_of
from tests.fakes import FakeEmbedder
from tests.neo4j_rig import emptied
from tools.errors import StoreUnavailable
from tools.networks.records import Account
from tools.records import Horizon
from wenmai.agent import open_agent
from wenmai.app import doctor, sample
from wenmai.app.container import Services
from wenmai.cli.placing import stores
from wenmai.ingestion.library.changes import delete_source, merge_entities
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.knowledge.files import read_network
from wenmai.settings.settings import load_settings
from wenmai.stores.graph.neo4j import Neo4jEngine

MOST = 12  # entities that are compared, the most mentioned first
HORIZONS = (None, Horizon(1, 3), Horizon(1, 7))
QUESTIONS = ("沈砚秋和谁有关系？", "铜罗盘的盖子里刻着哪几个字？", "沈砚秋经历了哪些事件？")
Answers = list[tuple[str, Any]]


class Words(FakeEmbedder):
    """The fake as a service of a process."""

    async def close(self) -> None:
        """Nothing is open."""


def services_at(folder: Path, **settings: object) -> Services:
    services = Services(load_settings(_env_file=None, data_dir=folder, trace_dir=folder / "traces", **settings))
    services.__dict__["embedder"] = Words()  # where cached_property keeps it
    return services


def by_neo4j() -> dict[str, object]:
    return {name.lower(): value for name, value in settings_of("neo4j").items()}


async def stocked(services: Services) -> None:
    source = sample.sample_folder()
    request = IngestRequest(
        path=source / sample.STORY,
        library=sample.LIBRARY,
        aliases=source / sample.ALIASES,
        graph_files=tuple(source / name for name in sample.GRAPH),
    )
    await ingest(request, stores=services.stores, embedder=services.embedder, tagger=services.reader)


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[tuple[Services, Services]]:
    """The sample on embedded engines, and with its graph on the server."""
    async with emptied():
        pass
    embedded, server = services_at(tmp_path / "embedded"), services_at(tmp_path / "server", **by_neo4j())
    try:
        await stocked(embedded)
        await stocked(server)
        yield embedded, server
    finally:
        await embedded.close()
        await server.close()


async def asked(services: Services, horizon: Horizon | None) -> Answers:
    """Return everything that the port tells of the first entities."""
    graph, found = services.graph, list[tuple[str, Any]]()
    names = await graph.names(sample.LIBRARY, horizon)
    found.append(("names", names))
    found.append(("types", await graph.relation_types(sample.LIBRARY, horizon)))
    known = {name.entity: name.mentions for name in names}
    people = sorted(known, key=lambda name: (-known[name], name))[:MOST]
    for name, other in zip(people, [*people[1:], people[0]], strict=True):
        calls: dict[str, Awaitable[Any]] = {
            "entity": graph.entity(sample.LIBRARY, name, horizon),
            "relations": graph.relations(sample.LIBRARY, name, horizon),
            "near": graph.neighbourhood(sample.LIBRARY, name, None, 3, 10, horizon),
            "friends": graph.neighbourhood(sample.LIBRARY, name, "FRIEND_OF", 2, 10, horizon),
            "events": graph.events(sample.LIBRARY, name, None, horizon),
            "path": graph.path(sample.LIBRARY, name, other, 4, ["Location"], horizon),
        }
        found += [(f"{kind} {name}", await call) for kind, call in calls.items()]
    return found


async def test_the_sample_is_the_same_on_both(both: tuple[Services, Services]) -> None:
    """PLA-28 PLA-27 STO-19: ingested, merged, a source deleted, under every guard: equal in all that is asked."""
    embedded, server = both
    assert isinstance(server.graph.engine, Neo4jEngine)
    for horizon in HORIZONS:
        ours, theirs = await asked(server, horizon), await asked(embedded, horizon)
        assert ours == theirs
        assert len(ours) > MOST
    people = [name.entity for name in await embedded.graph.names(sample.LIBRARY, None)]
    merges = [await merge_entities(one.stores, sample.LIBRARY, people[0], people[-1]) for one in both]
    assert merges[0] == merges[1]
    assert await asked(server, None) == await asked(embedded, None)
    tasks = (await embedded.catalog.info(sample.LIBRARY)).sources
    receipts = [await delete_source(sample.LIBRARY, tasks[0], one.stores) for one in both]
    assert receipts[0] == receipts[1]
    assert await server.graph.counts(sample.LIBRARY) == await embedded.graph.counts(sample.LIBRARY)


async def test_the_network_is_the_same_on_both(both: tuple[Services, Services]) -> None:
    """PLA-28 KNO-07: the sample's knowledge network, by the same settings, is the very same."""
    content = read_network(sample.sample_folder() / sample.NETWORK, sample.NETWORK)
    reports = [await one.local_knowledge.put(content, lambda done, total: None) for one in both]
    assert reports[0] == reports[1]
    schemas = [await one.knowledge.schema(sample.NETWORK, Account("lin"), timeout_s=30) for one in both]
    assert replace(schemas[0], revision="") == replace(schemas[1], revision="")  # each engine counts its own layouts
    contents = [await one.local_knowledge.content(sample.NETWORK) for one in both]
    assert contents[0] == contents[1]
    assert [one.spec.id for one in await both[1].local_knowledge.networks()] == [sample.NETWORK]
    assert (await both[1].knowledge.schema(sample.NETWORK, Account("local"), timeout_s=30)).object_types


async def test_vectors_are_still_those_of_one_process(both: tuple[Services, Services], tmp_path: Path) -> None:
    """PLA-25: with the graph on a server the folder of the vectors has one holder, and says who."""
    code = (
        "import asyncio, sys, pathlib\n"
        "from wenmai.stores.catalog.catalog import SqliteCatalog\n"
        "from tools.errors import StoreLocked\n"
        "async def main():\n"
        "    try:\n"
        f"        await SqliteCatalog(pathlib.Path(sys.argv[1])).info({sample.LIBRARY!r})\n"
        "    except StoreLocked as error:\n"
        "        print(error)\n"
        "asyncio.run(main())\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "server")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert "正被进程" in done.stdout


async def test_a_dead_server_is_told_and_nothing_is_lost(
    both: tuple[Services, Services], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PLA-28: lists and checks say it, a question and a deletion are refused in one line, and the library stays."""
    await both[1].close()
    for name, value in {**settings_of("neo4j"), "DATA_DIR": str(tmp_path / "server")}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    monkeypatch.setattr("wenmai.app.container.Services.embedder", Words())
    async with stores() as app:
        [row] = (await app.libraries.list()).items
    assert row.name == sample.LIBRARY and "没有响应" in str(row.problem)
    services = Services(load_settings(_env_file=None))
    found = [*await doctor.check_servers(services), *await doctor.check_libraries(services)]
    await services.close()
    assert [(one.ok, "没有响应" in one.text) for one in found] == [(False, True), (False, True)]
    async with open_agent() as agent:
        with pytest.raises(StoreUnavailable, match="没有响应"):
            await agent.ask(QUESTIONS[0], library=sample.LIBRARY)
    async with stores() as app:
        with pytest.raises(StoreUnavailable, match="没有响应"):
            await app.libraries.delete(sample.LIBRARY)
    monkeypatch.setenv("NEO4J_URI", settings_of("neo4j")["NEO4J_URI"])
    services = Services(load_settings(_env_file=None))
    [server] = await doctor.check_servers(services)
    await services.close()
    assert (server.name, server.ok) == ("Neo4j", True)
    async with stores() as app:
        receipt = await app.libraries.delete(sample.LIBRARY)
    assert receipt.entities and receipt.passages
    assert not (tmp_path / "server" / sample.LIBRARY).exists()
    async with emptied() as connection:
        left = await connection.read(lambda ask: ask("MATCH (n:Entity|Alias|MajorEvent|Library) RETURN count(n)", {}))
    assert left == [[0]]


async def test_questions_are_answered_alike(both: tuple[Services, Services], monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-28 S000-40: the same questions have the same answers, evidence and calls."""
    monkeypatch.setattr("wenmai.app.container.Services.embedder", Words())
    records = []
    for services in both:
        await services.close()
        async with open_agent(services.settings) as agent:
            records.append([await agent.ask(one, library=sample.LIBRARY) for one in QUESTIONS])
    for ours, theirs in zip(*records, strict=True):
        assert ours.text == theirs.text
        assert (ours.evidence, ours.citations) == (theirs.evidence, theirs.citations)
        assert ours.tool_calls == theirs.tool_calls
        assert ours.record["warning"] is None
