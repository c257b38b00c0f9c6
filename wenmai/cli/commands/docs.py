"""`wenmai docs`: documents of a session, and those that everybody sees."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
JsonOption = Annotated[bool, typer.Option("--json", help="help.docs.json")]

app = typer.Typer(help="help.docs.about", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def add(
    files: Annotated[list[Path], typer.Argument(help="help.docs.add.files")],
    session: SessionOption = None,
    user: UserOption = "",
    preloaded: PreloadedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Upload documents; one of the same name takes the place of the old one. Stops at the first that is refused."""
    from wenmai.cli.output.live import count_progress

    check_owner(session, preloaded)
    if missing := [str(file) for file in files if not file.is_file()]:
        raise InputError(say("cli.option.unknown_files", files=Names(missing)))

    async def work(app: "Operations") -> None:
        for file in files:
            with count_progress(file.name) as bar:
                stored = await app.documents.upload(file, thread_id=session, preloaded=preloaded, progress=bar)
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
        print_line(say("cli.docs.none"))
    else:
        print_table(Message("cli.docs.columns"), map(cells_of, rows))


@app.command()
def remove(
    names: Annotated[list[str] | None, typer.Argument(help="help.docs.remove.names")] = None,
    session: SessionOption = None,
    user: UserOption = "",
    preloaded: PreloadedOption = False,
    everything: Annotated[bool, typer.Option("--all", help="help.docs.remove.everything")] = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove documents with their chunks, from the files on the disk too, and print a receipt."""
    check_owner(session, preloaded)
    if everything == bool(names):
        raise InputError(say("cli.option.documents_needed"))
    what = say("cli.docs.every_document") if everything else say("sign.list").join(names or ())
    place = say("cli.docs.preloaded") if session is None else say("cli.docs.in_session", session=session)
    require_yes(say("cli.docs.confirm_delete", place=place, what=what), yes)

    async def work(app: "Operations") -> "RemovalReceipt":
        if everything:
            return await app.documents.remove_all(thread_id=session, preloaded=preloaded)
        return await app.documents.remove(*names or (), thread_id=session, preloaded=preloaded)

    removed = run(work, user)
    if as_json:
        print_json(removed.model_dump())
        return
    names_removed = say("sign.list").join(one.filename for one in removed.documents) or say("sign.none")
    print_line(say("cli.docs.deleted", place=place, names=names_removed))
    print_line(say("cli.docs.counts", documents=len(removed.documents), chunks=removed.chunks))


def check_owner(session: str | None, preloaded: bool) -> None:
    if preloaded == (session is not None):
        raise InputError(say("cli.option.session_or_preloaded"))


def cells_of(document: "DocumentView") -> tuple[str, str, str, str, str]:
    uploaded = document.uploaded_at.isoformat(timespec="minutes")
    return (
        document.filename,
        say("cli.docs.yes") if document.is_preloaded else "",
        uploaded,
        str(document.chunks),
        document.id,
    )
