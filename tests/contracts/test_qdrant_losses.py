"""What others do to a Qdrant server meanwhile: collections dropped, uploads beside ours, chunks removed."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from qdrant_client import AsyncQdrantClient, models

from tests.contracts.test_document_store import ME, doc, every_way
from tests.contracts.test_document_store import embedder as document_embedder
from tests.contracts.test_memory_store import memory
from tests.contracts.test_passage_store import ANY, LIBRARY, embedder, passage, put
from tests.fake_documents import NOON
from tests.fakes import somebody, unknown
from tests.qdrant_service.server import LoopbackQdrant
from tools.documents.records import Chunk
from tools.documents.scores import searched_text
from tools.errors import LibraryNotFound, StoreError, StoreGone, is_transient
from tools.memory.records import MemoryFilter
from wenmai.stores.qdrant.collection import QdrantCollection
from wenmai.stores.qdrant.server import qdrant_server
from wenmai.stores.qdrant.stores import QdrantDocumentWrites, qdrant_documents, qdrant_memories, qdrant_passages
from wenmai.stores.vectors.conditions import EVERYTHING
from wenmai.stores.vectors.documents import VectorDocumentStore
from wenmai.stores.vectors.passages import ServerPassageStore
from wenmai.stores.vectors.qdrant import QdrantPoints


@pytest.fixture
def running() -> Iterator[LoopbackQdrant]:
    with LoopbackQdrant() as server:
        yield server


class Clock:
    """The time, as a test sets it."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def opened(running: LoopbackQdrant, clock: Clock) -> AsyncIterator[Callable[[], VectorDocumentStore]]:
    """What opens the documents as another process does."""
    stores: list[VectorDocumentStore] = []

    def fresh() -> VectorDocumentStore:
        stores.append(qdrant_documents(qdrant_server(running.url, None, 5), "fake", clock))
        return stores[-1]

    yield fresh
    for store in stores:
        await store.close()


def points_of(store: VectorDocumentStore | ServerPassageStore) -> QdrantPoints:
    """Return what a store writes to."""
    assert isinstance(store._points, QdrantPoints)
    return store._points


def client_of(store: VectorDocumentStore | ServerPassageStore) -> AsyncQdrantClient:
    """Return what a store speaks to the server by."""
    collection = points_of(store).client
    assert isinstance(collection, QdrantCollection)
    return collection.server.client


def writes_of(store: VectorDocumentStore) -> QdrantDocumentWrites:
    """Return what a store writes documents with."""
    assert isinstance(store._writes, QdrantDocumentWrites)
    return store._writes


async def vectors_of(chunks: Sequence[Chunk]) -> list[list[float]]:
    return await document_embedder.embed_passages([searched_text(chunk) for chunk in chunks])


async def prepare(store: VectorDocumentStore, chunks: Sequence[Chunk]) -> None:
    """Write chunks as an upload does that is not through yet."""
    vectors = await vectors_of(chunks)
    await writes_of(store).write(chunks, vectors)


async def stored(store: VectorDocumentStore) -> set[str]:
    """Return the documents of which the server has any chunk."""
    rows = await points_of(store).listed(EVERYTHING)
    return {(row.payload or {})["filename"] for row in rows}


async def test_an_upload_under_way_is_no_crash(opened: Callable[[], VectorDocumentStore], clock: Clock) -> None:
    """DOC-03: what another process is still writing stays, however old the file is; what a crash left goes."""
    first = opened()
    await prepare(first, doc(1, "数据库 崩溃", filename="crashed.txt"))
    chunks = doc(2, "数据库 一", "数据库 二", filename="long.txt", hours=-48)
    await prepare(first, chunks[:1])
    clock.now += timedelta(hours=1)
    await prepare(first, chunks[1:])
    assert await opened().documents(ME) == []
    assert await stored(first) == {"crashed.txt", "long.txt"}
    clock.now += timedelta(minutes=30)
    assert await opened().documents(ME) == []
    assert await stored(first) == {"long.txt"}
    await writes_of(first).changes.show(chunks[0].document)
    assert await every_way(first, ME) == [["long.txt#0", "long.txt#1"]] * 3


