"""What a folder on a disk adds to the ports: reopening, crashes, one process, damage, a full disk."""

import asyncio
import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes import FakeEmbedder
from tests.temporary import copied
from tools.errors import (
    EmbedderMismatch,
    InputError,
    LibraryNotFound,
    StoreCorrupt,
    StoreFull,
    StoreLocked,
    StoreUnavailable,
)
from tools.records import Chapter, Entity, Passage, PassageFilter, Relation
from wenmai.stores.catalog.catalog import SqliteCatalog
from wenmai.stores.edge.passages import EdgePassageStore
from wenmai.stores.files.folder import LibraryFolders, check_name, store_error
from wenmai.stores.files.moving import JOURNAL
from wenmai.stores.graph.ladybug import GRAPH_FILE, LOG_PART_BYTES, LadybugEngine
from wenmai.stores.graph.store import StoryGraphStore

LIBRARY = "三国"
ANY = PassageFilter()
embedder = FakeEmbedder()
WRITER = """
    import asyncio, sys
    from pathlib import Path
    from tests.contracts import test_embedded_folder as t

    async def main() -> None:
        stores = t.Stores(Path(sys.argv[1]))
        for n in range(100_000):
            await stores.write(n)
            print(n, flush=True)

    asyncio.run(main())
"""


FILLED = b"\xa5" * 64  # what MALLOC_PERTURB_=90 has in memory that was not written yet
GRAPH_WRITER = """
    import asyncio, sys
    from pathlib import Path
    from tests.contracts import test_embedded_folder as t

    async def main() -> None:
        graph = t.StoryGraphStore(t.LadybugEngine(Path(sys.argv[1])))
        await graph.put_entities(t.LIBRARY, [t.Entity(name=f"人{one}", aliases=()) for one in range(60)])
        named = {"type": "FRIEND_OF", "target": "人0", "part": 1, "chapter": 1, "task_id": "t"}
        await graph.put_chapter(t.LIBRARY, "t", 1, 1, [t.Relation(source=f"人{n}", **named) for n in range(1, 60)], [])
        await graph.close()

    asyncio.run(main())
"""


class Stores:
    """The three embedded stores of one data folder."""

    def __init__(self, data_dir: Path) -> None:
        self.passages = EdgePassageStore(data_dir)
        self.graph = StoryGraphStore(LadybugEngine(data_dir))
        self.catalog = SqliteCatalog(data_dir)

    async def write(self, n: int) -> None:
        """Write chapter n to all three."""
        row = passage(n)
        if n == 0:
            await self.catalog.create(LIBRARY, "三国演义", embedder.name, embedder.dimension, "zh")
            await self.graph.put_entities(LIBRARY, [Entity(name="曹操", aliases=("孟德",))])
        await self.passages.upsert(LIBRARY, [row], await embedder.embed_passages([row.text]))
        edges = [
            Relation(source="曹操", type="FRIEND_OF", target=f"N{n}-{k}", part=1, chapter=n, task_id="t")
            for k in range(3)
        ]
        await self.graph.put_chapter(LIBRARY, "t", 1, n, edges, [])
        chapter = Chapter(
            library=LIBRARY, task_id="t", part=1, number=n, title="", text=row.text, digest=str(n), order=n
        )
        await self.catalog.put_chapter(chapter, [row.id])

    async def counts(self) -> tuple[int, int, int]:
        """Return how many passages, relations and chapters there are."""
        return (
            await self.passages.count(LIBRARY, ANY),
            (await self.graph.counts(LIBRARY))["relations"],
            len(await self.catalog.chapters(LIBRARY)),
        )

    async def close(self) -> None:
        for store in (self.passages, self.graph, self.catalog):
            await store.close()


def passage(n: int) -> Passage:
    return Passage(
        id=f"00000000-0000-0000-0000-{n:012d}",
        library=LIBRARY,
        text=f"第{n}段 曹操煮酒",
        part=1,
        chapter=n,
        event_order=n,
        start=0,
        end=9,
        task_id="t",
        entities=("曹操",),
    )


