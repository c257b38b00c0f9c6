"""A library on the embedded engines, moved to another embedder; crashes at every step."""

import asyncio
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes import FakeEmbedder
from tests.temporary import copied
from tools.errors import EmbedderMismatch, ModelError
from tools.records import Passage, PassageFilter, Ranked
from wenmai.ingestion.contracts import IngestReport, Stores
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.stores.catalog.catalog import SqliteCatalog
from wenmai.stores.edge import shards as edge_shards
from wenmai.stores.edge.passages import EdgePassageStore
from wenmai.stores.edge.reembedding import Reembedded, reembed
from wenmai.stores.files import moving
from wenmai.stores.graph.ladybug import LadybugEngine
from wenmai.stores.graph.store import StoryGraphStore

ROOT = Path(__file__).parents[2]
LIBRARY = "lib"
CHAPTERS = 40
TEXT = "\n".join(f"第{n}回 题{n}\n周瑜第{n}次来见曹操，曹操说：“第{n}回好。”" for n in range(1, CHAPTERS + 1))
QUERY = "第7次来见"
STEPS = 9  # that change files when the vectors change places


class World:
    """The stores of one process."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.passages, self.catalog = EdgePassageStore(data), SqliteCatalog(data)
        self.graph = StoryGraphStore(LadybugEngine(data))

    async def __aenter__(self) -> "World":
        return self

    async def __aexit__(self, *_: object) -> None:
        for store in (self.passages, self.graph, self.catalog):
            await store.close()

    async def ingest(self, embedder: FakeEmbedder) -> IngestReport:
        source = self.data.parent / "书.txt"
        source.write_text(TEXT, encoding="utf-8")
        stores = Stores(passages=self.passages, graph=self.graph, catalog=self.catalog)
        return await ingest(IngestRequest(path=source, library=LIBRARY), stores=stores, embedder=embedder)

    async def reembed(self, embedder: FakeEmbedder) -> Reembedded:
        return await reembed(self.passages.moving(LIBRARY), embedder, lambda done, total: None)

    async def rows(self) -> list[Passage]:
        return await self.passages.scroll(LIBRARY, PassageFilter())

    async def found(self, embedder: FakeEmbedder) -> list[Ranked]:
        """Return what a search finds; raises what the agent would raise for the wrong embedder."""
        await self.catalog.require_embedder(LIBRARY, embedder.name, embedder.dimension)
        return await self.passages.dense(LIBRARY, await embedder.embed_query(QUERY), PassageFilter(), 5)

    async def worded(self) -> list[Ranked]:
        return await self.passages.sparse(LIBRARY, QUERY, PassageFilter(), 5)


class Failing(FakeEmbedder):
    """Fails after some batches, as a service does whose quota is spent."""

    def __init__(self, batches: int) -> None:
        super().__init__("new", 48)
        self.left = batches

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        if not self.left:
            raise ModelError("配额已用完")
        self.left -= 1
        return await super().embed_passages(texts)


def old() -> FakeEmbedder:
    return FakeEmbedder("old", 32)


def new() -> FakeEmbedder:
    return FakeEmbedder("new", 48)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of the old embedder, for tests to work on copies of it."""
    folder = tmp_path_factory.mktemp("built") / "data"

    async def build() -> None:
        async with World(folder) as world:
            await world.ingest(old())

    asyncio.run(build())
    return folder


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A copy of the library."""
    return copied(built, tmp_path / "data")


def leftovers(data: Path) -> set[str]:
    """Return the files of a library that only a move needs."""
    known = {moving.NEW_FOLDER, moving.OLD_FOLDER, moving.JOURNAL, moving.STAGED}
    return {file.name for file in (data / LIBRARY).iterdir() if file.name.split("-")[0] in known}


async def test_vectors_change_and_nothing_else(data: Path) -> None:
    """PLA-10: texts, names, order and words stay; the record of the embedder changes with the vectors."""
    async with World(data) as world:
        rows, words = await world.rows(), await world.worded()
        embedder = new()
        done = await world.reembed(embedder)
        assert (done.total, done.embedded) == (CHAPTERS, CHAPTERS)
        assert await world.rows() == rows and await world.worded() == words
        best = (await world.found(embedder))[0]
        assert "第7次来见" in next(row.text for row in rows if row.id == best.id)
        with pytest.raises(EmbedderMismatch, match=f"wenmai reembed -l {LIBRARY}"):
            await world.found(old())
    assert not leftovers(data)


async def test_a_second_ingest_still_writes_nothing(data: Path) -> None:
    """The new vectors are those of the texts: nothing is embedded again."""
    async with World(data) as world:
        await world.reembed(new())
        embedder = new()
        report = await world.ingest(embedder)
        assert (report.written, report.removed, embedder.history) == (0, 0, [])


async def test_the_same_vectors_as_an_ingest(data: Path, tmp_path: Path) -> None:
    """Moved or built: a search finds the same rows with the same scores."""
    async with World(data) as world, World(tmp_path / "fresh") as fresh:
        await world.reembed(new())
        await fresh.ingest(new())
        assert await world.found(new()) == await fresh.found(new())


async def test_the_old_vectors_serve_until_the_new_are_whole(data: Path) -> None:
    """A run that fails leaves what it has made; the next embeds only the rest."""
    async with World(data) as world:
        before = await world.found(old())
        with pytest.raises(ModelError, match="配额"):
            await world.reembed(Failing(2))
    async with World(data) as world:
        assert await world.found(old()) == before
        with pytest.raises(EmbedderMismatch):
            await world.found(new())
        embedder = new()
        done = await world.reembed(embedder)
        assert (done.total, done.embedded, len(embedder.history)) == (CHAPTERS, CHAPTERS - 32, CHAPTERS - 32)
        assert await world.found(embedder)
    assert not leftovers(data)


async def test_what_was_made_for_another_embedder_is_not_used(data: Path) -> None:
    async with World(data) as world:
        with pytest.raises(ModelError):
            await world.reembed(Failing(2))
        third = FakeEmbedder("third", 48)
        assert (await world.reembed(third)).embedded == CHAPTERS
        assert await world.found(third)


class Crash(BaseException):
    """Ends the process, as far as the code under test is concerned."""


@contextmanager
def crashing_at(folder: Path, step: int) -> Iterator[None]:
    """Crash before one of the steps that change files once the journal is written, counted from 0."""
    taken = 0

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            nonlocal taken
            taken += (folder / moving.JOURNAL).exists()
            if taken > step:
                raise Crash
            return real(*arguments, **named)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in ((Path, "rename"), (Path, "unlink"), (shutil, "rmtree"), (moving, "record")):
            patch.setattr(owner, name, counted(getattr(owner, name)))
        yield


@pytest.mark.parametrize("step", range(STEPS))
async def test_a_crash_while_the_vectors_change_places(data: Path, step: int) -> None:
    """Whoever opens the library next finds the new embedder with its vectors, and no row is lost."""
    async with World(data) as world:
        rows = await world.rows()
        with crashing_at(data / LIBRARY, step), pytest.raises(Crash):
            await world.reembed(new())
    async with World(data) as world:
        assert [await serves(world, one) for one in (old(), new())] == [False, True]
        assert await world.rows() == rows
    assert not leftovers(data)


async def test_a_crash_just_before(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all vectors made, but not in their place, the old ones serve; the next run embeds nothing."""

    def crash(*_: object) -> None:
        raise Crash

    async with World(data) as world:
        with monkeypatch.context() as patch, pytest.raises(Crash):
            patch.setattr(edge_shards, "commit", crash)
            await world.reembed(new())
    async with World(data) as world:
        assert [await serves(world, one) for one in (old(), new())] == [True, False]
        assert (await world.reembed(new())).embedded == 0
        assert [await serves(world, one) for one in (old(), new())] == [False, True]
    assert not leftovers(data)


