"""An installation as a whole: `wenmai doctor`, `backup` and `restore`, `serve` over HTTP, `mcp` on standard streams."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tools.errors import InputError, StoreError
from tools.extras import require_extra
from tools.messages import Message, Names, say
from wenmai.cli.options import PermissionsOption, UserOption, YesOption, words
from wenmai.cli.output.terminal import print_line, require_yes
from wenmai.cli.placing import open_operations, run_on_stores, stores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.messages import Text
    from wenmai.app.backups import Manifest
    from wenmai.app.doctor import Check
    from wenmai.application.operations import Application
    from wenmai.application.tools import ToolOperations
    from wenmai.settings.settings import Settings

HOST, PORT = "127.0.0.1", 2024


def doctor(
    adopt: Annotated[
        str | None,
        typer.Option(help="help.doctor.adopt"),
    ] = None,
    yes: YesOption = False,
) -> None:
    """Check Python, engines, embedder, folders, libraries and settings; exit 1 if something is wrong."""
    from wenmai.app.doctor import check_all

    if adopt is not None:
        adopt_library(adopt, yes)
        return
    marks = {True: ("✓", "green"), None: ("!", "yellow"), False: ("✗", "red")}
    checks = asyncio.run(check_all(sys.version_info, served_libraries))
    for check in checks:
        mark, style = marks[check.ok]
        print_line(say("cli.doctor.finding", mark=mark, name=check.name, text=check.text), style)
    if any(check.ok is False for check in checks):
        raise typer.Exit(1)


async def served_libraries() -> "Sequence[Check] | None":
    """Ask the server that holds the libraries for their states; return None where none does."""
    from wenmai.app.doctor import Check
    from wenmai.application.paging import EVERY
    from wenmai.opening import holding_server
    from wenmai.settings.settings import load_settings

    settings = load_settings()
    if (url := holding_server(settings)) is None:
        return None
    try:
        async with open_operations() as app:
            found = (await app.libraries.list(limit=EVERY)).items
    except (InputError, StoreError) as error:
        return [Check(say("count.libraries"), None, str(error))]
    return [
        Check(say("doctor.server"), None, say("doctor.as_server_opened", url=url)),
        *(
            Check(
                say("library.named", name=one.name),
                None if one.state == "in_use" else not (one.problem or one.warning),
                one.problem
                or one.warning
                or say(
                    "doctor.library_holds", passages=one.passages, entities=one.entities or 0, embedder=one.embedder
                ),
            )
            for one in found
        ),
    ]


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


def backup(
    target: Annotated[Path, typer.Argument(help="help.backup.target")],
) -> None:
    """Write DATA_DIR to one file: libraries, memories, documents, networks, threads, keys. No server may run."""

    async def work() -> "tuple[Path, Manifest, Settings]":
        async with stores() as app:
            return *await app.libraries.back_up(target), app.services.settings

    path, manifest, settings = asyncio.run(work())
    print_line(say("backup.saved", path=path, content=content_of(manifest, path)))
    known = {"Qdrant": settings.qdrant_address, "Neo4j": settings.neo4j_uri, "PostgreSQL": settings.postgres_uri}
    if servers := ", ".join(name for name, address in known.items() if address):
        print_line(say("backup.not_included", servers=servers), "yellow")


def restore(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="help.restore.file")],
) -> None:
    """Put a backup into an empty DATA_DIR. Each file is compared with its checksum before anything is there."""

    async def work() -> "tuple[Manifest, Path]":
        async with stores() as app:
            return await app.libraries.restore(file), app.services.settings.data_dir

    manifest, data_dir = asyncio.run(work())
    print_line(say("backup.restored", path=data_dir, content=content_of(manifest, data_dir)))
    print_line(say("backup.check_with_doctor"), "dim")


def content_of(manifest: "Manifest", path: Path) -> str:
    """Return what a backup holds, and what its file, or the folder that it is restored to, takes of the disk."""
    from wenmai.stores.files.folder import taken_bytes

    return say(
        "backup.content",
        files=len(manifest.files),
        size=taken_bytes(path) / 1_000_000,
        libraries=", ".join(manifest.libraries) or say("sign.none"),
    )


def serve(
    host: Annotated[str, typer.Option(help="help.serve.host")] = HOST,
    port: Annotated[int, typer.Option(min=1, max=65535, help="help.serve.port")] = PORT,
    no_keys: Annotated[bool, typer.Option("--no-keys", help="help.serve.no_keys")] = False,
    recover: Annotated[bool, typer.Option("--recover", help="help.serve.recover")] = False,
) -> None:
    """Serve the HTTP API, MCP and metrics in one process, without another runtime.

    The API is at /api/v1, its description at /api/v1/openapi.json, MCP at /mcp. Ctrl-C ends it.
    """
    from wenmai.app.container import process_services
    from wenmai.observability.logs import open_server_log
    from wenmai.web.server import serve as run

    open_server_log(process_services().settings, sys.stderr)
    run(host, port, without_keys=no_keys, recovers=recover)


def mcp(user: UserOption = "", permissions: PermissionsOption = None) -> None:
    """Offer the tools over MCP to the program that starts this command, on stdin and stdout.

    Claude Desktop, Cursor and others take {"mcpServers": {"wenmai": {"command": "wenmai", "args": ["mcp"]}}}; a folder
    of data is named by the environment variable DATA_DIR.
    """
    require_extra("mcp", "wenmai mcp")
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
