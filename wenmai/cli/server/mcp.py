"""`wenmai mcp` beside a running server: requests of the desktop client are handed on to the server's own `/mcp`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from wenmai.cli.server.running import TIMEOUT_S, headers
from wenmai.direct_tools.mcp_server import named_server


@asynccontextmanager
async def handed_on(url: str) -> AsyncIterator[Server[Any]]:
    """Give a server that asks another one, as the user of WENMAI_API_KEY."""
    async with (
        httpx2.AsyncClient(headers=headers(), timeout=TIMEOUT_S, trust_env=False) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        yield server_of(client)


def server_of(client: Client) -> Server[Any]:
    """Return a server that asks what a client asks."""

    async def listed(context: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
        return await client.list_tools()

    async def called(context: Any, params: CallToolRequestParams) -> CallToolResult:
        return await client.call_tool(params.name, params.arguments)

    async def tables(context: Any, params: PaginatedRequestParams | None) -> ListResourcesResult:
        return await client.list_resources()

    async def templates(context: Any, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        return await client.list_resource_templates()

    async def read(context: Any, params: ReadResourceRequestParams) -> ReadResourceResult:
        return await client.read_resource(params.uri)

    return named_server(
        on_list_tools=listed,
        on_call_tool=called,
        on_list_resources=tables,
        on_list_resource_templates=templates,
        on_read_resource=read,
    )
