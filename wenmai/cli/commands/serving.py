"""`wenmai serve`, the HTTP server, and `wenmai mcp`, the tools for a desktop client that starts the command itself."""

import asyncio
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wenmai.cli.options import PermissionsOption, UserOption

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mcp.server.lowlevel import Server

    from wenmai.direct_tools.calls import Identity
    from wenmai.direct_tools.offered import DirectTools

HOST, PORT = "127.0.0.1", 2024


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all, which needs keys.")] = HOST,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = PORT,
) -> None:
    """Serve the HTTP API, MCP and metrics in one process, without another runtime.

    The API is at /api/v1, its description at /api/v1/openapi.json, MCP at /mcp. Ctrl-C ends it.
    """
    from wenmai.app.container import process_services
    from wenmai.observability.logs import open_server_log
    from wenmai.web.own.server import serve as run

    open_server_log(process_services().settings, sys.stderr)
    run(host, port)


def mcp(user: UserOption = "", permissions: PermissionsOption = None) -> None:
    """Offer the tools over MCP to the program that starts this command, on stdin and stdout.

    Claude Desktop, Cursor and others take {"mcpServers": {"wenmai": {"command": "wenmai", "args": ["mcp"]}}}; a folder
    of data is named by the environment variable DATA_DIR.
    """
    from tools.networks.records import Account
    from wenmai.direct_tools.calls import Identity

    allowed = frozenset(one.strip() for one in (permissions or "").split(",") if one.strip())
    asyncio.run(served(Identity(user, allowed, Account(user))))


async def served(identity: "Identity") -> None:
    """Answer until the client leaves; a running server that holds the stores is asked instead of them."""
    from mcp.server.stdio import stdio_server

    from wenmai.app.running_server import running_server
    from wenmai.settings.settings import load_settings

    settings = load_settings()
    url = None if settings.shares_libraries else running_server(settings.data_dir)
    async with offered(identity) if url is None else through(url, identity) as server, stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


@asynccontextmanager
async def through(url: str, identity: "Identity") -> "AsyncIterator[Server[Any]]":
    """Give the tools of a running server. Raises InputError for a user and permissions that are not the key's."""
    from wenmai.cli.server.mcp import handed_on
    from wenmai.cli.server.running import Running

    await asyncio.to_thread(Running(url).require, identity.user_id, identity.permissions)
    async with handed_on(url) as server:
        yield server


@asynccontextmanager
async def offered(identity: "Identity") -> "AsyncIterator[Server[Any]]":
    """Give the tools on the stores of the settings."""
    from wenmai.agent import open_agent
    from wenmai.direct_tools.agent_asker import AgentAsker
    from wenmai.direct_tools.mcp_server import server_of
    from wenmai.direct_tools.offered import direct_tools

    async with open_agent() as agent:
        tools = await asyncio.to_thread(direct_tools, agent.services, AgentAsker(agent))

        async def known() -> "DirectTools":
            return tools

        yield server_of(known, lambda context: identity)
