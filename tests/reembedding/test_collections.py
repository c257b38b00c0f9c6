"""Memories and documents on the embedded engine, moved to another embedder."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.contracts.test_document_store import ME, MINE, doc
from tests.contracts.test_memory_store import memory
from tests.fakes import FakeEmbedder
from tools.documents.records import Chunk, DocumentOwner, DocumentScope
from tools.documents.scores import searched_text as document_text
from tools.errors import EmbedderMismatch, ModelError
from tools.memory.keywords import embedded_text as memory_text
from tools.memory.records import Memory, MemoryFilter
from tools.story.windows import Embedded
from wenmai.stores.edge.collections import EdgeCollection, edge_documents, edge_memories
from wenmai.stores.edge.reembedding import reembed
from wenmai.stores.files.moving import STAGED
from wenmai.stores.vectors.documents import VectorDocumentStore
from wenmai.stores.vectors.memories import VectorMemoryStore

ANY = MemoryFilter()
OTHER = DocumentScope("乙", "t9")
OLD, NEW = FakeEmbedder("old", 32), FakeEmbedder("new", 48)


class Failing(FakeEmbedder):
    """Fails after its first batch."""

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        if self.history:
            raise ModelError("配额已用完")
        return await super().embed_passages(texts)


class Windowing(FakeEmbedder):
    """The new embedder, with the same windows for every text."""

    def __init__(self, windows: str) -> None:
        super().__init__(NEW.name, NEW.dimension)
        self.windows = windows

    async def embed_windows(self, texts: Sequence[str]) -> list[Embedded]:
        return [Embedded(vector, self.windows) for vector in await self.embed_passages(texts)]


def quiet(done: int, total: int) -> None:
    """Tell nobody."""


def collection_of(store: VectorMemoryStore | VectorDocumentStore) -> EdgeCollection:
    """Return where the vectors are."""
    assert isinstance(store.collection, EdgeCollection)
    return store.collection


async def put_memories(store: VectorMemoryStore, rows: Sequence[Memory]) -> None:
    await store.put(rows, await OLD.embed_passages([memory_text(row) for row in rows]))


async def put_document(store: VectorDocumentStore, chunks: Sequence[Chunk]) -> None:
    await store.put(chunks, await OLD.embed_passages([document_text(chunk) for chunk in chunks]))


async def test_memories_of_all_users_move(tmp_path: Path) -> None:
    """PLA-10 PLA-03: every user keeps his own memories, found by the new vectors and by the same words."""
    first = edge_memories(tmp_path, OLD.name)
    rows = [memory(n, user, content=f"{user}的数据库端口是{n}") for user in ("甲", "乙") for n in range(20)]
    await put_memories(first, rows)
    before = {user: await first.scroll(user, ANY) for user in ("甲", "乙")}
    words = await first.sparse("甲", "端口", ANY, 5)
    assert collection_of(first).made_by == ("old", 32)
    done = await reembed(collection_of(first).moving(), NEW, quiet)
    await first.close()
    assert (done.total, done.embedded) == (40, 40)
    store = edge_memories(tmp_path, NEW.name)
    assert {user: await store.scroll(user, ANY) for user in ("甲", "乙")} == before
    assert await store.sparse("甲", "端口", ANY, 5) == words
    best = await store.dense("甲", await NEW.embed_query("甲的数据库端口是7"), ANY, 1)
    assert best[0].memory.content == "甲的数据库端口是7" and collection_of(store).made_by == ("new", 48)
    await store.close()
    old = edge_memories(tmp_path, OLD.name)
    with pytest.raises(EmbedderMismatch, match="wenmai reembed --memories"):
        await old.dense("甲", [1.0] * 32, ANY, 1)
    await old.close()


async def test_documents_of_all_sessions_move(tmp_path: Path) -> None:
    """Who saw a document before sees it after, and nobody else."""
    first = edge_documents(tmp_path, OLD.name)
    old, recent = "4:ADwAPAA8ADw=", "4:ADwAAAAAAAA="
    await put_document(first, [replace(chunk, windows=old) for chunk in doc(1, "年假十五天", "报销三十天", owner=MINE)])
    await put_document(first, doc(2, "年假五天", owner=DocumentOwner("乙", "t9")))
    before = [await first.documents(scope) for scope in (ME, OTHER)]
    await reembed(collection_of(first).moving(), Windowing(recent), quiet)
    await first.close()
    store = edge_documents(tmp_path, NEW.name)
    assert [await store.documents(scope) for scope in (ME, OTHER)] == before
    found = await store.dense(ME, await NEW.embed_query("年假十五天"), 5)
    assert found[0].chunk.content == "年假十五天" and len(found) == 2
    kept = await store.fetch(ME, [row.chunk.chunk_id for row in found])
    assert [row.chunk.windows for row in kept] == [recent, recent], "the old ones compare with nothing any more"
    await store.close()


async def test_what_is_forgotten_meanwhile_leaves_no_vector(tmp_path: Path) -> None:
    """MEM-04: vectors that were made for a move, and that it has not used yet, go with the rewrite of a deletion."""
    store = edge_memories(tmp_path, OLD.name)
    await put_memories(store, [memory(n, content=f"第{n}条") for n in range(40)])
    with pytest.raises(ModelError):
        await reembed(collection_of(store).moving(), Failing("new", 48), quiet)
    staged = collection_of(store).client.shards.path("memories") / STAGED
    assert staged.exists()
    await store.delete("甲", ["k3"])
    await store.collection.rewrite()
    assert not staged.exists()
    await store.close()


async def test_an_empty_collection_has_nothing_to_move(tmp_path: Path) -> None:
    store = edge_memories(tmp_path, NEW.name)
    assert collection_of(store).made_by is None
    await store.close()
