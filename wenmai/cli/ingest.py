"""`wenmai ingest`: a source into a library."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wenmai.cli.options import AliasesOption

if TYPE_CHECKING:
    from wenmai.ingestion.contracts import IngestReport

SHOWN_ROWS = 10


def ingest(
    path: Annotated[Path, typer.Argument(exists=True, help="A text, JSON, EPUB or DOCX file, or a folder.")],
    library: Annotated[str, typer.Option("--library", "-l", help="Library to write to; made when it is new.")],
    title: Annotated[str | None, typer.Option(help="Title that answers show; default: the file's name.")] = None,
    aliases: AliasesOption = None,
    graph: Annotated[
        list[Path] | None,
        typer.Option(exists=True, help="Ready-made relations, events or entities (CSV, JSONL); several are allowed."),
    ] = None,
) -> None:
    """Read a story into a library. A second run writes only what changed; an interrupted one goes on."""
    report = asyncio.run(ingested(path, library, title, aliases, graph or []))
    show(report)


async def ingested(
    path: Path, library: str, title: str | None, aliases: Path | None, graph: list[Path]
) -> "IngestReport":
    """Ingest with a progress bar."""
    from wenmai.cli.progress import shown
    from wenmai.cli.terminal import open_log
    from wenmai.ingestion.pipeline import ingest as run
    from wenmai.services import Services
    from wenmai.settings import load_settings

    services = Services(load_settings())
    open_log(services.settings)
    try:
        with shown() as progress:
            return await run(
                path,
                library,
                passages=services.passages,
                graph=services.graph,
                catalog=services.catalog,
                embedder=services.embedder,
                title=title,
                aliases=aliases,
                graph_files=graph,
                progress=progress,
            )
    finally:
        await services.close()


def show(report: "IngestReport") -> None:
    """Print what was written, and the rows that were left out."""
    from wenmai.cli.terminal import Line, err, out, say

    for row in report.bad_rows[:SHOWN_ROWS]:
        say(err(), Line(f"已跳过：{row}", "yellow"))
    if len(report.bad_rows) > SHOWN_ROWS:
        say(err(), Line(f"已跳过：另有 {len(report.bad_rows) - SHOWN_ROWS} 行", "yellow"))
    changed = report.written or report.removed or report.reordered
    change = (
        f"新写 {report.written} 段，未变 {report.unchanged} 段，移除 {report.removed} 段" if changed else "没有变化"
    )
    say(out(), Line(f"资料库 {report.library}：{report.chapters} 章，{report.passages} 段；{change}", "bold"))
    say(out(), Line(f"全库：实体 {report.entities}，关系 {report.relations}，事件 {report.events}"))
    rate = f"，其中嵌入 {report.embedding_seconds:.1f} 秒" if report.written else ""
    say(out(), Line(f"用时 {report.seconds:.1f} 秒{rate}", "dim"))
