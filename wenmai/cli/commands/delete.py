"""`wenmai delete`: a library, or one source of it, with a receipt."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from tools.wording import Names, Words
from wenmai.cli.placing import here_or_there
from wenmai.cli.refusals import ABANDONED_ALONE, EVERYTHING_ALONE
from wenmai.cli.server import libraries as there

if TYPE_CHECKING:
    from wenmai.app.container import Services
    from wenmai.cli.server.running import Running

T = TypeVar("T")
KINDS = {
    "passages": Words("段落", "passages"),
    "chapters": Words("章", "chapters"),
    "entities": Words("实体", "entities"),
    "relations": Words("关系", "relations"),
    "events": Words("事件", "events"),
    "answers": Words("保存的模型回答", "kept answers of models"),
}
COUNT = Words("  {kind}：{count}", "  {kind}: {count}")
LIBRARY = Words("资料库 {library}", "library {library}")
SOURCE = Words("资料库 {library} 的来源 {source}", "source {source} of library {library}")
WITH_ALL = Words("{what}，以及问过它的会话和轨迹", "{what} with the conversations and traces of questions to it")
CONFIRM = Words("删除{what}？不能恢复", "Delete {what}? It cannot be undone")
DONE = Words("已删除{what}", "Deleted {what}")
UNREADABLE = Words("无法读取", "cannot be read")
LEFT = Words(
    "仍有 {threads} 个会话（DATA_DIR/checkpoints.sqlite，或 POSTGRES_URI）和 {traces} 份轨迹（TRACE_DIR）"
    "保留着问过它的问答和引文：要一并删除，请运行 wenmai delete {library} --everything",
    "{threads} conversations (DATA_DIR/checkpoints.sqlite, or POSTGRES_URI) and {traces} traces (TRACE_DIR) still hold "
    "questions to it and quotes of it; to delete these too, run wenmai delete {library} --everything",
)
CLEARED = Words(
    "一并删除了问过它的 {threads} 个会话和 {traces} 份轨迹",
    "Deleted with it: {threads} conversations that had asked it, and {traces} traces",
)
NOTHING_LEFT = Words("没有会话或轨迹提到它", "No conversation and no trace names it")
NONE_ABANDONED = Words(
    "服务器上没有属于其他登记库的资料库 {library}：自己的资料库请用 wenmai delete {library} 删除",
    "no server has a library {library} of another catalog: delete your own by wenmai delete {library}",
)
CONFIRM_ABANDONED = Words(
    "从服务器上删除资料库 {library}（属于：{whose}）？不能恢复",
    "Delete library {library} (of {whose}) from the servers? It cannot be undone",
)
DONE_ABANDONED = Words(
    "已从服务器上删除资料库 {library}（属于：{whose}）", "Deleted library {library} (of {whose}) from the servers"
)


def delete(
    library: Annotated[str, typer.Argument(help="Library to delete.")],
    source: Annotated[str | None, typer.Option(help="Only this source (the task id that citations show).")] = None,
    abandoned: Annotated[
        bool, typer.Option("--abandoned", help="Only what a DATA_DIR that is lost has left of it on servers.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--everything", help="Also the conversations and traces of questions to it.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a library, or one source, from vectors, graph and catalog, and print a receipt."""
    from wenmai.cli.output.terminal import Line, out, require_yes, say
    from wenmai.errors import InputError

    if everything and (source or abandoned):
        raise InputError(EVERYTHING_ALONE.say())
    if abandoned:
        delete_abandoned(library, source, yes)
        return
    here_or_there(lambda: require(library, everything), lambda server: required_there(server, library, everything))
    what = (SOURCE if source else LIBRARY).say(library=library, source=source)
    require_yes(CONFIRM.say(what=WITH_ALL.say(what=what) if everything else what), yes)
    receipt = here_or_there(
        lambda: deleted(library, source, everything),
        lambda server: there.delete(server, library, source, everything=everything),
    )
    say(out(), Line(DONE.say(what=what), "bold"))
    for kind in (kind for kind in KINDS if kind in receipt):
        count = receipt[kind]
        say(out(), Line(COUNT.say(kind=KINDS[kind].say(), count=UNREADABLE.say() if count is None else count)))
    say(out(), Line(left_of(library, receipt["threads"] or 0, receipt["traces"] or 0, everything), "dim"))


def left_of(library: str, threads: int, traces: int, everything: bool) -> str:
    """Say what names a library still, or was deleted with it."""
    if not threads and not traces:
        return NOTHING_LEFT.say()
    return (CLEARED if everything else LEFT).say(library=library, threads=threads, traces=traces)


def delete_abandoned(library: str, source: str | None, yes: bool) -> None:
    """Delete what a catalog that is lost has left on servers; what is here stays."""
    from wenmai.cli.output.terminal import Line, out, require_yes, say
    from wenmai.errors import InputError

    if source is not None:
        raise InputError(ABANDONED_ALONE.say())
    owners = here_or_there(lambda: asked(library, lambda services: services.libraries.foreign_owners(library)))
    if not owners:
        raise InputError(NONE_ABANDONED.of(library=library))
    whose = Names(owner.place for owner in owners)
    require_yes(CONFIRM_ABANDONED.say(library=library, whose=whose), yes)
    asyncio.run(asked(library, lambda services: services.libraries.drop_abandoned(library)))
    say(out(), Line(DONE_ABANDONED.say(library=library, whose=whose), "bold"))


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


async def require(library: str, everything: bool = False) -> None:
    """Look for a library before asking; with `everything` what is left of it is enough. Raises LibraryNotFound."""
    from wenmai.app.deleting import require as require_in
    from wenmai.app.leftovers import Leftovers, leftovers
    from wenmai.errors import LibraryNotFound
    from wenmai.settings.settings import load_settings

    try:
        await asked(library, lambda services: require_in(services, library))
    except LibraryNotFound:
        if not everything or await leftovers(load_settings(), library) == Leftovers():
            raise


def required_there(server: "Running", library: str, everything: bool) -> None:
    """Look for a library of a running server, which itself looks for what is left of one."""
    if not everything:
        there.require(server, library)


async def deleted(library: str, source: str | None, everything: bool = False) -> dict[str, Any]:
    """Delete and return how much there was of each kind, and what names the library still."""
    from wenmai.app.deleting import deleted as deleted_from
    from wenmai.app.deleting import deleted_whole
    from wenmai.app.leftovers import leftovers

    async def work(services: "Services") -> dict[str, Any]:
        if source is None:
            counts, left = await deleted_whole(services, library, everything=everything)
        else:
            counts = await deleted_from(services, library, source)
            left = await leftovers(services.settings, library)
        return {**counts, "threads": len(left.threads), "traces": len(left.traces)}

    return await asked(library, work)
