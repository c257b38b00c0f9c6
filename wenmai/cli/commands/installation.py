"""An installation as a whole: `wenmai doctor`, `backup` and `restore`, `serve` over HTTP, `mcp` on standard streams."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tools.errors import InputError
from tools.wording import Names, Words
from wenmai.cli.options import PermissionsOption, UserOption, YesOption, words
from wenmai.cli.output.terminal import print_line, require_yes
from wenmai.cli.placing import open_operations, run_on_stores, stores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.wording import Text
    from wenmai.app.backups import Manifest
    from wenmai.application.operations import Application
    from wenmai.application.tools import ToolOperations
    from wenmai.settings.settings import Settings

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
SAVED = Words("已备份到 {path}：{content}", "Backed up to {path}: {content}")
RESTORED = Words("已恢复到 {path}：{content}", "Restored to {path}: {content}")
CONTENT = Words(
    "{files} 个文件，{size:.1f} MB，资料库 {libraries}", "{files} files, {size:.1f} MB, libraries {libraries}"
)
NONE = Words("无", "none")
ELSEWHERE = Words(
    "不在其中：{servers} 上的数据，请用它们自己的工具备份（docs/operations.md）",
    "Not in it: what is on {servers}; back it up with its own tools (docs/operations.md)",
)
CHECK = Words("请用 wenmai doctor 检查", "Check it with wenmai doctor")
HOST, PORT = "127.0.0.1", 2024


def doctor(
    adopt: Annotated[
        str | None,
        typer.Option(help="Only mark this library on servers as this catalog's: for when identity.sqlite was lost."),
    ] = None,
    yes: YesOption = False,
) -> None:
    """Check Python, engines, embedder, folders, libraries and settings; exit 1 if something is wrong."""
    from wenmai.app.doctor import check_all

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


def backup(
    target: Annotated[Path, typer.Argument(help="File to write, or a folder that exists.")],
) -> None:
    """Write DATA_DIR to one file: libraries, memories, documents, networks, threads, keys. No server may run."""

    async def work() -> "tuple[Path, Manifest, Settings]":
        async with stores() as app:
            return *await app.libraries.back_up(target), app.services.settings

    path, manifest, settings = asyncio.run(work())
    print_line(SAVED.say(path=path, content=content_of(manifest)))
    known = {"Qdrant": settings.qdrant_address, "Neo4j": settings.neo4j_uri, "PostgreSQL": settings.postgres_uri}
    if servers := ", ".join(name for name, address in known.items() if address):
        print_line(ELSEWHERE.say(servers=servers), "yellow")


def restore(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A file of wenmai backup.")],
) -> None:
    """Put a backup into an empty DATA_DIR. Each file is compared with its checksum before anything is there."""

    async def work() -> "tuple[Manifest, Path]":
        async with stores() as app:
            return await app.libraries.restore(file), app.services.settings.data_dir

    manifest, data_dir = asyncio.run(work())
    print_line(RESTORED.say(path=data_dir, content=content_of(manifest)))
    print_line(CHECK.say(), "dim")


def content_of(manifest: "Manifest") -> str:
    size = sum(one.size for one in manifest.files.values()) / 1_000_000
    return CONTENT.say(files=len(manifest.files), size=size, libraries=", ".join(manifest.libraries) or NONE.say())


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all, where others need keys.")] = HOST,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = PORT,
) -> None:
    """Serve the HTTP API, MCP and metrics in one process, without another runtime.

    The API is at /api/v1, its description at /api/v1/openapi.json, MCP at /mcp. Ctrl-C ends it.
    """
    from wenmai.app.container import process_services
    from wenmai.observability.logs import open_server_log
    from wenmai.web.server import serve as run

    open_server_log(process_services().settings, sys.stderr)
    run(host, port)


def mcp(user: UserOption = "", permissions: PermissionsOption = None) -> None:
    """Offer the tools over MCP to the program that starts this command, on stdin and stdout.

    Claude Desktop, Cursor and others take {"mcpServers": {"wenmai": {"command": "wenmai", "args": ["mcp"]}}}; a folder
    of data is named by the environment variable DATA_DIR.
    """
    asyncio.run(serve_stdio(user, words(permissions) or []))


async def serve_stdio(user: str, permissions: "Sequence[str]") -> None:
    """Answer until the client leaves; a running server that holds the stores is asked instead of them."""
    from mcp.server.stdio import stdio_server

    from wenmai.web.mcp import server_of

    async with open_operations(user, permissions, permissions) as app, stdio_server() as (read, write):

        async def tools(context: object) -> "ToolOperations":
            return app.tools

        server = server_of(tools)
        await server.run(read, write, server.create_initialization_options())
