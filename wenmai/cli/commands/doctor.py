"""`wenmai doctor`: is everything in place, and if not, what to do."""

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tools.errors import InputError
from tools.messages import Message, Names, say
from wenmai.cli.options import YesOption
from wenmai.cli.output.terminal import print_line, require_yes
from wenmai.cli.placing import run_on_stores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.messages import Text
    from wenmai.application.operations import Application


def doctor(
    adopt: Annotated[
        str | None,
        typer.Option(help="help.doctor.adopt"),
    ] = None,
    yes: YesOption = False,
) -> None:
    """Check Python, engines, embedder, folders, libraries and settings; exit 1 if something is wrong."""
    from wenmai.app.doctor.checks import check_all

    if adopt is not None:
        adopt_library(adopt, yes)
        return
    marks = {True: ("✓", "green"), None: ("!", "yellow"), False: ("✗", "red")}
    checks = asyncio.run(check_all(sys.version_info))
    for check in checks:
        mark, style = marks[check.ok]
        print_line(say("cli.doctor.finding", mark=mark, name=check.name, text=check.text), style)
    if any(check.ok is False for check in checks):
        raise typer.Exit(1)


def adopt_library(library: str, yes: bool) -> None:
    """Take a library on servers over for the catalog of the settings, which must have it; nothing else changes."""

    async def look(app: "Application") -> "Sequence[Text]":
        await app.libraries.require(library)
        return await app.libraries.owners_elsewhere(library)

    owners = run_on_stores(look)
    if not owners:
        raise InputError(Message("cli.doctor.nothing_to_adopt", library=library))
    whose = Names(owners)
    require_yes(say("cli.doctor.confirm_adopt", library=library, whose=whose), yes)
    run_on_stores(lambda app: app.libraries.adopt(library))
    print_line(say("cli.doctor.adopted", library=library, whose=whose), "bold")
