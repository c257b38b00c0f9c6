"""Traces: how a question was answered, step by step."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from state.account import may_go_on
from tools.errors import InputError
from tools.messages import Message, Names, say
from wenmai.app.container import Services
from wenmai.application.caller import Caller, Sessions, opens_all
from wenmai.application.paging import USUAL, FirstRow, Guard, Page, Rows, horizon_of, in_range
from wenmai.inputs import NotFound
from wenmai.observability.traces import as_read, read_trace


class TraceLine(BaseModel):
    """A question of yours, and how it ended."""

    id: str
    query: str
    thread_id: str | None
    status: str
    outcome: str | None
    passed: bool | None
    started_at: str
    total_duration_ms: int


class TraceRecord(BaseModel):
    """A whole trace, as it is stored: attempts with their calls, drafts and grades."""

    trace: dict[str, Any]


ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}(?:-\d+)?")
LOOKED_AT = 500  # the newest files of a server: each is read
NEEDED = ("trace_id", "query", "passed", "total_duration_ms")  # what every line shows
Record = Mapping[str, Any]
ThreadIds = Callable[[Caller], Awaitable[Collection[str]]]


@dataclass(frozen=True, slots=True)
class TraceOperations:
    """What can be asked of traces.

    Attributes:
        threads: gives the ids of a user's conversations: traces of older versions name no user.
            None: the caller owns this machine and every trace file on it.
        sessions: gives the id of a conversation that is called by name; None where a name is itself the id.
    """

    services: Services
    caller: Caller
    threads: ThreadIds | None = None
    sessions: Sessions | None = None

    @in_range
    async def list(
        self,
        *,
        thread: str | None = None,
        limit: Rows = USUAL,
        offset: FirstRow = 0,
        unreadable: Callable[[str], None] | None = None,
    ) -> Page[TraceLine]:
        """Return the caller's traces, the newest first; of a server's those among its newest.

        Args:
            unreadable: called for each file that is no trace, with the reason; a server does not say.
        """
        own = await self._own()
        if thread is not None and self.sessions is not None:
            thread = await self.sessions(self.caller, thread)
        paths = await asyncio.to_thread(newest, self.services.settings.trace_dir)
        shows_all = own is None and thread is None  # then only the rows of the page are read
        most = offset + limit if shows_all else LOOKED_AT if own is not None else len(paths)
        found, reasons = await asyncio.to_thread(records_of, paths[:most])
        if unreadable and own is None:
            for reason in reasons:
                unreadable(reason)
        lines = [line_of(one) for one in found if thread in (None, one.get("thread_id")) and self._is_own(one, own)]
        unread = max(0, len(paths) - most) if shows_all else 0
        return Page.cut(lines[offset : offset + limit], len(lines) + unread, offset)

    async def get(self, id: str, *, guard: Guard | None = None) -> TraceRecord:
        """Return a trace; under a guard one that saw more of the story shows its question alone.

        Raises NotFound for an unknown one, and for another user's.
        """
        missing = NotFound("trace", Message("trace.unknown", id=id[:80]))
        if not ID.fullmatch(id):
            raise missing
        try:
            record = await asyncio.to_thread(read_trace, self.services.settings.trace_dir / f"{id}.json")
        except (OSError, ValueError) as error:
            raise missing from error
        if not self._is_own(record, await self._own()):
            raise missing
        return await self._as_read(record, guard)

    async def read(self, path: Path, *, guard: Guard | None = None) -> TraceRecord:
        """Return the trace of a file of this machine, as `get` does. Raises InputError for what is no trace."""
        return await self._as_read(await asyncio.to_thread(record_of, path), guard)

    async def _own(self) -> Collection[str] | None:
        return None if self.threads is None else await self.threads(self.caller)

    def _is_own(self, record: Record, own: Collection[str] | None) -> bool:
        if not self.caller.opens(record.get("library")):
            return False
        if self.caller.is_limited and not opens_all(self.caller, record):
            return False
        if own is None:
            return True
        if "user_id" in record:
            return may_go_on(record["user_id"], self.caller.user_id)
        return record.get("thread_id") in own  # of an older version

    async def _as_read(self, record: dict[str, Any], guard: Guard | None) -> TraceRecord:
        library = str(record.get("library") or "")
        horizon = None if guard is None else await horizon_of(self.services.catalog, library, guard)
        return TraceRecord(trace=as_read(record, horizon))


def newest(folder: Path) -> list[Path]:
    """Return the trace files, the newest first: ids begin with their time, to the second. Other names come last."""
    files = [
        (path.name[:15] if ID.fullmatch(path.stem) else "", path.stat().st_mtime, path)
        for path in folder.glob("*.json")
        if path.is_file()
    ]
    return [path for _, _, path in sorted(files, reverse=True)]


def record_of(path: Path) -> dict[str, Any]:
    try:
        return read_trace(path)
    except (OSError, ValueError) as error:
        raise InputError(Message("trace.not_a_trace_file", path=path, error=error)) from error


def records_of(paths: Iterable[Path]) -> tuple[list[Record], list[str]]:
    """Return the traces among files, and why each other one is none."""
    found, reasons = list[Record](), list[str]()
    for path in paths:
        try:
            record = record_of(path)
        except InputError as error:
            reasons.append(str(error))
            continue
        if missing := [key for key in NEEDED if key not in record]:
            reasons.append(say("trace.incomplete_file", path=path, missing=Names(missing)))
        else:
            found.append(record)
    return found, reasons


def line_of(record: Record) -> TraceLine:
    return TraceLine(
        id=record["trace_id"],
        query=str(record["query"] or ""),
        thread_id=record.get("thread_id"),
        status=str(record.get("status") or ""),
        outcome=record.get("outcome"),
        passed=record["passed"],
        started_at=str(record.get("started_at") or ""),
        total_duration_ms=int(record["total_duration_ms"] or 0),
    )
