"""`wenmai ingest`: a source into a library."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wenmai.cli.guarding import horizon_of
from wenmai.cli.options import AliasesOption, ChapterOption, PartOption, check_guard
from wenmai.cli.refusals import NO_LIBRARY, ONE_OF_CHAPTERS, PREVIEW_ONLY, RAY_ONLY, WHOLE_BOOK
from wenmai.errors import InputError

if TYPE_CHECKING:
    from tools.ports import Embedder
    from tools.records import LibraryInfo
    from wenmai.app.container import Services
    from wenmai.cli.server.running import Running
    from wenmai.ingestion.chapter_reader import Engine
    from wenmai.ingestion.chapters.choice import ChapterChoice
    from wenmai.ingestion.contracts import IngestReport
    from wenmai.ingestion.model.reading import ReadingOptions
    from wenmai.ingestion.request import IngestRequest

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
    from wenmai.ingestion.request import IngestRequest

    check_guarded(as_of_chapter, as_of_part, tells_all=estimate or save_headings is not None)
    choice = chosen(chapters, headings)
    if preview:
        from wenmai.cli.output.preview import show_preview

        return show_preview(path, choice, save_headings, (as_of_chapter, as_of_part))
    if library is None:
        raise InputError(NO_LIBRARY.say())
    if save_headings:
        raise InputError(PREVIEW_ONLY.say())
    if workers is not None and engine != "ray":
        raise InputError(RAY_ONLY.say())
    if estimate:
        from wenmai.cli.output.estimate import show_estimated

        return show_estimated(path, library)
    files = tuple(graph or ())
    request = IngestRequest(path=path, library=library, title=title, aliases=aliases, graph_files=files, choice=choice)
    here_or_through_a_server(request, (mind, engine, workers), (as_of_chapter, as_of_part))


def here_or_through_a_server(
    request: "IngestRequest",
    by: tuple[Mind | None, EngineName, int | None],
    guard: tuple[int | None, int | None],
) -> None:
    """Ingest and print the summary; a server that holds the library does so where its API can."""
    from wenmai.cli.placing import here_or_there

    mind, engine, _ = by
    is_plain = engine == "local" and mind is None and not request.choice.headings

    def there(server: "Running") -> None:
        from wenmai.cli.output.ingest import show
        from wenmai.cli.server import libraries

        show(libraries.ingest(server, request))

    is_offered = is_plain and guard[0] is None and not request.path.is_dir()
    here_or_there(lambda: ingested_and_shown(request, by, guard), there if is_offered else None)


def check_guarded(chapter: int | None, part: int | None, *, tells_all: bool) -> None:
    """Refuse a guard that cannot be, or beside an option that tells of the whole book. Raises InputError."""
    check_guard(chapter, part)
    if tells_all and chapter is not None:
        raise InputError(WHOLE_BOOK.say())


async def ingested_and_shown(
    request: "IngestRequest",
    by: tuple[Mind | None, EngineName, int | None],
    guard: tuple[int | None, int | None],
) -> None:
    """Ingest and print the summary, under a guard what its reader may know of it."""
    from wenmai.cli.output.ingest import show, show_guarded

    if guard[0] is None:
        show(await ingested(request, *by))
    else:
        report = await ingested(request, *by, names_chapters=False)
        show_guarded(report, *await as_read(report, *guard))


async def as_read(
    report: "IngestReport", chapter: int | None, part: int | None
) -> "tuple[LibraryInfo, list[str], str]":
    """Return the library as its reader knows it, those of the people that he knows, and which guard is meant."""
    from tools.story.chapters.guard import guard_text, library_as_read
    from wenmai.app.container import Services
    from wenmai.settings.settings import load_settings

    services = Services(load_settings())
    try:
        horizon = await horizon_of(services, report.library, chapter, part)
        info = await library_as_read(services.catalog, await services.catalog.info(report.library), horizon)
        known = {one.entity for one in await services.graph.names(report.library, horizon)}
        return info, [one for one in report.people if one in known], guard_text(horizon) if horizon else ""
    finally:
        await services.close()


def chosen(pattern: str | None, headings: Path | None) -> "ChapterChoice":
    """Return what decides the headings. Raises InputError where both are given, or the list is empty."""
    from wenmai.ingestion.chapters.choice import ChapterChoice, read_headings

    if pattern and headings:
        raise InputError(ONE_OF_CHAPTERS.say())
    return ChapterChoice(pattern, read_headings(headings) if headings else ())


async def ingested(
    request: "IngestRequest",
    mind: Mind | None = None,
    engine: EngineName = "local",
    workers: int | None = None,
    *,
    names_chapters: bool = True,
) -> "IngestReport":
    """Ingest with a progress bar, which may name the chapter that is read."""
    from wenmai.app.container import Services
    from wenmai.cli.output.progress import shown
    from wenmai.cli.output.terminal import open_log
    from wenmai.ingestion.pipeline import ingest as run
    from wenmai.settings.settings import load_settings

    services = Services(load_settings())
    open_log(services.settings)
    try:
        async with workers_of(services, engine, workers) as (embedder, cluster):
            with shown(names_chapters=names_chapters) as progress:
                async with services.libraries.writing(request.library):
                    return await run(
                        request,
                        stores=services.stores,
                        embedder=embedder,
                        progress=progress,
                        reading=read_by(services, mind),
                        engine=cluster,
                        tagger=services.reader,
                    )
    finally:
        await services.close()


@asynccontextmanager
async def workers_of(
    services: "Services", engine: EngineName, workers: int | None
) -> "AsyncIterator[tuple[Embedder, Engine | None]]":
    """Give who embeds and who reads: this process, or a cluster. Raises ConfigError, IngestError."""
    if engine == "local":
        yield services.embedder, None
        return
    from wenmai.cluster.ray_cluster import ray_cluster

    await services.opening.open_embedder()  # what is wrong with it is told before a cluster is started
    async with ray_cluster(services.settings, services.embedder, workers) as cluster:
        yield cluster, cluster


def read_by(services: "Services", mind: Mind | None) -> "ReadingOptions | None":
    """Return who reads: None for patterns alone. Money is spent only where a model is named. Raises ConfigError."""
    from wenmai.ingestion.model.reading import ReadingOptions

    if mind == "offline":
        return None
    settings = services.settings
    chosen = mind or settings.ingest_mind
    return ReadingOptions(
        answers=services.answers,
        reader=None if chosen == "offline" else services.extractor,
        prices=settings.prices,
        at_a_time=settings.ingest_concurrency,
        call_size=settings.ingest_call_characters,
    )