async def test_a_document_that_lost_chunks_is_not_shown(
    opened: Callable[[], VectorDocumentStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    """DOC-03: an upload of which chunks are missing at its end fails with a clear line, and the old one stays."""
    store = opened()
    old, new = doc(1, "数据库 旧", filename="a.txt"), doc(2, *["数据库 新"] * 3, filename="a.txt")
    await store.put(old, await vectors_of(old))
    write = client_of(store).upsert

    async def lossy(name: str, points: list[models.PointStruct], **more: Any) -> Any:
        return await write(name, points[1:], **more)

    monkeypatch.setattr(client_of(store), "upsert", lossy)
    with pytest.raises(StoreError, match=r"a\.txt 没有保存：服务器上只有 2 / 3 段.*请重新上传"):
        await store.put(new, await vectors_of(new))
    assert await every_way(store, ME) == [["a.txt#0"]] * 3
    assert [one.id for one in await store.documents(ME)] == [old[0].document.id]
    assert len(await points_of(store).listed(EVERYTHING)) == 1


async def test_a_dropped_collection_of_passages(running: LoopbackQdrant) -> None:
    """PLA-28: a read says that the collection is gone, the next one finds it empty; a write makes it again."""
    store = qdrant_passages(qdrant_server(running.url, None, 5), "stories", "fake", unknown, somebody)
    vector = await embedder.embed_query("曹操")
    reads: tuple[Callable[[], Awaitable[object]], ...] = (
        lambda: store.dense(LIBRARY, vector, ANY, 5),
        lambda: store.sparse(LIBRARY, "曹操", ANY, 5),
        lambda: store.fetch(LIBRARY, [passage(0).id]),
        lambda: store.scroll(LIBRARY, ANY),
        lambda: store.count(LIBRARY, ANY),
        lambda: store.delete(LIBRARY, [passage(0).id]),
    )
    for read in reads:
        await put(store, [passage(0)])
        await running.service.drop("stories_fake", b"")
        with pytest.raises(StoreGone, match=r"stories_fake.*请从备份恢复，或重新导入") as caught:
            await read()
        assert not is_transient(caught.value) and "\n" not in str(caught.value)
        with pytest.raises(LibraryNotFound):
            await read()
    for n in (1, 2):
        await put(store, [passage(n)])
        assert [row.id for row in await store.scroll(LIBRARY, ANY)] == [passage(n).id]
        assert "library" in running.service.indexes["stories_fake"]
        await running.service.drop("stories_fake", b"")
    await store.close()


async def test_a_collection_dropped_between_two_batches(
    running: LoopbackQdrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PLA-28: a write whose beginning is lost fails; it is not told as done."""
    monkeypatch.setattr("wenmai.stores.vectors.qdrant.WRITE_ROWS", 2)
    store = qdrant_passages(qdrant_server(running.url, None, 5), "stories", "fake", unknown, somebody)
    await put(store, [passage(0)])
    client, calls = client_of(store), 0
    write = client.upsert

    async def dropping(*args: Any, **more: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            await running.service.drop("stories_fake", b"")
        return await write(*args, **more)

    monkeypatch.setattr(client, "upsert", dropping)
    with pytest.raises(StoreGone):
        await put(store, [passage(n) for n in range(1, 5)])
    await put(store, [passage(n) for n in range(1, 5)])
    assert await store.count(LIBRARY, ANY) == 4
    await store.close()


async def test_a_collection_made_anew_bears_the_mark(running: LoopbackQdrant, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-28: dropped between the mark and the rows, a collection that the write makes anew is marked, too."""
    store = qdrant_passages(qdrant_server(running.url, None, 5), "stories", "fake", unknown, somebody)
    await put(store, [passage(0)])
    client = client_of(store)
    write = client.upsert

    async def dropping(*args: Any, **more: Any) -> Any:
        monkeypatch.undo()
        await running.service.drop("stories_fake", b"")
        return await write(*args, **more)

    monkeypatch.setattr(client, "upsert", dropping)
    await put(store, [passage(1)])
    assert [row.id for row in await store.scroll(LIBRARY, ANY)] == [passage(1).id]
    assert await store.owner_of(LIBRARY) == await somebody()
    await store.close()


async def test_dropped_collections_of_documents_and_memories(
    running: LoopbackQdrant, opened: Callable[[], VectorDocumentStore]
) -> None:
    """PLA-28: uploads and memories go on in a new collection; what was there before is told as gone once."""
    store, chunks = opened(), doc(1, "数据库", "数据库")
    await store.put(chunks, await vectors_of(chunks))
    await running.service.drop("documents", b"")
    with pytest.raises(StoreGone, match="documents"):
        await store.documents(ME)
    assert await store.documents(ME) == []
    for n in (2, 3):
        again = doc(n, "数据库", filename="a.txt")
        assert await store.put(again, await vectors_of(again)) is None
        assert await every_way(store, ME) == [["a.txt#0"]] * 3
        await running.service.drop("documents", b"")
    memories = qdrant_memories(qdrant_server(running.url, None, 5), "fake")
    for n in (1, 2):
        await memories.put([memory(n)], [[1.0] * 8])
        assert [row.memory_key for row in await memories.scroll("甲", MemoryFilter())] == [f"k{n}"]
        await running.service.drop("memories", b"")
    with pytest.raises(StoreGone):
        await memories.dense("甲", [1.0] * 8, MemoryFilter(), 5)
    assert await memories.dense("甲", [1.0] * 8, MemoryFilter(), 5) == []
    await memories.close()


async def test_an_upload_where_the_collection_went_before_the_first_one(
    running: LoopbackQdrant, opened: Callable[[], VectorDocumentStore]
) -> None:
    """PLA-28: a process that has only read so far makes the dropped collection again, too."""
    first, other, chunks = opened(), opened(), doc(1, "数据库")
    await first.put(chunks, await vectors_of(chunks))
    assert await every_way(other, ME) == [["1.txt#0"]] * 3
    await running.service.drop("documents", b"")
    await other.put(chunks, await vectors_of(chunks))
    assert await every_way(first, ME) == [["1.txt#0"]] * 3
