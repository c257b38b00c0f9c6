"""A user's conversations on a running server."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from typing_extensions import Unpack

from state.context import ContextFields
from state.result import TurnResult
from tools.errors import StoreError
from tools.wording import Words
from wenmai.answer import Answer, TurnEvent, event_of
from wenmai.application.caller import IDENTITY, NOT_YOURS
from wenmai.application.models.conversations import KeptTurn, TurnRecord
from wenmai.client.connection import path_of, set_fields
from wenmai.client.remote import Remote
from wenmai.inputs import FieldError

THROUGH = Words("通过正在运行的服务器 {url}", "Through the running server {url}")
STREAM = {"accept": "text/event-stream"}


class RemoteConversations(Remote):
    """`ConversationOperations` of a running server."""

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
        path, body = self._request_of(question, thread_id, session_context, fields)
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

    async def turn(self, thread_id: str, number: int) -> KeptTurn:
        """Return all that is kept of a turn. Raises NotFound."""
        whole = await self.server.get(TurnRecord, path_of("threads", thread_id, "turns", number, "record"))
        found: KeptTurn = (await self.turns(thread_id, limit=1, offset=number - 1)).items[0]
        return found.model_copy(update={"evidence": whole.record.get("evidence", [])})

    def _request_of(
        self, question: str, thread: str | None, session: Mapping[str, Any] | None, fields: Mapping[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Return where a question is sent, and what. Raises FieldError where it says who asks."""
        if named := [name for name in fields if name in IDENTITY]:
            raise FieldError(named[0], NOT_YOURS)
        path = "/ask" if thread is None else path_of("threads", thread, "ask")
        return path, set_fields({"question": question, "session_context": session, **fields})
