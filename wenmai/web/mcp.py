"""`/mcp`: the tools over streamable HTTP, and `ask` as a run of the LangGraph server.

Each request is a conversation of its own, so that nothing has to be kept between two, nor started before the first.
The check of origins of the protocol's SDK stays off: the guard in front of all routes has the one list of them.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from state.account import AccountType
from tools.networks.records import Account
from tools.wording import Words
from wenmai.app.container import Services, process_services
from wenmai.direct_tools.calls import Identity
from wenmai.direct_tools.mcp_server import server_of
from wenmai.direct_tools.offered import DirectTools, direct_tools
from wenmai.direct_tools.questions import Asker
from wenmai.errors import InputError, StoreError
from wenmai.web.callers import caller_of, on_behalf

GRAPH = "agent"
UNAVAILABLE = 503
NO_RESULT = Words("没有得到结果，请重试", "there was no result: try again")


class McpEndpoint:
    """The ASGI application behind the route."""

    def __init__(self, asker: Asker, services: Callable[[], Services] = process_services) -> None:
        """Take what answers questions; the services are opened at the first request."""
        self._asker = asker
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        manager = StreamableHTTPSessionManager(self._server, json_response=True, stateless=True)
        async with on_behalf(scope), manager.run():
            await manager.handle_request(scope, receive, send)

    async def tools(self) -> DirectTools:
        """Return the tools; the first call reads files, which must not block the event loop."""
        return await asyncio.to_thread(lambda: self._tools)

    @cached_property
    def _server(self) -> Server[Any]:
        return server_of(self.tools, identity_of)

    @cached_property
    def _tools(self) -> DirectTools:
        return direct_tools(self._services(), self._asker)


def identity_of(context: ServerRequestContext[Any, Any]) -> Identity:
    """Return who sends a request, as authentication knows him; without keys nobody."""
    caller = caller_of(context.request.scope) if context.request is not None else None
    if caller is None:
        return Identity()
    kind: AccountType = caller.account_type  # type: ignore[assignment]  # a key's kind was checked when it was made
    account = Account(caller.account or caller.user_id, kind)
    return Identity(caller.user_id, caller.permissions, account, caller.libraries, caller.networks)


@dataclass(slots=True)
class RunAsker:
    """Starts runs inside the process, on behalf of the user of the request."""

    client: LangGraphClient | None = None

    async def __call__(
        self, question: str, context: Mapping[str, Any], thread: str | None, identity: Identity
    ) -> Mapping[str, Any]:
        """Return the result record. Raises InputError, StoreError for what the server refuses."""
        if self.client is None:
            self.client = get_client()
        asked: dict[str, Any] = {"messages": [{"role": "user", "content": question}]}
        id: Any = None if thread is None else thread_id(thread, identity)  # the client's types take one or the other
        try:
            values: Any = await self.client.runs.wait(
                id,
                GRAPH,
                input=asked,
                context=dict(context),
                if_not_exists="create",
            )
        except httpx.HTTPStatusError as error:
            kind = StoreError if error.response.status_code == UNAVAILABLE else InputError
            raise kind(reason_of(error.response)) from error
        if not isinstance(values, Mapping) or "result" not in values:
            raise StoreError(NO_RESULT)
        record: Mapping[str, Any] = values["result"]
        return record


def thread_id(name: str, identity: Identity) -> str:
    """Return the id of a thread: a UUID as it is, of a name one that no other user's name gives."""
    try:
        return str(UUID(name))
    except ValueError:
        return str(uuid5(NAMESPACE_URL, f"{identity.user_id or ''}\n{name}"))


def reason_of(response: httpx.Response) -> str:
    """Return why the server refuses a run."""
    try:
        detail = response.json()["detail"]
    except (ValueError, LookupError, TypeError):
        return f"HTTP {response.status_code}"
    return "; ".join(one["message"] for one in detail) if isinstance(detail, list) else str(detail)
