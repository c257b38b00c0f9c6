"""The conversations of a LangGraph server: its threads and runs, by requests inside the process."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

import httpx
from langchain_core.messages import convert_to_messages
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tools.wording import Words
from wenmai.answer import Event, events
from wenmai.application.caller import Caller
from wenmai.errors import InputError, StoreError
from wenmai.inputs import FieldError, NotFound
from wenmai.web.conversations.history import questions_in, turns_from
from wenmai.web.conversations.own import LIBRARY, NO_THREAD, TITLE, checked_id
from wenmai.web.conversations.port import Asked, Thread, Turn
from wenmai.web.conversations.run_asker import GRAPH, UNAVAILABLE, reason_of
from wenmai.web.ownership import OWNER, filter_of

MODES = ("updates", "custom")
OPTIONS: Any = {"stream_mode": MODES, "if_not_exists": "create", "on_disconnect": "cancel"}
ON_A_THREAD: Any = {"multitask_strategy": "enqueue"}
MOST_THREADS = 1_000
NOT_FOUND = 404
FAILED = Words("回答没有完成：{reason}", "the answer was not finished: {reason}")


@dataclass(slots=True)
class RuntimeConversations:
    """Threads and runs as the user of the request, as the server's own authentication knows him."""

    kept: int
    client: LangGraphClient | None = None

    async def threads(self, viewer: Caller) -> Sequence[Thread]:
        """Return a user's threads, the last used first; at most MOST_THREADS."""
        found = await self._server().threads.search(
            metadata=filter_of(viewer.user_id), limit=MOST_THREADS, sort_by="updated_at", sort_order="desc"
        )
        return [thread_from(one) for one in found]

    async def thread(self, viewer: Caller, id: str) -> Thread:
        """Return one. Raises NotFound."""
        return thread_from(await self._own(viewer, id))

    async def turns(self, viewer: Caller, id: str) -> Sequence[Turn]:
        """Return what was asked and answered on a thread. Raises NotFound."""
        await self._own(viewer, id)
        with refusals(id):
            history: Any = await self._server().threads.get_history(id, limit=self.kept)
        messages: Sequence[Any] = ()
        ends: dict[int, tuple[Mapping[str, Any], datetime]] = {}
        for state in history:
            values = state["values"] if isinstance(state["values"], Mapping) else {}
            said: list[Any] = convert_to_messages(values.get("messages") or ())
            messages = messages or said
            if values.get("result"):
                ends.setdefault(questions_in(said), (values["result"], datetime.fromisoformat(state["created_at"])))
        return turns_from(messages, ends)

    async def rename(self, viewer: Caller, id: str, title: str) -> Thread:
        """Give a thread a title. Raises NotFound."""
        await self._own(viewer, id)
        with refusals(id):
            return thread_from(await self._server().threads.update(id, metadata={TITLE: title}))

    async def delete(self, viewer: Caller, id: str) -> None:
        """Delete a thread with its documents. Raises NotFound."""
        await self._own(viewer, id)
        with refusals(id):
            await self._server().threads.delete(id)

    async def ask(self, viewer: Caller, asked: Asked) -> AsyncIterator[Event]:
        """Yield `thread`, the steps of the run, `answer`. What is wrong with a question is raised before `thread`."""
        thread = self._thread(asked)
        given: Any = {"messages": [{"role": "user", "content": asked.question}], "session_context": asked.session}
        context: Any = {**asked.context, **viewer.identity()}
        options = OPTIONS | ON_A_THREAD if thread else OPTIONS
        run = self._server().runs.stream(thread, GRAPH, input=given, context=context, **options)
        result: Event | None = None
        with refusals(thread or ""):
            async for part in run:
                if part.event == "metadata":
                    if thread:
                        await self._named(viewer, thread, asked)
                    yield Event("thread", {"thread_id": thread})
                elif part.event == "error":
                    raise StoreError(FAILED.of(reason=(part.data or {}).get("message", "")))
                for event in events(part.event, part.data) if part.event in MODES else ():
                    if event.kind == "answer":
                        result = event
                    else:
                        yield event
        if result is not None:
            yield Event("answer", {**result.data, "thread_id": thread})

    def _thread(self, asked: Asked) -> Any:
        """Return the thread of a question; None leaves it to the server, which forgets it at the end."""
        if not asked.is_kept:
            return None
        return str(uuid4()) if asked.thread is None else checked_id(asked.thread)

    async def _named(self, viewer: Caller, thread: str, asked: Asked) -> None:
        """Give a new thread its title."""
        known = await self._server().threads.get(thread)
        if TITLE not in (known.get("metadata") or {}):
            own = {TITLE: asked.title, LIBRARY: asked.context.get("library"), **filter_of(viewer.user_id)}
            await self._server().threads.update(thread, metadata=own)

    async def _own(self, viewer: Caller, id: str) -> Mapping[str, Any]:
        with refusals(id):
            known: Any = await self._server().threads.get(checked_id(id))
        if (known.get("metadata") or {}).get(OWNER) != viewer.user_id:
            raise NotFound("thread", NO_THREAD.of(id=id))
        return known  # type: ignore[no-any-return]  # a mapping

    def _server(self) -> LangGraphClient:
        if self.client is None:
            self.client = get_client()
        return self.client


@contextmanager
def refusals(thread: str) -> Any:
    """Raise what the server refuses as errors of ours."""
    try:
        yield
    except httpx.HTTPStatusError as error:
        raise refusal_of(error.response, thread) from error


def refusal_of(response: httpx.Response, thread: str) -> Exception:
    """Return the error for a response."""
    if response.status_code == NOT_FOUND:
        return NotFound("thread", NO_THREAD.of(id=thread))
    if response.status_code == UNAVAILABLE:
        return StoreError(reason_of(response))
    try:
        (first, *_) = response.json()["detail"]
        return FieldError(first["field"], first["message"], response.status_code)
    except (ValueError, LookupError, TypeError):
        return InputError(reason_of(response))


def thread_from(known: Mapping[str, Any]) -> Thread:
    """Return a thread of the server."""
    metadata = known.get("metadata") or {}
    return Thread(
        id=str(known["thread_id"]),
        title=str(metadata.get(TITLE) or ""),
        library=metadata.get(LIBRARY),
        created_at=time_of(known["created_at"]),
        updated_at=time_of(known["updated_at"]),
    )


def time_of(given: Any) -> datetime:
    """Return a time, which the client gives as a text."""
    return given if isinstance(given, datetime) else datetime.fromisoformat(str(given))
