"""`wenmai keys`: who may use the server."""

import asyncio
import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from state.account import AccountType
from tools.errors import InputError
from tools.messages import Message, Names, say
from wenmai.cli.output.terminal import print_line, print_table, remark

if TYPE_CHECKING:
    from wenmai.access.keys import KeyView
    from wenmai.application.keys import KeyOperations, MadeKey

# What of JSON `.env` unescapes and expands within single quotes; a shell does not.
IN_QUOTES = {"\\\\": r"\u005c", "'": r"\u0027", "$": r"\u0024"}

app = typer.Typer(help="help.keys.about", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def add(
    user: Annotated[str, typer.Option("--user", "-u", help="help.keys.add.user")],
    name: Annotated[str, typer.Option(help="help.keys.add.name")] = "",
    permission: Annotated[list[str] | None, typer.Option(help="help.keys.add.permission")] = None,
    account: Annotated[str | None, typer.Option(help="help.keys.add.account")] = None,
    account_type: Annotated[AccountType, typer.Option(help="help.keys.add.account_type")] = "user",
    library: Annotated[list[str] | None, typer.Option(help="help.keys.add.library")] = None,
    network: Annotated[list[str] | None, typer.Option(help="help.keys.add.network")] = None,
    admin: Annotated[bool, typer.Option("--admin", help="help.keys.add.admin")] = False,
    days: Annotated[int | None, typer.Option(min=1, max=3650, help="help.keys.add.days")] = None,
    print_only: Annotated[bool, typer.Option("--print", help="help.keys.add.print_only")] = False,
) -> None:
    """Make a key and show it, once: only its hash is kept."""
    from wenmai.inputs import FieldError

    async def new() -> "MadeKey":
        keys = operations()
        try:
            return await keys.add(
                user,
                name=name,
                permissions=permission or (),
                account=account,
                account_type=account_type,
                libraries=library,
                networks=network,
                is_admin=admin,
                days=days,
                is_kept=not print_only,
            )
        finally:
            await keys.services.close()  # a server may have been asked what there is

    try:
        made = asyncio.run(new())
    except FieldError as error:
        raise InputError(Message("cli.keys.wrong_option", field=error.field, reason=error.reason)) from error
    if print_only:
        record = made.record
        for text, escaped in IN_QUOTES.items():
            record = record.replace(text, escaped)
        print_line(f"WENMAI_API_KEYS={shlex.quote(f'[{record}]')}")
    print_line(made.token)
    remark(say("cli.keys.made", id=made.key.id, user=made.key.user))  # standard output holds the key alone
    remark(say("cli.keys.opens", what=rights_of(made.key)))
    if made.unknown:
        remark(say("cli.keys.unknown", names=Names(made.unknown)))


@app.command("list")
def listing(
    as_json: Annotated[bool, typer.Option("--json", help="help.keys.list.as_json")] = False,
) -> None:
    """List the keys of the file."""
    found = asyncio.run(operations().list())
    if as_json:
        for key in found.items:
            print_line(key.model_dump_json())
    elif found.items:
        print_table(Message("cli.keys.columns"), map(row_of, found.items))
    elif found.of_environment:
        print_line(say("cli.keys.none_in_file", number=found.of_environment))
    else:
        print_line(say("cli.keys.none_yet" if found.is_open else "cli.keys.none_at_all"))


@app.command()
def revoke(id: Annotated[str, typer.Argument(help="help.keys.revoke.id")]) -> None:
    """End a key; a running server refuses it after a second at most."""
    from wenmai.access.keyring import REFRESH_S

    gone = asyncio.run(operations().revoke(id))
    print_line(say("cli.keys.revoked", id=gone.id, user=gone.user, seconds=REFRESH_S))


def operations() -> "KeyOperations":
    from wenmai.app.container import Services
    from wenmai.application.caller import Caller
    from wenmai.application.keys import KeyOperations
    from wenmai.settings.settings import load_settings

    return KeyOperations(Services(load_settings()), Caller.local())


def row_of(key: "KeyView") -> tuple[str, ...]:
    times = [f"{at:%Y-%m-%d %H:%M}" if at else "" for at in (key.created_at, key.used_at)]
    return key.id, key.user, key.name, rights_of(key), *times, state_of(key)


def rights_of(key: "KeyView") -> str:
    """Return what a key opens, and what more it may do."""
    named = ((Message("count.libraries"), key.libraries), (Message("cli.keys.networks"), key.networks))
    limits = [
        say("cli.keys.limited_to", kind=kind, names=Names(names) if names else Message("sign.none"))
        for kind, names in named
        if names is not None
    ]
    opened = limits or [say("cli.keys.everything")]
    return say("sign.semicolon").join([*(["admin"] if key.is_admin else []), *key.permissions, *opened])


def state_of(key: "KeyView") -> str:
    from wenmai.app.clock import now

    if key.revoked_at:
        return say("cli.keys.state_revoked", day=key.revoked_at)
    if key.expires_at is None:
        return say("cli.keys.state_valid")
    return say(
        "cli.keys.state_expired" if key.expires_at <= now() else "cli.keys.state_valid_until", day=key.expires_at
    )
