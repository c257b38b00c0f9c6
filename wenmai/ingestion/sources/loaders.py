"""PATH to chapters: txt and md in any usual encoding, JSON, EPUB, DOCX, and folders of these.

A folder holds either `<task_id>/chapter<N>_dialogue.txt` or source files, each a task of its own.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wenmai.ingestion.chapters.choice import NO_CHOICE, ChapterChoice
from wenmai.ingestion.chapters.parts import number_sections
from wenmai.ingestion.chapters.splitting import EMPTY, divide, titled_section
from wenmai.ingestion.sources.books import read_docx, read_epub
from wenmai.ingestion.sources.decoding import Contents, decode, read_bytes
from wenmai.ingestion.sources.sources import Division, LeftOut, Section, SourceChapter, clean, clean_title, refuse

_DIALOGUE = re.compile(r"^chapter(\d+)_dialogue\.(?:txt|md)$", re.IGNORECASE)
_JSON_SHAPE = '请使用 {"book": 书名, "chapters": [{"n": 序号, "title": 标题, "text": 正文}, …]}'
_FORMATS = "txt、md、json、epub、docx"


@dataclass(frozen=True, slots=True)
class LoadedSource:
    """The chapters of a source in reading order, the lines that were taken for none, and what is odd."""

    chapters: tuple[SourceChapter, ...]
    left_out: tuple[LeftOut, ...] = ()
    odd: tuple[str, ...] = ()


def load_source(path: Path, contents: Contents = read_bytes, choice: ChapterChoice = NO_CHOICE) -> LoadedSource:
    """Read a file or folder; `contents` returns the bytes of its files, `choice` decides the headings.

    Raises:
        IngestError: one line that names the file, the reason and what to do.
        InputError: the choice fits no line.
    """
    if not path.exists():
        raise refuse(path, "文件不存在", "请检查路径")
    loaded = _load_folder(path, contents, choice) if path.is_dir() else _load_file(path, contents, choice)
    if not loaded.chapters:
        raise refuse(path, "没有找到正文", f"支持的格式：{_FORMATS}")
    return loaded


def load(path: Path, contents: Contents = read_bytes) -> list[SourceChapter]:
    """Return every chapter of a file or folder, in reading order. Raises IngestError."""
    return list(load_source(path, contents).chapters)


def source_files(path: Path) -> list[Path]:
    """Return the files that `load` would read, sorted by natural order."""
    if path.is_file():
        return [path]
    files = [file for file in path.rglob("*") if file.is_file() and _readable(file)]
    return sorted(files, key=_natural)


def _readable(file: Path) -> bool:
    return file.suffix.lower() in _READERS and not any(part.startswith(".") for part in file.parts)


def _natural(path: Path) -> list[tuple[int, str]]:
    """Sort key in which chapter10 follows chapter9."""
    return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in re.split(r"(\d+)", str(path))]


def _load_file(path: Path, contents: Contents, choice: ChapterChoice) -> LoadedSource:
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise refuse(path, f"不支持 {path.suffix or '没有扩展名的文件'}", f"支持的格式：{_FORMATS}")
    division = reader(path, contents(path), choice)
    numbered = number_sections(division.sections, path.stem, path.name)
    empty = [f"第 {row.line} 行“{row.text}”：{EMPTY}" for row in division.left_out if row.reason == EMPTY]
    return LoadedSource(numbered.chapters, division.left_out, (*numbered.odd, *empty))


def _load_folder(path: Path, contents: Contents, choice: ChapterChoice) -> LoadedSource:
    files = source_files(path)
    dialogues = [file for file in files if _DIALOGUE.match(file.name)]
    if dialogues:
        return LoadedSource(tuple(_load_dialogues(path, dialogues, contents)))
    stems = [file.stem for file in files]
    clash = next((stem for stem in stems if stems.count(stem) > 1), None)
    if clash:
        raise refuse(path, f"有几个文件同名：{clash}", "请改名，文件名就是任务名")
    loaded = [_load_file(file, contents, choice) for file in files]
    return LoadedSource(
        tuple(chapter for one in loaded for chapter in one.chapters),
        tuple(row for one in loaded for row in one.left_out),
        tuple(row for one in loaded for row in one.odd),
    )


def _load_dialogues(root: Path, files: list[Path], contents: Contents) -> list[SourceChapter]:
    """Read one task per folder, its chapters by the number in the file's name."""
    orders: dict[str, int] = {}
    chapters = []
    for file in files:
        task = file.parent.name
        order = orders[task] = orders.get(task, -1) + 1
        chapters.append(_dialogue_chapter(root, file, decode(file, contents(file)), task, order))
    return chapters


def _dialogue_chapter(root: Path, file: Path, content: str, task: str, order: int) -> SourceChapter:
    match = _DIALOGUE.match(file.name)
    text = clean(content)
    first, _, rest = text.partition("\n")
    title = clean_title(first.lstrip("#")) if first.startswith("# ") else ""
    return SourceChapter(
        task_id=task,
        task_name=task,
        number=int(match[1]) if match else 0,
        title=title,
        text=rest.strip() if title else text,
        order=order,
        source_file=file.relative_to(root).as_posix(),
    )


def _read_text(path: Path, data: bytes, choice: ChapterChoice) -> Division:
    return divide(decode(path, data), choice=choice)


def _read_markdown(path: Path, data: bytes, choice: ChapterChoice) -> Division:
    return divide(decode(path, data), markdown=True, choice=choice)


def _read_json(path: Path, data: bytes, choice: ChapterChoice) -> Division:
    """Read the JSON shape, which says itself where chapters begin."""
    if choice:
        raise refuse(path, "JSON 自带分章", "请去掉 --chapters 和 --headings")
    text = decode(path, data)
    try:
        shape = json.loads(text.removeprefix("\ufeff"))
    except (json.JSONDecodeError, RecursionError) as exc:
        raise refuse(path, f"JSON 有错（{exc}）", "请修正后再导入") from exc
    rows = shape.get("chapters") if isinstance(shape, dict) else shape
    if not isinstance(rows, list) or not rows:
        raise refuse(path, "JSON 里没有 chapters 列表", _JSON_SHAPE)
    return Division(tuple(_json_section(path, at, row) for at, row in enumerate(rows, 1)))


def _json_section(path: Path, at: int, row: Any) -> Section:
    """Read a chapter of the JSON shape: 第N回 in its title is its number, else `n` if that is free."""
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        raise refuse(path, f"第 {at} 章没有文字 text", _JSON_SHAPE)
    title = clean_title(str(row.get("title") or ""))
    number = row["n"] if isinstance(row.get("n"), int) and row["n"] >= 0 else None
    return titled_section(title, _without_title(clean(row["text"].replace("\0", "")), title), number)


def _without_title(text: str, title: str) -> str:
    """Drop the title where the text repeats it as its first line."""
    first, _, rest = text.partition("\n")
    return rest.strip() if title and "".join(first.split()) == "".join(title.split()) else text


_READERS: dict[str, Callable[[Path, bytes, ChapterChoice], Division]] = {
    ".txt": _read_text,
    ".md": _read_markdown,
    ".markdown": _read_markdown,
    ".json": _read_json,
    ".epub": read_epub,
    ".docx": read_docx,
}
