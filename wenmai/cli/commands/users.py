"""`wenmai users`: whose data the stores hold."""

from typing import Annotated

import typer

from tools.errors import InputError
from tools.messages import Message, say
from wenmai.cli.options import YesOption
from wenmai.cli.output.terminal import print_line, require_yes
from wenmai.cli.placing import run

RECEIPT = {
    "keys": Message("cli.users.keys"),
    "threads": Message("cli.users.threads"),
    "documents": Message("cli.users.documents"),
    "memories": Message("cli.users.memories"),
    "traces": Message("cli.users.traces"),
    "places": Message("cli.users.places"),
}

app = typer.Typer(help="help.users.about", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def about() -> None:
    """Remove users."""


@app.command()
def erase(
    name: Annotated[str, typer.Argument(help="help.users.erase.name")],
    yes: YesOption = False,
) -> None:
    """End a user's keys and remove conversations, documents, memories and traces."""
    if not name.strip():
        raise InputError(Message("user.blank_name"))
    require_yes(say("cli.users.confirm", user=name), yes)
    receipt = run(lambda app: app.users.erase(name))
    print_line(say("cli.users.erased", user=name))
    for kind, words in RECEIPT.items():
        print_line(say(words.key, count=getattr(receipt, kind)))
