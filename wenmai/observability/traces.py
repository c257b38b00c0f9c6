"""Trace files: one JSON a question, written whole or not at all."""

import asyncio
import json
import logging
import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from state.account import may_go_on
from tools.records import Horizon
from tools.secrets import redacted

if TYPE_CHECKING:
    from nodes.answer import TraceSink

log = logging.getLogger("wenmai.trace")


@dataclass(frozen=True, slots=True)
class TraceFiles:
    """Writes `{TRACE_DIR}/{trace_id}.json`; a second one of that name gets -2, -3."""

    folder: Path

    async def write(self, record: dict[str, Any]) -> str | None:
        """Write a trace and return its path, None where the disk refused; the answer never depends on it."""
        if not record.get("is_kept", True):
            return None
        try:
            return str(await asyncio.to_thread(self._write, record))
        except OSError as error:
            log.warning("trace not written to %s: %s", self.folder, error.strerror or error)
            return None

    async def amend(self, path: str, more: dict[str, Any]) -> None:
        """Add keys to a trace that was written; a trace that is gone or cannot be read stays as it is."""
        file = Path(path)
        try:
            await asyncio.to_thread(lambda: replace_trace(file, read_trace(file) | more))
        except (OSError, ValueError) as error:
            log.warning("trace %s not amended: %s", path, error)

    def _write(self, record: dict[str, Any]) -> Path:
        """Write under the first free name, which the record bears too: equal questions of one second share an id."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            id = str(record["trace_id"]) + (f"-{number}" if number > 1 else "")
            path = self.folder / f"{id}.json"
            if not path.exists():
                temporary = temporary_trace(self.folder, record | {"trace_id": id})
                try:
                    os.link(temporary, path)  # refuses a name that another process has taken meanwhile
                except FileExistsError:
                    continue
                finally:
                    temporary.unlink(missing_ok=True)
                return path
        raise AssertionError("endless")


def temporary_trace(folder: Path, record: Mapping[str, Any]) -> Path:
    """Write a trace to a file of its own, which is still to get its name."""
    kept = {key: value for key, value in record.items() if key != "is_kept"}
    text = redacted(json.dumps(kept, ensure_ascii=False, indent=2))
    handle, name = tempfile.mkstemp(dir=folder, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    return Path(name)


def replace_trace(path: Path, record: Mapping[str, Any]) -> None:
    temporary_trace(path.parent, record).replace(path)


@dataclass(frozen=True, slots=True)
class ObservedTraces:
    """Shows every question's trace to an observer, also of the one that was cut short, and hands it on."""

    sink: "TraceSink"
    observe: Callable[[Mapping[str, Any]], None]

    async def write(self, record: dict[str, Any]) -> str | None:
        self.observe(record)
        return await self.sink.write(record)

    async def amend(self, path: str, more: dict[str, Any]) -> None:
        await self.sink.amend(path, more)


def stored_traces(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the trace files, the oldest first, with their records."""
    for path in sorted(folder.glob("*.json")):
        try:
            yield path, read_trace(path)
        except (OSError, ValueError):  # it is no trace
            continue


def remove_traces(folder: Path, user_id: str | None, threads: Collection[str] | None = None) -> int:
    """Remove the traces of a user, without one everybody's; with `threads` those of these threads. Return how many.

    A trace of an older version names no user: it goes with its thread alone.
    """

    def is_meant(record: Mapping[str, Any]) -> bool:
        if threads is not None and record.get("thread_id") not in threads:
            return False
        if user_id is None or "user_id" not in record:
            return threads is not None
        return may_go_on(record["user_id"], user_id)

    found = [path for path, record in stored_traces(folder) if is_meant(record)]
    for path in found:
        path.unlink(missing_ok=True)
    return len(found)


def read_trace(path: Path) -> dict[str, Any]:
    """Return a trace file's record. Raises OSError, ValueError."""
    record = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(record, dict) or "trace_id" not in record:
        raise ValueError("not a trace file")
    return record


KEPT = ("trace_id", "graph", "query", "user_id", "library", "as_of", "config", "started_at", "total_duration_ms")
KEPT_VERDICT = ("passed", "outcome", "confidence", "status", "thread_id", "mode", "degraded", "usage")


def as_read(record: dict[str, Any], horizon: Horizon | None) -> dict[str, Any]:
    """Return the trace whole if its question saw no more of the story than this reader, else without what it tells.

    What remains is the question as it was asked, times, verdict and cost. Traces that do not name their guard saw
    everything, and so did recalls: their memories may come from any story.
    """
    if horizon is None or ("attempts" in record and horizon.covers(record.get("as_of"))):
        return record
    kept = {key: record[key] for key in (*KEPT, *KEPT_VERDICT) if key in record}
    told: dict[str, Any] = {"final_response": "", "withheld": True}
    if "attempts" not in record:
        return {**kept, **told, "tool_calls": []}
    return {**kept, **told, "resolved_query": record["query"], "resolutions": [], "candidates": [], "attempts": []}
