"""Chapters made ready to be written: read and embedded, some of them ahead of the one that is written."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass

from tools.errors import LibraryNotFound
from tools.ports import Embedder, PassageStore
from wenmai.ingestion.chapter_reader import Engine, ReadChapter
from wenmai.ingestion.contracts import Progress, Step, TaggedChapter
from wenmai.ingestion.passages.layout import Placed

BATCH = 16
"""Passages in one call of the embedder: progress moves every few seconds, and larger calls gain nothing."""


@dataclass(slots=True)
class Clock:
    """Tells progress, and keeps the embedder's share of the time."""

    progress: Progress | None
    total: int = 0
    started: float = 0.0
    done: int = 0
    embedding: float = 0.0

    def start(self, total: int) -> None:
        """Begin with the passages that are to be written."""
        self.total = total
        self.started = time.perf_counter()

    def tell(self, chapter: str) -> None:
        """Report how far the ingest is."""
        if self.progress:
            seconds = time.perf_counter() - self.started
            self.progress(Step(done=self.done, total=self.total, chapter=chapter, seconds=seconds))


@dataclass(frozen=True, slots=True)
class Made:
    """A chapter that only needs to be written."""

    placed: Placed
    read: ReadChapter
    vectors: list[list[float]]


@dataclass(frozen=True, slots=True)
class Maker:
    """Who makes chapters for one library."""

    library: str
    passages: PassageStore
    embedder: Embedder
    engine: Engine
    clock: Clock

    async def made(self, chapters: Iterable[Placed]) -> AsyncGenerator[Made, None]:
        """Yield chapters in their order; as many as the engine takes at a time are under way."""
        under_way: deque[asyncio.Task[Made]] = deque()
        try:
            for placed in chapters:
                under_way.append(asyncio.create_task(self._make(placed)))
                if len(under_way) >= self.engine.at_a_time:
                    yield await under_way.popleft()
            while under_way:
                yield await under_way.popleft()
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    async def _make(self, placed: Placed) -> Made:
        read = await self.engine.read(placed)
        return Made(placed, read, await self._embedded(read.tagged))

    async def _embedded(self, tagged: TaggedChapter) -> list[list[float]]:
        """Return a vector for each passage; one that is stored with the same text is not embedded again."""
        vectors = await self._stored(tagged)
        new = [passage for passage in tagged.passages if passage.id not in vectors]
        self.clock.done += len(tagged.passages) - len(new)
        for at in range(0, len(new), BATCH):
            batch = new[at : at + BATCH]
            started = time.perf_counter()
            rows = await self.embedder.embed_passages([passage.text for passage in batch])
            self.clock.embedding += time.perf_counter() - started
            vectors |= {passage.id: row for passage, row in zip(batch, rows, strict=True)}
            self.clock.done += len(batch)
            self.clock.tell(tagged.chapter.title or tagged.chapter.task_id)
        return [vectors[passage.id] for passage in tagged.passages]

    async def _stored(self, tagged: TaggedChapter) -> dict[str, list[float]]:
        try:
            return await self.passages.vectors(self.library, tagged.passages)
        except LibraryNotFound:  # the first chapter of a new library
            return {}
