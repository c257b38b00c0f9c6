"""Chapters read in this process, one after the other: the embedder has the machine for itself."""

from wenmai.ingestion.chapter_reader import ChapterReader, ReadChapter
from wenmai.ingestion.passages.layout import Placed


class LocalEngine:
    """The engine of an ingest that is told no other."""

    at_a_time = 1

    def __init__(self) -> None:
        self._reader: ChapterReader | None = None

    async def prepare(self, reader: ChapterReader) -> None:
        """Take what an ingest reads with."""
        self._reader = reader

    async def read(self, placed: Placed) -> ReadChapter:
        """Read a chapter."""
        if self._reader is None:
            raise RuntimeError("read before prepare")
        return await self._reader.read(placed)
