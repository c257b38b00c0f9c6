"""Conversations and tools of a running server: what takes LangChain along.

Tools are called over MCP, which has their texts for models.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from pydantic import TypeAdapter
from typing_extensions import Unpack

from state.context import ContextFields
from state.result import TurnResult
from tools.errors import InputError, StoreError
from tools.messages import say
from wenmai.answer import Answer, TurnEvent, event_of
from wenmai.application.caller import refuse_identity
from wenmai.application.conversations import KeptTurn, TurnRecord
from wenmai.client.connection import Remote, path_of, set_fields
from wenmai.direct_tools.calls import ChapterAddress, ToolList, ToolReply, ToolView

STREAM = "text/event-stream"
JSON = "application/json"


class RemoteConversations(Remote):
    async def ask(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        session_context: Mapping[str, Any] | None = None,
        **fields: Unpack[ContextFields],
    ) -> Answer:
        """Answer a question on a thread; a new thread is made when none is named."""
        path, body = self._request_of(question, thread_id, session_context, fields)
        return Answer(await self.server.send(TurnResult, "POST", path, json=body))

    async def stream(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        session_context: Mapping[str, Any] | None = None,
        **fields: Unpack[ContextFields],
    ) -> AsyncIterator[TurnEvent]:
        """Yield what happens, as it happens. What goes wrong behind `thread` is a StoreError."""
        path, body = self._request_of(question, thread_id, session_context, fields)
        name = ""
        async with aclosing(self.server.lines(path, "POST", json=body, headers={"accept": STREAM})) as lines:
            async for line in lines:
                field, _, text = line.partition(": ")
                if field == "event":
                    name = text
                elif field == "data":
                    data = json.loads(text)
                    if name == "error":
                        raise StoreError(str(data.get("detail") or data))
                    if name == "answer":
                        data = TurnResult.model_validate(data).record
                    yield event_of(name, data)

    async def sources(self, **fields: Unpack[ContextFields]) -> Sequence[str]:
        """Return what a question with these fields reads: the server, which opens it with the question."""
        return [say("client.through_server", url=self.server.url)]

    async def turn(self, thread_id: str, number: int) -> KeptTurn:
        whole = await self.server.send(TurnRecord, "GET", path_of("threads", thread_id, "turns", number, "record"))
        found: KeptTurn = (await self.turns(thread_id, limit=1, offset=number - 1)).items[0]
        return found.model_copy(update={"evidence": whole.record.get("evidence", [])})

    def _request_of(
        self, question: str, thread: str | None, session: Mapping[str, Any] | None, fields: Mapping[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        refuse_identity(fields)
        path = "/ask" if thread is None else path_of("threads", thread, "ask")
        return path, set_fields({"question": question, "session_context": session, **fields})


class RemoteTools(Remote):
    async def list(self) -> Sequence[ToolView]:
        """Return the tools with the JSON schemas of their arguments and results."""
        return (await self.server.send(ToolList, "GET", "/tools")).items

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolReply:
        """Call a tool. What is wrong with a call is a reply in the tool's own form with `ok` false."""
        found = await self._mcp_result("tools/call", name=name, arguments=dict(arguments))
        text = "".join(one["text"] for one in found["content"])
        return ToolReply(structured=found["structuredContent"], text=text, ok=not found.get("isError"))

    async def tables(self) -> Mapping[str, str]:
        """Return the titles of the libraries by the addresses of their tables of contents."""
        return {one["uri"]: one["name"] for one in (await self._mcp_result("resources/list"))["resources"]}

    async def read(self, uri: str) -> str | Sequence[ChapterAddress]:
        """Return the text of a chapter, or a table of contents. Raises InputError for an unknown address."""
        (found,) = (await self._mcp_result("resources/read", uri=uri))["contents"]
        text: str = found["text"]
        return TypeAdapter(Sequence[ChapterAddress]).validate_json(text) if found["mimeType"] == JSON else text

    async def _mcp_result(self, method: str, **params: Any) -> Any:
        """Return the result of a request of MCP. Raises InputError for one that is refused."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        accepted = {"accept": f"{JSON}, {STREAM}"}
        reply = await self.server.ask("POST", f"{self.server.url}/mcp", json=body, headers=accepted)
        if "error" in reply:
            raise InputError(str(reply["error"]["message"]))
        return reply["result"]
