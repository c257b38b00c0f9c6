"""`wenmai ingest --preview`: the chapters of a source, and what is left out of them and why."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wenmai.cli.output.terminal import Line
    from wenmai.ingestion.chapters.choice import ChapterChoice
    from wenmai.ingestion.sources.loaders import LoadedSource
    from wenmai.ingestion.sources.sources import SourceChapter

SHOWN = 60
"""Characters of a note that are shown."""


def show_preview(path: Path, choice: "ChapterChoice", save: Path | None, until: tuple[int, int | None]) -> None:
    """Print what an ingest would make of a source; nothing is written but the headings, to `save`.

    `until` is the part and the chapter behind which nothing is shown, where a chapter is given.
    """
    from wenmai.cli.output.ingest import show_rows
    from wenmai.cli.output.terminal import Line, out, say
    from wenmai.ingestion.chapters.choice import heading_rows
    from wenmai.ingestion.sources.loaders import load_source

    warnings: list[str] = []
    loaded = load_source(path, choice=choice, warn=warnings.append)
    show_rows("注意", warnings)
    for line in preview_lines(path, loaded, until):
        say(out(), line)
    if save:
        save.write_text("\n".join(heading_rows(loaded.chapters)) + "\n", encoding="utf-8")
        say(out(), Line(f"标题清单已写入 {save}：改好后用 --headings {save} 导入", "dim"))
    say(out(), Line("这是预览，没有写入资料库", "dim"))


def preview_lines(path: Path, loaded: "LoadedSource", until: tuple[int, int | None] = (1, None)) -> Iterator["Line"]:
    """Yield the chapters part by part, the lines that are none, the notes, and what is odd."""
    from wenmai.cli.output.terminal import Line

    tasks = list(dict.fromkeys(chapter.task_id for chapter in loaded.chapters))
    shown = [one for one in loaded.chapters if _is_shown(tasks.index(one.task_id) + 1, one.number, until)]
    yield Line(f"{path.name}：{len(loaded.chapters)} 章，{len(tasks)} 部", "bold")
    for task, group in groupby(shown, key=lambda one: one.task_id):
        chapters = list(group)
        yield Line(f"第 {tasks.index(task) + 1} 部 {chapters[0].task_name}：{len(chapters)} 章", "bold")
        yield from map(_chapter, chapters)
    yield from _notes(shown)
    last = max((one.line for one in shown), default=0)
    is_guarded = until[1] is not None
    rows = [row for row in loaded.left_out if not is_guarded or row.line <= last]
    if rows:
        yield Line(f"看似标题而没有算作标题的：{len(rows)} 行", "bold")
        yield from (Line(f"  第 {row.line} 行  {row.text}（{row.reason}）") for row in rows)
    if loaded.odd and not is_guarded:
        yield Line(f"异常：{len(loaded.odd)} 处", "bold")
        yield from (Line(f"  {row}", "yellow") for row in loaded.odd)


def _is_shown(part: int, number: int, until: tuple[int, int | None]) -> bool:
    return until[1] is None or (part, number) <= (until[0], until[1])


def _chapter(chapter: "SourceChapter") -> "Line":
    from wenmai.cli.output.terminal import Line

    place = f"第 {chapter.line} 行  " if chapter.line else ""
    return Line(f"  {place}[{chapter.number}] {chapter.title or '（无标题）'}  {len(chapter.text)} 字")


def _notes(chapters: Sequence["SourceChapter"]) -> Iterator["Line"]:
    from wenmai.cli.output.ingest import NOTE_KINDS
    from wenmai.cli.output.terminal import Line

    notes = sorted((note for chapter in chapters for note in chapter.notes), key=lambda note: note.line)
    if notes:
        yield Line(f"不是正文、另存的：{len(notes)} 处", "bold")
    for note in notes:
        text = " ".join(note.text.split())
        yield Line(f"  第 {note.line} 行  {NOTE_KINDS[note.kind]}：{text[:SHOWN]}{'…' if len(text) > SHOWN else ''}")
