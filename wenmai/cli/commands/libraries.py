"""`wenmai libraries`, `notes`, `delete`: what there is to ask, what is kept beside it, and deletion with a receipt."""

from typing import TYPE_CHECKING, Annotated

import typer

from tools.errors import InputError
from tools.wording import Names, Words
from wenmai.cli.options import ChapterOption, PartOption, YesOption, guard_of
from wenmai.cli.output.terminal import print_line, print_place, print_table, require_yes
from wenmai.cli.placing import run, run_on_stores
from wenmai.cli.refusals import ABANDONED_ALONE, EVERYTHING_ALONE, NO_KIND

if TYPE_CHECKING:
    from wenmai.application.libraries import DeletionReceipt, Library
    from wenmai.application.passages import LastPlace, NoteView
    from wenmai.cli.placing import Operations

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
PLACE = Words("{task} {title}，第 {line} 行，{kind}", "{task} {title}, line {line}, {kind}")
CHAPTER = Words("第 {number} 章", "chapter {number}")
NO_NOTES = Words("资料库 {library} 里没有另存的注记", "Library {library} keeps no notes")
NOTE_CHARACTERS = 120
RECEIPT = {
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


def libraries(as_of_chapter: ChapterOption = None, as_of_part: PartOption = None) -> None:
    """List the libraries, also those that another process holds.

    Under a guard each is shown as its reader knows it.
    """
    from wenmai.application.paging import EVERY

    guard = guard_of(as_of_chapter, as_of_part)
    rows = run(lambda app: app.libraries.list(guard=guard, limit=EVERY)).items
    if rows:
        print_table(HEADS, map(row_of, rows))
    else:
        print_line(NONE.say())


def row_of(library: "Library") -> list[str]:
    counted = [getattr(library, kind) for kind in KINDS]
    counts = ["—" if count is None else str(count) for count in counted]
    return [library.name, library.title, "\n".join(library.sources), *counts, library.embedder, state_of(library)]


def state_of(library: "Library") -> str:
    """Return whether a library can be asked; under a guard also which part is meant."""
    from tools.story.guard import GUARDED
    from wenmai.ingestion.library.known_state import UNFINISHED

    if library.state == "in_use":
        state = (UNCOUNTED if library.entities is None and library.as_of is None else IN_USE).say()
    elif library.state == "unfinished" or not (library.chapters or library.problem):
        state = UNFINISHED.say()
    else:
        state = library.problem or READY.say()
    return f"{state}\n{GUARDED.say(**library.as_of.model_dump())}" if library.as_of else state


def notes(
    library: Annotated[str, typer.Option("--library", "-l", help="Library to look at.")],
    kind: Annotated[
        str | None,
        typer.Option(
            help="Only this kind: front, contents, end, author, translator, footnote, page, licence, site, picture."
        ),
    ] = None,
    source: Annotated[str | None, typer.Option(help="Only this source (the task id that citations show).")] = None,
    full: Annotated[bool, typer.Option("--full", help="Print each note whole, not only its beginning.")] = False,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """Show what stood in the texts of a library and is no story: it is never searched or quoted."""
    from wenmai.application.paging import EVERY
    from wenmai.cli.output.ingest import NOTE_KINDS

    if kind not in (None, *NOTE_KINDS):
        raise InputError(NO_KIND.say(kind=kind, kinds=", ".join(NOTE_KINDS)))
    guard = guard_of(as_of_chapter, as_of_part)

    async def work(app: "Operations") -> "tuple[LastPlace | None, list[NoteView]]":
        place = await app.passages.last_place(library, guard)
        found = await app.passages.notes(library, source=source, guard=guard, limit=EVERY)
        return place, [one for one in found.items if kind in (None, one.kind)]

    last, rows = run(work)
    print_place(last)
    if not rows:
        print_line(NO_NOTES.say(library=library))
    for one in rows:
        title = one.title or CHAPTER.of(number=one.chapter)
        print_line(PLACE.say(task=one.source, title=title, line=one.line, kind=NOTE_KINDS[one.kind]), "dim")
        text = one.text if full else " ".join(one.text.split())
        print_line(text if full or len(text) <= NOTE_CHARACTERS else f"{text[:NOTE_CHARACTERS]}…")


def delete(
    library: Annotated[str, typer.Argument(help="Library to delete.")],
    source: Annotated[str | None, typer.Option(help="Only this source (the task id that citations show).")] = None,
    abandoned: Annotated[
        bool, typer.Option("--abandoned", help="Only what a DATA_DIR that is lost has left of it on servers.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--everything", help="Also the conversations and traces of questions to it.")
    ] = False,
    yes: YesOption = False,
) -> None:
    """Delete a library, or one source, from vectors, graph and catalog, and print a receipt."""
    if everything and (source or abandoned):
        raise InputError(EVERYTHING_ALONE.say())
    if abandoned:
        delete_abandoned(library, source, yes)
        return

    async def work(app: "Operations") -> "DeletionReceipt":
        if source:
            return await app.libraries.delete_source(library, source)
        return await app.libraries.delete(library, everything=everything)

    run(lambda app: app.libraries.require(library, everything=everything))
    what = (SOURCE if source else LIBRARY).say(library=library, source=source)
    require_yes(CONFIRM.say(what=WITH_ALL.say(what=what) if everything else what), yes)
    receipt = run(work)
    print_line(DONE.say(what=what), "bold")
    counts = {kind: getattr(receipt, kind) for kind in RECEIPT}
    is_gone = everything and not any(count != 0 for count in counts.values())  # only what had asked it was there
    for kind, count in () if is_gone else counts.items():
        print_line(COUNT.say(kind=RECEIPT[kind].say(), count=UNREADABLE.say() if count is None else count))
    left = (CLEARED if everything else LEFT) if receipt.threads or receipt.traces else NOTHING_LEFT
    print_line(left.say(library=library, threads=receipt.threads, traces=receipt.traces), "dim")


def delete_abandoned(library: str, source: str | None, yes: bool) -> None:
    """Delete what a catalog that is lost has left on servers; what is here stays."""
    if source is not None:
        raise InputError(ABANDONED_ALONE.say())

    owners = run_on_stores(lambda app: app.libraries.owners_elsewhere(library))
    if not owners:
        raise InputError(NONE_ABANDONED.of(library=library))
    whose = Names(owners)
    require_yes(CONFIRM_ABANDONED.say(library=library, whose=whose), yes)
    run_on_stores(lambda app: app.libraries.delete_elsewhere(library))
    print_line(DONE_ABANDONED.say(library=library, whose=whose), "bold")
