"""`wenmai docs`: documents of a session, and those that everybody sees."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tools.errors import InputError
from tools.wording import Words
from wenmai.cli.options import YesOption
from wenmai.cli.output.terminal import print_json, print_line, print_table, require_yes
from wenmai.cli.placing import named_user, run
from wenmai.cli.refusals import NO_FILES, WHICH_DOCUMENTS, WHOSE_DOCUMENTS

if TYPE_CHECKING:
    from wenmai.application.documents import DocumentView, RemovalReceipt
    from wenmai.cli.placing import Operations

SessionOption = Annotated[
    str | None, typer.Option("--session", "--thread", "-t", help="Session (thread) that the documents belong to.")
]
OWNER = "Whose session; default: the key's user beside a server, else local."
UserOption = Annotated[str, typer.Option("--user", "-u", callback=named_user, show_default=False, help=OWNER)]
PreloadedOption = Annotated[bool, typer.Option("--preloaded", help="Documents that everybody sees, of no session.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
NOTHING = Words("没有文档", "No documents")
HEADS = Words("文件,预置,上传时间,段,id", "file,preloaded,uploaded,chunks,id")
YES = Words("是", "yes")
NONE = Words("无", "none")
PAUSE = Words("、", ", ")
ALL = Words("全部文档", "every document")
OF_ALL = Words("预置", "of all sessions")
OF_SESSION = Words("会话 {session} ", "of session {session}")
CONFIRM = Words("删除{place}的{what}？不能恢复", "Remove {what} {place}? It cannot be undone")
REMOVED = Words("已删除{place}的文档：{names}", "Removed {place}: {names}")
COUNTS = Words("  文档：{documents}\n  段：{chunks}", "  documents: {documents}\n  chunks: {chunks}")

app = typer.Typer(
    help="Upload, list and remove documents that questions are answered from.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def add(
    files: Annotated[list[Path], typer.Argument(help="PDF, DOCX, PPTX, XLSX, CSV, HTML, EPUB, Markdown or text.")],
    session: SessionOption = None,
    user: UserOption = "",
    preloaded: PreloadedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Upload documents; one of the same name takes the place of the old one. Stops at the first that is refused."""
    from wenmai.cli.output.live import count_progress

    check_owner(session, preloaded)
    if missing := [str(file) for file in files if not file.is_file()]:
        raise InputError(NO_FILES.say(files=", ".join(missing)))

    async def work(app: "Operations") -> None:
        for file in files:
            with count_progress(file.name) as bar:
                stored = await app.documents.upload(file, thread_id=session, preloaded=preloaded, progress=bar)
            print_json(stored.model_dump()) if as_json else print_line(stored.message)

    run(work, user)


@app.command("list")
def listing(
    session: SessionOption = None,
    user: UserOption = "",
    preloaded: PreloadedOption = False,
    as_json: JsonOption = False,
) -> None:
    """List what a session sees: the preloaded documents first, then its own, the newest first."""
    from wenmai.application.paging import EVERY

    is_for_all = preloaded or session is None
    thread = None if is_for_all else session
    found = run(lambda app: app.documents.list(thread_id=thread, preloaded=is_for_all, limit=EVERY), user)
    rows = found.items
    if as_json:
        print_json({"total": len(rows), "documents": [one.model_dump() for one in rows]})
    elif not rows:
        print_line(NOTHING.say())
    else:
        print_table(HEADS, map(cells_of, rows))


@app.command()
def remove(
    names: Annotated[list[str] | None, typer.Argument(help="File names or ids.")] = None,
    session: SessionOption = None,
    user: UserOption = "",
    preloaded: PreloadedOption = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Every document of the session, or every preloaded.")
    ] = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove documents with their chunks, from the files on the disk too, and print a receipt."""
    check_owner(session, preloaded)
    if everything == bool(names):
        raise InputError(WHICH_DOCUMENTS.say())
    what = ALL.say() if everything else PAUSE.say().join(names or ())
    place = OF_ALL.say() if session is None else OF_SESSION.say(session=session)
    require_yes(CONFIRM.say(place=place, what=what), yes)

    async def work(app: "Operations") -> "RemovalReceipt":
        if everything:
            return await app.documents.remove_all(thread_id=session, preloaded=preloaded)
        return await app.documents.remove(*names or (), thread_id=session, preloaded=preloaded)

    removed = run(work, user)
    if as_json:
        print_json(removed.model_dump())
        return
    names_removed = PAUSE.say().join(one.filename for one in removed.documents) or NONE.say()
    print_line(REMOVED.say(place=place, names=names_removed))
    print_line(COUNTS.say(documents=len(removed.documents), chunks=removed.chunks))


def check_owner(session: str | None, preloaded: bool) -> None:
    if preloaded == (session is not None):
        raise InputError(WHOSE_DOCUMENTS.say())


def cells_of(document: "DocumentView") -> tuple[str, str, str, str, str]:
    uploaded = document.uploaded_at.isoformat(timespec="minutes")
    return document.filename, YES.say() if document.is_preloaded else "", uploaded, str(document.chunks), document.id
