"""What a folder on a disk adds to the DocumentStore port: reopening, crashes, another embedder, removal from files."""

import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import starmap
from pathlib import Path

import pytest

from tests.contracts.test_document_store import ME, MINE, doc, embedder, every_way, put
from tools.documents.records import Chunk
from tools.documents.scores import searched_text
from tools.errors import EmbedderMismatch, StoreCorrupt, StoreFull, StoreLocked
from tools.memory.records import Memory
from wenmai.stores.edge.collections import EdgeCollection, edge_documents, edge_memories
from wenmai.stores.edge.points import ShardClient
from wenmai.stores.files.threads import completed
from wenmai.stores.vectors.conditions import EVERYTHING
from wenmai.stores.vectors.documents import VectorDocumentStore, unseen_point
from wenmai.stores.vectors.memories import VectorMemoryStore
from wenmai.stores.vectors.qdrant import Change, DocumentChanges, QdrantPoints

# The programs of other processes import no client of a server: that takes longer than all that they do.
WRITER = """
    import asyncio, sys
    from pathlib import Path
    from tests.fake_documents import document_of
    from tests.fakes import FakeEmbedder
    from tools.documents.records import Chunk, DocumentOwner
    from tools.documents.scores import searched_text
    from wenmai.stores.edge.collections import edge_documents

    async def write_for_ever() -> None:
        store = edge_documents(Path(sys.argv[1]), "fake")
        for n in range(1, 100_000):
            owner, id = DocumentOwner("甲", "t1"), f"00000000-0000-4000-8000-{n:012d}"
            chunks = document_of(*[f"数据库 {n}"] * (100 + n % 7), owner=owner, filename="报告.txt", id=id)
            await store.put(chunks, await FakeEmbedder().embed_passages([searched_text(one) for one in chunks]))
            print(n, flush=True)

    asyncio.run(write_for_ever())
"""
OPENER = """
    import asyncio, sys
    from pathlib import Path
    from tools.documents.records import DocumentScope
    from wenmai.stores.edge.collections import edge_documents

    try:
        asyncio.run(edge_documents(Path(sys.argv[1]), "fake").documents(DocumentScope("甲", "t1")))
    except Exception as error:
        print(type(error).__name__)
"""


async def test_reopening_keeps_documents_and_their_embedder(tmp_path: Path) -> None:
    """PLA-10 PLA-25: they are there after a restart; another embedder, or another process's lock, is a clear error."""
    first = edge_documents(tmp_path, "fake")
    await put(first, doc(1, "数据库"))
    await first.close()
    other = edge_documents(tmp_path, "another")
    with pytest.raises(EmbedderMismatch, match="EMBEDDING_MODEL"):
        await other.dense(ME, await embedder.embed_query("数据库"), 5)
    with pytest.raises(EmbedderMismatch, match=r"fake.*another"):
        await put(other, doc(2, "数据库"))
    held = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(OPENER), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert StoreLocked.__name__ in held.stdout, held
    await other.close()
    again = edge_documents(tmp_path, "fake")
    assert await every_way(again, ME) == [["1.txt#0"]] * 3
    await again.close()


@pytest.mark.parametrize("name", ["文档库", "记忆库"])
async def test_errors_name_the_collection(tmp_path: Path, name: str) -> None:
    """PLA-25 PLA-28: a lock and unreadable files of a collection are told as its own, never with `wenmai ingest`."""

    def opened() -> VectorDocumentStore | VectorMemoryStore:
        return edge_documents(tmp_path, "fake") if name == "文档库" else edge_memories(tmp_path, "fake")

    async def read(store: VectorDocumentStore | VectorMemoryStore) -> None:
        await (store.documents(ME) if isinstance(store, VectorDocumentStore) else store.get("u", ["k"]))

    first = opened()
    if isinstance(first, VectorDocumentStore):
        await put(first, doc(1, "数据库"))
    else:
        memory = Memory(memory_key="k", user_id="u", content="数据库", created_at=datetime(2026, 5, 1, tzinfo=UTC))
        await first.put([memory], [[1.0, 0.0]])
    with pytest.raises(StoreLocked, match=f"^{name} 已由本进程"):
        await read(opened())
    await first.close()
    (config,) = tmp_path.glob(".collections/*/points/edge_config.json")
    config.write_bytes(b"garbage" * 600)
    with pytest.raises(StoreCorrupt, match=r"DATA_DIR/\.collections/") as caught:
        await read(opened())
    assert "ingest" not in str(caught.value) and "\n" not in str(caught.value)


