"""`wenmai delete`: a library, or one source of it, with a receipt."""

from typing import TYPE_CHECKING, Annotated

import typer

from tools.wording import Names, Words
from wenmai.cli.placing import on_stores, run
from wenmai.cli.refusals import ABANDONED_ALONE, EVERYTHING_ALONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.wording import Text
    from wenmai.application.models.libraries import DeletionReceipt
    from wenmai.application.operations import Application
    from wenmai.client.client import Client

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

    async def look(app: "Application | Client") -> None:
        await app.libraries.require(library, everything=everything)

    async def work(app: "Application | Client") -> "DeletionReceipt":
        if source:
            return await app.libraries.delete_source(library, source)
        return await app.libraries.delete(library, everything=everything)

    run(look)
    what = (SOURCE if source else LIBRARY).say(library=library, source=source)
    require_yes(CONFIRM.say(what=WITH_ALL.say(what=what) if everything else what), yes)
    receipt = run(work)
    say(out(), Line(DONE.say(what=what), "bold"))
    for kind, word in KINDS.items():
        count = getattr(receipt, kind)
        say(out(), Line(COUNT.say(kind=word.say(), count=UNREADABLE.say() if count is None else count)))
    say(out(), Line(left_of(library, receipt.threads, receipt.traces, everything), "dim"))


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

    async def look(app: "Application") -> "Sequence[Text]":
        return await app.libraries.owners_elsewhere(library)

    async def work(app: "Application") -> None:
        await app.libraries.delete_elsewhere(library)

    owners = on_stores(look)
    if not owners:
        raise InputError(NONE_ABANDONED.of(library=library))
    whose = Names(owners)
    require_yes(CONFIRM_ABANDONED.say(library=library, whose=whose), yes)
    on_stores(work)
    say(out(), Line(DONE_ABANDONED.say(library=library, whose=whose), "bold"))
