"""`wenmai ingest`: a source into a library."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wenmai.cli.options import AliasesOption
from wenmai.errors import InputError

if TYPE_CHECKING:
    from tools.ports import Embedder
    from wenmai.app.container import Services
    from wenmai.ingestion.chapter_reader import Engine
    from wenmai.ingestion.contracts import IngestReport
    from wenmai.ingestion.model.reading import ReadingOptions

SHOWN_ROWS = 10
Mind = Literal["gemini", "offline"]
EngineName = Literal["local", "ray"]
MIND_HELP = (
    "Who reads the text: offline (patterns, free) or gemini (calls that cost money; see --estimate). "
    "Default: INGEST_MIND, which is offline even with a key; what Gemini answered before is kept and used, "
    "unless offline is named here."
)


def ingest(
    path: Annotated[Path, typer.Argument(exists=True, help="A text, JSON, EPUB or DOCX file, or a folder.")],
    library: Annotated[str, typer.Option("--library", "-l", help="Library to write to; made when it is new.")],
    title: Annotated[str | None, typer.Option(help="Title that answers show; default: the file's name.")] = None,
    aliases: AliasesOption = None,
    graph: Annotated[
        list[Path] | None,
        typer.Option(exists=True, help="Ready-made relations, events or entities (CSV, JSONL); several are allowed."),
    ] = None,
    mind: Annotated[Mind | None, typer.Option(help=MIND_HELP)] = None,
    engine: Annotated[
        EngineName,
        typer.Option(help="Who reads and embeds chapters: this process, or the workers of a Ray cluster (extra ray)."),
    ] = "local",
    workers: Annotated[
        int | None, typer.Option(min=1, help="Workers of --engine ray; default: the cluster's processors.")
    ] = None,
    estimate: Annotated[
        bool,
        typer.Option(
            "--estimate", help="Only say what --mind gemini would cost: calls, tokens, money. Writes nothing."
        ),
    ] = False,
) -> None:
    """Read a story into a library. A second run writes only what changed; an interrupted one goes on."""
    if estimate:
        from wenmai.cli.commands.estimate import estimated, show_estimate

        show_estimate(*asyncio.run(estimated(path, library)))
        return
    if workers is not None and engine != "ray":
        raise InputError("--workers 只用于 --engine ray")
    report = asyncio.run(ingested(path, library, title, aliases, graph or [], mind, engine, workers))
    show(report)


async def ingested(
    path: Path,
    library: str,
    title: str | None,
    aliases: Path | None,
    graph: list[Path],
    mind: Mind | None = None,
    engine: EngineName = "local",
    workers: int | None = None,
) -> "IngestReport":
    """Ingest with a progress bar."""
    from wenmai.app.container import Services
    from wenmai.cli.output.progress import shown
    from wenmai.cli.output.terminal import open_log
    from wenmai.ingestion.pipeline import IngestRequest
    from wenmai.ingestion.pipeline import ingest as run
    from wenmai.settings.settings import load_settings

    request = IngestRequest(path=path, library=library, title=title, aliases=aliases, graph_files=tuple(graph))
    services = Services(load_settings())
    open_log(services.settings)
    try:
        async with workers_of(services, engine, workers) as (embedder, cluster):
            with shown() as progress:
                async with services.libraries.writing(library):
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
    """Return who reads: None for patterns alone. Money is spent only where Gemini is named. Raises ConfigError."""
    from wenmai.ingestion.model.reading import ReadingOptions

    if mind == "offline":
        return None
    settings = services.settings
    chosen = mind or settings.ingest_mind
    return ReadingOptions(
        answers=services.answers,
        reader=services.extractor if chosen == "gemini" else None,
        prices=settings.prices,
        at_a_time=settings.ingest_concurrency,
    )


def show(report: "IngestReport") -> None:
    """Print what was written, and the rows that were left out."""
    from wenmai.cli.output.terminal import Line, err, out, say

    for kind, rows in (("已跳过", report.bad_rows), ("模型未读，改用规则", report.unread)):
        for row in rows[:SHOWN_ROWS]:
            say(err(), Line(f"{kind}：{row}", "yellow"))
        if len(rows) > SHOWN_ROWS:
            say(err(), Line(f"{kind}：另有 {len(rows) - SHOWN_ROWS} 处", "yellow"))
    changed = report.written or report.removed or report.reordered
    change = (
        f"新写 {report.written} 段，未变 {report.unchanged} 段，移除 {report.removed} 段" if changed else "没有变化"
    )
    say(out(), Line(f"资料库 {report.library}：{report.chapters} 章，{report.passages} 段；{change}", "bold"))
    say(out(), Line(f"全库：实体 {report.entities}，关系 {report.relations}，事件 {report.events}"))
    if report.graph_restored:
        say(out(), Line("图谱已不在原处：全库的图谱已按目录的记录重新写入", "yellow"))
    if report.vectors_restored:
        say(out(), Line(f"有向量已不在原处：所在各章的 {report.vectors_restored} 段已重新嵌入并写入", "yellow"))
    if report.vectors_lost:
        others = "、".join(report.vectors_lost)
        say(out(), Line(f"来源 {others} 的向量也已不在原处：请再次用 wenmai ingest 导入这些来源", "yellow"))
    for line in reading_lines(report):
        say(out(), Line(line))
    beside = "（各工作进程合计）" if report.embedding_seconds > report.seconds else ""
    rate = f"，其中嵌入 {report.embedding_seconds:.1f} 秒{beside}" if report.written else ""
    say(out(), Line(f"用时 {report.seconds:.1f} 秒{rate}", "dim"))


def reading_lines(report: "IngestReport") -> list[str]:
    """Return what a model read, what it cost, and what was not believed."""
    from wenmai.cli.output.money import UNPRICED, dollars

    spending, lines = report.spending, []
    if spending.calls or report.kept_answers:
        tokens = f"{spending.input_tokens} + {spending.output_tokens} token，{dollars(spending.cost_usd)}"
        lines.append(f"模型：{spending.calls} 次调用（{tokens}），{report.kept_answers} 份回答已有")
        lines += [UNPRICED] if spending.cost_usd is None else []
    if report.dropped:
        lines.append(f"原文中找不到依据而丢弃：{report.dropped} 条")
    if report.merges:
        lines.append(f"合并的名称：{report.merges} 个（wenmai entities list 查看，split 撤销）")
    return lines
