"""`wenmai delete`: a library, or one source of it, with a receipt."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

if TYPE_CHECKING:
    from wenmai.app.container import Services
    from wenmai.ingestion.contracts import Receipt

T = TypeVar("T")
Counts = dict[str, int | None]
KINDS = {
    "passages": "段落",
    "chapters": "章",
    "entities": "实体",
    "relations": "关系",
    "events": "事件",
    "answers": "保存的模型回答",
}
UNREADABLE = "无法读取"
KEPT = "会话记录（DATA_DIR/checkpoints.sqlite，或 POSTGRES_URI）和轨迹（TRACE_DIR）不在其中，仍然保留"


def delete(
    library: Annotated[str, typer.Argument(help="Library to delete.")],
    source: Annotated[str | None, typer.Option(help="Only this source (the task id that citations show).")] = None,
    abandoned: Annotated[
        bool, typer.Option("--abandoned", help="Only what a DATA_DIR that is lost has left of it on servers.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a library, or one source, from vectors, graph and catalog, and print a receipt."""
    from wenmai.cli.output.terminal import Line, out, say

    if abandoned:
        delete_abandoned(library, source, yes)
        return
    asyncio.run(require(library))
    what = f"资料库 {library}" + (f" 的来源 {source}" if source else "")
    if not yes and not typer.confirm(f"删除{what}？不能恢复"):
        raise typer.Exit(1)
    counts = asyncio.run(deleted(library, source))
    say(out(), Line(f"已删除{what}", "bold"))
    for kind, count in counts.items():
        say(out(), Line(f"  {KINDS[kind]}：{UNREADABLE if count is None else count}"))
    say(out(), Line(KEPT, "dim"))


def delete_abandoned(library: str, source: str | None, yes: bool) -> None:
    """Delete what a catalog that is lost has left on servers; what is here stays."""
    from wenmai.cli.output.terminal import Line, out, say
    from wenmai.errors import InputError

    if source is not None:
        raise InputError("--abandoned 清除整个资料库，不能与 --source 一起使用")
    owners = asyncio.run(asked(library, lambda services: services.libraries.foreign_owners(library)))
    if not owners:
        raise InputError(f"服务器上没有属于其他目录的资料库 {library}：自己的资料库请用 wenmai delete {library} 删除")
    whose = "、".join(owner.place for owner in owners)
    if not yes and not typer.confirm(f"从服务器上删除资料库 {library}（属于：{whose}）？不能恢复"):
        raise typer.Exit(1)
    asyncio.run(asked(library, lambda services: services.libraries.drop_abandoned(library)))
    say(out(), Line(f"已从服务器上删除资料库 {library}（属于：{whose}）", "bold"))


async def asked(library: str, question: Callable[["Services"], Awaitable[T]]) -> T:
    """Ask the stores of the settings about a library, which need not be one of theirs. Raises InputError."""
    from wenmai.app.container import Services
    from wenmai.settings.settings import load_settings
    from wenmai.stores.files.folder import check_name

    check_name(library)
    services = Services(load_settings())
    try:
        return await question(services)
    finally:
        await services.close()


async def require(library: str) -> None:
    """Look before asking: in the catalog on a server, else for the folder. Raises LibraryNotFound, InputError."""
    from wenmai.app.container import Services
    from wenmai.errors import LibraryNotFound
    from wenmai.settings.settings import load_settings
    from wenmai.stores.files.folder import LibraryFolders

    services = Services(load_settings())
    folders = LibraryFolders(services.settings.data_dir)
    try:
        if services.server_catalog is None:
            folders.existing(library)
        else:
            await services.catalog.info(library)
    except LibraryNotFound:
        if not folders.path(library).is_dir():  # a folder that a deletion has left can still be deleted
            raise
    finally:
        folders.close()
        await services.close()


async def deleted(library: str, source: str | None) -> Counts:
    """Delete and return how much there was of each kind."""
    from wenmai.app.container import Services
    from wenmai.settings.settings import load_settings

    services = Services(load_settings())
    try:
        async with services.libraries.writing(library):
            if source is not None:
                return receipt_counts(await deleted_source(services, library, source))
            counts = await counted(services, library)
            await services.libraries.drop(library, with_folder=True)
            return counts
    finally:
        await services.close()


async def deleted_source(services: "Services", library: str, source: str) -> "Receipt":
    """Delete one source."""
    from wenmai.ingestion.library.deletion import delete_source

    return await delete_source(library, source, services.stores)


def receipt_counts(receipt: "Receipt") -> Counts:
    """Return the counts of a receipt."""
    return {kind: getattr(receipt, kind) for kind in KINDS}


async def counted(services: "Services", library: str) -> Counts:
    """Return how much a library holds; what cannot be read, or was never built, must not prevent its deletion."""
    from tools.records import PassageFilter

    info = await readable(services.catalog.info(library))
    graph = await readable(services.graph.counts(library)) or {}
    return {
        "passages": await readable(services.passages.count(library, PassageFilter())),
        "chapters": info.counts["chapters"] if info else None,
        "entities": graph.get("entities"),
        "relations": graph.get("relations"),
        "events": graph.get("events"),
        "answers": await readable(services.answers.count(library)),
    }


async def readable(reading: Awaitable[T]) -> T | None:
    """Return what a store tells, None where its files cannot be read. Raises StoreLocked."""
    from wenmai.errors import LibraryNotFound, StoreCorrupt

    try:
        return await reading
    except (LibraryNotFound, StoreCorrupt):
        return None
