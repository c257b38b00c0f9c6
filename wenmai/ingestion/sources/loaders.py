"""PATH to chapters: txt and md in any usual encoding, JSON, HTML, EPUB, DOCX, PDF, and folders of these.

A folder holds either `<task_id>/chapter<N>_dialogue.txt` or source files, each a task of its own.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tools.errors import IngestError
from tools.reasons import joined
from tools.wording import Names, Text, Words
from wenmai.formats.epub import Declared
from wenmai.ingestion.chapters.choice import NO_CHOICE, ChapterChoice
from wenmai.ingestion.chapters.cutting import EMPTY
from wenmai.ingestion.chapters.parts import number_sections
from wenmai.ingestion.chapters.records import Division, LeftOut, SourceChapter, clean, clean_title
from wenmai.ingestion.sources.decoding import Contents, Warn, check_size, decode, read_bytes, refuse, unheard
from wenmai.ingestion.sources.files import (
    declared_of,
    front_matter,
    read_docx,
    read_epub,
    read_html,
    read_json,
    read_markdown,
    read_pdf,
    read_text,
)

LEFT_OUT = Words("跳过 {name}：{error}", "{name} is left out: {error}")
RENAME = Words("请改名，文件名就是任务名", "rename them: a file's name is that of its task")
SAME_NAME = Words("有几个文件同名：{name}", "several files have the name {name}")
NO_DIALOGUE = Words("跳过 {name}：不是 chapter<N>_dialogue", "{name} is left out: it is no chapter<N>_dialogue")
SKIPPED = Words("跳过 {count} 个文件：{files}{rest}", "{count} files are left out: {files}{rest}")
MORE = Words("，另有 {count} 个", ", and {count} more")
NO_TEXT_IN = Words("没有找到正文：{files}", "no text was found: {files}")
NO_TEXT = Words("没有找到正文", "no text was found")
HEADING = Words("第 {line} 行“{text}”：{reason}", 'line {line} "{text}": {reason}')
READ = Words("支持的格式：{formats}", "formats that are read: {formats}")
WITHOUT_SUFFIX = Words("没有扩展名的文件", "a file without an extension")
NO_READER = Words("不支持 {suffix}", "{suffix} is not read")
PATH = Words("请检查路径", "check the path")
NO_FILE = Words("文件不存在", "there is no such file")
_DIALOGUE = re.compile(r"^chapter(\d+)_dialogue\.(?:txt|md)$", re.IGNORECASE)
_FORMATS = "txt、md、json、html、epub、docx、pdf"
_BOOK = ".epub"
SHOWN_FILES = 10
T = TypeVar("T")
Reader = Callable[[Path, bytes, ChapterChoice, Warn], Division]


@dataclass(frozen=True, slots=True)
class LoadedSource:
    """The chapters of a source in reading order, the lines that were taken for none, and what is odd.

    `books` has what a file says of itself, by its stem.
    """

    chapters: tuple[SourceChapter, ...]
    left_out: tuple[LeftOut, ...] = ()
    odd: tuple[str, ...] = ()
    books: Mapping[str, Declared] = field(default_factory=dict)


def load_source(
    path: Path, contents: Contents = read_bytes, choice: ChapterChoice = NO_CHOICE, warn: Warn = unheard
) -> LoadedSource:
    """Read a file or folder.

    Args:
        path: the file or folder.
        contents: returns the bytes of its files.
        choice: decides the headings.
        warn: takes what is odd in the files, one line each: stray bytes, unreadable pages, files that were skipped.

    Raises:
        IngestError: one line that names the file, the reason and what to do.
        InputError: the choice fits no line.
    """
    if not path.exists():
        raise refuse(path, NO_FILE, PATH)
    read = _load_folder if path.is_dir() else _load_file
    return read(path, contents, choice, warn)


def check_file(path: Path) -> None:
    """Refuse a file that cannot be a source, as far as its name and its size tell. Raises IngestError."""
    _reader_of(path)
    check_size(path)


def load(path: Path, contents: Contents = read_bytes, warn: Warn = unheard) -> list[SourceChapter]:
    """Return every chapter of a file or folder, in reading order. Raises IngestError."""
    return list(load_source(path, contents, warn=warn).chapters)


def source_files(path: Path) -> list[Path]:
    """Return the files that `load` would read, sorted by natural order."""
    return [path] if path.is_file() else readable(path, _READERS)


def _reader_of(path: Path) -> Reader:
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise refuse(path, NO_READER.of(suffix=path.suffix or WITHOUT_SUFFIX), READ.of(formats=_FORMATS))
    return reader


def _load_file(path: Path, contents: Contents, choice: ChapterChoice, warn: Warn) -> LoadedSource:
    reader, data = _reader_of(path), contents(path)
    division = reader(path, data, choice, warn)
    chapters, odd = number_sections(choice.titled(division.sections), path.stem, path.name)
    if not chapters:
        raise _without_text(path)
    empty = [row for row in division.left_out if row.reason == EMPTY.say()]
    odd += [HEADING.say(line=row.line, text=row.text, reason=EMPTY) for row in empty]
    book = declared_of(path, data) if path.suffix.lower() == _BOOK else front_matter(division)
    return LoadedSource(chapters, division.left_out, tuple(odd), {path.stem: book} if book else {})


def _without_text(path: Path, skipped: Sequence[str] = ()) -> IngestError:
    why = NO_TEXT_IN.of(files=joined(skipped[:SHOWN_FILES])) if skipped else NO_TEXT
    return refuse(path, why, READ.of(formats=_FORMATS))


def _load_folder(path: Path, contents: Contents, choice: ChapterChoice, warn: Warn) -> LoadedSource:
    """Read every file that can be read; a warning names each other one."""
    files = source_files(path)
    reasons: list[str] = []

    def skip(line: str) -> None:
        reasons.append(line)
        warn(line)

    if others := skipped(path, _READERS):
        rest = MORE.of(count=len(others) - SHOWN_FILES) if len(others) > SHOWN_FILES else ""
        skip(SKIPPED.say(count=len(others), files=Names(others[:SHOWN_FILES]), rest=rest))
    dialogues = [file for file in files if _DIALOGUE.match(file.name)]
    if dialogues:
        for file in files:
            if file not in dialogues:
                warn(NO_DIALOGUE.say(name=file.name))
        return _load_dialogues(path, dialogues, contents, warn)
    stems = [file.stem for file in files]
    clash = next((stem for stem in stems if stems.count(stem) > 1), None)
    if clash:
        raise refuse(path, SAME_NAME.of(name=clash), RENAME)
    loaded = _readable(files, lambda file: _load_file(file, contents, choice, warn), skip)
    if not loaded:
        raise _without_text(path, reasons)
    return LoadedSource(
        tuple(chapter for one in loaded for chapter in one.chapters),
        tuple(row for one in loaded for row in one.left_out),
        tuple(row for one in loaded for row in one.odd),
        {stem: book for one in loaded for stem, book in one.books.items()},
    )


def _readable(files: Sequence[Path], read: Callable[[Path], T], warn: Warn) -> list[T]:
    found = []
    for file in files:
        try:
            found.append(read(file))
        except IngestError as error:
            warn(LEFT_OUT.say(name=file.name, error=error))
    return found


def _load_dialogues(root: Path, files: list[Path], contents: Contents, warn: Warn) -> LoadedSource:
    """Read one task per folder, its chapters by the number in the file's name."""
    texts = _readable(files, lambda file: (file, decode(file, contents(file), warn)), warn)
    if not texts:
        raise _without_text(root)
    orders: Counter[str] = Counter()
    chapters = []
    for file, content in texts:
        task, match = file.parent.name, _DIALOGUE.match(file.name)
        text = clean(content)
        first, _, rest = text.partition("\n")
        title = clean_title(first.lstrip("#")) if first.startswith("# ") else ""
        chapters.append(
            SourceChapter(
                task_id=task,
                task_name=task,
                number=int(match[1]) if match else 0,
                title=title,
                text=rest.strip() if title else text,
                order=orders[task],
                source_file=file.relative_to(root).as_posix(),
            )
        )
        orders[task] += 1
    return LoadedSource(tuple(chapters))


