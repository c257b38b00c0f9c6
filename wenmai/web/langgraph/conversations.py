"""The conversations of a LangGraph server: its threads and runs, by requests inside the process."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
from langchain_core.messages import convert_to_messages
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tools.errors import InputError, StoreError, StoreLocked
from tools.messages import Message
from wenmai.answer import TurnEvent, event_of, events
from wenmai.app.container import services_in_thread
from wenmai.application.caller import Caller
from wenmai.application.conversations import (
    OWNER,
    TITLE,
    CheckedQuestion,
    StoredTurn,
    ThreadReceipt,
    ThreadView,
    thread_id,
    thread_view,
)
from wenmai.application.own_conversations import removed_with, turns_from
from wenmai.checkpoints.sqlite import emptied_log
from wenmai.inputs import FieldError, NotFound, require_printable
from wenmai.web.langgraph.identity import in_place_of_user, owns
from wenmai.web.langgraph.run_checks import GRAPH

MODES = ("updates", "custom")
OPTIONS: Any = {"stream_mode": MODES, "if_not_exists": "create", "on_disconnect": "cancel"}
ON_A_THREAD: Any = {"multitask_strategy": "enqueue"}
MOST_THREADS = 1_000


@dataclass(slots=True)
class RuntimeConversations:
    """Threads and runs as the user of the request, as the server's own authentication knows him."""

    kept: int
    client: LangGraphClient | None = None

    async def session(self, caller: Caller, name: str, *, with_documents: bool = False) -> str:
        """Return the id of a thread: a UUID, else one made of user and name; this server knows no others."""
        require_printable(name)
        return thread_id(name, caller)

    async def threads(self, caller: Caller) -> Sequence[ThreadView]:
        with refusals(""):
            async with in_place_of_user(caller):
                found = await self._server().threads.search(
                    metadata={OWNER: caller.user_id}, limit=MOST_THREADS, sort_by="updated_at", sort_order="desc"
                )
        return [thread_from(one) for one in found]

    async def thread(self, caller: Caller, id: str) -> ThreadView:
        return thread_from(await self._own(caller, id))

    async def turns(self, caller: Caller, id: str) -> Sequence[StoredTurn]:
        thread = (await self._own(caller, id))["thread_id"]
        with refusals(id):
            history: Any = await self._server().threads.get_history(thread, limit=self.kept)
        states = [(one["values"], str(one["created_at"])) for one in history if isinstance(one["values"], Mapping)]
        return turns_from(
            [({**values, "messages": convert_to_messages(values.get("messages") or ())}, at) for values, at in states]
        )

    async def rename(self, caller: Caller, id: str, title: str) -> ThreadView:
        thread = (await self._own(caller, id))["thread_id"]
        with refusals(id):
            return thread_from(await self._server().threads.update(thread, metadata={TITLE: title}))

    async def delete(self, caller: Caller, *ids: str) -> ThreadReceipt:
        async with in_place_of_user(caller):
            threads = {str((await self._own(caller, id))["thread_id"]): id for id in ids}
            receipt = await removed_with(await services_in_thread(), [*threads], caller.user_id)
            for thread, id in threads.items():
                with refusals(id):
                    await self._server().threads.delete(thread)
        await self._empty_log()
        return receipt

    async def leave_nothing(self) -> None:
        if not await self._empty_log():
            raise StoreLocked(Message("conversation.log_in_use"))

    async def _empty_log(self) -> bool:
        settings = (await services_in_thread()).settings
        return settings.postgres_uri is not None or await asyncio.to_thread(emptied_log, settings.data_dir)

    async def kept_bytes(self, caller: Caller) -> int:
        return 0

    async def ask(self, caller: Caller, question: CheckedQuestion) -> AsyncGenerator[TurnEvent]:
        """Yield `thread`, the steps of the run, `answer`. What is wrong with a question is raised before `thread`."""
        thread: Any = None  # the server then forgets it at the end
        if question.is_kept:
            thread = str(uuid4()) if question.thread is None else await self.session(caller, question.thread)
        given: Any = {"messages": [{"role": "user", "content": question.text}], "session_context": question.session}
        context: Any = dict(question.fields)
        options = OPTIONS | ON_A_THREAD if thread else OPTIONS
        run = self._server().runs.stream(thread, GRAPH, input=given, context=context, **options)
        result: TurnEvent | None = None
        with refusals(thread or ""):
            async for part in run:
                if part.event == "metadata":
                    if thread:
                        await self._name(caller, thread, question)
                    yield event_of("thread", {"thread_id": thread})
                elif part.event == "error":
                    raise StoreError(
                        Message("conversation.answer_not_finished", reason=(part.data or {}).get("message", ""))
                    )
                for event in events(part.event, part.data) if part.event in MODES else ():
                    if event.kind == "answer":
                        result = event
                    else:
                        yield event
        if result is not None:
            yield event_of("answer", {**result.data, "thread_id": thread})

    async def _name(self, caller: Caller, thread: str, question: CheckedQuestion) -> None:
        known = await self._server().threads.get(thread)
        if TITLE not in (known.get("metadata") or {}):
            await self._server().threads.update(thread, metadata=question.metadata(caller))

    async def _own(self, caller: Caller, id: str) -> Mapping[str, Any]:
        with refusals(id):
            known: Any = await self._server().threads.get(await self.session(caller, id))
        if not owns(known, caller):
            raise NotFound("thread", Message("conversation.unknown_named", id=id))
        return known  # type: ignore[no-any-return]  # a mapping

    def _server(self) -> LangGraphClient:
        if self.client is None:
            self.client = get_client()
        return self.client


@contextmanager
def refusals(thread: str) -> Iterator[None]:
    """Raise what the server refuses as errors of ours."""
    try:
        yield
    except httpx.HTTPStatusError as error:
        raise refusal_of(error.response, thread) from error


def refusal_of(response: httpx.Response, thread: str) -> Exception:
    """Return the error for a response: the first wrong field, where it names fields."""
    if response.status_code == 404:
        return NotFound("thread", Message("conversation.unknown_named", id=thread))
    try:
        detail = response.json()["detail"]
        faults = [(one["field"], one["message"]) for one in detail] if isinstance(detail, list) else []
    except (ValueError, LookupError, TypeError):
        detail, faults = f"HTTP {response.status_code}", []
    if response.status_code >= 500:
        return StoreError("; ".join(message for _, message in faults) or str(detail))
    return FieldError(*faults[0], response.status_code) if faults else InputError(str(detail))


def thread_from(known: Mapping[str, Any]) -> ThreadView:
    return thread_view(known["thread_id"], known.get("metadata") or {}, known["created_at"], known["updated_at"])
