"""`wenmai docs`: documents of a session, and those that everybody sees."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tools.wording import Words
from wenmai.cli.output.memory_rows import print_line, print_table, table
from wenmai.cli.placing import done, named_user
from wenmai.cli.refusals import NO_FILES, WHICH_DOCUMENTS, WHOSE_DOCUMENTS
from wenmai.cli.server import documents as remote
from wenmai.errors import InputError

if TYPE_CHECKING:
    from tools.documents.records import DocumentEntry, DocumentOwner, Removed
    from wenmai.app.container import Services
    from wenmai.cli.server.running import Running

SessionOption = Annotated[
    str | None, typer.Option("--session", "--thread", "-t", help="Session (thread) that the documents belong to.")
]
OWNER = "Whose session; default: the key's user beside a server, else local."
UserOption = Annotated[str, typer.Option("--user", "-u", callback=named_user, show_default=False, help=OWNER)]
PreloadedOption = Annotated[bool, typer.Option("--preloaded", help="Documents that everybody sees, of no session.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
NOTHING = Words("没有文档", "No documents")
HEADS = Words("文件 预置 上传时间 段 id", "file preloaded uploaded chunks id")
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
    from wenmai.cli.output.progress import counted
    from wenmai.documents.rows import file_bytes, upload_row

    owner = owner_of(session, user, preloaded)

    async def work(services: "Services") -> None:
        if missing := [str(file) for file in files if not file.is_file()]:
            raise InputError(NO_FILES.say(files=", ".join(missing)))
        for file in files:
            with counted(file.name) as bar:
                stored = await services.document_service.upload(
                    file.name, file_bytes(file, services.document_service.max_bytes), owner, bar
                )
            print_line(stored.message) if not as_json else written(upload_row(stored))

    def there(server: "Running") -> None:
        for file in files:
            stored = remote.upload(server, file, owner)
            print_line(stored["message"]) if not as_json else written(stored)

    done(work, there)


@app.command("list")
def listing(
    session: SessionOption = None,
    user: UserOption = "",
    preloaded: PreloadedOption = False,
    as_json: JsonOption = False,
) -> None:
    """List what a session sees: the preloaded documents first, then its own, the newest first."""
    from tools.documents.records import PRELOADED, DocumentOwner, DocumentScope
    from wenmai.documents.rows import document_row

    scope = DocumentScope() if preloaded or session is None else DocumentScope(user, session)

    async def work(services: "Services") -> "list[DocumentEntry]":
        return await services.document_service.documents(scope)

    owner = PRELOADED if preloaded or session is None else DocumentOwner(user, session)
    rows = done(work, lambda server: remote.documents(server, owner))
    if as_json:
        written({"total": len(rows), "documents": [document_row(row) for row in rows]})
    elif not rows:
        print_line(NOTHING.say())
    else:
        print_table(table(tuple(HEADS.say().split()), map(shown, rows)))


@app.command()
def remove(
    names: Annotated[list[str] | None, typer.Argument(help="File names or ids.")] = None,
    session: SessionOption = None,
    user: UserOption = "",
    preloaded: PreloadedOption = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Every document of the session, or every preloaded.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove documents with their chunks, from the files on the disk too, and print a receipt."""
    from wenmai.cli.output.terminal import require_yes
    from wenmai.documents.rows import removal_row

    owner = owner_of(session, user, preloaded)
    if everything == bool(names):
        raise InputError(WHICH_DOCUMENTS.say())
    what = ALL.say() if everything else PAUSE.say().join(names or ())
    require_yes(CONFIRM.say(place=place_of(owner), what=what), yes)

    async def work(services: "Services") -> "Removed":
        service = services.document_service
        return await (service.remove_all(owner) if everything else service.remove(owner, names or ()))

    removed = done(work, lambda server: remote.remove(server, names, owner))
    if as_json:
        written(removal_row(removed))
        return
    names_removed = PAUSE.say().join(one.filename for one in removed.documents) or NONE.say()
    print_line(REMOVED.say(place=place_of(owner), names=names_removed))
    print_line(COUNTS.say(documents=len(removed.documents), chunks=removed.chunks))


def owner_of(session: str | None, user: str, preloaded: bool) -> "DocumentOwner":
    """Return whose documents are meant. Raises InputError unless exactly one of --session and --preloaded is given."""
    from tools.documents.records import PRELOADED, DocumentOwner

    if preloaded == (session is not None):
        raise InputError(WHOSE_DOCUMENTS.say())
    return PRELOADED if session is None else DocumentOwner(user, session)


def place_of(owner: "DocumentOwner") -> str:
    """Return whose documents these are, in words."""
    return OF_ALL.say() if owner.is_preloaded else OF_SESSION.say(session=owner.session_id)


def shown(document: "DocumentEntry") -> tuple[str, str, str, str, str]:
    """Return the row of a document."""
    uploaded = document.uploaded_at.isoformat(timespec="minutes")
    return document.filename, YES.say() if document.is_preloaded else "", uploaded, str(document.chunks), document.id


def written(row: dict[str, Any]) -> None:
    """Print one JSON object on a line."""
    sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