_READERS: dict[str, Reader] = {
    ".txt": read_text,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".json": read_json,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".epub": read_epub,
    ".docx": read_docx,
    ".pdf": read_pdf,
}


FILE = Words("{name}（{kind}）", "{name} ({kind})")
OUTSIDE = Words("链接到文件夹之外", "a link that leads out of the folder")
NO_SUFFIX = Words("没有扩展名", "it has no extension")
_SYSTEM_FILES = frozenset(("thumbs.db", "desktop.ini"))


def readable(folder: Path, suffixes: Collection[str]) -> list[Path]:
    """Return the files of some formats within a folder, sorted by natural order."""
    return [file for file in _files(folder) if file.suffix.lower() in suffixes and _is_within(folder, file)]


def skipped(folder: Path, suffixes: Collection[str]) -> list[str]:
    """Return the files of other formats, each with the reason; those of a system are no one's."""
    rows = []
    for file in _files(folder):
        if file.suffix.lower() not in suffixes:
            kind: Text = NO_READER.of(suffix=file.suffix) if file.suffix else NO_SUFFIX
        elif not _is_within(folder, file):
            kind = OUTSIDE
        else:
            continue
        rows.append(FILE.say(name=file.relative_to(folder).as_posix(), kind=kind))
    return rows


def _files(folder: Path) -> list[Path]:
    """Return the files in natural order, in which chapter10 follows chapter9, but for those of a system."""

    def is_hidden(name: Path) -> bool:
        hidden = any(part.startswith((".", "~$", "__MACOSX")) for part in name.parts)
        return hidden or name.name.lower() in _SYSTEM_FILES

    def natural(path: Path) -> list[tuple[int, str]]:
        return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in re.split(r"(\d+)", str(path))]

    files = (file for file in folder.rglob("*") if file.is_file() and not is_hidden(file.relative_to(folder)))
    return sorted(files, key=natural)


def _is_within(folder: Path, file: Path) -> bool:
    """Return False for a link that leads out of the folder."""
    return file.resolve().is_relative_to(folder.resolve())
