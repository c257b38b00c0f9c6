"""A library, the memories or the documents moved to another embedder.

The new vectors are made beside the old ones, which serve until all are there; then both the vectors and the record of
their embedder change at once. A run that was killed goes on where it stopped.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from tools.ports import WindowEmbedder
from tools.story.windows import Embedded

BATCH = 16  # as an ingest embeds: progress moves every few seconds
Progress = Callable[[int, int], None]


class Staged(Protocol):
    """New vectors, kept until they are whole; every call blocks."""

    def missing(self, texts: Sequence[str]) -> list[str]:
        """Return the texts that have no vector yet, each once."""
        ...

    def put(self, texts: Sequence[str], embedded: Sequence[Embedded]) -> None:
        """Keep vectors, durably."""
        ...

    def embedded(self, text: str) -> Embedded:
        """Return the vector of a text, and those of its windows."""
        ...

    def close(self) -> None:
        """Close what was opened; what is kept stays."""
        ...

    def remove(self) -> None:
        """Delete what was kept."""
        ...


class Movable(Protocol):
    """Points whose vectors can be replaced; every call blocks."""

    def count(self) -> int:
        """Return how many points there are."""
        ...

    def texts(self) -> Iterator[str]:
        """Yield the text of every point's vector."""
        ...

    def staged(self, embedder: str, dimension: int) -> Staged:
        """Open what was made of the new vectors so far."""
        ...

    def replace(self, made: Callable[[str], Embedded], embedder: str, dimension: int) -> None:
        """Put the vectors of the texts in the place of the old ones, and the embedder on record: both or neither."""
        ...


@dataclass(frozen=True, slots=True)
class Reembedded:
    """How many texts there were, and how many of them this run embedded; the others an earlier run had."""

    total: int
    embedded: int
    seconds: float


async def reembed(place: Movable, embedder: WindowEmbedder, progress: Progress) -> Reembedded:
    """Give every point of a place a vector of another embedder; `progress` gets (done, total) after every batch.

    Raises:
        StoreError: the place cannot be read or written; what was made is kept.
        ModelError, ConfigError: the embedder failed; what was made is kept.
    """
    started = time.perf_counter()
    total = await asyncio.to_thread(place.count)
    staged = await asyncio.to_thread(place.staged, embedder.name, embedder.dimension)
    try:
        embedded = await _made(place, staged, embedder, lambda done: progress(done, total))
        await asyncio.to_thread(place.replace, staged.embedded, embedder.name, embedder.dimension)
    finally:
        await asyncio.to_thread(staged.close)
    await asyncio.to_thread(staged.remove)
    return Reembedded(total, embedded, time.perf_counter() - started)


async def _made(place: Movable, staged: Staged, embedder: WindowEmbedder, progress: Callable[[int], None]) -> int:
    """Make the vectors that are missing and return how many there were."""
    texts, done, made = place.texts(), 0, 0
    while batch := await asyncio.to_thread(lambda: list(islice(texts, BATCH))):
        new = await asyncio.to_thread(staged.missing, batch)
        if new:
            await asyncio.to_thread(staged.put, new, await embedder.embed_windows(new))
        done, made = done + len(batch), made + len(new)
        progress(done)
    return made
