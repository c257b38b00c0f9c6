"""Blocks to sections: the chapters that the text names, else those of the headings, with volumes above them."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from wenmai.formats.blocks import Block
from wenmai.ingestion.chapters.choice import ChapterChoice
from wenmai.ingestion.chapters.records import TextNote
from wenmai.ingestion.chapters.splitting import divide, titled_section
from wenmai.ingestion.sources.sources import Division, Section, clean, clean_title

LEAST_CHAPTERS = 2
VOLUME_SHARE = 0.8
"""Of the headings of a level so many are right above others, if they are volumes and no chapters."""


def divide_blocks(blocks: Sequence[Block], choice: ChapterChoice) -> Division:
    """Return the chapters of blocks; without any it is one. Notes are kept apart.

    Where the text names only the volumes, the headings below them are the chapters.
    """
    division = divide(text_of(blocks), choice=choice)
    level = chapter_level(blocks)
    above = {clean_title(one.text) for one in blocks if one.level is not None and level and one.level < level}
    headed = [one for one in division.sections if one.printed and clean_title(one.printed) not in above]
    if len(headed) < LEAST_CHAPTERS and level is not None and not choice:
        return Division(tuple(_by_level(blocks, level)), division.left_out)
    return replace(division, sections=tuple(with_notes(division.sections, 0, notes_of(blocks))))


def text_of(blocks: Sequence[Block]) -> str:
    """Return the text of blocks without notes, a block to a line."""
    return clean("\n".join(block.text for block in blocks if not block.is_note))


def notes_of(blocks: Sequence[Block]) -> tuple[TextNote, ...]:
    """Return the notes of blocks."""
    return tuple(TextNote("footnote", 0, block.text) for block in blocks if block.is_note)


def with_notes(sections: Sequence[Section], at: int, notes: Sequence[TextNote]) -> list[Section]:
    """Return sections with notes added to one of them."""
    changed = list(sections)
    if changed and notes:
        changed[at] = replace(changed[at], notes=(*changed[at].notes, *notes))
    return changed


def chapter_level(blocks: Sequence[Block]) -> int | None:
    """Return the level of the headings that begin chapters: the highest with several that are no volumes."""
    heads = [(one.level, after.level) for one, after in pairwise((*blocks, Block(text="")))]
    for level in sorted({level for level, _ in heads if level}):
        after = [following for own, following in heads if own == level]
        inner = sum(following is not None and following > level for following in after)
        if len(after) >= LEAST_CHAPTERS and inner < VOLUME_SHARE * len(after):
            return level
    return None


def _by_level(blocks: Sequence[Block], level: int) -> list[Section]:
    """Return a section for each heading of a level, with the heading above it as its volume."""
    places = [at for at, block in enumerate(blocks) if block.level == level]
    volumes = [_above(blocks[:at], level) for at in places]
    is_divided = len(set(volumes)) > 1
    sections = []
    for at, end, volume in zip(places, [*places[1:], len(blocks)], volumes, strict=True):
        body = [block for block in blocks[at + 1 : end] if block.level is None or block.level > level]
        section = titled_section(clean_title(blocks[at].text), text_of(body))
        sections.append(
            replace(
                section,
                volume=volume if is_divided else "",
                printed=blocks[at].text,
                notes=(*section.notes, *notes_of(body)),
            )
        )
    front = text_of([block for block in blocks[: places[0]] if block.level is None])
    return with_notes(sections, 0, [TextNote("front", 0, front)] if front else [])


def _above(blocks: Sequence[Block], level: int) -> str:
    """Return the last heading of a higher level, '' without one."""
    return next((clean_title(one.text) for one in reversed(blocks) if one.level is not None and one.level < level), "")