async def serves(world: World, embedder: FakeEmbedder) -> bool:
    """Return True if the library is this embedder's; then its search must find the passage."""
    try:
        best = (await world.found(embedder))[0]
    except EmbedderMismatch:
        return False
    [passage] = [row for row in await world.rows() if row.id == best.id]
    assert "第7次来见" in passage.text
    return True


PROGRAM = """
import asyncio, sys
from pathlib import Path
from tests.fakes import FakeEmbedder
from wenmai.stores.edge.reembedding import reembed
from wenmai.stores.edge.passages import EdgePassageStore

class Hanging(FakeEmbedder):
    batches = int(sys.argv[2])

    async def embed_passages(self, texts):
        if self.batches == 0:
            await asyncio.Event().wait()
        self.batches -= 1
        return await super().embed_passages(texts)

async def main():
    passages = EdgePassageStore(Path(sys.argv[1]))
    await reembed(passages.moving("lib"), Hanging("new", 48), lambda done, total: print(done, flush=True))

asyncio.run(main())
"""


async def test_kill_9(data: Path) -> None:
    """Killed after its second batch: the library is whole and old, and the next run goes on from there."""
    process = await asyncio.to_thread(killed_after, data, 2)
    assert process.returncode == -signal.SIGKILL
    async with World(data) as world:
        assert await serves(world, old()) and len(await world.rows()) == CHAPTERS
        embedder = new()
        assert (await world.reembed(embedder)).embedded == len(embedder.history) <= CHAPTERS - 32
        assert await serves(world, new())
    assert not leftovers(data)


def killed_after(data: Path, batches: int) -> "subprocess.Popen[str]":
    """Kill a run after so many batches."""
    command = [sys.executable, "-c", PROGRAM, str(data), str(batches)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(batches):
        assert process.stdout.readline().strip()
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    return process
