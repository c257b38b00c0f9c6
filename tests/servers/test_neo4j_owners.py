"""Two data folders on one Neo4j server, a server that was emptied, and moves to it and back (PLA-28)."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest
from typer.testing import CliRunner

from tests.engines import settings_of
from tests.integration.cli_story import STORY
from tests.migration.house import RELATIONS, silent
from tests.neo4j_rig import emptied
from tests.qdrant_service.server import LoopbackQdrant
from tests.servers.test_neo4j_product import Words
from tools.errors import LibraryNotFound, StoreForeign, StoreLocked
from wenmai.agent import open_agent
from wenmai.app import doctor
from wenmai.app.container import Services
from wenmai.cli.app import app
from wenmai.cli.commands.migrate import copy_to
from wenmai.cli.placing import stores
from wenmai.ingestion.contracts import IngestReport
from wenmai.settings.settings import load_settings
from wenmai.stores.catalog.catalog import IDENTITY_FILE
from wenmai.stores.files.folder import LibraryFolders
from wenmai.stores.files.owners import Owner

LIBRARY, QUESTION = "白石渡", "铜灯的灯座底下刻着什么字？"
OTHER_STORY = "第一章 新\n\n沈青把灯卖给了韩石。\n"


class Enter(Protocol):
    """Makes a data folder the one of the commands, with its graph on the server or not."""

    def __call__(self, folder: str, *, server: bool = True) -> None: ...


@pytest.fixture
async def enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Enter:
    """Give what makes a data folder the one of the commands, on a server that holds nothing."""
    async with emptied():
        pass
    monkeypatch.setattr("wenmai.app.container.Services.embedder", Words())
    for name, value in {**settings_of("neo4j"), "TRACE_DIR": str(tmp_path / "traces")}.items():
        monkeypatch.setenv(name, value)

    def entered(folder: str, *, server: bool = True) -> None:
        monkeypatch.setenv("DATA_DIR", str(tmp_path / folder))
        monkeypatch.setenv("NEO4J_URI", settings_of("neo4j")["NEO4J_URI"] if server else "")

    return entered


async def told(tmp_path: Path, text: str = STORY, library: str = LIBRARY) -> IngestReport:
    source = tmp_path / "书.txt"
    source.write_text(text, encoding="utf-8")
    relations = tmp_path / "relations.jsonl"
    relations.write_text(RELATIONS, encoding="utf-8")
    graph = (relations,) if text == STORY else ()
    async with stores() as app:
        return await app.libraries.ingest(source, library, graph=graph)


async def deleted(source: str | None = None) -> None:
    async with stores() as app:
        await (app.libraries.delete_source(LIBRARY, source) if source else app.libraries.delete(LIBRARY))


async def graph(library: str = LIBRARY) -> dict[str, Any]:
    """Return what the graph of the settings tells."""
    services = Services(load_settings(_env_file=None))
    store = services.graph
    try:
        names = await store.names(library, None)
        people = sorted({name.entity for name in names})
        relations = [await store.relations(library, name, None) for name in people]
        events = [await store.events(library, name, None, None) for name in people]
        return {"names": names, "relations": relations, "events": events, "counts": await store.counts(library)}
    finally:
        await services.close()


async def answered() -> Any:
    async with open_agent(load_settings(_env_file=None)) as agent:
        answer = await agent.ask(QUESTION, library=LIBRARY)
    return answer.text, answer.evidence, answer.citations, answer.tool_calls


async def asked_server(query: str) -> list[Any]:
    services = Services(load_settings(_env_file=None))
    assert services.neo4j is not None
    try:
        return await services.neo4j.write(lambda ask: ask(query, {"library": LIBRARY}))
    finally:
        await services.close()


async def merged(library: str, name: str, into: str) -> None:
    async with stores() as app:
        await app.entities.merge(library, name, into)


async def test_another_folder_changes_nothing(enter: Enter, tmp_path: Path) -> None:
    """PLA-28: of two folders with a library of one name the first has the graph; the other is refused in one line."""
    enter("one")
    await told(tmp_path)
    before = await graph()
    enter("other", server=False)
    await told(tmp_path, OTHER_STORY)
    enter("other")
    calls: list[Callable[[], Any]] = [
        lambda: told(tmp_path, STORY + OTHER_STORY),
        lambda: merged(LIBRARY, "沈青", "韩石"),
        deleted,
        lambda: deleted("书"),
        lambda: copy_to("server", LIBRARY, False, False, silent),
        lambda: copy_to("embedded", LIBRARY, False, False, silent),
        answered,
        graph,
    ]
    for call in calls:
        with pytest.raises(StoreForeign, match="白石渡 属于另一个资料库目录，") as refused:
            await call()
        assert "\n" not in str(refused.value)
        assert refused.value.place.endswith(f"DATA_DIR={tmp_path / 'one'}")
    enter("third")
    with pytest.raises(StoreForeign):
        await told(tmp_path)
    assert not (tmp_path / "third" / LIBRARY).exists()
    enter("one")
    assert await graph() == before
    enter("other", server=False)
    assert [chapter["text"] for chapter in await texts()] == ["沈青把灯卖给了韩石。"]


async def texts() -> list[dict[str, Any]]:
    services = Services(load_settings(_env_file=None))
    try:
        return [{"text": chapter.text} for chapter in await services.catalog.chapters(LIBRARY)]
    finally:
        await services.close()


async def test_a_library_from_before_marks(enter: Enter, tmp_path: Path) -> None:
    """PLA-28: a graph without a mark becomes that of the first catalog that has the library and writes."""
    enter("one")
    await told(tmp_path)
    await asked_server("MATCH (l:Library {name: $library}) REMOVE l.owner, l.place")
    enter("other")
    with pytest.raises(StoreForeign, match="写入时还没有归属标记"):
        await told(tmp_path, OTHER_STORY)
    enter("one")
    assert (await graph())["names"]
    await told(tmp_path, STORY + "\n第九章 续\n\n沈青走了。\n")
    [[place]] = await asked_server("MATCH (l:Library {name: $library}) RETURN l.place")
    assert str(tmp_path / "one") in place


async def test_what_a_lost_folder_has_left(enter: Enter, tmp_path: Path) -> None:
    """PLA-28: a graph whose catalog is lost is deleted on demand alone, and the name is free again."""
    enter("lost")
    await told(tmp_path)
    enter("new")
    result = await asyncio.to_thread(CliRunner().invoke, app, ["delete", LIBRARY, "--abandoned", "-y"])
    assert result.exit_code == 0 and f"DATA_DIR={tmp_path / 'lost'}" in result.output
    assert (await told(tmp_path, OTHER_STORY)).chapters == 1
    again = await asyncio.to_thread(CliRunner().invoke, app, ["delete", LIBRARY, "--abandoned", "-y"])
    assert again.exit_code != 0 and (await graph())["counts"]
    async with stores() as application:
        assert await application.libraries.owners_elsewhere(LIBRARY) == []


async def test_what_nobody_owns_and_nobody_knows(enter: Enter, tmp_path: Path) -> None:
    """PLA-28: a graph without a mark that the catalog does not know is cleared away as the refusal advises."""
    enter("lost")
    await told(tmp_path)
    await asked_server("MATCH (l:Library {name: $library}) REMOVE l.owner, l.place")
    again = await asyncio.to_thread(CliRunner().invoke, app, ["delete", LIBRARY, "--abandoned", "-y"])
    assert again.exit_code != 0 and (await graph())["counts"]["entities"]  # it is this catalog's own
    enter("new")
    with pytest.raises(StoreForeign, match="--abandoned"):
        await told(tmp_path, OTHER_STORY)
    result = await asyncio.to_thread(CliRunner().invoke, app, ["delete", LIBRARY, "--abandoned", "-y"])
    assert result.exit_code == 0 and "写入时还没有归属标记" in result.output
    assert (await told(tmp_path, OTHER_STORY)).chapters == 1


async def test_a_folder_that_lost_its_identity(enter: Enter, tmp_path: Path) -> None:
    """PLA-28: a catalog that has become a stranger takes its own library over again; who does not have it cannot."""
    enter("one")
    await told(tmp_path)
    before = await answered()
    (tmp_path / "one" / IDENTITY_FILE).unlink()
    with pytest.raises(StoreForeign, match=f"doctor --adopt {LIBRARY}"):
        await answered()
    enter("other")
    refused = await asyncio.to_thread(CliRunner().invoke, app, ["doctor", "--adopt", LIBRARY, "-y"])
    assert isinstance(refused.exception, LibraryNotFound)
    enter("one")
    result = await asyncio.to_thread(CliRunner().invoke, app, ["doctor", "--adopt", LIBRARY, "-y"])
    assert result.exit_code == 0 and "现在属于当前的资料库目录" in result.output
    assert await answered() == before
    assert (await told(tmp_path, STORY + "\n第九章 续\n\n沈青走了。\n")).written


async def test_a_catalog_hands_a_library_over(enter: Enter, tmp_path: Path) -> None:
    """PLA-28: what `migrate` brings to another catalog's server is that catalog's from then on."""
    enter("one")
    await told(tmp_path)
    one, other = Services(load_settings(_env_file=None)), Owner("postgres", "PostgreSQL")
    try:
        enter("other")
        target = Services(load_settings(_env_file=None))
        vars(target.catalog)["_owner"] = other
        async with target.libraries.writing(LIBRARY, await one.catalog.owner()):
            await target.graph.delete_entities(LIBRARY, ["韩石"])
        with pytest.raises(StoreForeign) as refused:
            await one.graph.open(LIBRARY)
        assert refused.value.place == "PostgreSQL"
        await target.graph.open(LIBRARY)
        await target.close()
    finally:
        await one.close()


async def test_an_emptied_server_is_filled_again(enter: Enter, tmp_path: Path) -> None:
    """PLA-28: lists and checks go on and say whose graph is gone; an ingest writes it again from the catalog."""
    enter("one")
    await told(tmp_path)
    await merged(LIBRARY, "周老三", "阿满")
    await told(tmp_path, OTHER_STORY, "另一部")
    before, answer = await graph(), await answered()
    await asked_server("MATCH (n) WHERE $library IN [n.library, n.name] DETACH DELETE n")
    async with stores() as application:
        problems = {one.name: one.problem for one in (await application.libraries.list()).items}
    assert "图谱" in str(problems[LIBRARY]) and "wenmai ingest" in str(problems[LIBRARY])
    assert problems["另一部"] is None
    services = Services(load_settings(_env_file=None))
    found = {one.name: one for one in await doctor.check_libraries(services)}
    await services.close()
    assert [found[f"资料库 {name}"].ok for name in (LIBRARY, "另一部")] == [False, True]
    assert "wenmai ingest" in found[f"资料库 {LIBRARY}"].text
    with pytest.raises(LibraryNotFound, match="wenmai ingest"):
        await answered()
    report = await told(tmp_path)
    assert (report.written, report.graph_restored) == (0, True)
    assert (await graph(), await answered()) == (before, answer)
    assert not (await told(tmp_path)).graph_restored


async def test_the_source_is_locked_too(enter: Enter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-28: a library that another process is changing is not copied from a server either."""
    with LoopbackQdrant() as qdrant:
        monkeypatch.setenv("QDRANT_URL", qdrant.url)
        enter("one")
        await told(tmp_path)
        with LibraryFolders(tmp_path / "one").writing(LIBRARY), pytest.raises(StoreLocked, match="另一个进程修改"):
            await copy_to("embedded", LIBRARY, False, False, silent)
        assert all(row.is_same for row in await copy_to("embedded", LIBRARY, False, False, silent))


async def test_there_and_back_with_neo4j_alone(enter: Enter, tmp_path: Path) -> None:
    """PLA-28: the graph alone moves to the server and back; answers before, there and after are equal."""
    enter("one", server=False)
    await told(tmp_path)
    await merged(LIBRARY, "周老三", "阿满")
    before, answer = await graph(), await answered()
    enter("one")
    with pytest.raises(LibraryNotFound, match="wenmai ingest"):
        await answered()
    [row] = await copy_to("server", LIBRARY, True, True, silent)
    assert (row.kind, row.is_same, row.written > 0) == ("graph", True, True)
    assert (await graph(), await answered()) == (before, answer)
    (tmp_path / "one" / LIBRARY / "graph.lbug").unlink()
    [row] = await copy_to("embedded", LIBRARY, False, False, silent)
    assert row.is_same
    enter("one", server=False)
    assert (await graph(), await answered()) == (before, answer)
