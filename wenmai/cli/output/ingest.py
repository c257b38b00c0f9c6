"""What `wenmai ingest` prints: the chapters of a source, what a model would cost, what was written, what looks odd."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from tools.messages import Message, say
from tools.records import ChapterOutline
from tools.text.books import stem_of
from wenmai.cli.output.terminal import TerminalLine, dollars, print_line, print_lines, print_place, remark

if TYPE_CHECKING:
    from tools.records import Horizon
    from wenmai.application.libraries import Library
    from wenmai.ingestion.chapters.choice import ChapterChoice
    from wenmai.ingestion.chapters.records import LeftOut, SourceChapter
    from wenmai.ingestion.contracts import IngestReport
    from wenmai.ingestion.model.estimate import Cost, Estimate
    from wenmai.ingestion.sources.loaders import LoadedSource

SHOWN_ROWS = 10
NOTE_KINDS: Mapping[str, Message] = {
    "front": Message("cli.ingest.note_front"),
    "contents": Message("cli.ingest.note_contents"),
    "end": Message("cli.ingest.note_end"),
    "author": Message("cli.ingest.note_author"),
    "translator": Message("cli.ingest.note_translator"),
    "footnote": Message("cli.ingest.note_footnote"),
    "page": Message("cli.ingest.note_page"),
    "licence": Message("cli.ingest.note_licence"),
    "site": Message("cli.ingest.note_site"),
    "picture": Message("cli.ingest.note_picture"),
}
ROWS = {
    "warnings": Message("cli.ingest.row_warning"),
    "bad_rows": Message("cli.ingest.row_skipped"),
    "unread": Message("cli.ingest.row_unread"),
    "unsummarised": Message("cli.ingest.row_unsummarised"),
    "odd": Message("cli.ingest.row_odd"),
}
NOTE_CHARACTERS = 60
"""Characters of a note that are shown."""
COUNTED = {
    "service": Message("cli.ingest.tokens_by_service"),
    "ratio": Message("cli.ingest.tokens_by_ratio"),
    "ratio, unanswered": Message("cli.ingest.tokens_by_ratio_unanswered"),
}


def show(report: "IngestReport") -> None:
    for key, kind in ROWS.items():
        show_rows(str(kind), getattr(report, key))
    print_lines(report_lines(report))


def report_lines(report: "IngestReport") -> Iterator[TerminalLine]:
    changed = report.written or report.removed or report.reordered
    counts = {"written": report.written, "unchanged": report.unchanged, "removed": report.removed}
    change = say("cli.ingest.passages_changed", **counts) if changed else say("cli.ingest.unchanged")
    held = {"library": report.library, "chapters": report.chapters, "passages": report.passages}
    yield TerminalLine(say("cli.ingest.done", **held, change=change), "bold")
    yield TerminalLine(
        say("cli.ingest.graph_counts", entities=report.entities, relations=report.relations, events=report.events)
    )
    yield from map(TerminalLine, summary(report))
    if report.kept_tables:
        yield TerminalLine(say("cli.ingest.tables_kept", **report.kept_tables))
    if report.graph_restored:
        yield TerminalLine(say("cli.ingest.graph_restored"), "yellow")
    if report.vectors_restored:
        yield TerminalLine(say("cli.ingest.vectors_restored", count=report.vectors_restored), "yellow")
    if report.vectors_lost:
        yield TerminalLine(say("cli.ingest.vectors_lost", others=say("sign.list").join(report.vectors_lost)), "yellow")
    yield from map(TerminalLine, reading_lines(report))
    beside = say("cli.ingest.time_of_workers") if report.embedding_seconds > report.seconds else ""
    embedding = (
        say("cli.ingest.time_embedding", seconds=report.embedding_seconds, beside=beside) if report.written else ""
    )
    yield TerminalLine(say("cli.ingest.time", seconds=report.seconds) + embedding, "dim")


def show_guarded(report: "IngestReport", library: "Library", people: Sequence[str]) -> None:
    """Print what was written as far as a reader may know it: warnings and counts tell of the whole book."""
    counts = {"chapters": library.chapters, "passages": library.passages}
    print_line(say("cli.ingest.done_guarded", library=library.name, **counts), "bold")
    print_place(library.as_of)
    print_line(say("cli.ingest.characters", people=say("sign.list").join(people) or say("cli.ingest.no_characters")))
    print_line(say("cli.ingest.total_time", seconds=report.seconds), "dim")


def reading_lines(report: "IngestReport") -> list[str]:
    spending, lines = report.spending, []
    if report.summaries or report.summaries_left:
        lines.append(say("cli.ingest.summaries", count=report.summaries))
    if report.summaries_left and spending.calls:
        lines.append(say("cli.ingest.summaries_left", count=report.summaries_left))
    kept = report.kept_answers + report.kept_summaries
    if spending.calls or kept:
        tokens = {"input": spending.input_tokens, "output": spending.output_tokens}
        cost = dollars(spending.cost_usd)
        lines.append(say("cli.ingest.model_usage", calls=spending.calls, **tokens, cost=cost, kept=kept))
        lines += [say("cli.unpriced_model")] if spending.cost_usd is None else []
    if report.dropped:
        lines.append(say("cli.ingest.dropped_statements", count=report.dropped))
    if report.merges:
        lines.append(say("cli.ingest.merged_names", count=report.merges))
    return lines


def show_rows(kind: str, rows: list[str]) -> None:
    """Print the first rows of a kind on standard error, and how many more there are."""
    for row in rows[:SHOWN_ROWS]:
        remark(say("cli.ingest.row", kind=kind, row=row), "yellow")
    if len(rows) > SHOWN_ROWS:
        remark(say("cli.ingest.more_rows", kind=kind, count=len(rows) - SHOWN_ROWS), "yellow")


def summary(report: "IngestReport") -> Iterator[str]:
    if len(report.parts) > 1:
        parts = say("sign.comma").join(
            say("cli.ingest.part", title=title, chapters=chapters) for title, chapters in report.parts
        )
        yield say("cli.ingest.parts", count=len(report.parts), parts=parts)
    yield say("cli.ingest.characters", people=say("sign.list").join(report.people) or say("cli.ingest.no_characters"))
    if report.left_out:
        kinds = say("sign.list").join(f"{NOTE_KINDS[kind]} {count}" for kind, count in report.left_out.items())
        yield say("cli.ingest.notes_kept", kinds=kinds, library=report.library)


def show_preview(path: Path, choice: "ChapterChoice", save: Path | None, guard: tuple[int | None, int | None]) -> None:
    """Print what an ingest would make of a source; nothing is written but the headings, to `save`.

    `guard` is the chapter behind which nothing is shown, and its part, where they are given.
    """
    from wenmai.ingestion.chapters.choice import heading_rows
    from wenmai.ingestion.sources.loaders import load_source

    warnings: list[str] = []
    loaded = load_source(path, choice=choice, warn=warnings.append)
    horizon = previewed_horizon(loaded, *guard)
    if horizon is None:
        show_rows(str(ROWS["warnings"]), warnings)
    print_place(horizon)
    print_lines(preview_lines(path, loaded, horizon))
    if save:
        save.write_text("\n".join(heading_rows(loaded.chapters)) + "\n", encoding="utf-8")
        print_line(say("cli.ingest.headings_saved", file=save), "dim")
    print_line(say("cli.ingest.is_preview"), "dim")


def previewed_horizon(loaded: "LoadedSource", chapter: int | None, part: int | None) -> "Horizon | None":
    from tools.story.guard import meant_part, strictest

    if chapter is None:
        return None
    parts = part_numbers(loaded)
    outline = [
        ChapterOutline(
            task_id=one.task_id, part=parts[one.task_id], number=one.number, digest="", order=one.order, passages=0
        )
        for one in loaded.chapters
    ]
    return strictest(chapter, part or meant_part(outline, chapter))


def preview_lines(path: Path, loaded: "LoadedSource", horizon: "Horizon | None" = None) -> Iterator[TerminalLine]:
    parts = part_numbers(loaded)
    shown = [one for one in loaded.chapters if horizon is None or horizon.shows(parts[one.task_id], one.number)]
    yield TerminalLine(
        say("cli.ingest.preview_file", name=path.name, chapters=len(shown), parts=len({one.task_id for one in shown})),
        "bold",
    )
    files = {stem_of(one.task_id) for one in shown}
    for stem, book in loaded.books.items():
        if book.title and stem in files:
            yield TerminalLine(
                say("cli.ingest.preview_book", title=book.title, authors=say("sign.list").join(book.authors))
            )
    for task, group in groupby(shown, key=lambda one: one.task_id):
        chapters = list(group)
        yield TerminalLine(
            say("cli.ingest.preview_part", number=parts[task], name=chapters[0].task_name, chapters=len(chapters)),
            "bold",
        )
        for one in chapters:
            place, title = place_of(one.line), one.title or say("cli.ingest.untitled")
            yield TerminalLine(
                say("cli.ingest.preview_chapter", place=place, number=one.number, title=title, size=len(one.text))
            )
    yield from note_lines(shown, is_guarded=horizon is not None)
    rows = loaded.left_out if horizon is None else left_out_in(loaded, shown, path)
    if rows:
        yield TerminalLine(say("cli.ingest.preview_no_headings", count=len(rows)), "bold")
        yield from (
            TerminalLine(say("cli.ingest.preview_no_heading", line=row.line, text=row.text, reason=row.reason))
            for row in rows
        )
    if loaded.odd and horizon is None:
        yield TerminalLine(say("cli.ingest.preview_odd", count=len(loaded.odd)), "bold")
        yield from (TerminalLine(f"  {row}", "yellow") for row in loaded.odd)


def part_numbers(loaded: "LoadedSource") -> dict[str, int]:
    tasks = dict.fromkeys(chapter.task_id for chapter in loaded.chapters)
    return {task: at for at, task in enumerate(tasks, 1)}


def left_out_in(loaded: "LoadedSource", shown: "Sequence[SourceChapter]", path: Path) -> "list[LeftOut]":
    """Return the lines that stand in chapters that are shown; of a folder none: its lines do not name their file."""
    if not path.is_file():
        return []
    begun = sorted(loaded.chapters, key=lambda one: one.line)
    starts = [one.line for one in begun]
    found = set(shown)
    owners = ((row, bisect_right(starts, row.line)) for row in loaded.left_out)
    return [row for row, owner in owners if owner and begun[owner - 1] in found]


def place_of(line: int) -> str:
    """Return the line of a text; a book of many files has none."""
    return say("cli.ingest.preview_line", line=line) if line else ""


def note_lines(chapters: Sequence["SourceChapter"], *, is_guarded: bool) -> Iterator[TerminalLine]:
    """Yield what is kept apart from the story; under a guard nothing that tells of what comes."""
    from wenmai.ingestion.library.notes import TELLING

    found = (note for chapter in chapters for note in chapter.notes if not (is_guarded and note.kind in TELLING))
    notes = sorted(found, key=lambda note: note.line)
    if notes:
        yield TerminalLine(say("cli.ingest.preview_notes", count=len(notes)), "bold")
    for note in notes:
        text = " ".join(note.text.split())
        shown = f"{text[:NOTE_CHARACTERS]}{'…' if len(text) > NOTE_CHARACTERS else ''}"
        yield TerminalLine(
            say("cli.ingest.preview_note", place=place_of(note.line), kind=str(NOTE_KINDS[note.kind]), text=shown)
        )


def estimate_lines(found: "Estimate") -> Iterator[TerminalLine]:
    basis = say("cli.ingest.estimate_measured") if found.measured else say("cli.ingest.estimate_assumed")
    kept = say("cli.ingest.estimate_kept_answers", count=found.kept) if found.kept else ""
    yield TerminalLine(say("cli.ingest.estimate_heading", model=found.model, chapters=found.chapters), "bold")
    yield TerminalLine(say("cli.ingest.estimate_reading", cost=cost_phrase(found.reading), kept=kept))
    if found.summaries:
        yield TerminalLine(say("cli.ingest.estimate_summaries", cost=cost_phrase(found.summaries)))
    if found.embedding:
        yield TerminalLine(say("cli.ingest.estimate_embedding", cost=cost_phrase(found.embedding)))
    yield TerminalLine(
        say("cli.ingest.estimate_basis", counted=COUNTED[found.counted_by], ratio=found.output_ratio, basis=basis)
    )
    if None in (found.reading.usd, found.embedding.usd if found.embedding else 0.0):
        yield TerminalLine(f"  {say('cli.unpriced_model')}", "yellow")


def cost_phrase(cost: "Cost") -> str:
    written = say("cli.ingest.estimate_output", count=cost.output_tokens) if cost.output_tokens else ""
    about = "" if cost.usd is None else say("cli.ingest.estimate_about")
    return say(
        "cli.ingest.estimate_cost",
        calls=cost.calls,
        input=cost.input_tokens,
        written=written,
        about=about,
        usd=dollars(cost.usd),
    )
