"""`wenmai migrate`: both sides hold the same, nothing is embedded, an interrupted copy goes on (PLA-28)."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fake_documents import document_of
from tests.migration.house import LIBRARY, OWNERS, House, embedder, memories, silent
from tests.qdrant_service.server import LoopbackQdrant
from tools.documents.records import Chunk, DocumentScope
from tools.documents.scores import searched_text
from tools.errors import InputError, LibraryNotFound, StoreGone, StoreUnavailable
from tools.memory.records import Memory, MemoryFilter
from tools.records import PassageFilter
from wenmai.migration import Tally, carried, move_documents, move_library, move_memories
from wenmai.stores.vectors.documents import VectorDocumentStore

ROOT = Path(__file__).parents[2]
ANY = PassageFilter()
WINDOWS = "4:ADwAPAA8ADw="


@pytest.fixture
def qdrant() -> Iterator[LoopbackQdrant]:
    with LoopbackQdrant() as server:
        yield server


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[House]:
    made = House(tmp_path / "home")
    await made.build()
    yield made
    await made.close()


@pytest.fixture
async def away(tmp_path: Path, qdrant: LoopbackQdrant) -> AsyncIterator[House]:
    made = House(tmp_path / "away", qdrant)
    yield made
    await made.close()


async def contents(house: House) -> dict[str, Any]:
    """Return all that a library holds, as its ports tell it."""
    side = house.side()
    passages = await side.stores.passages.scroll(LIBRARY, ANY)
    names = await side.stores.graph.names(LIBRARY, None)
    people = sorted({name.entity for name in names})
    graph = side.stores.graph
    found = {
        "passages": passages,
        "vectors": await side.stores.passages.vectors(LIBRARY, passages),
        "chapters": await side.catalog.chapters(LIBRARY),
        "ids": await side.catalog.passage_ids(LIBRARY),
        "notes": carried(await side.catalog.notes(LIBRARY)),
        "info": await side.catalog.info(LIBRARY),
        "names": names,
        "relations": [await graph.relations(LIBRARY, name, None) for name in people],
        "events": [await graph.events(LIBRARY, name, None, None) for name in people],
        "counts": await graph.counts(LIBRARY),
    }
    await house.close()
    return found


async def moved(source: House, target: House) -> Any:
    rows = await move_library(source.side(), target.side(), LIBRARY, silent)
    await source.close()
    await target.close()
    return rows


async def test_there_and_back(home: House, away: House, tmp_path: Path) -> None:
    """PLA-28: a library on a server, and back in another folder, holds the same records, vectors and graph."""
    before = await contents(home)
    embedder.history.clear()
    rows = await moved(home, away)
    assert {row.kind for row in rows} == {"passages", "chapters", "notes", "graph"}
    assert all(row.is_same and row.source.count and row.written for row in rows), rows
    there = await contents(away)
    back = House(tmp_path / "back")
    assert all(row.is_same for row in await moved(away, back))
    again = await contents(back)
    for found in (there, again):
        vectors, wanted = found.pop("vectors"), dict(before["vectors"])
        assert vectors.keys() == wanted.keys()
        assert all(vectors[id] == pytest.approx(wanted[id], abs=1e-5) for id in wanted)
        assert found == {name: value for name, value in before.items() if name != "vectors"}
    assert embedder.history == []


async def test_a_second_run_writes_nothing(home: House, away: House) -> None:
    """PLA-28: what the target has already is compared and left alone."""
    await moved(home, away)
    rows = {row.kind: row for row in await moved(home, away)}
    assert [rows[kind].written for kind in ("passages", "chapters", "notes")] == [0, 0, 0]
    assert all(row.is_same for row in rows.values())


async def test_what_the_source_lacks_leaves_the_target(home: House, away: House) -> None:
    """PLA-28: a changed library is moved again: new texts come, old ones go."""
    await moved(home, away)
    await home.build("第一章 新\n\n沈青把灯卖了。\n")
    assert all(row.is_same for row in await moved(home, away))
    found = await contents(away)
    assert [passage.text for passage in found["passages"]] == [c.text for c in found["chapters"]] == ["沈青把灯卖了。"]


async def test_a_server_that_dies_on_the_way(home: House, away: House, qdrant: LoopbackQdrant) -> None:
    """PLA-28: the copy ends with a clear error, and the next run finishes it."""

    def fail(part: str, done: int, total: int | None) -> None:
        if part == "chapters" and done == 1:
            qdrant.service.failure = (500, "task panicked")

    with pytest.raises(StoreUnavailable, match="Qdrant"):
        await move_library(home.side(), away.side(), LIBRARY, fail)
    await home.close()
    await away.close()
    qdrant.service.failure = None
    rows = {row.kind: row for row in await moved(home, away)}
    assert all(row.is_same for row in rows.values())
    assert rows["passages"].written == 0


VICTIM = """
import asyncio, os, signal, sys
from pathlib import Path
from tests.migration.house import LIBRARY, House
from tests.qdrant_service.server import LoopbackQdrant
from wenmai.migration import move_library

