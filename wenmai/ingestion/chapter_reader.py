"""One chapter at a time: who reads it, in this process or on another machine, with the same code."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from wenmai.ingestion.contracts import Extraction, Extractor, TaggedChapter
from wenmai.ingestion.library.decisions import Decisions
from wenmai.ingestion.model.findings import meant
from wenmai.ingestion.model.reading import Readings
from wenmai.ingestion.names.mentions import Mention
from wenmai.ingestion.names.names import Namer
from wenmai.ingestion.passages.layout import Placed
from wenmai.ingestion.passages.tagging import tag


@dataclass(frozen=True, slots=True)
class ReadChapter:
    """What stands in a chapter; `dropped` findings of a model about who is meant do not stand there."""

    tagged: TaggedChapter
    extraction: Extraction
    dropped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterReader:
    """Everything that reading a chapter takes: plain data, so that it can be sent to other processes once."""

    namer: Namer
    title: str
    readings: Readings
    decisions: Decisions
    extractor: Extractor

    async def read(self, placed: Placed) -> ReadChapter:
        """Tag a chapter and draw relations and events from it."""
        tagged, dropped = await asyncio.to_thread(self._tagged, placed)
        return ReadChapter(tagged, await self.extractor.extract(tagged), dropped)

    def _tagged(self, placed: Placed) -> tuple[TaggedChapter, int]:
        """Tag a chapter; who is meant without a name counts where a model told it."""
        rows = self.readings.of((placed.chapter.task_id, placed.chapter.number))
        lost = 0

        def others(mentions: Sequence[Mention]) -> list[Mention]:
            nonlocal lost
            found, lost = meant(rows, placed.chapter.text, mentions, self.namer, self.decisions.resolve)
            return found

        return tag(placed, self.namer, self.title, others), lost


class Engine(Protocol):
    """Who reads the chapters of an ingest: this process, or the workers of a cluster."""

    @property
    def at_a_time(self) -> int:
        """How many chapters are under way; they are written in their order, by this process alone."""
        ...

    async def prepare(self, reader: ChapterReader) -> None:
        """Take what an ingest reads with."""
        ...

    async def read(self, placed: Placed) -> ReadChapter:
        """Read a chapter."""
        ...
