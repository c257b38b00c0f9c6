"""Moving what belongs to users: memories, and uploaded documents. What the target has besides stays there."""

from collections.abc import AsyncIterator
from itertools import groupby
from typing import Protocol

from tools.documents.records import Chunk, DocumentScope
from tools.memory.records import Memory
from tools.ports import DocumentStore, MemoryStore
from wenmai.migration.side import BATCH, Moved, Progress, Tally, same_vector

Pair = tuple[Memory, list[float]]


class MovableMemories(MemoryStore, Protocol):
    """Memories that can be read all at once, of all users."""

    def everything(self) -> AsyncIterator[Pair]:
        """Yield the memories of all users with their vectors."""
        ...


class MovableDocuments(DocumentStore, Protocol):
    """Documents that can be read all at once, of all owners."""

    def everything(self) -> AsyncIterator[tuple[list[Chunk], list[list[float]]]]:
        """Yield the documents of all owners with their vectors."""
        ...


async def move_memories(source: MovableMemories, target: MovableMemories, progress: Progress) -> Moved:
    """Copy the memories of all users that the target lacks or has otherwise."""
    rows: list[Memory] = []
    held: list[Memory] = []
    written = 0
    batch: list[Pair] = []
    async for pair in source.everything():
        batch.append(pair)
        if len(batch) == BATCH:
            written += await _put(target, batch, rows, held)
            progress("memories", len(rows), None)
            batch = []
    written += await _put(target, batch, rows, held)
    progress("memories", len(rows), len(rows))
    now = Tally.of([memory async for memory, _ in source.everything()])  # what came in meanwhile was not copied
    return Moved(kind="memories", source=now, target=Tally.of(held), written=written)


async def _put(target: MovableMemories, batch: list[Pair], rows: list[Memory], held: list[Memory]) -> int:
    """Write the memories of a batch that differ, read the batch back, and return how many were written."""
    stale: list[Pair] = []
    by_user = {user: list(pairs) for user, pairs in groupby(sorted(batch, key=_user), key=_user)}
    for user, pairs in by_user.items():
        keys = [memory.memory_key for memory, _ in pairs]
        known = {one.memory_key: one for one in await target.get(user, keys)}
        vectors = await target.vectors(user, keys)
        stale += [
            (one, vector)
            for one, vector in pairs
            if known.get(one.memory_key) != one or not same_vector(vectors.get(one.memory_key), vector)
        ]
    await target.put([memory for memory, _ in stale], [vector for _, vector in stale])
    for user, pairs in by_user.items():
        rows += [memory for memory, _ in pairs]
        held += await target.get(user, [memory.memory_key for memory, _ in pairs])
    return len(stale)


def _user(pair: Pair) -> str:
    return pair[0].user_id


async def move_documents(source: MovableDocuments, target: MovableDocuments, progress: Progress) -> Moved:
    """Copy the documents of all owners, each whole, that the target lacks or has otherwise."""
    rows: list[Chunk] = []
    held: list[Chunk] = []
    written = 0
    async for chunks, vectors in source.everything():
        owner = chunks[0].document.owner
        scope = DocumentScope(owner.user_id, owner.session_id)
        if await _of(target, scope, chunks) != chunks:
            await target.put(chunks, vectors)
            written += len(chunks)
        rows += chunks
        held += await _of(target, scope, chunks)
        progress("documents", len(rows), None)
    progress("documents", len(rows), len(rows))
    now = Tally.of([chunk async for chunks, _ in source.everything() for chunk in chunks])
    return Moved(kind="documents", source=now, target=Tally.of(held), written=written)


async def _of(target: MovableDocuments, scope: DocumentScope, chunks: list[Chunk]) -> list[Chunk]:
    return [row.chunk for row in await target.fetch(scope, [chunk.chunk_id for chunk in chunks])]
