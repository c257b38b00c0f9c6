"""The conversations of the project's own server: threads in the checkpoints' database, turns by an agent here."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4
from weakref import WeakValueDictionary

from anyio import CancelScope

from nodes.modes import reads_stories
from state.context import Context
from tools.wording import Words
from wenmai.agent import Agent
from wenmai.answer import Event
from wenmai.app.clock import now
from wenmai.application.caller import Caller
from wenmai.checkpoints.thread_records import ThreadRecord, ThreadRecords
from wenmai.errors import StoreLocked
from wenmai.inputs import NotFound, context_from
from wenmai.web.conversations.history import turns_of
from wenmai.web.conversations.places import Places
from wenmai.web.conversations.port import Asked, Thread, Turn
from wenmai.web.limits import refused
from wenmai.web.ownership import OWNER, filter_of

NO_THREAD = Words("没有名为 {id} 的会话", "there is no conversation {id}")
BUSY = Words(
    "会话 {id} 正在回答问题：请等它结束后再删除",
    "conversation {id} is answering a question: delete it when that is done",
)
TITLE, LIBRARY = "title", "library"  # keys in a thread's metadata


@dataclass(slots=True)
class OwnConversations:
    """Threads of one process. Each has one turn at a time, others wait."""

    agent: Agent
    records: ThreadRecords
    places: Places
    _turns: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def threads(self, viewer: Caller) -> Sequence[Thread]:
        """Return a user's threads, the last used first."""
        own = [thread_from(one, one.record) for one in await self.records.all() if owned(one, viewer) and one.record]
        return sorted(own, key=lambda one: one.updated_at, reverse=True)

    async def thread(self, viewer: Caller, id: str) -> Thread:
        """Return one. Raises NotFound."""
        known = await self._own(viewer, id)
        return thread_from(known, known.record or {})

    async def turns(self, viewer: Caller, id: str) -> Sequence[Turn]:
        """Return what was asked and answered on a thread. Raises NotFound."""
        known = await self._own(viewer, id)
        return await turns_of(self.agent.checkpoints.alist({"configurable": {"thread_id": known.thread_id}}))

    async def rename(self, viewer: Caller, id: str, title: str) -> Thread:
        """Give a thread a title. Raises NotFound."""
        known = await self._own(viewer, id)
        record = known.record or {}
        await self.records.put(known.thread_id, {**record, "metadata": {**record["metadata"], TITLE: title}})
        return await self.thread(viewer, id)

    async def delete(self, viewer: Caller, id: str) -> None:
        """Delete a thread with its documents. Raises NotFound, StoreLocked."""
        known = await self._own(viewer, id)
        if self._lock(known.thread_id).locked():
            raise StoreLocked(BUSY.of(id=id))
        await self.records.delete(known.thread_id)
        await self.agent.checkpoints.adelete_thread(known.thread_id)
        await self.agent.services.document_service.remove_sessions([known.thread_id], viewer.user_id)

    async def ask(self, viewer: Caller, asked: Asked) -> AsyncIterator[Event]:
        """Yield `thread`, the steps of the turn, `answer`. What is wrong with a question is raised before `thread`."""
        context = {"stream_drafts": False, **asked.context, **viewer.identity()}
        if spent := refused(self.agent.services.settings.model_call_limit, viewer.user_id):
            raise spent[0]
        thread = await self._opened(viewer, asked, context_from(context))
        with self.places.pending(viewer.user_id):
            yield Event("thread", {"thread_id": thread})
            whose = viewer.user_id if await self.agent.services.keys.is_on() else None
            async with self._lock(thread), self.places.taken(whose):
                steps = self.agent.stream(asked.question, thread_id=thread, session_context=asked.session, **context)
                async with aclosing(self._kept(viewer, thread, asked, steps)) as kept:
                    async for event in kept:
                        yield event

    async def _opened(self, viewer: Caller, asked: Asked, run: Context) -> str:
        """Return the thread of a question whose sources are there. Raises WenmaiError."""
        viewer.require_sources(run.library if reads_stories(run) else None, run.kn_ids)
        self.agent.input(asked.question, asked.session)
        thread = str(uuid4()) if asked.thread is None else checked_id(asked.thread)
        await self._record(viewer, thread, asked)
        await self.agent.services.opening.open(run)
        return thread

    async def _kept(
        self, viewer: Caller, thread: str, asked: Asked, steps: AsyncIterator[Event]
    ) -> AsyncGenerator[Event]:
        """Yield the steps of a turn; its thread has a record before its end is written, and none without a turn."""
        known = await self._record(viewer, thread, asked)
        stays = known is not None
        try:
            if asked.is_kept:
                await self.records.put(thread, known or new_record(viewer, asked))
            async with aclosing(steps) as events:  # type: ignore[type-var]  # they are a generator's
                async for event in events:
                    stays = stays or event.kind == "answer"
                    yield event
        finally:
            if not (stays and asked.is_kept):
                with CancelScope(shield=True):
                    await self._forget(thread, asked)

    async def _forget(self, thread: str, asked: Asked) -> None:
        """Delete what was kept of a turn on a thread that has no others."""
        if asked.is_kept:
            await self.records.delete(thread)
        await self.agent.checkpoints.adelete_thread(thread)

    async def _record(self, viewer: Caller, thread: str, asked: Asked) -> Mapping[str, Any] | None:
        """Return the record of a thread, None for a new one. Raises NotFound for another user's."""
        known = await self.records.find(thread)
        if known is None or known.record is None:
            return None
        if not owned(known, viewer):
            raise NotFound("thread", NO_THREAD.of(id=asked.thread))
        return known.record

    async def _own(self, viewer: Caller, id: str) -> ThreadRecord:
        known = await self.records.find(checked_id(id))
        if known is None or not owned(known, viewer):
            raise NotFound("thread", NO_THREAD.of(id=id))
        return known

    def _lock(self, thread: str) -> asyncio.Lock:
        return self._turns.setdefault(thread, asyncio.Lock())


def checked_id(id: str) -> str:
    """Return the id of a thread. Raises NotFound for what is no UUID."""
    try:
        return str(UUID(id))
    except ValueError as error:
        raise NotFound("thread", NO_THREAD.of(id=id[:80])) from error


def owned(known: ThreadRecord, viewer: Caller) -> bool:
    """Return True if a thread is there and a user's."""
    return known.record is not None and known.record["metadata"].get(OWNER) == viewer.user_id


def new_record(viewer: Caller, asked: Asked) -> dict[str, Any]:
    """Return the record of a thread that begins with a question, in the form that a LangGraph server keeps."""
    named = {TITLE: asked.title, LIBRARY: asked.context.get("library"), **filter_of(viewer.user_id)}
    return {"metadata": named, "created_at": now().isoformat()}


def thread_from(known: ThreadRecord, record: Mapping[str, Any]) -> Thread:
    """Return a record as a thread."""
    metadata = record["metadata"]
    return Thread(
        id=known.thread_id,
        title=str(metadata.get(TITLE) or ""),
        library=metadata.get(LIBRARY),
        created_at=datetime.fromisoformat(record["created_at"]),
        updated_at=known.changed_at,
    )
