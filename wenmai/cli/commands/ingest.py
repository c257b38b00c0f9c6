"""`wenmai ingest`: a source into a library."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tools.errors import InputError
from wenmai.cli.options import AliasesOption, ChapterOption, PartOption, guard_of
from wenmai.cli.output.ingest import estimate_lines, show, show_guarded, show_preview
from wenmai.cli.output.terminal import open_log, print_lines
from wenmai.cli.placing import run, run_on_stores
from wenmai.cli.refusals import NO_LIBRARY, ONE_OF_CHAPTERS, PREVIEW_ONLY, RAY_ONLY, WHOLE_BOOK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wenmai.application.libraries import Library
    from wenmai.cli.placing import Operations
    from wenmai.ingestion.contracts import IngestReport

Mind = Literal["model", "gemini", "offline"]
EngineName = Literal["local", "ray"]
MIND_HELP = (
    "Who reads the text: offline (patterns, free) or model (calls that cost money; see --estimate). "
    "Default: INGEST_MIND, which is offline even with a key; what a model answered before is kept and used, "
    "unless offline is named here."
)


CHAPTERS_HELP = (
    "What a heading is, in place of the rules: a regular expression (its first group may be the number), "
    "toc (the lines that the table of contents lists) or none (one chapter)."
)
PathArgument = Annotated[
    Path, typer.Argument(exists=True, help="A text, JSON, HTML, EPUB, DOCX or PDF file, or a folder.")
]
LibraryOption = Annotated[str | None, typer.Option("--library", "-l", help="Library to write to; made when it is new.")]
TitleOption = Annotated[str | None, typer.Option(help="Title in citations; default: the EPUB's, else the file's name.")]
GraphOption = Annotated[
    list[Path] | None,
    typer.Option(exists=True, help="Ready-made relations, events or entities (CSV, JSONL); several are allowed."),
]
MindOption = Annotated[Mind | None, typer.Option(help=MIND_HELP)]
EngineOption = Annotated[
    EngineName,
    typer.Option(help="Who reads and embeds chapters: this process, or the workers of a Ray cluster (extra ray)."),
]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, help="Workers of --engine ray; default: the cluster's processors.")
]
EstimateOption = Annotated[
    bool,
    typer.Option("--estimate", help="Only say what --mind model would cost: calls, tokens, money. Writes nothing."),
]
PreviewOption = Annotated[
    bool, typer.Option("--preview", help="Only show the chapters, and what is left out and why. Needs no library.")
]
ChaptersOption = Annotated[str | None, typer.Option(metavar="PATTERN|toc|none", help=CHAPTERS_HELP)]
HeadingsOption = Annotated[
    Path | None,
    typer.Option(exists=True, dir_okay=False, help="List of the headings, a line each, as --save-headings writes."),
]
SaveOption = Annotated[
    Path | None, typer.Option(help="With --preview: write the headings to this file, to be mended and given back.")
]


def ingest(
    path: PathArgument,
    library: LibraryOption = None,
    title: TitleOption = None,
    aliases: AliasesOption = None,
    graph: GraphOption = None,
    mind: MindOption = None,
    engine: EngineOption = "local",
    workers: WorkersOption = None,
    estimate: EstimateOption = False,
    preview: PreviewOption = False,
    chapters: ChaptersOption = None,
    headings: HeadingsOption = None,
    save_headings: SaveOption = None,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """Read a story into a library. A second run writes only what changed; an interrupted one goes on."""
    from wenmai.ingestion.chapters.choice import ChapterChoice

    guard = guard_of(as_of_chapter, as_of_part)
    if guard and (estimate or save_headings):
        raise InputError(WHOLE_BOOK.say())
    rows = heading_rows(chapters, headings)
    if preview:
        return show_preview(path, ChapterChoice(chapters, rows), save_headings, (as_of_chapter, as_of_part))
    if library is None:
        raise InputError(NO_LIBRARY.say())
    if save_headings:
        raise InputError(PREVIEW_ONLY.say())
    if workers is not None and engine != "ray":
        raise InputError(RAY_ONLY.say())
    if estimate:
        return print_lines(estimate_lines(run_on_stores(lambda app: app.libraries.estimate(path, library))))

    async def work(app: "Operations") -> "tuple[IngestReport, Library | None, Sequence[str]]":
        from wenmai.application.paging import EVERY
        from wenmai.cli.output.live import ingest_progress

        with ingest_progress(names_chapters=guard is None) as progress:
            report = await app.libraries.ingest(
                path,
                library,
                title=title,
                aliases=aliases,
                graph=graph or (),
                chapters=chapters,
                headings=rows,
                mind=mind,
                engine=engine,
                workers=workers,
                progress=progress,
            )
        if guard is None:
            return report, None, report.people
        known = {one.name for one in (await app.entities.list(library, guard=guard, limit=EVERY)).items}
        return report, await app.libraries.get(library, guard=guard), [one for one in report.people if one in known]

    open_log()
    is_for_servers = engine == "local" and mind is None and not path.is_dir()
    report, seen, people = run(work) if is_for_servers else run_on_stores(work)
    if seen is None:
        show(report)
    else:
        show_guarded(report, seen, people)


def heading_rows(pattern: str | None, headings: Path | None) -> tuple[str, ...]:
    """Return the lines of a list of headings, () without one. Raises InputError for an empty one, beside a pattern."""
    from wenmai.ingestion.chapters.choice import read_headings

    if pattern and headings:
        raise InputError(ONE_OF_CHAPTERS.say())
    return read_headings(headings) if headings else ()
