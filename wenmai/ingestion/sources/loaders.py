"""PATH to chapters: txt and md in any usual encoding, JSON, HTML, EPUB, DOCX, PDF, and folders of these.

A folder holds either `<task_id>/chapter<N>_dialogue.txt` or source files, each a task of its own.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from tools.errors import IngestError
from tools.messages import Message, Names, Text, say
from tools.reasons import joined
from wenmai.formats.epub import Declared
from wenmai.formats.markdown import is_linked
from wenmai.ingestion.chapters.choice import NO_CHOICE, ChapterChoice
from wenmai.ingestion.chapters.parts import number_sections
from wenmai.ingestion.chapters.records import Division, LeftOut, SourceChapter, clean, clean_title
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.ingestion.sources.decoding import Contents, Warn, check_size, decode, read_bytes, refuse, unheard
from wenmai.ingestion.sources.files import (
    declared_of,
    read_docx,
    read_epub,
    read_html,
    read_json,
    read_markdown,
    read_pdf,
    read_screenplay,
    read_subtitles,
    read_text,
    read_vault_note,
    read_xml,
)
from wenmai.ingestion.sources.titles import declared_by, declared_by_name

_FILE_NUMBER = re.compile(r"\d+")
_MARKDOWN = (".md", ".markdown")
LEAST_NOTES = 2
_DIALOGUE = re.compile(r"^chapter(\d+)_dialogue\.(?:txt|md)$", re.IGNORECASE)
_FORMATS = "txt、md、json、html、epub、docx、pdf、xml、srt、vtt、ass、fountain"
_BOOK = ".epub"
SHOWN_FILES = 10
T = TypeVar("T")
Reader = Callable[[Path, bytes, ChapterChoice, Warn], Division]


@dataclass(frozen=True, slots=True)
class LoadedSource:
    """The chapters of a source in reading order, the lines that were taken for none, and what is odd.

    `books` has what a file says of itself, by its stem; `names` what files call by several names.
    """

    chapters: tuple[SourceChapter, ...]
    left_out: tuple[LeftOut, ...] = ()
    odd: tuple[str, ...] = ()
    books: Mapping[str, Declared] = field(default_factory=dict)
    names: tuple[KnownName, ...] = ()


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
        raise refuse(path, Message("file.not_found"), Message("ingest.check_path"))
    if path.is_dir():
        return _load_folder(path, contents, choice, warn)
    loaded, named = _load_file(path, contents, choice, warn), declared_by_name(path.stem)
    is_named = not loaded.books and named != Declared(title=path.stem)
    return replace(loaded, books={path.stem: named}) if is_named else loaded


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
        raise refuse(
            path,
            Message("file.not_supported", suffix=path.suffix or Message("ingest.file_without_extension")),
            Message("ingest.supported_formats", formats=_FORMATS),
        )
    return reader


def _load_file(
    path: Path, contents: Contents, choice: ChapterChoice, warn: Warn, reader: Reader | None = None
) -> LoadedSource:
    reader, data = reader or _reader_of(path), contents(path)
    division = reader(path, data, choice, warn)
    chapters, odd = number_sections(choice.titled(division.sections), path.stem, path.name)
    if not chapters:
        raise _without_text(path)
    empty = [row for row in division.left_out if row.reason == say("chapters.heading_without_text")]
    odd += [without_text(rows) for rows in _runs(empty, [one.line for one in chapters])]
    book = declared_of(path, data) if path.suffix.lower() == _BOOK else declared_by(division)
    names = tuple(KnownName(name=name, kind="", aliases=others) for name, others in division.aliases)
    return LoadedSource(chapters, division.left_out, tuple(odd), {path.stem: book} if book else {}, names)


def _runs(rows: Sequence[LeftOut], chapters: Sequence[int]) -> list[list[LeftOut]]:
    """Return the headings without text, those together that no chapter parts: a table of contents is one."""
    runs = list[list[LeftOut]]()
    for row in sorted(rows, key=lambda one: one.line):
        if runs and not any(runs[-1][-1].line < line < row.line for line in chapters):
            runs[-1].append(row)
        else:
            runs.append([row])
    return runs


def without_text(rows: Sequence[LeftOut]) -> str:
    """Return the line that tells of headings without text."""
    first = rows[0]
    if len(rows) == 1:
        reason = Message("chapters.heading_without_text")
        return say("ingest.heading_refused", line=first.line, text=first.text, reason=reason)
    return say("ingest.headings_refused", line=first.line, last=rows[-1].line, count=len(rows), text=first.text)


def _without_text(path: Path, skipped: Sequence[str] = ()) -> IngestError:
    why = (
        Message("ingest.no_text_in_files", files=joined(skipped[:SHOWN_FILES]))
        if skipped
        else Message("ingest.no_text_found")
    )
    return refuse(path, why, Message("ingest.supported_formats", formats=_FORMATS))


def _load_folder(path: Path, contents: Contents, choice: ChapterChoice, warn: Warn) -> LoadedSource:
    """Read every file that can be read; a warning names each other one."""
    files = source_files(path)
    reasons: list[str] = []

    def skip(line: str) -> None:
        reasons.append(line)
        warn(line)

    if others := skipped(path, _READERS):
        rest = Message("ingest.and_more_files", count=len(others) - SHOWN_FILES) if len(others) > SHOWN_FILES else ""
        skip(say("ingest.files_skipped", count=len(others), files=Names(others[:SHOWN_FILES]), rest=rest))
    dialogues = [file for file in files if _DIALOGUE.match(file.name)]
    if dialogues:
        for file in files:
            if file not in dialogues:
                warn(say("ingest.not_a_dialogue_file", name=file.name))
        return _load_dialogues(path, dialogues, contents, warn)
    stems = [file.stem for file in files]
    clash = next((stem for stem in stems if stems.count(stem) > 1), None)
    if clash:
        raise refuse(path, Message("ingest.files_with_same_name", name=clash), Message("ingest.rename_files"))
    notes = read_vault_note if is_vault(files, contents) else None

    def load_one(file: Path) -> LoadedSource:
        return _load_file(file, contents, choice, warn, notes if file.suffix.lower() in _MARKDOWN else None)

    loaded = _readable(files, load_one, skip)
    if not loaded:
        raise _without_text(path, reasons)
    chapters = [chapter for one in loaded for chapter in one.chapters]
    is_one = bool(notes) or are_numbered(chapters)  # of one book no file's first lines are its title
    return LoadedSource(
        tuple(one_part(path.name, chapters) if is_one else chapters),
        tuple(row for one in loaded for row in one.left_out),
        tuple(row for one in loaded for row in one.odd),
        {} if is_one else {stem: book for one in loaded for stem, book in one.books.items()},
        tuple(name for one in loaded for name in one.names),
    )


def is_vault(files: Sequence[Path], contents: Contents) -> bool:
    """Return True for a folder whose Markdown files are mostly notes: with front matter or links to each other."""
    notes = [file for file in files if file.suffix.lower() in _MARKDOWN]
    marks = _readable(notes, lambda file: is_linked(decode(file, contents(file))), unheard)
    return len(notes) >= LEAST_NOTES and 2 * sum(marks) >= len(notes)


def are_numbered(chapters: Sequence[SourceChapter]) -> bool:
    """Return True for files of a chapter each whose names count up: 01.txt, 02.txt."""
    files = [Path(one.source_file).stem for one in chapters]
    numbers = [int(found[0]) for file in files if (found := _FILE_NUMBER.search(file))]
    is_rising = all(before < after for before, after in pairwise(numbers))
    return len(files) > 1 and len(set(files)) == len(numbers) == len(files) and is_rising


def one_part(task: str, chapters: Sequence[SourceChapter]) -> list[SourceChapter]:
    """Return chapters of several files as those of one part, with the numbers of their headings, else of their files.

    Where these are not all there and all different, chapters are counted.
    """
    printed = [one.number if one.line else None for one in chapters]
    named = [int(found[0]) if (found := _FILE_NUMBER.search(Path(one.source_file).stem)) else None for one in chapters]
    counted = range(1, len(chapters) + 1)
    numbers = next((row for row in (printed, named) if None not in row and len(set(row)) == len(row)), counted)
    return [
        replace(one, task_id=task, task_name=task, number=number or 0, order=order, copy=0)
        for order, (one, number) in enumerate(zip(chapters, numbers, strict=True))
    ]


def _readable(files: Sequence[Path], read: Callable[[Path], T], warn: Warn) -> list[T]:
    found = []
    for file in files:
        try:
            found.append(read(file))
        except IngestError as error:
            warn(say("ingest.file_skipped", name=file.name, error=error))
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
    ".xml": read_xml,
    ".srt": read_subtitles,
    ".vtt": read_subtitles,
    ".ass": read_subtitles,
    ".fountain": read_screenplay,
}


_SYSTEM_FILES = frozenset(("thumbs.db", "desktop.ini"))


def readable(folder: Path, suffixes: Collection[str]) -> list[Path]:
    """Return the files of some formats within a folder, sorted by natural order."""
    return [file for file in _files(folder) if file.suffix.lower() in suffixes and _is_within(folder, file)]


def skipped(folder: Path, suffixes: Collection[str]) -> list[str]:
    """Return the files of other formats, each with the reason; those of a system are no one's."""
    rows = []
    for file in _files(folder):
        if file.suffix.lower() not in suffixes:
            kind: Text = (
                Message("file.not_supported", suffix=file.suffix) if file.suffix else Message("ingest.no_extension")
            )
        elif not _is_within(folder, file):
            kind = Message("ingest.link_outside_folder")
        else:
            continue
        rows.append(say("sign.name_and_kind", name=file.relative_to(folder).as_posix(), kind=kind))
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