async def test_a_killed_upload_leaves_a_whole_document(tmp_path: Path) -> None:
    """DOC-03: kill -9 at any moment of a replacement leaves one document of the name, with all its chunks."""
    finished = 0
    for _ in range(3):
        command = [sys.executable, "-c", textwrap.dedent(WRITER), str(tmp_path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        for _ in range(1 + finished % 3):
            finished = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        process.communicate()
        store = edge_documents(tmp_path, "fake")
        [entry] = await store.documents(ME)
        found = (await store.matching(ME, ["数据库"], 1000)).rows
        assert len(found) == entry.chunks
        assert len({row.chunk.content for row in found}) == 1
        assert int(found[0].chunk.content.split()[1]) >= finished
        await store.close()


def points_of(store: VectorDocumentStore) -> QdrantPoints:
    """Return the points of the shard."""
    assert isinstance(store.collection, EdgeCollection)
    return store.collection.points


def unseen(store: VectorDocumentStore, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> None:
    """Write chunks as an upload does that is not through yet."""
    completed(points_of(store).write(starmap(unseen_point, zip(chunks, vectors, strict=True)), len(vectors[0])))


class Crashing(ShardClient):
    """Ends after a document is shown, before those that it replaces are removed."""

    async def change(self, changes: Sequence[Change]) -> None:
        await super().change(changes[:1])
        raise KeyboardInterrupt(changes[1].condition)


async def test_a_crash_before_and_after_showing(tmp_path: Path) -> None:
    """DOC-03: chunks that were never shown are not found, then removed; a shown successor removes its predecessor."""
    store = edge_documents(tmp_path, "fake")
    old, new = doc(1, "数据库 旧", filename="a.txt"), doc(2, "数据库 新", "数据库 新", filename="a.txt")
    await put(store, old)
    vectors = await embedder.embed_passages([searched_text(chunk) for chunk in new])
    unseen(store, new, vectors)
    assert await every_way(store, ME) == [["a.txt#0"]] * 3
    points = points_of(store)
    assert isinstance(points.client, ShardClient)
    crashing = QdrantPoints(Crashing(points.client.shards, points.client.name), points.words)
    with pytest.raises(KeyboardInterrupt, match=old[0].document.id):
        completed(DocumentChanges(crashing).show(new[0].document))
    await store.close()
    again = edge_documents(tmp_path, "fake")
    assert await every_way(again, ME) == [["a.txt#0", "a.txt#1"]] * 3
    unseen(again, doc(3, "数据库"), vectors[:1])
    await again.close()
    last = edge_documents(tmp_path, "fake")
    await last.documents(ME)
    assert completed(points_of(last).count(EVERYTHING)) == 2
    await last.close()


async def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DOC-03: where the disk has no room the old document stays, and nothing of the new one."""
    store = edge_documents(tmp_path, "fake")
    await put(store, doc(1, "数据库 旧", filename="a.txt"))
    calls: list[str] = []

    def full(self: object, name: str, *, copied: bool = False) -> None:
        calls.append(name)
        if len(calls) > 1:
            raise StoreFull("磁盘空间不足")

    monkeypatch.setattr("wenmai.stores.edge.shards.Shards.require_space", full)
    with pytest.raises(StoreFull):
        await put(store, doc(2, *["数据库 新"] * 700, filename="a.txt"))
    monkeypatch.undo()
    assert await every_way(store, ME) == [["a.txt#0"]] * 3
    assert (await store.matching(ME, ["新"], 5)).total == 0
    assert completed(points_of(store).count(EVERYTHING)) == 1
    await store.close()


def found_in_files(folder: Path, text: str) -> bool:
    return any(path.is_file() and text.encode() in path.read_bytes() for path in folder.rglob("*"))


async def test_a_rewritten_store_keeps_no_removed_text(tmp_path: Path) -> None:
    """DOC-04: after removal and rewrite no file holds the text, and all else is as it was."""
    store = edge_documents(tmp_path, "fake")
    gone, stays = doc(1, "数据库 secret-one"), doc(2, "数据库 secret-two", "数据库")
    for chunks in (gone, stays):
        await put(store, chunks)
    await store.remove(MINE, gone[0].document.id)
    assert found_in_files(tmp_path, "secret-one")
    before = await store.fetch(ME, [chunk.chunk_id for chunk in stays], await embedder.embed_query("数据库"))
    await store.collection.rewrite()
    assert await store.fetch(ME, [row.chunk.chunk_id for row in before], await embedder.embed_query("数据库")) == before
    assert await every_way(store, ME) == [["2.txt#0", "2.txt#1"]] * 3
    await store.close()
    assert not found_in_files(tmp_path, "secret-one")
    assert found_in_files(tmp_path, "secret-two")
