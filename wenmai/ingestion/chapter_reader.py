"""Reading one chapter, in this process or on another machine: passages with names and speakers, relations, events."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from tools.records import PERSON, UNTYPED, Passage
from wenmai.ingestion.contracts import Extraction, Extractor, TaggedChapter
from wenmai.ingestion.library.decisions import Decisions
from wenmai.ingestion.library.narrators import LibraryNarrators
from wenmai.ingestion.model.findings import resolve_references
from wenmai.ingestion.model.pieces import Readings
from wenmai.ingestion.names.names import Namer, TextMention, speakers, within
from wenmai.ingestion.names.narrator import Narrators
from wenmai.ingestion.names.scripts import SpeakerLine, speaker_lines
from wenmai.ingestion.passages import (
    PassageSpan,
    PlacedChapter,
    chapter_key,
    has_choice,
    passage_id,
    trimmed,
)

Mentions = Sequence[TextMention]


def tag_chapter(
    placed: PlacedChapter, namer: Namer, series: str, mentions: Mentions | None = None, others: Mentions = ()
) -> TaggedChapter:
    """Return a chapter with its mentions, speakers and passages.

    `mentions` are where names stand in it, if that is known already; `others`, where people are meant without a name,
    count for the tags.
    """
    text = placed.chapter.text
    named = namer.mentions(text) if mentions is None else mentions
    everyone = sorted([*named, *others], key=lambda mention: mention.start)
    speaking = _speaking(text, everyone, namer)
    return TaggedChapter(
        chapter=placed.chapter,
        passages=tuple(
            _passage(placed, chunk, at, series, everyone, speaking) for at, chunk in enumerate(placed.chunks)
        ),
        mentions=tuple(named),
        speakers=tuple(speaking),
        kinds={mention.entity: namer.kind(mention.entity) for mention in (*named, *speaking)},
    )


def _speaking(text: str, mentions: Mentions, namer: Namer) -> list[TextMention]:
    """Return who speaks: a quotation's speaker, and the name of each script line."""
    quoted = [m for m in speakers(text, mentions) if namer.kind(m.entity) == "Character"]
    named = {mention.start: mention for mention in mentions}
    lines = [
        TextMention(line.start, line.start + len(line.name), entity)
        for line in speaker_lines(text)
        if (entity := _speaker(line, named.get(line.start), namer))
    ]
    return sorted({(m.start, m.entity): m for m in (*quoted, *lines)}.values(), key=lambda mention: mention.start)


def _speaker(line: SpeakerLine, mention: TextMention | None, namer: Namer) -> str | None:
    """Return who speaks a line, which may begin with a mention of an entity; None where none does."""
    if not line.sure:
        may_speak = mention and namer.kind(mention.entity) in (PERSON, UNTYPED)
        is_name = mention and may_speak and mention.end == line.start + len(line.name)
        return mention.entity if mention and is_name else None
    # A name that others bear does not speak.
    return mention.entity if mention else None if line.name in namer.candidates else line.name


def _passage(
    placed: PlacedChapter, chunk: PassageSpan, at: int, series: str, mentions: Mentions, speaking: Mentions
) -> Passage:
    chapter = placed.chapter
    span = trimmed(chapter.text, chunk.span)
    text = chapter.text[span.start : span.stop]
    characters = _within(speaking, span.start, span.stop)
    return Passage(
        id=passage_id(chapter.library, *chapter_key(chapter), chunk.scene_order, chunk.chunk_order),
        library=chapter.library,
        text=text,
        part=chapter.part,
        chapter=chapter.number,
        event_order=placed.first_order + at,
        start=span.start,
        end=span.stop,
        task_id=chapter.task_id,
        task_name=placed.task_name,
        chapter_title=chapter.title,
        series_name=series,
        scene_title=chunk.scene_title,
        scene_order=chunk.scene_order,
        chunk_order=chunk.chunk_order,
        has_choice=has_choice(text),
        source_file=chapter.source_file,
        entities=tuple(dict.fromkeys((*_within(mentions, span.start, span.stop), *characters))),
        characters=characters,
    )


def _within(mentions: Mentions, start: int, end: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(mention.entity for mention in within(mentions, start, end)))


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
    narrators: Narrators
    known_narrators: LibraryNarrators
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
        text = placed.chapter.text
        rows = self.readings.of((placed.chapter.task_id, placed.chapter.number))
        decided = self.known_narrators.decision(placed.chapter)
        narrators = self.narrators if decided is None else Narrators({text: decided.name} if decided.name else {})
        narrator = narrators.mentions(text)
        mentions = self.namer.mentions(text)
        found, dropped = resolve_references(rows, text, mentions, self.namer, self.decisions.resolve)
        tagged = tag_chapter(placed, self.namer, self.title, mentions, [*found, *narrator])
        return replace(tagged, narrator=tuple(narrator), genders=self.genders), dropped


class Engine(Protocol):
    """The workers of a cluster, which read the chapters of an ingest in place of this process."""

    @property
    def at_a_time(self) -> int:
        """How many chapters are read concurrently; they are written in their order, by this process alone."""
        ...

    async def prepare(self, reader: ChapterReader) -> None: ...

    async def read(self, placed: PlacedChapter) -> ChapterResult: ...
