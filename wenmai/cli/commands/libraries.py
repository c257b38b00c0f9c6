"""`wenmai libraries`: what there is to ask."""

from typing import TYPE_CHECKING, Any

from tools.wording import Words
from wenmai.cli.guarding import horizon_of
from wenmai.cli.options import ChapterOption, PartOption
from wenmai.cli.placing import here_or_there
from wenmai.cli.server import libraries as there

if TYPE_CHECKING:
    from tools.records import Horizon, LibraryInfo
    from wenmai.app.container import Services

UNKNOWN = "—"
KINDS = ("chapters", "passages", "entities", "relations", "events")
HEADS = Words(
    "名称,标题,来源,章,段落,实体,关系,事件,嵌入模型,状态",
    "name,title,sources,chapters,passages,entities,relations,events,embedder,state",
)
NONE = Words(
    "还没有资料库：用 wenmai demo 试用示例，或用 wenmai ingest 建立",
    "No library yet: try the sample with wenmai demo, or make one with wenmai ingest",
)
READY = Words("可用", "ready")
IN_USE = Words("使用中", "in use")
UNCOUNTED = Words("使用中（其图谱在导入结束时才计数）", "in use (its graph is counted when the ingest ends)")


def libraries(as_of_chapter: ChapterOption = None, as_of_part: PartOption = None) -> None:
    """List the libraries, also those that another process holds.

    Under a guard each is shown as its reader knows it.
    """
    from rich.table import Table

    from wenmai.cli.output.terminal import Line, out, say

    guard = {"as_of_chapter": as_of_chapter, "as_of_part": as_of_part}
    rows = here_or_there(
        lambda: listed(as_of_chapter, as_of_part),
        lambda server: [row_of(one) for one in there.listed(server, guard)],
    )
    if not rows:
        say(out(), Line(NONE.say()))
        return
    table = Table(*HEADS.say().split(","))
    for row in rows:
        table.add_row(*row)
    out().print(table)


async def listed(chapter: int | None, part: int | None) -> list[list[str]]:
    """Return a row of text for each library, as a reader knows it."""
    from tools.story.chapters.guard import library_as_read
    from wenmai.app.container import Services
    from wenmai.settings.settings import load_settings

    services = Services(load_settings())
    try:
        found = []
        for info in await services.catalog.libraries():
            horizon = None if info.problem else await horizon_of(services, info.name, chapter, part)
            found.append(await row(services, await library_as_read(services.catalog, info, horizon), horizon))
        return found
    finally:
        await services.close()


async def row(services: "Services", info: "LibraryInfo", horizon: "Horizon | None") -> list[str]:
    """Describe a library; of one that is in use the graph is as the last ingest counted it.

    Under a guard its state says which part is meant.
    """
    from tools.story.chapters.guard import guard_text
    from wenmai.errors import LibraryNotFound, StoreError, StoreLocked
    from wenmai.ingestion.library.losses import UNFINISHED, is_unfinished

    graph = info.counts
    try:
        state = (UNFINISHED if await is_unfinished(services.catalog, info) else READY).say()
        graph = await services.graph.counts(info.name, horizon)
    except StoreLocked:
        state = (IN_USE if "entities" in graph or horizon else UNCOUNTED).say()
    except (LibraryNotFound, StoreError) as error:
        state = str(error)
    if horizon:
        state = f"{state}\n{guard_text(horizon)}"
    counted = [str(graph.get(kind, UNKNOWN)) for kind in ("entities", "relations", "events")]
    stored = [str(info.counts[kind]) for kind in ("chapters", "passages")]
    return [info.name, info.title, "\n".join(info.sources), *stored, *counted, info.embedder, state]


def row_of(library: dict[str, Any]) -> list[str]:
    """Return a row of text for a library as a server tells of it."""
    named = [library["name"], library["title"], "\n".join(library["sources"])]
    counted = [str(library[kind] if library[kind] is not None else UNKNOWN) for kind in KINDS]
    return [*named, *counted, library["embedder"], library["problem"] or READY.say()]