def die(part, done, total):
    if [part, str(done)] == sys.argv[4:6]:
        os.kill(os.getpid(), signal.SIGKILL)

source, target = House(Path(sys.argv[1])), House(Path(sys.argv[2]), LoopbackQdrant(port=int(sys.argv[3])))
asyncio.run(move_library(source.side(), target.side(), LIBRARY, die))
"""


@pytest.mark.parametrize("at", [("passages", "3"), ("chapters", "2"), ("graph", "1")])
async def test_kill_9_on_the_way(home: House, away: House, qdrant: LoopbackQdrant, at: tuple[str, str]) -> None:
    """PLA-28: a process that is killed leaves a target that the next one makes whole."""
    command = [sys.executable, "-c", VICTIM, str(home.folder), str(away.folder), str(qdrant.port), *at]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    died = await asyncio.to_thread(subprocess.run, command, env=environment, cwd=ROOT, capture_output=True, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    rows = await moved(home, away)
    assert all(row.is_same for row in rows)
    assert (await contents(away))["passages"] == (await contents(home))["passages"]


async def test_memories_of_all_users(home: House, away: House) -> None:
    """PLA-28 MEM-03: each memory with its vector stays its user's; what the target has besides stays there."""
    rows = memories()
    vectors = await embedder.embed_passages([row.content for row in rows])
    source, target = home.memories(), away.memories()
    await source.put(rows, vectors)
    [other] = memories(["丙"], 1)
    await target.put([other], await embedder.embed_passages([other.content]))
    first, second = await move_memories(source, target, silent), await move_memories(source, target, silent)
    assert (first.is_same, first.source.count, first.written) == (True, 6, 6)
    assert (second.is_same, second.written) == (True, 0)
    for user in "甲乙丙":
        found = await target.scroll(user, MemoryFilter(active=None))
        assert found == [row for row in [*rows, other] if row.user_id == user]
    assert (await target.vectors("甲", ["k0"]))["k0"] == pytest.approx(vectors[0], abs=1e-5)


class Growing:
    """Memories to which one is added while they are told."""

    def __init__(self, store: Any, late: Memory) -> None:
        self.store, self.late = store, [late]

    async def everything(self) -> AsyncIterator[tuple[Memory, list[float]]]:
        async for pair in self.store.everything():
            yield pair
        while self.late:
            row = self.late.pop()
            await self.store.put([row], await embedder.embed_passages([row.content]))


async def test_a_memory_that_comes_in_meanwhile(home: House, away: House) -> None:
    """PLA-28: what was written during a copy makes the sides differ, and the next run copies it."""
    [late, *rows] = memories(["甲"], 3)
    source, target = home.memories(), away.memories()
    await source.put(rows, await embedder.embed_passages([row.content for row in rows]))
    growing: Any = Growing(source, late)
    first, second = await move_memories(growing, target, silent), await move_memories(source, target, silent)
    assert (first.is_same, first.source.count, first.target.count) == (False, 3, 2)
    assert (second.is_same, second.written) == (True, 1)


async def pieces_of(store: VectorDocumentStore) -> dict[tuple[str, int], Chunk]:
    """Return the pieces of all documents by document and place."""
    return {(one.document.id, one.chunk_index): one async for pieces, _ in store.everything() for one in pieces}


