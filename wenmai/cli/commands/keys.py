"""`wenmai keys`: who may use the server."""

import asyncio
import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from state.account import AccountType
from tools.errors import InputError
from tools.wording import Names, Words
from wenmai.cli.output.terminal import print_line, print_table, remark

if TYPE_CHECKING:
    from wenmai.access.keys import KeyView
    from wenmai.application.keys import KeyOperations

# What of JSON `.env` unescapes and expands within single quotes; a shell does not.
IN_QUOTES = {"\\\\": r"\u005c", "'": r"\u0027", "$": r"\u0024"}
NONE_YET = Words(
    "还没有密钥：服务器只接受本机的请求。用 wenmai keys add --user NAME 创建",
    "There are no keys yet: the server takes requests of this machine alone. Make one by wenmai keys add --user NAME",
)
NONE_AT_ALL = Words(
    "没有密钥，服务器不接受任何请求（密钥文件是空的，或设置了 WENMAI_REQUIRE_KEYS）。"
    "用 wenmai keys add --user NAME 创建",
    "There are no keys and the server takes no request (the file of keys is empty, or WENMAI_REQUIRE_KEYS is set). "
    "Make one by wenmai keys add --user NAME",
)
NONE_HERE = Words(
    "密钥文件里没有密钥；服务器接受 WENMAI_API_KEYS 里的 {number} 个",
    "The file has no keys; the server takes the {number} of WENMAI_API_KEYS",
)
MADE = Words(
    "这是密钥 {id}（用户 {user}），只显示这一次；请求头写 Authorization: Bearer …",
    "This is key {id} (user {user}), shown this once; send it as Authorization: Bearer …",
)
TITLES = Words("编号,用户,用途,权限,创建,状态", "id,user,purpose,rights,made,state")
REVOKED = Words(
    "密钥 {id}（用户 {user}）已吊销，运行中的服务器最多 {seconds:g} 秒后拒绝它",
    "Key {id} (user {user}) is revoked; a running server refuses it within {seconds:g} seconds",
)
OPTION = Words("--{field} {reason}", "--{field} {reason}")
LIMIT = Words("{kind}：{names}", "{kind}: {names}")
LIBRARIES = Words("资料库", "libraries")
NETWORKS = Words("知识网络", "networks")
VALID = Words("有效", "valid")
ENDED = Words("{day:%Y-%m-%d} 吊销", "revoked {day:%Y-%m-%d}")
EXPIRED = Words("过期于 {day:%Y-%m-%d}", "expired {day:%Y-%m-%d}")
EXPIRES = Words("有效至 {day:%Y-%m-%d}", "valid until {day:%Y-%m-%d}")

app = typer.Typer(help="Make, list and revoke the server's API keys.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def add(
    user: Annotated[str, typer.Option("--user", "-u", help="Whose threads, memories and documents it opens.")],
    name: Annotated[str, typer.Option(help="What it is for, shown by list.")] = "",
    permission: Annotated[
        list[str] | None, typer.Option(help="sensitive_memory: sees sensitive memories; may be repeated.")
    ] = None,
    account: Annotated[str | None, typer.Option(help="Who asks knowledge networks; default: the user.")] = None,
    account_type: Annotated[AccountType, typer.Option(help="Kind of that account.")] = "user",
    library: Annotated[
        list[str] | None, typer.Option(help="A library that it opens; may be repeated. Default: all.")
    ] = None,
    network: Annotated[
        list[str] | None, typer.Option(help="A knowledge network that it opens; may be repeated. Default: all.")
    ] = None,
    admin: Annotated[bool, typer.Option("--admin", help="It may change libraries and networks.")] = False,
    days: Annotated[int | None, typer.Option(min=1, max=3650, help="Expires after so many days.")] = None,
    print_only: Annotated[
        bool, typer.Option("--print", help="Write no file; print the record for WENMAI_API_KEYS.")
    ] = False,
) -> None:
    """Make a key and show it, once: only its hash is kept."""
    from wenmai.inputs import FieldError

    try:
        made = asyncio.run(
            operations().add(
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
        )
    except FieldError as error:
        raise InputError(OPTION.of(field=error.field, reason=error.reason)) from error
    if print_only:
        record = made.record
        for text, escaped in IN_QUOTES.items():
            record = record.replace(text, escaped)
        print_line(f"WENMAI_API_KEYS={shlex.quote(f'[{record}]')}")
    print_line(made.token)
    remark(MADE.say(id=made.key.id, user=made.key.user))  # standard output holds the key alone


@app.command("list")
def listing(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, without the hash.")] = False,
) -> None:
    """List the keys of the file."""
    found = asyncio.run(operations().list())
    if as_json:
        for key in found.items:
            print_line(key.model_dump_json())
    elif found.items:
        print_table(TITLES, map(row_of, found.items))
    elif found.of_environment:
        print_line(NONE_HERE.say(number=found.of_environment))
    else:
        print_line((NONE_YET if found.is_open else NONE_AT_ALL).say())


@app.command()
def revoke(id: Annotated[str, typer.Argument(help="Its id, as list shows it.")]) -> None:
    """End a key; a running server refuses it within seconds."""
    from wenmai.access.keyring import REFRESH_S

    gone = asyncio.run(operations().revoke(id))
    print_line(REVOKED.say(id=gone.id, user=gone.user, seconds=REFRESH_S))


def operations() -> "KeyOperations":
    from wenmai.app.container import Services
    from wenmai.application.caller import Caller
    from wenmai.application.keys import KeyOperations
    from wenmai.settings.settings import load_settings

    return KeyOperations(Services(load_settings()), Caller.local())


def row_of(key: "KeyView") -> tuple[str, ...]:
    named = ((LIBRARIES, key.libraries), (NETWORKS, key.networks))
    limits = [LIMIT.say(kind=kind, names=Names(names)) for kind, names in named if names is not None]
    rights = ", ".join([*(["admin"] if key.is_admin else []), *key.permissions, *limits])
    return key.id, key.user, key.name, rights, f"{key.created_at:%Y-%m-%d %H:%M}", state_of(key)


def state_of(key: "KeyView") -> str:
    from wenmai.app.clock import now

    if key.revoked_at:
        return ENDED.say(day=key.revoked_at)
    if key.expires_at is None:
        return VALID.say()
    return (EXPIRED if key.expires_at <= now() else EXPIRES).say(day=key.expires_at)
