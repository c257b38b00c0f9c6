"""What runs on the machines of a cluster: reading and embedding, with the code that an ingest here runs.

A worker opens no store: what it makes goes back to the one process that writes.
"""

from collections.abc import Mapping, Sequence

from wenmai.embedders.choice import local_embedder
from wenmai.ingestion.chapter_reader import ChapterReader, ChapterResult
from wenmai.ingestion.passages.layout import PlacedChapter
from wenmai.settings.models import EmbeddingGroup
from wenmai.settings.settings import load_settings

EMBEDDER_SETTINGS = tuple(EmbeddingGroup.model_fields)


class ChapterWorker:
    """One process with one thread of the embedder."""

    def __init__(self, settings: Mapping[str, object], reader: ChapterReader) -> None:
        """Take the settings of the embedder, where the machine's own do not count, and what an ingest reads with."""
        self._embedder = local_embedder(load_settings(_env_file=None, **settings), threads=1)
        self._reader = reader

    async def embedder(self) -> str:
        """Load the embedder and return its identity: other files on this machine would make other vectors."""
        await self._embedder.open()
        return self._embedder.name

    async def read(self, placed: PlacedChapter) -> ChapterResult:
        """Read a chapter."""
        return await self._reader.read(placed)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed passages."""
        return await self._embedder.embed_passages(texts)
