"""Reading one chapter, in this process or on another machine, with the same code."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from wenmai.ingestion.contracts import Extraction, Extractor, TaggedChapter
from wenmai.ingestion.library.decisions import Decisions
from wenmai.ingestion.model.findings import resolve_references
from wenmai.ingestion.model.readings import Readings
from wenmai.ingestion.names.names import Mention, Namer
from wenmai.ingestion.names.people import Narrator
from wenmai.ingestion.passages.layout import PlacedChapter
from wenmai.ingestion.passages.tagging import tag_chapter


@dataclass(frozen=True, slots=True)
class ChapterResult:
    """What was read in a chapter; `dropped` counts a model's references that its text does not confirm."""

    tagged: TaggedChapter
    extraction: Extraction
    dropped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterReader:
    """Everything that reading a chapter takes: plain data, so that it can be sent to other processes once."""

    namer: Namer
    narrator: Narrator | None
    title: str
    readings: Readings
    decisions: Decisions
    extractor: Extractor
    genders: Mapping[str, str] = field(default_factory=dict)

    async def read(self, placed: PlacedChapter) -> ChapterResult:
        tagged, dropped = await asyncio.to_thread(self._tagged, placed)
        return ChapterResult(tagged, await self.extractor.extract(tagged), dropped)

    def _tagged(self, placed: PlacedChapter) -> tuple[TaggedChapter, int]:
        """Tag a chapter, also with its narrator, and the people that a model found behind pronouns and titles."""
        rows = self.readings.of((placed.chapter.task_id, placed.chapter.number))
        narrator = self.narrator.mentions(placed.chapter.text) if self.narrator else []
        dropped = 0

        def references(mentions: Sequence[Mention]) -> list[Mention]:
            nonlocal dropped
            found, dropped = resolve_references(rows, placed.chapter.text, mentions, self.namer, self.decisions.resolve)
            return [*found, *narrator]

        tagged = tag_chapter(placed, self.namer, self.title, references)
        return replace(tagged, narrator=tuple(narrator), genders=self.genders), dropped


class Engine(Protocol):
    """The workers of a cluster, which read the chapters of an ingest in place of this process."""

    @property
    def at_a_time(self) -> int:
        """How many chapters are read concurrently; they are written in their order, by this process alone."""
        ...

    async def prepare(self, reader: ChapterReader) -> None: ...

    async def read(self, placed: PlacedChapter) -> ChapterResult: ...
