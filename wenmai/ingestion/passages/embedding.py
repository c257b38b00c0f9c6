"""Vectors for the passages of chapters, with progress."""

import time
from dataclasses import dataclass, field

from tools.errors import LibraryNotFound
from tools.ports import Embedder, PassageStore
from wenmai.ingestion.contracts import Progress, Step, TaggedChapter

BATCH = 16
"""Passages in one call of the embedder: progress moves every few seconds, and larger calls gain nothing."""


@dataclass(slots=True, kw_only=True)
class PassageEmbedder:
    """Embeds the passages of one ingest.

    Attributes:
        total: passages that the ingest will write.
        done: passages that have a vector so far.
        seconds: time spent in the embedder, summed over concurrent calls.
    """

    library: str
    store: PassageStore
    embedder: Embedder
    progress: Progress | None
    total: int
    done: int = 0
    seconds: float = 0.0
    started: float = field(default_factory=time.perf_counter)

    async def embed(self, tagged: TaggedChapter) -> list[list[float]]:
        """Return one vector for each passage; one that is stored with the same text is not embedded again."""
        vectors = await self._stored(tagged)
        new = [passage for passage in tagged.passages if passage.id not in vectors]
        self.done += len(tagged.passages) - len(new)
        for at in range(0, len(new), BATCH):
            batch = new[at : at + BATCH]
            rows = await self._timed([passage.text for passage in batch])
            vectors |= {passage.id: row for passage, row in zip(batch, rows, strict=True)}
            self.done += len(batch)
            self._show(tagged.chapter.title or tagged.chapter.task_id)
        return [vectors[passage.id] for passage in tagged.passages]

    async def _stored(self, tagged: TaggedChapter) -> dict[str, list[float]]:
        try:
            return await self.store.vectors(self.library, tagged.passages)
        except LibraryNotFound:  # the first chapter of a new library
            return {}

    async def _timed(self, texts: list[str]) -> list[list[float]]:
        started = time.perf_counter()
        rows = await self.embedder.embed_passages(texts)
        self.seconds += time.perf_counter() - started
        return rows

    def _show(self, chapter: str) -> None:
        if self.progress:
            seconds = time.perf_counter() - self.started
            self.progress(Step(done=self.done, total=self.total, chapter=chapter, seconds=seconds))
