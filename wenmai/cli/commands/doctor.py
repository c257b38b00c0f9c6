"""`wenmai doctor`: is everything in place, and if not, what to do."""

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tools.errors import InputError
from tools.wording import Names, Words
from wenmai.cli.options import YesOption
from wenmai.cli.output.terminal import print_line, require_yes
from wenmai.cli.placing import run_on_stores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.wording import Text
    from wenmai.application.operations import Application

FINDING = Words("{mark} {name}：{text}", "{mark} {name}: {text}")
NONE_FOREIGN = Words(
    "服务器上没有属于其他登记库的资料库 {library}：不需要接管",
    "no server has a library {library} of another catalog: there is nothing to adopt",
)
CONFIRM = Words(
    "把服务器上的资料库 {library} 从 {whose} 转归当前登记库？那个登记库若仍在使用，将不能再读写它",
    "Make library {library} on the servers, of {whose}, this catalog's? If that catalog is still in use, it can no "
    "longer read or write it",
)
ADOPTED = Words(
    "资料库 {library} 在服务器上已转归当前登记库（原属：{whose}）",
    "Library {library} on the servers is now this catalog's (it was of {whose})",
)


def doctor(
    adopt: Annotated[
        str | None,
        typer.Option(help="Only mark this library on servers as this catalog's: for when identity.sqlite was lost."),
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
        print_line(FINDING.say(mark=mark, name=check.name, text=check.text), style)
    if any(check.ok is False for check in checks):
        raise typer.Exit(1)


def adopt_library(library: str, yes: bool) -> None:
    """Take a library on servers over for the catalog of the settings, which must have it; nothing else changes."""

    async def look(app: "Application") -> "Sequence[Text]":
        await app.libraries.require(library)
        return await app.libraries.owners_elsewhere(library)

    owners = run_on_stores(look)
    if not owners:
        raise InputError(NONE_FOREIGN.of(library=library))
    whose = Names(owners)
    require_yes(CONFIRM.say(library=library, whose=whose), yes)
    run_on_stores(lambda app: app.libraries.adopt(library))
    print_line(ADOPTED.say(library=library, whose=whose), "bold")