async def test_documents_of_all_owners(home: House, away: House, tmp_path: Path) -> None:
    """PLA-28 DOC-02: each document stays its owner's, whole, and comes back."""
    source, target = home.documents(), away.documents()
    for n, owner in enumerate(OWNERS):
        key = f"00000000-0000-4000-8000-{n:012d}"
        texts = document_of("数据库", f"第{n}份", id=key, filename="报告.txt", owner=owner)
        chunks = [replace(chunk, windows=WINDOWS) for chunk in texts]
        await source.put(chunks, await embedder.embed_passages([searched_text(chunk) for chunk in chunks]))
    first, second = await move_documents(source, target, silent), await move_documents(source, target, silent)
    assert (first.is_same, first.source.count, first.written, second.written) == (True, 6, 6, 0)
    back = House(tmp_path / "back")
    again = back.documents()
    assert (await move_documents(target, again, silent)).is_same
    for documents in (target, again):
        assert {chunk.windows async for chunks, _ in documents.everything() for chunk in chunks} == {WINDOWS}
        for owner in OWNERS:
            scope = DocumentScope(owner.user_id, owner.session_id)
            assert await documents.documents(scope) == await source.documents(scope)
        assert await pieces_of(documents) == await pieces_of(source)
    await back.close()


@pytest.mark.parametrize("at", ["passages", "chapters", "graph"])
async def test_a_copy_that_was_cut_off_is_no_source(home: House, away: House, at: str) -> None:
    """PLA-28: brought back before it is whole, it would delete what the other side has: nothing is changed."""
    before = await contents(home)

    class CutOff(Exception):
        """What a process meets that is stopped."""

    def cut(part: str, done: int, total: int | None) -> None:
        if part == at:
            raise CutOff

    with pytest.raises(CutOff):
        await move_library(home.side(), away.side(), LIBRARY, cut)
    await home.close()
    await away.close()
    with pytest.raises(InputError, match="中断"):
        await moved(away, home)
    await unharmed(home, away, before)


async def unharmed(home: House, away: House, before: object) -> None:
    """Nothing was lost at home, and a copy there and back goes through."""
    await away.close()
    await home.close()
    assert await contents(home) == before
    assert all(row.is_same for row in await moved(home, away))
    assert all(row.is_same for row in await moved(away, home))


@pytest.mark.parametrize("lost", [1, None])
async def test_a_source_that_lost_its_vectors(home: House, away: House, lost: int | None) -> None:
    """PLA-28: what a wrong direction or an emptied server would delete on the other side stays there."""
    await moved(home, away)
    before, there = await contents(home), away.side().stores.passages
    await there.delete(LIBRARY, [row.id for row in await there.scroll(LIBRARY, ANY)][:lost])
    with pytest.raises(StoreGone, match="--to"):
        await moved(away, home)
    await unharmed(home, away, before)


async def test_an_unknown_library(home: House, away: House) -> None:
    """PLA-28: nothing is made for a library that the source has not."""
    with pytest.raises(LibraryNotFound, match="无此库"):
        await move_library(home.side(), away.side(), "无此库", silent)
    assert not (away.folder / "无此库").exists()


async def test_a_library_without_records_of_its_graph(home: House, away: House) -> None:
    """PLA-28: a library of an older version says what to do first."""
    side = home.side()
    for key in await side.catalog.notes(LIBRARY):
        if key.startswith("drawn:chapter"):
            await side.catalog.put_note(LIBRARY, key, None)
    with pytest.raises(InputError, match="wenmai ingest"):
        await move_library(side, away.side(), LIBRARY, silent)


def test_a_checksum_sees_every_difference() -> None:
    """PLA-28: order does not matter; a changed, a lost and a double record do."""
    rows = [{"a": 1, "b": "甲"}, {"a": 2, "b": "乙"}]
    whole = Tally.of(rows)
    assert whole == Tally.of(rows[::-1]) and whole.count == 2
    for other in ([rows[0]], [rows[0], rows[0]], [rows[0], {"a": 2, "b": "丙"}], [*rows, rows[1]]):
        assert Tally.of(other) != whole
