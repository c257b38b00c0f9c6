"""`wenmai ingest`: a source into a library."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tools.errors import InputError
from tools.messages import say
from wenmai.cli.options import AliasesOption, ChapterOption, PartOption, guard_of
from wenmai.cli.output.ingest import estimate_lines, show, show_guarded, show_preview
from wenmai.cli.output.terminal import open_log, print_lines
from wenmai.cli.placing import run, run_on_stores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wenmai.application.libraries import Library
    from wenmai.cli.placing import Operations
    from wenmai.ingestion.contracts import IngestReport

Mind = Literal["model", "gemini", "offline"]
EngineName = Literal["local", "ray"]


def ingest(
    path: Annotated[Path, typer.Argument(exists=True, help="help.ingest.path")],
    library: Annotated[str | None, typer.Option("--library", "-l", help="help.ingest.library")] = None,
    replaces: Annotated[str | None, typer.Option(metavar="SOURCE", help="help.ingest.replaces")] = None,
    title: Annotated[str | None, typer.Option(help="help.ingest.title")] = None,
    aliases: AliasesOption = None,
    graph: Annotated[list[Path] | None, typer.Option(exists=True, help="help.ingest.graph")] = None,
    without_tables: Annotated[bool, typer.Option("--without-tables", help="help.ingest.without_tables")] = False,
    mind: Annotated[Mind | None, typer.Option(help="help.ingest.mind")] = None,
    summaries: Annotated[bool | None, typer.Option(help="help.ingest.summaries")] = None,
    budget: Annotated[str | None, typer.Option(metavar="USD|TOKENS", help="help.ingest.budget")] = None,
    engine: Annotated[EngineName, typer.Option(help="help.ingest.engine")] = "local",
    workers: Annotated[int | None, typer.Option(min=1, help="help.ingest.workers")] = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="help.ingest.estimate")] = False,
    preview: Annotated[bool, typer.Option("--preview", help="help.ingest.preview")] = False,
    chapters: Annotated[str | None, typer.Option(metavar="PATTERN|toc|none", help="help.ingest.chapters")] = None,
    headings: Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="help.ingest.headings")] = None,
    save_headings: Annotated[Path | None, typer.Option(help="help.ingest.save")] = None,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """Read a story into a library. A second run writes only what changed; an interrupted one goes on."""
    from wenmai.ingestion.chapters.choice import ChapterChoice

    guard = guard_of(as_of_chapter, as_of_part)
    if guard and (estimate or save_headings):
        raise InputError(say("cli.option.guard_with_whole_book"))
    rows = heading_rows(chapters, headings)
    if preview:
        return show_preview(path, ChapterChoice(chapters, rows), save_headings, (as_of_chapter, as_of_part))
    if library is None:
        raise InputError(say("cli.option.library_needed"))
    if save_headings:
        raise InputError(say("cli.option.save_headings_without_preview"))
    if workers is not None and engine != "ray":
        raise InputError(say("cli.option.workers_without_ray"))
    if estimate:
        return print_lines(
            estimate_lines(run_on_stores(lambda app: app.libraries.estimate(path, library, summaries=summaries)))
        )

    async def work(app: "Operations") -> "tuple[IngestReport, Library | None, Sequence[str]]":
        from wenmai.application.paging import EVERY
        from wenmai.cli.output.live import ingest_progress

        with ingest_progress(names_chapters=guard is None) as progress:
            report = await app.libraries.ingest(
                path,
                library,
                replaces=replaces,
                title=title,
                aliases=aliases,
                graph=graph or (),
                without_tables=without_tables,
                chapters=chapters,
                headings=rows,
                mind=mind,
                summaries=summaries,
                budget=budget,
                engine=engine,
                workers=workers,
                progress=progress,
            )
        if guard is None:
            return report, None, report.people
        known = {one.name for one in (await app.entities.list(library, guard=guard, limit=EVERY)).items}
        return report, await app.libraries.get(library, guard=guard), [one for one in report.people if one in known]

    open_log()
    is_for_servers = engine == "local" and (mind, summaries, budget) == (None, None, None) and not path.is_dir()
    report, seen, people = run(work) if is_for_servers else run_on_stores(work)
    if seen is None:
        show(report)
    else:
        show_guarded(report, seen, people)


def heading_rows(pattern: str | None, headings: Path | None) -> tuple[str, ...]:
    """Return the lines of a list of headings, () without one. Raises InputError for an empty one, beside a pattern."""
    from wenmai.ingestion.chapters.choice import read_headings

    if pattern and headings:
        raise InputError(say("cli.option.chapters_and_headings"))
    return read_headings(headings) if headings else ()
