"""The whole product on servers: threads and catalog in PostgreSQL, passages in Qdrant, the graph in Neo4j."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.contracts.postgres import emptied
from tests.engines import asked_for, settings_of
from tests.integration.cli_story import STORY
from tests.qdrant_service.server import LoopbackQdrant
from tools.errors import InputError, LibraryNotFound, StoreFull
from tools.records import PassageFilter
from wenmai.agent import open_agent
from wenmai.app import libraries
from wenmai.app.container import Services
from wenmai.cli.placing import stores
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import Settings, load_settings
from wenmai.stores.catalog.postgres_catalog import PostgresCatalog

ROOT = Path(__file__).parents[2]
LIBRARY = "白石渡"
QUESTION = "铜灯的灯座底下刻着什么字？"
NEEDS_NEO4J = pytest.mark.skipif(not asked_for("neo4j"), reason="neo4j is not asked for")
FULL = """
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'could not extend file "base/1": No space left on device' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER full_disk BEFORE INSERT ON checkpoints FOR EACH ROW EXECUTE FUNCTION full_disk()
"""


async def require() -> None:
    async with stores() as app:
        await app.libraries.require(LIBRARY)


async def deleted() -> None:
    async with stores() as app:
        await app.libraries.delete(LIBRARY)


@pytest.fixture
def variables() -> Iterator[dict[str, str]]:
    """Give the environment that leads to the servers; the engine of Qdrant is the client's local mode."""
    with LoopbackQdrant() as qdrant:
        found = {"POSTGRES_URI": emptied(), "QDRANT_URL": qdrant.url, "QDRANT_TIMEOUT_S": "60"}
        yield {**found, **(settings_of("neo4j") if asked_for("neo4j") else {})}


def settings(folder: Path, variables: dict[str, str]) -> Settings:
    own = {name.lower(): value for name, value in variables.items()}
    return load_settings(_env_file=None, data_dir=folder, trace_dir=folder / "traces", google_api_key="", **own)


async def stocked(services: Services, folder: Path) -> None:
    await services.libraries.drop(LIBRARY)
    source = folder / "灯.txt"
    source.write_text(STORY, encoding="utf-8")
    async with services.libraries.writing(LIBRARY):
        request = IngestRequest(path=source, library=LIBRARY)
        await ingest(request, stores=services.stores, embedder=services.embedder, tagger=services.reader)


async def test_threads_of_the_facade(tmp_path: Path, variables: dict[str, str]) -> None:
    """PLA-02 PLA-16: questions go on a thread, which another user cannot see, over two agents."""
    own = settings(tmp_path, variables)
    async with open_agent(own) as agent:
        await stocked(agent.services, tmp_path)
        first = await agent.ask(QUESTION, library=LIBRARY, thread_id="t1", user_id="甲")
        assert "风停即返" in first.text
    async with open_agent(own) as agent:
        again = await agent.ask("它还剩几滴灯油？", library=LIBRARY, thread_id="t1", user_id="甲")
        assert again.record["thread_id"] == "t1"
        state = (await agent.graph.aget_state(agent.config("t1"))).values
        assert [turn["question"] for turn in state["session"]["turns"]] == [QUESTION, "它还剩几滴灯油？"]
        with pytest.raises(InputError, match="t1"):
            await agent.ask(QUESTION, library=LIBRARY, thread_id="t1", user_id="乙")
    assert not (tmp_path / "checkpoints.sqlite").exists()


