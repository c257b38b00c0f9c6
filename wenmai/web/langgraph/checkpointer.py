"""The entry file of `checkpointer`: the server's threads lie where those of Python and the command line do.

The runtime of `langgraph dev` holds its threads in memory and writes threads and runs to `.langgraph_api` every ten
seconds and at the end. Killed in between, it comes back without the newest threads, with threads that were deleted, and
with runs that it takes for unfinished and would repeat, although their turn is in the checkpoints: it is brought up to
what is kept. LangGraph's server image keeps threads in PostgreSQL and needs none of this. Nothing is read or opened
when this file is loaded.
"""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Collection, Mapping, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

from langgraph.checkpoint.base import CheckpointTuple

from tools.errors import StoreError
from wenmai.app.container import services_in_thread
from wenmai.application.conversations import uuid_of
from wenmai.checkpoints.server import INNER, ServerSaver, has_next
from wenmai.checkpoints.sqlite import Saver, checkpoints_of
from wenmai.checkpoints.thread_records import ThreadRecord, ThreadRecords

REMEMBERED = timedelta(hours=1)  # how long a deletion is known; the runtime writes it within ten seconds
UNFINISHED = ("pending", "running")
Store = MutableMapping[str, Any]
opened = count()

log = logging.getLogger("wenmai.web")


async def runtime_store() -> Store | None:
    """Return what the runtime holds in memory, None where it keeps that in a database."""
    from langgraph_runtime.database import connect  # type: ignore[import-untyped]  # only on a server; it has no types

    async with connect() as connection:
        return getattr(connection, "store", None)


@dataclass(frozen=True, slots=True)
class RuntimeThreads:
    """The threads of a runtime: None where it keeps them itself."""

    store: Store | None

    def find(self, thread_id: str) -> Mapping[str, Any] | None:
        """Return what is kept of a thread, {} where the runtime keeps it itself, None where there is no such thread."""
        if self.store is None:
            return {}
        id = UUID(thread_id)
        thread = next((one for one in self.store["threads"] if one["thread_id"] == id), None)
        return None if thread is None else record_of(thread)


