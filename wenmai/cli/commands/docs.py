"""`wenmai docs`: documents of a session, of a user's collection, and those that everybody sees."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from state.account import LOCAL
from tools.errors import InputError
from tools.messages import Message, Names, say
from wenmai.cli.options import YesOption
from wenmai.cli.output.terminal import print_json, print_line, print_table, require_yes
from wenmai.cli.placing import named_user, run

if TYPE_CHECKING:
    from wenmai.application.documents import DocumentView, RemovalReceipt
    from wenmai.cli.placing import Operations

SessionOption = Annotated[str | None, typer.Option("--session", "--thread", "-t", help="help.docs.session")]
UserOption = Annotated[
    str, typer.Option("--user", "-u", callback=named_user, show_default=False, help="help.docs.user")
]
PreloadedOption = Annotated[bool, typer.Option("--preloaded", help="help.docs.preloaded")]
CollectionOption = Annotated[bool, typer.Option("--collection", help="help.docs.collection")]
FolderOption = Annotated[str | None, typer.Option("--folder", help="help.docs.folder")]
JsonOption = Annotated[bool, typer.Option("--json", help="help.docs.json")]

app = typer.Typer(help="help.docs.about", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def add(
    files: Annotated[list[Path], typer.Argument(help="help.docs.add.files")],
    session: SessionOption = None,
    user: UserOption = "",
    preloaded: PreloadedOption = False,
    collection: CollectionOption = False,
    folder: FolderOption = None,
    replaces: Annotated[str | None, typer.Option("--replaces", help="help.docs.add.replaces")] = None,
    as_json: JsonOption = False,
) -> None:
    """Upload documents; one of the same name takes the place of the old one. Stops at the first that is refused."""
    from wenmai.cli.output.live import count_progress

    where = owner_of(session, preloaded, collection, folder)
    if replaces is not None and len(files) > 1:
        raise InputError(say("cli.option.one_file_replaces"))
    if missing := [str(file) for file in files if not file.is_file()]:
        raise InputError(say("cli.option.unknown_files", files=Names(missing)))

    async def work(app: "Operations") -> None:
        for file in files:
            with count_progress(file.name) as bar:
                stored = await app.documents.upload(file, replaces=replaces, progress=bar, **where)
            print_json(stored.model_dump()) if as_json else print_line(stored.message)

    run(work, user)
    if session is not None and not as_json:
        own = "" if user == LOCAL else f" --user {shlex.quote(user)}"
        print_line(say("cli.docs.ask_there", session=shlex.quote(session), user=own))


@app.command("list")
def listing(
    session: SessionOption = None,
    user: UserOption = "",
    preloaded: PreloadedOption = False,
    collection: CollectionOption = False,
    folder: FolderOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what a session sees, the preloaded documents first, then the newest first; or what a collection has."""
    from wenmai.application.paging import EVERY

    is_for_all = preloaded or (session is None and not collection and folder is None)
    where = owner_of(session, is_for_all, collection, folder)
    found = run(lambda app: app.documents.list(limit=EVERY, **where), user)
    rows = found.items
    if as_json:
        print_json({"total": len(rows), "documents": [one.model_dump() for one in rows]})
    elif not rows:
        print_line(say("cli.docs.none"))
    else:
        print_table(Message("cli.docs.columns"), map(cells_of, rows))


@app.command()
def move(
    to: Annotated[str, typer.Option("--to", help="help.docs.move.to")],
    names: Annotated[list[str], typer.Argument(help="help.docs.remove.names")],
    session: SessionOption = None,
    user: UserOption = "",
    folder: FolderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Move documents into a folder of the collection, from another folder or from a session."""
    where = owner_of(session, False, session is None, folder)
    del where["preloaded"]
    moved = run(lambda app: app.documents.move(*names, to=to, **where), user)
    if as_json:
        print_json(moved.model_dump())
        return
    names_moved = say("sign.list").join(one.filename for one in moved.documents)
    print_line(say("cli.docs.moved", place=place_label(None, False, to), names=names_moved))


@app.command()
def remove(
    names: Annotated[list[str] | None, typer.Argument(help="help.docs.remove.names")] = None,
    session: SessionOption = None,
    user: UserOption = "",
    preloaded: PreloadedOption = False,
    collection: CollectionOption = False,
    folder: FolderOption = None,
    everything: Annotated[bool, typer.Option("--all", help="help.docs.remove.everything")] = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove documents with their chunks, from the files on the disk too, and print a receipt."""
    where = owner_of(session, preloaded, collection, folder)
    if everything == bool(names):
        raise InputError(say("cli.option.documents_needed"))
    what = say("cli.docs.every_document") if everything else say("sign.list").join(names or ())
    place = place_label(session, preloaded, folder)
    require_yes(say("cli.docs.confirm_delete", place=place, what=what), yes)

    async def work(app: "Operations") -> "RemovalReceipt":
        if everything:
            return await app.documents.remove_all(**where)
        return await app.documents.remove(*names or (), **where)

    removed = run(work, user)
    if as_json:
        print_json(removed.model_dump())
        return
    names_removed = say("sign.list").join(one.filename for one in removed.documents) or say("sign.none")
    print_line(say("cli.docs.deleted", place=place, names=names_removed))
    print_line(say("cli.docs.counts", documents=len(removed.documents), chunks=removed.chunks))


def owner_of(session: str | None, preloaded: bool, collection: bool, folder: str | None) -> dict[str, Any]:
    """Return whose documents are meant, as the operations take it. Raises InputError unless it is one of the three."""
    collects = collection or folder is not None
    if preloaded + collects + (session is not None) != 1:
        raise InputError(say("cli.option.session_or_preloaded"))
    return {"thread_id": session, "preloaded": preloaded, "collection": collects, "folder": folder}


def place_label(session: str | None, preloaded: bool, folder: str | None) -> str:
    if session is not None:
        return say("cli.docs.in_session", session=session)
    if preloaded:
        return say("cli.docs.preloaded")
    return say("cli.docs.in_folder", folder=folder) if folder else say("cli.docs.collection")


def cells_of(document: "DocumentView") -> tuple[str, str, str, str, str]:
    uploaded = document.uploaded_at.isoformat(timespec="minutes")
    where = say("cli.docs.where_preloaded" if document.is_preloaded else "cli.docs.where_session")
    if document.folder is not None:
        key = "cli.docs.where_folder" if document.folder else "cli.docs.where_collection"
        where = say(key, folder=document.folder)
    return (
        document.filename,
        where,
        uploaded,
        str(document.chunks),
        document.id,
    )
