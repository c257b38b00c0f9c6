"""An ingest on a Ray cluster of two workers, started by the installed command on this machine."""

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # it ships no types
import pytest

from tests.command_line import ROOT
from tests.embedders.tiny import write_folder
from tests.integration.cli_story import Cli
from tools.records import PassageFilter
from wenmai.stores.catalog.catalog import SqliteCatalog
from wenmai.stores.edge.passages import EdgePassageStore
from wenmai.stores.graph.ladybug import LadybugEngine
from wenmai.stores.graph.store import StoryGraphStore

SAMPLE = ROOT / "data" / "sample"
LIBRARY = "sample"
RAY = ("--engine", "ray", "--workers", "2")
WORKER = "ray::ChapterWorker"
WAIT_S = 600  # Ray starts a dozen processes: on a busy machine that alone takes minutes
STARTS = 2  # of Ray, in the test of a late one
# Put before every start of Python: the first helper of Ray's node is later than its node waits (15 s).
LATE = """
import os, sys, time
if any(part.endswith("dashboard/agent.py") for part in sys.orig_argv):
    with open({starts!r}, "a") as file:
        file.write("x")
    if os.path.getsize({starts!r}) == 1:
        time.sleep(25)
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model of sixteen numbers: what is compared does not depend on which."""
    return str(write_folder(tmp_path_factory.mktemp("model") / "tiny", pooling="mean", dimension=16))


def arguments() -> list[str]:
    """Return the ingest of the sample with its names and ready-made records."""
    files = [str(SAMPLE / name) for name in ("relations.jsonl", "events.jsonl")]
    return [
        "ingest",
        str(SAMPLE / "雾港纪事.txt"),
        "-l",
        LIBRARY,
        "--aliases",
        str(SAMPLE / "aliases.json"),
        "--graph",
        *files,
    ]


def settings(cli: Cli, model: str, data: str) -> dict[str, str]:
    """Return the settings of a run; Ray's own warnings are not ours to raise."""
    return {"EMBEDDING_MODEL": model, "DATA_DIR": str(cli.folder / data), "PYTHONWARNINGS": "default"}


def ingested(cli: Cli, model: str, data: str, *options: str) -> subprocess.CompletedProcess[str]:
    done = cli.spawn(*arguments(), *options, **settings(cli, model, data))
    assert done.returncode == 0, done.stderr
    return done


async def held(data: Path) -> dict[str, Any]:
    """Return all that a library holds: rows with their ids, vectors, chapters, graph."""
    passages, graph, catalog = EdgePassageStore(data), StoryGraphStore(LadybugEngine(data)), SqliteCatalog(data)
    rows = await passages.scroll(LIBRARY, PassageFilter())
    names = await graph.names(LIBRARY, None)
    entities = sorted({name.entity for name in names})
    found = {
        "rows": rows,
        "vectors": await passages.vectors(LIBRARY, rows),
        "chapters": await catalog.chapters(LIBRARY),
        "ids": await catalog.passage_ids(LIBRARY),
        "counts": await graph.counts(LIBRARY),
        "names": names,
        "events": {one: await graph.events(LIBRARY, one, None, None) for one in entities},
        "relations": {one: await graph.relations(LIBRARY, one, None) for one in entities},
    }
    for store in (passages, graph, catalog):
        await store.close()
    return found


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory, model: str) -> dict[str, Any]:
    """What an ingest in one process leaves."""
    cli = Cli(tmp_path_factory.mktemp("local"), WAIT_S)
    ingested(cli, model, "data")
    return asyncio.run(held(cli.folder / "data"))


def test_two_workers_leave_what_one_process_leaves(tmp_path: Path, model: str, local: dict[str, Any]) -> None:
    """The same counts, ids, vectors and graph; a second run of either engine writes nothing."""
    cli = Cli(tmp_path, WAIT_S)
    done = ingested(cli, model, "data", *RAY)
    assert "17 章，64 段；新写 64 段" in done.stdout
    found = asyncio.run(held(tmp_path / "data"))
    for part, value in local.items():
        assert found[part] == value, part
    assert "没有变化" in ingested(cli, model, "data").stdout
    assert "没有变化" in ingested(cli, model, "data", *RAY).stdout


