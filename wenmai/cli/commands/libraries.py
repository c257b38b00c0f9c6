"""`wenmai libraries`: what there is to ask."""

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.records import LibraryInfo
    from wenmai.app.container import Services

UNKNOWN = "—"


def libraries() -> None:
    """List the libraries, also those that another process holds."""
    from rich.table import Table

    from wenmai.cli.output.terminal import Line, out, say

    rows = asyncio.run(listed())
    if not rows:
        say(out(), Line("还没有资料库：用 wenmai demo 试用示例，或用 wenmai ingest 建立"))
        return
    table = Table("名称", "标题", "来源", "章", "段落", "实体", "关系", "事件", "嵌入模型", "状态")
    for row in rows:
        table.add_row(*row)
    out().print(table)


async def listed() -> list[list[str]]:
    """Return a row of text for each library."""
    from wenmai.app.container import Services
    from wenmai.settings.settings import load_settings

    services = Services(load_settings())
    try:
        return [await row(services, info) for info in await services.catalog.libraries()]
    finally:
        await services.close()


async def row(services: "Services", info: "LibraryInfo") -> list[str]:
    """Describe a library; of one that is in use the graph is as the last ingest counted it."""
    from wenmai.errors import LibraryNotFound, StoreError, StoreLocked

    graph = info.counts
    state = "可用"
    try:
        graph = await services.graph.counts(info.name)
    except StoreLocked:
        state = "使用中" if "entities" in graph else "使用中（其图谱在导入结束时才计数）"
    except (LibraryNotFound, StoreError) as error:
        state = str(error)
    counted = [str(graph.get(kind, UNKNOWN)) for kind in ("entities", "relations", "events")]
    stored = [str(info.counts[kind]) for kind in ("chapters", "passages")]
    return [info.name, info.title, "\n".join(info.sources), *stored, *counted, info.embedder, state]
