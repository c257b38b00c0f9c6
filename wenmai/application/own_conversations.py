"""The conversations of one process: threads in the checkpoints' database, turns by an agent here."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from anyio import CancelScope
from langchain_core.messages import AnyMessage, HumanMessage

from graph.builder import build_graph
from state.account import LOCAL
from tools.documents.records import DocumentOwner
from tools.errors import StoreLocked
from tools.messages import Message
from tools.toolboxes import DOCUMENT_TOOLKIT
from wenmai.agent import ASK_MODES, STREAM_MODES, Agent, owner_in
from wenmai.answer import TurnEvent, event_of
from wenmai.app.clock import now
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.conversations import (
    OWNER,
    TITLE,
    CheckedQuestion,
    StoredTurn,
    ThreadReceipt,
    ThreadView,
    thread_id,
    thread_metadata,
    thread_view,
    uuid_of,
)
from wenmai.application.limits import ConcurrencyLimits, require_calls
from wenmai.checkpoints import CHECKPOINTS_FILE
from wenmai.checkpoints.sqlite import checkpoints_of, require_well
from wenmai.checkpoints.thread_records import ThreadRecord, ThreadRecords
from wenmai.inputs import NotFound, require_printable
from wenmai.observability.traces import remove_traces

if TYPE_CHECKING:
    from wenmai.app.assembly import AgentAssembly


@dataclass(slots=True)
class OwnConversations:
    """Threads of one process. Each has one turn at a time, others wait.

    Attributes:
        assembly: what the agent's graph was built from.
        places: what one user may take of a server; None where nobody else is there.
    """

    agent: Agent
    assembly: "AgentAssembly"
    records: ThreadRecords
    places: ConcurrencyLimits | None = None

    async def session(self, caller: Caller, name: str, *, with_documents: bool = False) -> str:
        """Return the id of a thread: a UUID, else the name itself as without a server, or one made of user and name.

        On a server several users may take the same name. It is itself the id for the user of this machine, unless
        another has a conversation there, and for any other who had a conversation or documents under it here without a
        server. The store of documents is asked on behalf of documents alone: a story needs none.
        """
        if (id := uuid_of(name)) is not None:
            return id
        require_printable(name)
        if self.places is None:
            return name
        ids = (name, thread_id(name, caller))
        if caller.user_id != LOCAL:
            ids = ids[::-1]
        owned = {id: await self._is_owned(caller, id) for id in ids}
        free = [id for id in ids if owned[id] is not False] or [thread_id(name, caller)]
        if with_documents:
            for id in free:
                if await self._has_documents(caller, id):
                    return id
        return next((id for id in free if owned[id]), free[0])

    async def _is_owned(self, caller: Caller, id: str) -> bool | None:
        """Return whether a thread is a caller's or another's; None where there is none."""
        known = await self._find(id)
        return None if known is None else is_own(known, caller)

    async def _find(self, id: str) -> ThreadRecord | None:
        """Return the record of a thread, None where there is none.

        A thread that a graph or an agent of a program began has none: its checkpoints say what stands in it, and a
        thread of nobody is the user's of this machine.
        """
        known = await self.records.find(id)
        if known is not None and known.record is not None:
            return known
        points = [one async for one in self.agent.checkpoints.alist(self.agent.config(id))]
        values = points[0].checkpoint["channel_values"] if points else {}
        first = next((one for one in values.get("messages") or () if isinstance(one, HumanMessage)), None)
        if first is None:  # also a thread of the graph of memories
            return None
        owner = owner_in(values, points[0].metadata) or LOCAL
        metadata = thread_metadata(first.text, values.get("library"), owner)
        begun, changed = points[-1].checkpoint["ts"], datetime.fromisoformat(points[0].checkpoint["ts"])
        return ThreadRecord(id, {"metadata": metadata, "created_at": begun}, changed)

    async def _has_documents(self, caller: Caller, id: str) -> bool:
        return bool(await self.agent.services.document_service.own(DocumentOwner(caller.user_id, id)))

    async def threads(self, caller: Caller) -> Sequence[ThreadView]:
        for id in await self.records.unrecorded():
            if not self.agent.checkpoints.is_taken(id) and (found := await self._find(id)) and found.record:
                await self.records.put(id, found.record, found.changed_at)  # read from its checkpoints once
        own = [thread_from(one, one.record) for one in await self.records.all() if is_own(one, caller) and one.record]
        return sorted(own, key=lambda one: one.updated_at, reverse=True)

    async def thread(self, caller: Caller, id: str) -> ThreadView:
        known = await self._own(caller, id)
        return thread_from(known, known.record or {})

    async def turns(self, caller: Caller, id: str) -> Sequence[StoredTurn]:
        """Return what was asked and answered on a thread. Raises NotFound.

        The newest checkpoint has every message; the result of a turn stands in the checkpoint that ended it, as long
        as that is kept (KEPT_CHECKPOINTS).
        """
        known = await self._own(caller, id)
        states = [
            (point.checkpoint["channel_values"], point.checkpoint["ts"])
            async for point in self.agent.checkpoints.alist({"configurable": {"thread_id": known.thread_id}})
        ]
        return turns_from(states)

    async def rename(self, caller: Caller, id: str, title: str) -> ThreadView:
        known = await self._own(caller, id)
        record = known.record or {}
        await self.records.put(known.thread_id, {**record, "metadata": {**record["metadata"], TITLE: title}})
        return await self.thread(caller, id)

    async def delete(self, caller: Caller, *ids: str) -> ThreadReceipt:
        threads = {(await self._own(caller, id)).thread_id: id for id in ids}
        for thread, id in threads.items():
            if self.agent.checkpoints.is_taken(thread):
                raise StoreLocked(Message("conversation.busy_cannot_delete", id=id))
        receipt = await removed_with(self.agent.services, [*threads], caller.user_id)
        for thread in threads:
            await self.records.delete(thread)
            await self.agent.checkpoints.adelete_thread(thread)
        await self.agent.checkpoints.sync()
        return receipt

    async def leave_nothing(self) -> None:
        if not await self.agent.checkpoints.sync():
            raise StoreLocked(Message("conversation.log_in_use"))

    async def kept_bytes(self, caller: Caller) -> int:
        return await self.records.size({one.thread_id for one in await self.records.all() if is_own(one, caller)})

    async def ask(self, caller: Caller, question: CheckedQuestion) -> AsyncGenerator[TurnEvent]:
        """Yield `thread`, the steps of the turn, `answer`. What is wrong with a question is raised before `thread`."""
        require_well(self.agent.services.settings.data_dir / CHECKPOINTS_FILE)
        agent, run = await self._current_agent(), question.run
        if question.is_kept:
            await agent.services.require_room()
        state = agent.input(question.text, question.session)
        if self.places:
            require_calls(agent.services.settings.model_call_limit, caller.user_id)
        thread = str(uuid4())
        if question.thread is not None:
            asks_documents = DOCUMENT_TOOLKIT in run.toolkits
            thread = await self.session(caller, question.thread, with_documents=asks_documents)
        await self._record(caller, thread, question)
        await agent.services.opening.open(run)
        with self.places.count_pending(caller.user_id) if self.places else nullcontext():
            yield event_of("thread", {"thread_id": thread})
            async with (
                agent.checkpoints.turn(thread),
                await self._place(caller),
                agent.services.opening.reading(run, is_open=True) as reader,
            ):
                known = await self._record(caller, thread, question)  # another may have begun it meanwhile
                modes = STREAM_MODES if question.is_watched else ASK_MODES
                steps = agent.turn(thread, state, run, modes, is_new=question.thread is None)
                async with aclosing(self._with_record(caller, thread, question, known, steps)) as recorded:
                    async for event in recorded:
                        reader.require_undisturbed()
                        yield event

    async def _current_agent(self) -> Agent:
        """Return the agent of the model that the settings name now: they may have changed since the last question."""
        services, saver = self.agent.services, self.agent.checkpoints
        if (assembly := services.assembly) is not self.assembly:
            graph = await asyncio.to_thread(lambda: build_graph(assembly.dependencies(), saver))
            self.agent, self.assembly = replace(self.agent, graph=graph), assembly
        return self.agent

    async def _place(self, caller: Caller) -> Any:
        if self.places is None:
            return nullcontext()
        return self.places.slot(caller.user_id if await self.agent.services.keys.is_on() else None)

    async def _with_record(
        self,
        caller: Caller,
        thread: str,
        question: CheckedQuestion,
        known: Mapping[str, Any] | None,
        steps: AsyncGenerator[TurnEvent],
    ) -> AsyncGenerator[TurnEvent]:
        """Yield the steps of a turn; its thread has a record before its end is written.

        What a turn without an end has begun goes again, never what was there.
        """
        checkpoints = self.agent.checkpoints
        is_new = question.thread is None or (
            known is None and await checkpoints.aget_tuple(self.agent.config(thread)) is None
        )
        stays = False
        try:
            if question.is_kept:
                fresh = {"metadata": question.metadata(caller), "created_at": now().isoformat()}
                await self.records.put(thread, known or fresh)
            async with aclosing(steps) as events:
                async for event in events:
                    stays = stays or (event.kind == "answer" and question.is_kept)
                    yield event
        finally:
            if not stays:
                with CancelScope(shield=True):
                    if known is None and question.is_kept:
                        await self.records.delete(thread)
                    if is_new:
                        await checkpoints.adelete_thread(thread)

    async def _record(self, caller: Caller, thread: str, question: CheckedQuestion) -> Mapping[str, Any] | None:
        """Return the record of a thread, None for a new one. Raises NotFound for another user's."""
        if question.thread is None:
            return None
        known = await self._find(thread)
        if known is not None and not is_own(known, caller):
            raise NotFound("thread", Message("conversation.unknown_named", id=thread[:80]))
        return known.record if known else None

    async def _own(self, caller: Caller, id: str) -> ThreadRecord:
        known = await self._find(await self.session(caller, id))
        if known is None or not is_own(known, caller):
            raise NotFound("thread", Message("conversation.unknown_named", id=id[:80]))
        return known


