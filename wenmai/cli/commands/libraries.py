"""`wenmai libraries`: what there is to ask."""

from typing import TYPE_CHECKING

from tools.wording import Words
from wenmai.cli.guarding import guard_of
from wenmai.cli.options import ChapterOption, PartOption
from wenmai.cli.placing import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wenmai.application.models.libraries import Library
    from wenmai.application.operations import Application
    from wenmai.client.client import Client

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

    guard = guard_of(as_of_chapter, as_of_part)

    async def work(app: "Application | Client") -> "Sequence[Library]":
        from wenmai.application.models.paging import EVERY

        return (await app.libraries.list(guard=guard, limit=EVERY)).items

    rows = run(work)
    if not rows:
        say(out(), Line(NONE.say()))
        return
    table = Table(*HEADS.say().split(","))
    for one in rows:
        table.add_row(*row_of(one))
    out().print(table)


def row_of(library: "Library") -> list[str]:
    """Return a row of text for a library."""
    counted = [getattr(library, kind) for kind in KINDS]
    counts = [UNKNOWN if count is None else str(count) for count in counted]
    return [library.name, library.title, "\n".join(library.sources), *counts, library.embedder, state_of(library)]


def state_of(library: "Library") -> str:
    """Return whether a library can be asked; under a guard also which part is meant."""
    from tools.story.chapters.guard import GUARDED
    from wenmai.ingestion.library.losses import UNFINISHED

    if library.state == "in_use":
        state = (UNCOUNTED if library.entities is None and library.as_of is None else IN_USE).say()
    elif library.state == "unfinished" or not library.chapters:
        state = UNFINISHED.say()
    else:
        state = library.problem or READY.say()
    return f"{state}\n{GUARDED.say(**library.as_of.model_dump())}" if library.as_of else state
