"""`wenmai serve`, the HTTP server, and `wenmai mcp`, the tools for a desktop client that starts the command itself."""

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from wenmai.cli.options import PermissionsOption, UserOption, words
from wenmai.cli.placing import opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wenmai.application.tools import ToolOperations

HOST, PORT = "127.0.0.1", 2024


def serve(
    host: Annotated[str, typer.Option(help="help.serve.host")] = HOST,
    port: Annotated[int, typer.Option(min=1, max=65535, help="help.serve.port")] = PORT,
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

    async with opened(user, permissions, permissions) as app, stdio_server() as (read, write):

        async def tools(context: object) -> "ToolOperations":
            return app.tools

        server = server_of(tools)
        await server.run(read, write, server.create_initialization_options())