async def removed_with(services: Services, threads: Sequence[str], user_id: str | None) -> ThreadReceipt:
    """Remove what belongs to threads that are deleted: a user's, or without one everybody's. Raises StoreError.

    First what may be refused: a thread that stays keeps its traces.
    """
    service = await asyncio.to_thread(lambda: services.document_service)  # its first reading imports much
    documents = await service.remove_sessions(threads, user_id)
    traces = await asyncio.to_thread(remove_traces, services.settings.trace_dir, user_id, threads)
    return ThreadReceipt(documents=documents, traces=traces)


@asynccontextmanager
async def open_conversations(
    services: Services, places: ConcurrencyLimits | None = None
) -> AsyncIterator[OwnConversations]:
    """Open the conversations of these services, answered by an agent of this process."""
    async with checkpoints_of(services.settings) as saver:
        records = ThreadRecords(saver)
        await records.setup()
        assembly = await asyncio.to_thread(lambda: services.assembly)  # its first reading imports much
        graph = await asyncio.to_thread(lambda: build_graph(assembly.dependencies(), saver))
        steps = services.settings.kept_turns[1] if places is None else 0
        yield OwnConversations(Agent(services, graph, saver, steps), assembly, records, places)


def is_own(known: ThreadRecord, caller: Caller) -> bool:
    """Return True if a thread is there and a user's."""
    return known.record is not None and known.record["metadata"].get(OWNER) == caller.user_id


def thread_from(known: ThreadRecord, record: Mapping[str, Any]) -> ThreadView:
    return thread_view(known.thread_id, record["metadata"], record["created_at"], known.changed_at)


def turns_from(states: Sequence[tuple[Mapping[str, Any], str]]) -> list[StoredTurn]:
    """Return each question with what was said until the next one; states come with their times, the newest first."""
    messages: Sequence[AnyMessage] = ()
    ends: dict[int, tuple[Mapping[str, Any], str]] = {}
    for values, at in states:
        said: Sequence[AnyMessage] = values.get("messages") or ()
        messages = messages or said
        if values.get("result"):
            ends.setdefault(sum(isinstance(one, HumanMessage) for one in said), (values["result"], at))
    turns: list[StoredTurn] = []
    for message in messages:
        if isinstance(message, HumanMessage):
            record, ended = ends.get(len(turns) + 1, ({}, None))
            turn = StoredTurn(number=len(turns) + 1, question=message.text, answer="", record=record, answered_at=ended)
            turns.append(turn)
        elif turns and message.text:
            turns[-1] = replace(turns[-1], answer=message.text)
    return turns
