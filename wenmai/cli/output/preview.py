"""`wenmai ingest --preview`: the chapters of a source, and what is left out of them and why."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from tools.records import ChapterOutline
from tools.wording import Words

if TYPE_CHECKING:
    from tools.records import Horizon
    from wenmai.cli.output.terminal import Line
    from wenmai.ingestion.chapters.choice import ChapterChoice
    from wenmai.ingestion.chapters.records import LeftOut
    from wenmai.ingestion.sources.loaders import LoadedSource
    from wenmai.ingestion.sources.sources import SourceChapter

FILE = Words("{name}：{chapters} 章，{parts} 部", "{name}: {chapters} chapters, {parts} parts")
BOOK = Words("《{title}》{authors}", "{title}, {authors}")
PART = Words("第 {number} 部 {name}：{chapters} 章", "Part {number}, {name}: {chapters} chapters")
PAUSE = Words("、", ", ")
LINE = Words("第 {line} 行  ", "line {line}  ")
UNTITLED = Words("（无标题）", "(no title)")
CHAPTER = Words("  {place}[{number}] {title}  {size} 字", "  {place}[{number}] {title}  {size} characters")
NO_HEADINGS = Words("看似标题而没有算作标题的：{count} 行", "Lines that look like headings and are none: {count}")
NO_HEADING = Words("  第 {line} 行  {text}（{reason}）", "  line {line}  {text} ({reason})")
ODD = Words("异常：{count} 处", "Odd: {count}")
NOTES = Words("不是正文、另存的：{count} 处", "No story, kept apart: {count}")
NOTE = Words("  {place}{kind}：{text}", "  {place}{kind}: {text}")
SAVED = Words(
    "标题清单已写入 {file}：改好后用 --headings {file} 导入",
    "Headings written to {file}: mend it, then use --headings {file}",
)
PREVIEW = Words("这是预览，没有写入资料库", "This is a preview: nothing was written")
SHOWN = 60
"""Characters of a note that are shown."""


def show_preview(path: Path, choice: "ChapterChoice", save: Path | None, guard: tuple[int | None, int | None]) -> None:
    """Print what an ingest would make of a source; nothing is written but the headings, to `save`.

    `guard` is the chapter behind which nothing is shown, and its part, where they are given.
    """
    from wenmai.cli.output.horizon import say_place
    from wenmai.cli.output.ingest import ROWS, show_rows
    from wenmai.cli.output.terminal import Line, out, say
    from wenmai.ingestion.chapters.choice import heading_rows
    from wenmai.ingestion.sources.loaders import load_source

    warnings: list[str] = []
    loaded = load_source(path, choice=choice, warn=warnings.append)
    horizon = previewed_horizon(loaded, *guard)
    if horizon is None:
        show_rows(ROWS["warnings"].say(), warnings)
    say_place(horizon)
    for line in preview_lines(path, loaded, horizon):
        say(out(), line)
    if save:
        save.write_text("\n".join(heading_rows(loaded.chapters)) + "\n", encoding="utf-8")
        say(out(), Line(SAVED.say(file=save), "dim"))
    say(out(), Line(PREVIEW.say(), "dim"))


def previewed_horizon(loaded: "LoadedSource", chapter: int | None, part: int | None) -> "Horizon | None":
    """Return the guard that is meant for a source that is in no library yet."""
    from tools.story.chapters.guard import meant_part, strictest

    if chapter is None:
        return None
    parts = _parts(loaded)
    outline = [
        ChapterOutline(
            task_id=one.task_id, part=parts[one.task_id], number=one.number, digest="", order=one.order, passages=0
        )
        for one in loaded.chapters
    ]
    return strictest(chapter, part or meant_part(outline, chapter))


def preview_lines(path: Path, loaded: "LoadedSource", horizon: "Horizon | None" = None) -> Iterator["Line"]:
    """Yield the chapters part by part, the lines that are none, the notes, and what is odd."""
    from wenmai.cli.output.terminal import Line

    parts = _parts(loaded)
    shown = [one for one in loaded.chapters if horizon is None or horizon.shows(parts[one.task_id], one.number)]
    yield Line(FILE.say(name=path.name, chapters=len(shown), parts=len({one.task_id for one in shown})), "bold")
    for book in loaded.books.values():
        if book.title:
            yield Line(BOOK.say(title=book.title, authors=PAUSE.say().join(book.authors)))
    for task, group in groupby(shown, key=lambda one: one.task_id):
        chapters = list(group)
        yield Line(PART.say(number=parts[task], name=chapters[0].task_name, chapters=len(chapters)), "bold")
        yield from map(_chapter, chapters)
    yield from _notes(shown, is_guarded=horizon is not None)
    rows = loaded.left_out if horizon is None else _left_out_in(loaded, shown, path)
    if rows:
        yield Line(NO_HEADINGS.say(count=len(rows)), "bold")
        yield from (Line(NO_HEADING.say(line=row.line, text=row.text, reason=row.reason)) for row in rows)
    if loaded.odd and horizon is None:
        yield Line(ODD.say(count=len(loaded.odd)), "bold")
        yield from (Line(f"  {row}", "yellow") for row in loaded.odd)


def _parts(loaded: "LoadedSource") -> dict[str, int]:
    """Return the number of each part, in the order in which they come."""
    tasks = dict.fromkeys(chapter.task_id for chapter in loaded.chapters)
    return {task: at for at, task in enumerate(tasks, 1)}


def _left_out_in(loaded: "LoadedSource", shown: "Sequence[SourceChapter]", path: Path) -> "list[LeftOut]":
    """Return the lines that stand in chapters that are shown; of a folder none: its lines do not name their file."""
    if not path.is_file():
        return []
    begun = sorted(loaded.chapters, key=lambda one: one.line)
    starts = [one.line for one in begun]
    found = set(shown)
    owners = ((row, bisect_right(starts, row.line)) for row in loaded.left_out)
    return [row for row, owner in owners if owner and begun[owner - 1] in found]


def _chapter(chapter: "SourceChapter") -> "Line":
    from wenmai.cli.output.terminal import Line

    title = chapter.title or UNTITLED.say()
    return Line(CHAPTER.say(place=_place(chapter.line), number=chapter.number, title=title, size=len(chapter.text)))


def _place(line: int) -> str:
    """Return the line of a text; a book of many files has none."""
    return LINE.say(line=line) if line else ""


def _notes(chapters: Sequence["SourceChapter"], *, is_guarded: bool) -> Iterator["Line"]:
    from wenmai.cli.output.ingest import NOTE_KINDS
    from wenmai.cli.output.terminal import Line
    from wenmai.ingestion.library.text_notes import TELLING

    found = (note for chapter in chapters for note in chapter.notes if not (is_guarded and note.kind in TELLING))
    notes = sorted(found, key=lambda note: note.line)
    if notes:
        yield Line(NOTES.say(count=len(notes)), "bold")
    for note in notes:
        text = " ".join(note.text.split())
        shown = f"{text[:SHOWN]}{'…' if len(text) > SHOWN else ''}"
        yield Line(NOTE.say(place=_place(note.line), kind=NOTE_KINDS[note.kind].say(), text=shown))