def until(happens: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    """Wait for something while a process runs."""
    deadline = time.monotonic() + WAIT_S
    while not happens():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def written(data: Path) -> int:
    """Return how many chapters are complete; nothing is held for it."""
    catalog = SqliteCatalog(data)
    if not (data / LIBRARY / "catalog.sqlite").exists():
        return 0
    try:
        return sum(info.counts["chapters"] for info in asyncio.run(catalog.libraries()))
    except Exception as error:  # noqa: BLE001 - the file is being made
        assert "no such table" in str(error) or "尚未建成" in str(error)
        return 0


def workers_of(process: "subprocess.Popen[str]") -> list[psutil.Process]:
    """Return the processes of the workers."""
    return [one for one in psutil.Process(process.pid).children(recursive=True) if WORKER in title(one)]


def title(process: psutil.Process) -> str:
    """Return the command of a process, nothing of one that ends meanwhile: Ray's helpers come and go."""
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def test_kill_9_of_the_writer(tmp_path: Path, model: str, local: dict[str, Any]) -> None:
    """The workers go with it; the next run writes only the rest, and the library is the same."""
    cli = Cli(tmp_path, WAIT_S)
    process = cli.start(*arguments(), *RAY, **settings(cli, model, "data"))
    until(lambda: written(tmp_path / "data") >= 2, process)
    workers = workers_of(process)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=WAIT_S)
    done = ingested(cli, model, "data", *RAY)
    assert "新写 64 段" not in done.stdout and "新写" in done.stdout
    assert asyncio.run(held(tmp_path / "data")) == local
    assert not psutil.wait_procs(workers, timeout=WAIT_S)[1]


def test_a_lost_worker_is_replaced(tmp_path: Path, model: str, local: dict[str, Any]) -> None:
    """What it had under way is done again; nothing is lost or doubled."""
    cli = Cli(tmp_path, WAIT_S)
    process = cli.start(*arguments(), *RAY, **settings(cli, model, "data"))
    until(lambda: len(workers_of(process)) == 2, process)
    workers_of(process)[0].kill()
    _, said = process.communicate(timeout=WAIT_S)
    assert process.returncode == 0, said
    assert asyncio.run(held(tmp_path / "data")) == local


def test_a_late_start_is_tried_again(tmp_path: Path, model: str) -> None:
    """Ray's node ends itself where its helper starts late, and says it with no class of its own."""
    cli, early = Cli(tmp_path, WAIT_S), tmp_path / "early"
    early.mkdir()
    (early / "sitecustomize.py").write_text(LATE.format(starts=str(tmp_path / "starts")), encoding="utf-8")
    path = f"{early}{os.pathsep}{ROOT}"
    done = cli.spawn(*arguments(), *RAY, **settings(cli, model, "data"), PYTHONPATH=path)
    assert done.returncode == 0 and "新写 64 段" in done.stdout, done.stderr
    assert (tmp_path / "starts").stat().st_size >= STARTS


@pytest.mark.parametrize(
    ("options", "variables", "code", "said"),
    [
        (("--workers", "2"), {}, 2, "--workers 只用于 --engine ray"),
        (RAY, {"RAY_ADDRESS": "127.0.0.1:9"}, 1, "无法连接 Ray 集群 RAY_ADDRESS=127.0.0.1:9"),
        (RAY, {"EMBEDDING_MODEL": "./nowhere"}, 2, "没有这个文件夹"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    tmp_path: Path, model: str, options: tuple[str, ...], variables: dict[str, str], code: int, said: str
) -> None:
    cli = Cli(tmp_path, WAIT_S)
    done = cli.spawn(*arguments(), *options, **{**settings(cli, model, "data"), **variables})
    assert done.returncode == code and said in done.stderr and done.stderr.count("\n") == 1, done.stderr
