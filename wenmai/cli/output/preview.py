"""`wenmai ingest --preview`: the chapters of a source, and what is left out of them and why."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from tools.records import ChapterOutline

if TYPE_CHECKING:
    from tools.records import Horizon
    from wenmai.cli.output.terminal import Line
    from wenmai.ingestion.chapters.choice import ChapterChoice
    from wenmai.ingestion.chapters.records import LeftOut
    from wenmai.ingestion.sources.loaders import LoadedSource
    from wenmai.ingestion.sources.sources import SourceChapter

SHOWN = 60
"""Characters of a note that are shown."""


def show_preview(path: Path, choice: "ChapterChoice", save: Path | None, guard: tuple[int | None, int | None]) -> None:
    """Print what an ingest would make of a source; nothing is written but the headings, to `save`.

    `guard` is the chapter behind which nothing is shown, and its part, where they are given.
    """
    from wenmai.cli.output.horizon import say_horizon
    from wenmai.cli.output.ingest import show_rows
    from wenmai.cli.output.terminal import Line, out, say
    from wenmai.ingestion.chapters.choice import heading_rows
    from wenmai.ingestion.sources.loaders import load_source

    warnings: list[str] = []
    loaded = load_source(path, choice=choice, warn=warnings.append)
    horizon = previewed_horizon(loaded, *guard)
    if horizon is None:
        show_rows("注意", warnings)
    say_horizon(horizon)
    for line in preview_lines(path, loaded, horizon):
        say(out(), line)
    if save:
        save.write_text("\n".join(heading_rows(loaded.chapters)) + "\n", encoding="utf-8")
        say(out(), Line(f"标题清单已写入 {save}：改好后用 --headings {save} 导入", "dim"))
    say(out(), Line("这是预览，没有写入资料库", "dim"))


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
    yield Line(f"{path.name}：{len(shown)} 章，{len({one.task_id for one in shown})} 部", "bold")
    for task, group in groupby(shown, key=lambda one: one.task_id):
        chapters = list(group)
        yield Line(f"第 {parts[task]} 部 {chapters[0].task_name}：{len(chapters)} 章", "bold")
        yield from map(_chapter, chapters)
    yield from _notes(shown, is_guarded=horizon is not None)
    rows = loaded.left_out if horizon is None else _left_out_in(loaded, shown, path)
    if rows:
        yield Line(f"看似标题而没有算作标题的：{len(rows)} 行", "bold")
        yield from (Line(f"  第 {row.line} 行  {row.text}（{row.reason}）") for row in rows)
    if loaded.odd and horizon is None:
        yield Line(f"异常：{len(loaded.odd)} 处", "bold")
        yield from (Line(f"  {row}", "yellow") for row in loaded.odd)


def _parts(loaded: "LoadedSource") -> dict[str, int]:
    """Return the number of each part, in the order in which they come."""
    tasks = dict.fromkeys(chapter.task_id for chapter in loaded.chapters)
    return {task: at for at, task in enumerate(tasks, 1)}


def _left_out_in(loaded: "LoadedSource", shown: "Sequence[SourceChapter]", path: Path) -> "list[LeftOut]":
    """Return the lines that stand in chapters that are shown; of a folder none: its lines do not name their file."""
    if not path.is_file():
        return []
    begun = sorted(((one.line, one) for one in loaded.chapters), key=lambda pair: pair[0])
    owners = {row: [one for line, one in begun if line <= row.line][-1:] for row in loaded.left_out}
    return [row for row, owner in owners.items() if owner and owner[0] in shown]


def _chapter(chapter: "SourceChapter") -> "Line":
    from wenmai.cli.output.terminal import Line

    place = f"第 {chapter.line} 行  " if chapter.line else ""
    return Line(f"  {place}[{chapter.number}] {chapter.title or '（无标题）'}  {len(chapter.text)} 字")


def _notes(chapters: Sequence["SourceChapter"], *, is_guarded: bool) -> Iterator["Line"]:
    from wenmai.cli.output.ingest import NOTE_KINDS
    from wenmai.cli.output.terminal import Line
    from wenmai.ingestion.library.text_notes import TELLING

    found = (note for chapter in chapters for note in chapter.notes if not (is_guarded and note.kind in TELLING))
    notes = sorted(found, key=lambda note: note.line)
    if notes:
        yield Line(f"不是正文、另存的：{len(notes)} 处", "bold")
    for note in notes:
        text = " ".join(note.text.split())
        yield Line(f"  第 {note.line} 行  {NOTE_KINDS[note.kind]}：{text[:SHOWN]}{'…' if len(text) > SHOWN else ''}")
