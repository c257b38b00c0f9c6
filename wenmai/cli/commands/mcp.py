"""`wenmai mcp`: the tools for a desktop client that starts this command itself."""

import asyncio
from typing import TYPE_CHECKING

from wenmai.cli.options import PermissionsOption, UserOption

if TYPE_CHECKING:
    from wenmai.direct_tools.calls import Identity
    from wenmai.direct_tools.offered import DirectTools


def mcp(user: UserOption = "local", permissions: PermissionsOption = None) -> None:
    """Offer the tools over MCP to the program that starts this command, on stdin and stdout.

    Claude Desktop, Cursor and others take {"mcpServers": {"wenmai": {"command": "wenmai", "args": ["mcp"]}}}; a folder
    of data is named by the environment variable DATA_DIR.
    """
    from tools.networks.records import Account
    from wenmai.direct_tools.calls import Identity

    allowed = frozenset(one.strip() for one in (permissions or "").split(",") if one.strip())
    asyncio.run(served(Identity(user, allowed, Account(user))))


async def served(identity: "Identity") -> None:
    """Answer until the client leaves."""
    from mcp.server.stdio import stdio_server

    from wenmai.agent import open_agent
    from wenmai.direct_tools.agent_asker import AgentAsker
    from wenmai.direct_tools.mcp_server import server_of
    from wenmai.direct_tools.offered import direct_tools

    async with open_agent() as agent:
        tools = await asyncio.to_thread(direct_tools, agent.services, AgentAsker(agent))

        async def known() -> "DirectTools":
            return tools

        server = server_of(known, lambda context: identity)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
