"""A user's conversations on a running server."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from typing_extensions import Unpack

from state.fields import ContextFields
from state.result import TurnResult
from state.schema import Evidence
from tools.wording import Words
from wenmai.answer import Answer, TurnEvent, event_of
from wenmai.application.caller import IDENTITY, NOT_YOURS
from wenmai.application.models.conversations import KeptTurn, ThreadExport, ThreadView, TurnRecord
from wenmai.application.models.paging import USUAL, Guard, Page
from wenmai.client.connection import Connection, given
from wenmai.errors import StoreError
from wenmai.inputs import FieldError

THROUGH = Words("通过正在运行的服务器 {url}", "Through the running server {url}")
STREAM = {"accept": "text/event-stream"}


@dataclass(frozen=True, slots=True)
class RemoteConversations:
    """`ConversationOperations` of a running server."""

    server: Connection

    async def ask(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        session_context: Mapping[str, Any] | None = None,
        **fields: Unpack[ContextFields],
    ) -> Answer:
        """Answer a question on a thread; a new thread is made when none is named."""
        path, body = self._posted(question, thread_id, session_context, fields)
        return Answer(await self.server.send(TurnResult, "POST", path, body))

    async def stream(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        session_context: Mapping[str, Any] | None = None,
        **fields: Unpack[ContextFields],
    ) -> AsyncIterator[TurnEvent]:
        """Yield what happens, as it happens. What goes wrong behind `thread` is a StoreError."""
        path, body = self._posted(question, thread_id, session_context, fields)
        name = ""
        async with aclosing(self.server.lines(path, "POST", json=body, headers=STREAM)) as lines:
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
        return [THROUGH.say(url=self.server.url)]

    async def list(
        self, *, q: str | None = None, library: str | None = None, limit: int = USUAL, offset: int = 0
    ) -> Page[ThreadView]:
        """Return the caller's threads, the last used first."""
        return await self.server.page(ThreadView, "/threads", limit, offset, q=q, library=library)

    async def get(self, thread_id: str) -> ThreadView:
        """Return a thread. Raises NotFound."""
        return await self.server.get(ThreadView, path_of(thread_id))

    async def turns(self, thread_id: str, *, limit: int = USUAL, offset: int = 0) -> Page[KeptTurn]:
        """Return questions and answers, the oldest first, without their evidence. Raises NotFound."""
        return await self.server.page(KeptTurn, f"{path_of(thread_id)}/turns", limit, offset)

    async def turn(self, thread_id: str, number: int) -> KeptTurn:
        """Return all that is kept of a turn. Raises NotFound."""
        whole = await self.server.get(TurnRecord, f"{path_of(thread_id)}/turns/{number}/record")
        (found,) = (await self.turns(thread_id, limit=1, offset=number - 1)).items
        return found.model_copy(update={"evidence": whole.record.get("evidence", [])})

    async def evidence(self, thread_id: str, number: int, *, limit: int = USUAL, offset: int = 0) -> Page[Evidence]:
        """Return what was found for a question, best first. Raises NotFound."""
        return await self.server.page(Evidence, f"{path_of(thread_id)}/turns/{number}/evidence", limit, offset)

    async def rename(self, thread_id: str, title: str) -> ThreadView:
        """Give a thread another title. Raises NotFound."""
        return await self.server.send(ThreadView, "PATCH", path_of(thread_id), {"title": title})

    async def export(self, thread_id: str, *, guard: Guard | None = None) -> ThreadExport:
        """Return a whole thread, without answers that quote what comes after the guard. Raises NotFound."""
        return await self.server.get(ThreadExport, f"{path_of(thread_id)}/export", guard=guard)

    async def delete(self, thread_id: str) -> None:
        """Delete a thread with its documents. Raises NotFound; StoreLocked while a question runs on it."""
        await self.server.ask("DELETE", path_of(thread_id))

    def _posted(
        self, question: str, thread: str | None, session: Mapping[str, Any] | None, fields: Mapping[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Return where a question is sent, and what. Raises FieldError where it says who asks."""
        if named := [name for name in fields if name in IDENTITY]:
            raise FieldError(named[0], NOT_YOURS)
        path = "/ask" if thread is None else f"{path_of(thread)}/ask"
        return path, given({"question": question, "session_context": session, **fields})


def path_of(thread: str) -> str:
    """Return the path of a thread."""
    return f"/threads/{quote(thread, safe='')}"