async def test_a_full_disk(tmp_path: Path, variables: dict[str, str]) -> None:
    """PLA-28: a server that cannot write a checkpoint for lack of space is one clear line, and no turn is lost."""
    async with open_agent(settings(tmp_path, variables)) as agent:
        await stocked(agent.services, tmp_path)
        await agent.ask(QUESTION, library=LIBRARY, thread_id="t1")
        with psycopg.connect(variables["POSTGRES_URI"], autocommit=True) as base:
            base.execute(FULL)
            with pytest.raises(StoreFull, match="磁盘空间已满") as caught:
                await agent.ask(QUESTION, library=LIBRARY, thread_id="t1")
            assert "\n" not in str(caught.value)
            base.execute("DROP TRIGGER full_disk ON checkpoints")
        await agent.ask("谁摇着船回来了？", library=LIBRARY, thread_id="t1")
        turns = (await agent.graph.aget_state(agent.config("t1"))).values["session"]["turns"]
        assert [turn["question"] for turn in turns] == [QUESTION, "谁摇着船回来了？"]


def wenmai(folder: Path, variables: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command in a process of its own, with a data folder of its own."""
    environment = {**os.environ, **variables, "PYTHONPATH": str(ROOT), "DATA_DIR": str(folder)}
    environment |= {"TRACE_DIR": str(folder / "traces"), "GOOGLE_API_KEY": "", "COLUMNS": "200"}
    command = [sys.executable, "-m", "wenmai", *arguments]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("step", [(libraries, "set_aside"), (libraries, "discard"), (PostgresCatalog, "drop")])
async def test_a_deletion_that_was_cut_off(
    tmp_path: Path, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch, step: tuple[object, str]
) -> None:
    """PLA-28: wherever a deletion ends too soon the library is still found, and deleting it again finishes it."""

    def cut(*_: object) -> None:
        raise KeyboardInterrupt

    own = {name: value for name, value in variables.items() if not name.startswith("NEO4J")}  # the graph in the folder
    for name, value in {**own, "DATA_DIR": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    services = Services(settings(tmp_path, own))
    await stocked(services, tmp_path)
    await services.close()
    with monkeypatch.context() as patch:
        patch.setattr(*step, cut)
        with pytest.raises(KeyboardInterrupt):
            await deleted()
    await require()
    await deleted()
    assert not (tmp_path / LIBRARY).exists()
    with pytest.raises(LibraryNotFound):
        await require()
    (tmp_path / LIBRARY).mkdir()  # what earlier versions left
    await require()
    await deleted()
    assert not (tmp_path / LIBRARY).exists()


@NEEDS_NEO4J
async def test_two_processes_at_one_library(tmp_path: Path, variables: dict[str, str]) -> None:
    """PLA-25 PLA-28: with all stores on servers nothing lies in a folder: processes share a library, one changes it."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    services = Services(settings(here, variables))
    await stocked(services, here)
    await services.opening.open_library(LIBRARY)

    async def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return await asyncio.to_thread(wenmai, there, variables, *arguments)

    done = await run("ask", QUESTION, "--library", LIBRARY, "--json")
    assert done.returncode == 0 and "风停即返" in json.loads(done.stdout)["answer"], done.stderr
    async with services.libraries.writing(LIBRARY):
        refused = await run("ingest", str(here / "灯.txt"), "--library", LIBRARY)
        assert (refused.returncode, "正被另一个进程修改" in refused.stderr) == (1, True), refused.stderr
        assert (await run("libraries")).stdout.count(LIBRARY) == 1
    assert (await run("ingest", str(here / "灯.txt"), "--library", LIBRARY)).returncode == 0
    passages = await services.passages.count(LIBRARY, PassageFilter())
    assert passages == 3
    doctor = await run("doctor")
    assert "PostgreSQL：127.0.0.1" in doctor.stdout and f"资料库 {LIBRARY}：3 段" in doctor.stdout, doctor.stdout
    gone = await run("delete", LIBRARY, "--yes")
    assert gone.returncode == 0 and "段落：3" in gone.stdout, gone.stderr
    with pytest.raises(LibraryNotFound):
        await services.catalog.info(LIBRARY)
    with pytest.raises(LibraryNotFound):
        await services.passages.count(LIBRARY, PassageFilter())
    await services.close()
    assert [path.name for path in here.iterdir() if path.is_dir()] == []


@NEEDS_NEO4J
async def test_migrate_there_and_back(tmp_path: Path, variables: dict[str, str]) -> None:
    """PLA-28: a library of a folder is asked on servers from another folder, and comes back to a third one."""
    source = tmp_path / "灯.txt"
    source.write_text(STORY, encoding="utf-8")
    folders = [tmp_path / name for name in ("here", "there", "back")]
    for folder in folders:
        folder.mkdir()
    here = Services(settings(folders[0], {}))
    request = IngestRequest(path=source, library=LIBRARY)
    await ingest(request, stores=here.stores, embedder=here.embedder, tagger=here.reader)
    wanted = await here.catalog.info(LIBRARY)
    await here.close()
    there = Services(settings(folders[1], variables))
    await there.libraries.drop(LIBRARY)
    done = await asyncio.to_thread(wenmai, folders[0], variables, "migrate", LIBRARY, "--to", "server")
    assert done.returncode == 0 and done.stdout.count("一致") == 4 and "不一致" not in done.stdout, done.stderr
    assert await there.catalog.info(LIBRARY) == wanted
    await there.close()
    asked = await asyncio.to_thread(wenmai, folders[1], variables, "ask", QUESTION, "--library", LIBRARY)
    assert "风停即返" in asked.stdout, asked.stderr
    back = await asyncio.to_thread(wenmai, folders[2], variables, "migrate", LIBRARY, "--to", "embedded")
    assert back.returncode == 0 and "不一致" not in back.stdout, back.stderr
    home = Services(settings(folders[2], {}))
    assert await home.catalog.info(LIBRARY) == wanted
    assert await home.graph.counts(LIBRARY) == {kind: wanted.counts[kind] for kind in await home.graph.counts(LIBRARY)}
    await home.close()


async def test_migrate_to_a_name_that_is_taken(tmp_path: Path, variables: dict[str, str]) -> None:
    """PLA-28: of two data folders at one catalog, the second does not replace the first's library unless told to."""
    own = {name: value for name, value in variables.items() if not name.startswith("NEO4J")}  # the graph in the folder
    folders = [tmp_path / name for name in ("one", "two")]
    for folder, text in zip(folders, (STORY, STORY.replace("沈", "陆")), strict=True):
        folder.mkdir()
        (folder / "灯.txt").write_text(text, encoding="utf-8")
        made = await asyncio.to_thread(wenmai, folder, {}, "ingest", "灯.txt", "--library", LIBRARY)
        assert made.returncode == 0, made.stderr
    migrate = ("migrate", LIBRARY, "--to", "server")
    done = await asyncio.to_thread(wenmai, folders[0], own, *migrate)
    assert done.returncode == 0, done.stderr
    refused = await asyncio.to_thread(wenmai, folders[1], own, *migrate)
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (1, "", 1), refused.stderr
    told = (f"已有另一个资料库 {LIBRARY}《灯》（3 章", str(folders[0]), "PostgreSQL", "--replace")
    assert all(part in refused.stderr for part in told), refused.stderr
    services = Services(settings(folders[0], own))
    assert "沈青" in (await services.passages.scroll(LIBRARY, PassageFilter()))[0].text
    done = await asyncio.to_thread(wenmai, folders[1], own, *migrate, "--replace")
    assert done.returncode == 0 and "不一致" not in done.stdout, done.stderr
    assert "陆青" in (await services.passages.scroll(LIBRARY, PassageFilter()))[0].text
    await services.close()


async def test_migrate_without_a_server(tmp_path: Path) -> None:
    """PLA-28: there is nowhere to move to, and the line says which setting is missing."""
    done = await asyncio.to_thread(wenmai, tmp_path, {}, "migrate", LIBRARY, "--to", "server")
    assert done.returncode == 2 and "QDRANT_URL" in done.stderr
    assert (await asyncio.to_thread(wenmai, tmp_path, {}, "migrate", "--to", "server")).returncode == 2
