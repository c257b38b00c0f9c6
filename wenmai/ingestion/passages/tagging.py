"""Chapter to records: passages with entities, speakers and ids."""

from collections.abc import Callable, Sequence

from tools.records import Passage
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.names.names import Mention, Namer, speakers, within
from wenmai.ingestion.passages.layout import PlacedChapter, chapter_key
from wenmai.ingestion.passages.passages import Chunk, has_choice, passage_id, speaker_lines, trimmed

FindReferences = Callable[[Sequence[Mention]], Sequence[Mention]]
"""From the mentions by name, returns the mentions of people by pronoun or title."""


def tag_chapter(
    placed: PlacedChapter, namer: Namer, series: str, references: FindReferences | None = None
) -> TaggedChapter:
    """Return a chapter with its mentions, speakers and passages; people meant without a name count for the tags."""
    text = placed.chapter.text
    mentions = namer.mentions(text)
    others = references(mentions) if references else ()
    all_mentions = sorted([*mentions, *others], key=lambda mention: mention.start)
    speaking = _speaking(text, all_mentions, namer)
    passages = tuple(
        _passage(placed, chunk, at, series, all_mentions, speaking) for at, chunk in enumerate(placed.chunks)
    )
    return TaggedChapter(
        chapter=placed.chapter,
        passages=passages,
        mentions=tuple(mentions),
        speakers=tuple(speaking),
        kinds={mention.entity: namer.kind(mention.entity) for mention in (*mentions, *speaking)},
    )


def _speaking(text: str, mentions: Sequence[Mention], namer: Namer) -> list[Mention]:
    """Return who speaks: a quotation's speaker, and the name of each script line."""
    quoted = [m for m in speakers(text, mentions) if namer.kind(m.entity) == "Character"]
    named = {mention.start: mention for mention in mentions}
    lines = [
        Mention(at, at + len(name), named[at].entity if at in named else name)
        for at, name in speaker_lines(text)
        if at in named or namer.speaks(name)
    ]
    return sorted({(m.start, m.entity): m for m in (*quoted, *lines)}.values(), key=lambda mention: mention.start)


def _passage(
    placed: PlacedChapter,
    chunk: Chunk,
    at: int,
    series: str,
    mentions: Sequence[Mention],
    speaking: Sequence[Mention],
) -> Passage:
    chapter = placed.chapter
    span = trimmed(chapter.text, chunk.span)
    text = chapter.text[span.start : span.end]
    characters = _within(speaking, span.start, span.end)
    return Passage(
        id=passage_id(chapter.library, *chapter_key(chapter), chunk.scene_order, chunk.chunk_order),
        library=chapter.library,
        text=text,
        part=chapter.part,
        chapter=chapter.number,
        event_order=placed.first_order + at,
        start=span.start,
        end=span.end,
        task_id=chapter.task_id,
        task_name=placed.task_name,
        chapter_title=chapter.title,
        series_name=series,
        scene_title=chunk.scene_title,
        scene_order=chunk.scene_order,
        chunk_order=chunk.chunk_order,
        has_choice=has_choice(text),
        source_file=chapter.source_file,
        entities=tuple(dict.fromkeys((*_within(mentions, span.start, span.end), *characters))),
        characters=characters,
    )


def _within(mentions: Sequence[Mention], start: int, end: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(mention.entity for mention in within(mentions, start, end)))