@contextmanager
def writer(data_dir: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a process that writes chapter after chapter, until the block ends."""
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(data_dir)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(process: subprocess.Popen[str], n: int) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= n:
            return
    pytest.fail("the writer ended early")


async def test_reopen_after_close(tmp_path: Path) -> None:
    """PLA-28: a closed store opens again at its next use, and another one after it reads the same."""
    stores = Stores(tmp_path)
    for n in range(3):
        await stores.write(n)
    counts = await stores.counts()
    await stores.close()
    assert await stores.counts() == counts == (3, 9, 3)
    await stores.close()
    again = Stores(tmp_path)
    assert await again.counts() == counts
    assert (await again.passages.scroll(LIBRARY, ANY))[2] == passage(2)
    await again.close()


async def test_kill_in_mid_write_loses_nothing_written(tmp_path: Path) -> None:
    """PLA-25: after kill -9 the folder opens, and every chapter that was reported is there, whole."""
    with writer(tmp_path) as process:
        wait_for(process, 5)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        told = [int(line) for line in process.stdout or ()]
    last = max([5, *told])
    stores = Stores(tmp_path)
    passages, relations, chapters = await stores.counts()
    assert passages in (last + 1, last + 2)
    assert relations in (3 * (last + 1), 3 * (last + 2))
    assert chapters in (last + 1, last + 2)
    await stores.write(last + 1)
    assert await stores.counts() == (last + 2, 3 * (last + 2), last + 2)
    assert len(await stores.passages.sparse(LIBRARY, "曹操", ANY, 1000)) == last + 2
    await stores.close()


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a killed writer of seven chapters or more."""
    data_dir = tmp_path_factory.mktemp("killed")
    with writer(data_dir) as process:
        wait_for(process, 6)
    return data_dir


def cut_log(killed: Path, data_dir: Path, parts: int) -> Path:
    """Copy the killed writer's data; return the graph's log, cut to so many parts of a write."""
    copied(killed, data_dir)
    log = data_dir / LIBRARY / "graph.lbug.wal"
    os.truncate(log, parts * LOG_PART_BYTES)
    return log


@pytest.mark.parametrize("parts", range(1, 6))
async def test_a_write_cut_off_in_its_middle_is_dropped(killed: Path, tmp_path: Path, parts: int) -> None:
    """PLA-25: what kill -9 leaves of an unfinished transaction keeps no library from opening."""
    cut_log(killed, tmp_path, parts)
    graph = StoryGraphStore(LadybugEngine(tmp_path))
    relations = (await graph.counts(LIBRARY))["relations"]
    assert relations % 3 == 0 and relations < 3 * 7
    edge = Relation(source="曹操", type="FRIEND_OF", target="刘备", part=1, chapter=99, task_id="t")
    await graph.put_entities(LIBRARY, [Entity(name="曹操", aliases=("孟德",))])
    await graph.put_chapter(LIBRARY, "t", 1, 99, [edge], [])
    await graph.close()
    again = StoryGraphStore(LadybugEngine(tmp_path))
    assert (await again.counts(LIBRARY))["relations"] == relations + 1
    await again.close()


async def test_a_log_damaged_otherwise_is_an_error(killed: Path, tmp_path: Path) -> None:
    """Behind the damage may be what was reported; the file stays as it is."""
    log = cut_log(killed, tmp_path, 5)
    os.truncate(log, 4 * LOG_PART_BYTES + 7)
    before = log.read_bytes()
    graph = StoryGraphStore(LadybugEngine(tmp_path))
    with pytest.raises(StoreCorrupt):
        await graph.counts(LIBRARY)
    await graph.close()
    assert log.read_bytes() == before


@pytest.mark.skipif(sys.platform != "linux", reason="the memory is cleared by glibc")
def test_a_graph_has_nothing_else_of_the_memory(tmp_path: Path) -> None:
    """PLA-67: the engine writes whole pages; in memory that it has not written a user's words may stand."""
    command, known = [sys.executable, "-c", textwrap.dedent(GRAPH_WRITER), str(tmp_path)], {"MALLOC_PERTURB_": "90"}
    subprocess.run(command, env=os.environ | known, check=True)
    assert FILLED not in (tmp_path / LIBRARY / GRAPH_FILE).read_bytes()


async def test_a_second_process_is_told_who_holds_the_library(tmp_path: Path) -> None:
    """PLA-25: one line with the holder's pid and what to do; listing works; other libraries are free."""
    with writer(tmp_path) as process:
        wait_for(process, 1)
        stores = Stores(tmp_path)
        for call in (
            stores.passages.count(LIBRARY, ANY),
            stores.graph.names(LIBRARY, None),
            stores.catalog.chapters(LIBRARY),
            stores.passages.upsert(LIBRARY, [passage(0)], [[1.0] * embedder.dimension]),
        ):
            with pytest.raises(StoreLocked) as caught:
                await call
            message = str(caught.value)
            assert str(process.pid) in message
            assert "先停止它" in message
            assert "\n" not in message
        assert [info.name for info in await stores.catalog.libraries()] == [LIBRARY]
        await stores.catalog.create("另一库", "x", "fake", 32, "zh")
    assert (await stores.counts())[0] >= 1
    await stores.close()


async def test_an_unreadable_journal_keeps_no_lock(tmp_path: Path) -> None:
    """PLA-10: where an unfinished change of the embedder cannot be read, the error leaves the library free."""
    stores = Stores(tmp_path)
    await stores.write(0)
    await stores.close()
    journal = tmp_path / LIBRARY / JOURNAL
    journal.write_text("[", encoding="utf-8")
    with pytest.raises(StoreCorrupt):
        await stores.counts()
    journal.unlink()
    assert await stores.counts() == (1, 3, 1)
    await stores.close()


async def test_one_process_may_open_a_library_many_times(tmp_path: Path) -> None:
    """PLA-25: the lock belongs to the process, and stays until its last holder lets go."""
    first, second = LibraryFolders(tmp_path), LibraryFolders(tmp_path)
    first.created(LIBRARY)
    second.existing(LIBRARY)
    first.close()
    command = "import sys; from pathlib import Path; from wenmai.stores.files.folder import LibraryFolders as F;" + (
        "F(Path(sys.argv[1])).existing(sys.argv[2])"
    )
    run = [sys.executable, "-c", command, str(tmp_path), LIBRARY]
    held = await asyncio.to_thread(subprocess.run, run, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert "StoreLocked" in held.stderr and str(os.getpid()) in held.stderr
    second.close()
    free = await asyncio.to_thread(subprocess.run, run, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert free.returncode == 0, free.stderr


async def test_an_engine_opens_its_files_once_in_a_process(tmp_path: Path) -> None:
    """PLA-25: a second store on a folder is refused at once, by both engines; behind the first it may open."""
    first, second = Stores(tmp_path), Stores(tmp_path)
    await first.write(0)
    for call in (second.passages.open(LIBRARY), second.graph.open(LIBRARY), second.graph.names(LIBRARY, None)):
        with pytest.raises(StoreLocked, match="另一个 Agent 打开：请共用那一个，或先关闭它"):
            await call
    assert len(await second.catalog.chapters(LIBRARY)) == 1
    await first.write(1)
    await first.close()
    await second.graph.open(LIBRARY)
    await second.passages.open(LIBRARY)
    assert await second.counts() == (2, 6, 2)
    await second.close()


async def test_a_stale_holder_file_does_not_block(tmp_path: Path) -> None:
    """PLA-25: the file only describes the holder; a dead one is no obstacle, a broken one no error."""
    folder = tmp_path / LIBRARY
    folder.mkdir()
    for text in (json.dumps({"pid": 1, "command": "init", "started": "2020"}), "{", ""):
        (folder / ".holder.json").write_text(text, encoding="utf-8")
        folders = LibraryFolders(tmp_path)
        assert folders.existing(LIBRARY) == folder
        assert json.loads((folder / ".holder.json").read_text(encoding="utf-8"))["pid"] == os.getpid()
        folders.close()


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_a_data_folder_that_is_none(tmp_path: Path, below: str) -> None:
    """PLA-25: the setting is named; no library is to be deleted for it."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="DATA_DIR") as caught:
        LibraryFolders(tmp_path / "file" / below).created(LIBRARY)
    assert "delete" not in str(caught.value)


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", "a\\b", ".hidden", "a b", "a\0", "x" * 65, "a\n", "C:"])
def test_bad_names(name: str) -> None:
    """PLA-28: a library's name can never leave its folder."""
    with pytest.raises(InputError):
        check_name(name)


@pytest.mark.parametrize("name", ["sanguo", "三国演义", "my-story_2"])
def test_good_names(name: str) -> None:
    """PLA-28: letters, digits, Chinese characters, - and _ make a name."""
    assert check_name(name) == name


async def test_reading_makes_nothing(tmp_path: Path) -> None:
    """PLA-28: asking for an unknown library leaves no folder behind."""
    stores = Stores(tmp_path)
    for call in (stores.passages.count("无", ANY), stores.graph.names("无", None), stores.catalog.info("无")):
        with pytest.raises(LibraryNotFound):
            await call
    assert list(tmp_path.iterdir()) == []


async def test_a_library_without_passages_is_empty(tmp_path: Path) -> None:
    """PLA-28: nothing found is an empty result: a library that was made holds nothing yet."""
    stores = Stores(tmp_path)
    await stores.catalog.create(LIBRARY, "x", "fake", 32, "zh")
    assert await stores.passages.scroll(LIBRARY, ANY) == []
    assert await stores.passages.dense(LIBRARY, [1.0] * 32, ANY, 5) == []
    assert await stores.graph.names(LIBRARY, None) == []
    await stores.close()


async def test_another_dimension(tmp_path: Path) -> None:
    """PLA-10: vectors of another length are refused before any ranking, at reading and at writing."""
    stores = Stores(tmp_path)
    await stores.write(0)
    for call in (
        stores.passages.dense(LIBRARY, [1.0] * 7, ANY, 5),
        stores.passages.fetch(LIBRARY, [passage(0).id], [1.0] * 7),
        stores.passages.upsert(LIBRARY, [passage(1)], [[1.0] * 7]),
    ):
        with pytest.raises(EmbedderMismatch, match="EMBEDDING_MODEL"):
            await call
    assert await stores.passages.count(LIBRARY, ANY) == 1
    await stores.close()


async def test_corrupt_files(tmp_path: Path) -> None:
    """PLA-28: files that cannot be read are named, with the way out, in one line."""
    stores = Stores(tmp_path)
    await stores.write(0)
    await stores.close()
    for damaged in ("graph.lbug", "catalog.sqlite", "passages/edge_config.json"):
        (tmp_path / LIBRARY / damaged).write_bytes(b"garbage\0" * 600)
    for wal in tmp_path.glob("*/*wal*"):
        if wal.is_file():
            wal.unlink()
    for call, name in (
        (stores.graph.names(LIBRARY, None), "graph.lbug"),
        (stores.catalog.chapters(LIBRARY), "catalog.sqlite"),
        (stores.passages.count(LIBRARY, ANY), "passages"),
    ):
        with pytest.raises(StoreCorrupt) as caught:
            await call
        assert name in str(caught.value) and "wenmai delete" in str(caught.value)
        assert "\n" not in str(caught.value)
    await stores.close()


@pytest.mark.parametrize(
    "error",
    [
        PermissionError(errno.EACCES, "Permission denied"),
        OSError(errno.EMFILE, "Too many open files"),
        sqlite3.OperationalError("unable to open database file"),
        sqlite3.OperationalError("attempt to write a readonly database"),
        sqlite3.OperationalError("disk I/O error"),
    ],
)
def test_files_that_may_not_be_opened_are_not_called_corrupt(error: Exception, tmp_path: Path) -> None:
    """PLA-38: nobody is told to delete a library that is healthy."""
    found = store_error(error, tmp_path / LIBRARY / "catalog.sqlite")
    assert isinstance(found, StoreUnavailable) and "delete" not in str(found) and "删除" not in str(found)


async def test_a_catalog_that_was_being_made_is_no_library_yet(tmp_path: Path) -> None:
    """PLA-38: nobody sees one without its tables, and what a killed process has left of one is made anew."""
    (tmp_path / LIBRARY).mkdir()
    (tmp_path / LIBRARY / "catalog.sqlite.new").touch()
    stores = Stores(tmp_path)
    assert await stores.catalog.libraries() == []
    await stores.write(0)
    assert [one.name for one in await stores.catalog.libraries()] == [LIBRARY]
    assert not list(tmp_path.glob("*/*.new*"))
    await stores.close()


async def test_a_disk_that_fills_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-28: writing stops before the disk is full, because a mapped file on a full one ends the process."""
    stores = Stores(tmp_path)
    await stores.write(0)
    monkeypatch.setattr("wenmai.stores.files.folder.FREE_BYTES", 2**60)
    with pytest.raises(StoreFull, match="磁盘空间不足"):
        await stores.passages.upsert(LIBRARY, [passage(1)], [[1.0] * embedder.dimension])
    assert await stores.passages.count(LIBRARY, ANY) == 1
    await stores.close()


async def test_a_disk_without_any_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-28: the engine would end the process as it opens; SQLite calls it an error of input and output."""
    stores = Stores(tmp_path)
    await stores.write(0)
    await stores.close()
    monkeypatch.setattr("wenmai.stores.files.folder.OPENING_BYTES", 2**60)
    with pytest.raises(StoreFull, match="腾出空间"):
        await Stores(tmp_path).passages.count(LIBRARY, ANY)
    monkeypatch.setattr("wenmai.stores.files.folder.ROOM_BYTES", 2**60)
    found = store_error(sqlite3.OperationalError("disk I/O error"), tmp_path / LIBRARY / "catalog.sqlite")
    assert isinstance(found, StoreFull)


async def test_text_that_no_file_can_hold(tmp_path: Path) -> None:
    """PLA-28: a lone surrogate is the caller's error, not a broken store."""
    stores = Stores(tmp_path)
    await stores.write(0)
    for call in (
        stores.passages.sparse(LIBRARY, "\ud800", ANY, 5),
        stores.passages.count(LIBRARY, PassageFilter(entity="\ud800")),
        stores.graph.entity(LIBRARY, "\ud800", None),
    ):
        with pytest.raises(InputError, match="编码"):
            await call
    await stores.close()


@pytest.mark.parametrize(
    "error",
    [
        OSError(28, "No space left on device"),
        Exception("Service runtime error: No space left on device (os error 28)"),
        RuntimeError("IO exception: Cannot write to file. No space left on device"),
    ],
)
def test_full_disk(error: Exception, tmp_path: Path) -> None:
    """PLA-28: a full disk is said to be one, whichever engine noticed it."""
    told = store_error(error, tmp_path / "graph.lbug")
    assert isinstance(told, StoreFull)
    assert "graph.lbug" in str(told)
