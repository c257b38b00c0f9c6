"""DOCX, HTML and PDF to chapters, read as uploaded documents are."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from tools.wording import Words
from wenmai.formats.blocks import Block, Unreadable
from wenmai.formats.docx import docx_blocks
from wenmai.formats.pages import page_blocks, parsed
from wenmai.formats.pdf import read_pages
from wenmai.formats.wrapping import SENTENCE_ENDS, joined, layout_of, unwrapped
from wenmai.ingestion.chapters.choice import ChapterChoice
from wenmai.ingestion.chapters.cutting import divide, titled_section
from wenmai.ingestion.chapters.records import TextNote
from wenmai.ingestion.sources.decoding import check_archive, decode
from wenmai.ingestion.sources.sources import Division, Section, Warn, clean, clean_title, refuse

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
    return clean("\n".join(block.text for block in blocks if not block.is_note))


def notes_of(blocks: Sequence[Block]) -> tuple[TextNote, ...]:
    return tuple(TextNote("footnote", 0, block.text) for block in blocks if block.is_note)


def with_notes(sections: Sequence[Section], at: int, notes: Sequence[TextNote]) -> list[Section]:
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
    return next((clean_title(one.text) for one in reversed(blocks) if one.level is not None and one.level < level), "")


NO_CHAPTER_TEXT = Words("第 {at} 章没有文字 text", "chapter {at} has no text")
NO_CHAPTERS = Words("JSON 里没有 chapters 列表", "its JSON has no list chapters")
MEND = Words("请修正后再导入", "mend it and import it again")
WRONG_JSON = Words("JSON 有错（{reason}）", "its JSON is wrong ({reason})")
WITHOUT_CHOICE = Words("请去掉 --chapters 和 --headings", "leave --chapters and --headings out")
OWN_CHAPTERS = Words("JSON 自带分章", "JSON has its own chapters")
_JSON_SHAPE = Words(
    '请使用 {{"book": 书名, "chapters": [{{"n": 序号, "title": 标题, "text": 正文}}, …]}}',
    'use {{"book": title, "chapters": [{{"n": number, "title": title, "text": text}}, …]}}',
)


def read_text(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of a plain text. Raises IngestError and InputError."""
    return _unwrapped(divide(decode(path, data, warn), choice=choice))


def read_markdown(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of a markdown text. Raises IngestError and InputError."""
    return _unwrapped(divide(decode(path, data, warn), markdown=True, choice=choice))


def _unwrapped(division: Division) -> Division:
    """Return chapters without the line breaks of a layout that has a fixed width."""
    layout = layout_of(section.text for section in division.sections)
    if not layout:
        return division
    sections = tuple(replace(one, text=unwrapped(one.text, layout)) for one in division.sections)
    return replace(division, sections=sections)


def read_json(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Read the JSON shape, which says itself where chapters begin. Raises IngestError."""
    if choice:
        raise refuse(path, OWN_CHAPTERS, WITHOUT_CHOICE)
    text = decode(path, data, warn)
    try:
        shape = json.loads(text.removeprefix("\ufeff"))
    except (json.JSONDecodeError, RecursionError) as exc:
        raise refuse(path, WRONG_JSON.of(reason=exc), MEND) from exc
    rows = shape.get("chapters") if isinstance(shape, dict) else shape
    if not isinstance(rows, list) or not rows:
        raise refuse(path, NO_CHAPTERS, _JSON_SHAPE)
    return Division(tuple(_json_section(path, at, row) for at, row in enumerate(rows, 1)))


def _json_section(path: Path, at: int, row: Any) -> Section:
    """Read a chapter of the JSON shape: 第N回 in its title is its number, else `n` if that is free."""
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        raise refuse(path, NO_CHAPTER_TEXT.of(at=at), _JSON_SHAPE)
    title = clean_title(str(row.get("title") or ""))
    number = row["n"] if isinstance(row.get("n"), int) and row["n"] >= 0 else None
    return titled_section(title, _without_title(clean(row["text"].replace("\0", "")), title), number)


def _without_title(text: str, title: str) -> str:
    """Drop the title where the text repeats it as its first line."""
    first, _, rest = text.partition("\n")
    return rest.strip() if title and "".join(first.split()) == "".join(title.split()) else text


OF_FILE = Words("{name}：{warning}", "{name}: {warning}")
LEAST_PAGES = 3
_GOES_ON = tuple("，、,;；-")
_CLOSED = (*SENTENCE_ENDS, *"”’」』…\"'")
LEAST_LINE = 15
"""Characters of the last paragraph of a page, at least, if it goes on on the next."""


def read_docx(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of a DOCX. Raises IngestError."""
    check_archive(path, data)
    try:
        return divide_blocks(docx_blocks(data), choice)
    except Unreadable as error:
        raise refuse(path, error.reason, error.remedy) from error


def read_html(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of a web page. Raises IngestError."""
    return divide_blocks(page_blocks(parsed(decode(path, data, warn))), choice)


def read_pdf(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of a PDF. Raises IngestError."""
    try:
        found = read_pages(data)
    except Unreadable as error:
        raise refuse(path, error.reason, error.remedy) from error
    for warning in found.warnings:
        warn(OF_FILE.say(name=path.name, warning=warning))
    return divide("\n".join(running(found.pages)), choice=choice)


def running(pages: Sequence[Sequence[str]]) -> list[str]:
    """Return the paragraphs of pages without running heads; one that a page breaks is whole."""
    ends = Counter(end for page in pages for end in {line.strip() for line in (*page[:1], *page[-1:])})
    heads = {end for end, count in ends.items() if count >= max(LEAST_PAGES, len(pages) // 2)}
    found: list[str] = []
    for page in pages:
        lines = [line for at, line in enumerate(page) if at not in (0, len(page) - 1) or line.strip() not in heads]
        if found and lines and _goes_on(found[-1]):
            found[-1] = joined(found[-1], lines.pop(0).lstrip())
        found += lines
    return found


def _goes_on(line: str) -> bool:
    """Return True if a paragraph does not end with its page."""
    return line.endswith(_GOES_ON) or (len(line) >= LEAST_LINE and not line.endswith(_CLOSED))
