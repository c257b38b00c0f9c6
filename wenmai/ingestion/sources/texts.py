"""Plain text, markdown and JSON to chapters."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tools.wording import Words
from wenmai.formats.wrapping import layout_of, unwrapped
from wenmai.ingestion.chapters.choice import ChapterChoice
from wenmai.ingestion.chapters.splitting import divide, titled_section
from wenmai.ingestion.sources.decoding import decode
from wenmai.ingestion.sources.sources import Division, Section, Warn, clean, clean_title, refuse

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