def record_of(thread: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of a thread: the rest of it stands in its newest checkpoint."""
    return {"metadata": thread["metadata"], "created_at": thread["created_at"].isoformat()}


@dataclass(frozen=True, slots=True)
class Restoring:
    """Brings the runtime's threads up to their records and checkpoints, before the first run starts."""

    store: Store
    saver: Saver
    records: ThreadRecords

    async def __call__(self) -> None:
        """Take deleted threads away, finish runs whose turn is kept, and add or correct the threads that have one."""
        # A run without a thread has one that goes with it; who waited for the answer went with the server.
        self.take_away({str(run["thread_id"]) for run in self.store["runs"] if run["kwargs"].get("temporary")})
        threads = {str(thread["thread_id"]): thread for thread in self.store["threads"]}
        kept = [one for one in await self.records.all() if uuid_of(one.thread_id)]  # the runtime has no other ids
        if deleted := {one.thread_id for one in kept if is_gone(one, threads.get(one.thread_id))}:
            await self.saver.adelete_threads(deleted)
            self.take_away(deleted)
        known = {one.thread_id for one in kept if one.record is not None}
        for run in self.store["runs"]:
            if str(run["thread_id"]) in known and run["status"] in UNFINISHED:
                config: Any = {"configurable": {"thread_id": str(run["thread_id"]), "checkpoint_ns": ""}}
                async for last in self.saver.alist(config, filter={"run_id": str(run["run_id"])}, limit=1):
                    if not has_next(last.checkpoint):  # else it would be repeated
                        run.update(status="success", updated_at=written_at(last))
        for one in kept:
            if one.record is not None:
                await self.bring_back(one, one.record, threads.get(one.thread_id))

    async def bring_back(
        self, kept: ThreadRecord, record: Mapping[str, Any], thread: MutableMapping[str, Any] | None
    ) -> None:
        """Add a thread that the runtime lacks, or correct one whose last turn the runtime did not write."""
        if thread is not None and record_of(thread)["created_at"] != record["created_at"]:
            self.take_away({kept.thread_id})  # one that was deleted before this one was made under its id
            thread = None
        if thread is not None and thread["status"] != "busy":
            known_until: datetime = thread.get("state_updated_at") or thread["updated_at"]
            if known_until > kept.changed_at:
                return
        if thread is None:
            thread = new_thread(kept.thread_id, record)
            self.store["threads"].append(thread)
        own, known = record["metadata"], thread["metadata"]  # what was written later wins
        thread["metadata"] = {**own, **known} if thread["updated_at"] > kept.changed_at else {**known, **own}
        last = await self.saver.aget_tuple({"configurable": {"thread_id": kept.thread_id}})
        if last is not None:
            held = last.checkpoint["channel_values"]
            values = {name: value for name, value in held.items() if not name.startswith(INNER)}
            at = max(written_at(last), kept.changed_at)
            runs = [run for run in self.store["runs"] if str(run["thread_id"]) == kept.thread_id]
            is_busy = any(run["status"] in UNFINISHED for run in runs)
            status = "busy" if is_busy else "interrupted" if has_next(last.checkpoint) else "idle"
            thread.update(values=values, status=status, updated_at=at, state_updated_at=at)

    def take_away(self, thread_ids: Collection[str]) -> None:
        """Take threads out of the runtime, with their runs and cron jobs."""
        for kind in ("threads", "runs", "crons"):
            self.store[kind] = [one for one in self.store[kind] if str(one.get("thread_id")) not in thread_ids]


@asynccontextmanager
async def forgetting(records: ThreadRecords, after: timedelta = REMEMBERED) -> AsyncIterator[None]:
    """Forget deletions again and again, once the runtime has long written that their threads are gone.

    Never at the start: behind a kill the runtime's file may have a deleted thread, however long ago that was.
    """

    async def forget() -> None:
        while True:
            await asyncio.sleep(after.total_seconds())
            try:
                await records.forget_deleted(datetime.now(UTC) - after)
            except (StoreError, sqlite3.Error) as error:
                log.warning("records of deleted threads are not removed yet, the next try follows: %s", error)

    task = asyncio.create_task(forget())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


def is_gone(kept: ThreadRecord, thread: Mapping[str, Any] | None) -> bool:
    """Return True if a thread was deleted, and the runtime has none that was made anew under its id since."""
    return kept.record is None and (thread is None or thread["created_at"] <= kept.changed_at)


def new_thread(thread_id: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a thread as the runtime makes one."""
    created = datetime.fromisoformat(record["created_at"])
    times = dict.fromkeys(("created_at", "updated_at", "state_updated_at"), created)
    known = {"thread_id": UUID(thread_id), "metadata": dict(record["metadata"]), "config": {}}
    return {**known, **times, "status": "idle", "values": None}


def written_at(last: CheckpointTuple) -> datetime:
    return datetime.fromisoformat(last.checkpoint["ts"])


@asynccontextmanager
async def checkpointer() -> AsyncIterator[ServerSaver]:
    """Open the checkpoints of the settings: in PostgreSQL by POSTGRES_URI, else in DATA_DIR.

    The server opens one in each of its event loops, the first before it takes a request or starts a run.

    Raises:
        StoreError: they cannot be opened.
    """
    settings = (await services_in_thread()).settings
    async with checkpoints_of(settings) as saver:
        store, records = await runtime_store(), ThreadRecords(saver)
        await records.setup()
        server = ServerSaver(saver, records, RuntimeThreads(store).find, *settings.kept_turns)
        if store is None or next(opened) > 0:
            yield server
            return
        await Restoring(store, saver, records)()
        async with forgetting(records):
            yield server
