"""The tools of a running server, called over MCP, which has their texts for models too."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from tools.errors import InputError
from wenmai.application.models.tools import Place, ToolList, ToolReply, ToolView
from wenmai.client.remote import Remote

PATH = "/mcp"
ACCEPTED = {"accept": "application/json, text/event-stream"}
JSON = "application/json"


class RemoteTools(Remote):
    """`ToolOperations` of a running server."""

    async def list(self) -> Sequence[ToolView]:
        """Return the tools with the JSON schemas of their arguments and results."""
        return (await self.server.get(ToolList, "/tools")).items

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolReply:
        """Call a tool. What is wrong with a call is a reply in the tool's own form with `ok` false."""
        found = await self._mcp_result("tools/call", name=name, arguments=dict(arguments))
        text = "".join(one["text"] for one in found["content"])
        return ToolReply(structured=found["structuredContent"], text=text, ok=not found.get("isError"))

    async def tables(self) -> Mapping[str, str]:
        """Return the titles of the libraries by the addresses of their tables of contents."""
        return {one["uri"]: one["name"] for one in (await self._mcp_result("resources/list"))["resources"]}

    async def read(self, uri: str) -> str | Sequence[Place]:
        """Return the text of a chapter, or a table of contents. Raises InputError for an unknown address."""
        (found,) = (await self._mcp_result("resources/read", uri=uri))["contents"]
        text: str = found["text"]
        return TypeAdapter(Sequence[Place]).validate_json(text) if found["mimeType"] == JSON else text

    async def _mcp_result(self, method: str, **params: Any) -> Any:
        """Return the result of a request of MCP. Raises InputError for one that is refused."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        reply = await self.server.ask("POST", f"{self.server.url}{PATH}", json=body, headers=ACCEPTED)
        if "error" in reply:
            raise InputError(str(reply["error"]["message"]))
        return reply["result"]
