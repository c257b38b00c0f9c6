"""What conversations and traces still hold of a library that is deleted, and how it is cleared."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wenmai.checkpoints.files import CHECKPOINTS_FILE
from wenmai.observability.traces import read_trace
from wenmai.settings.settings import Settings

if TYPE_CHECKING:
    from wenmai.checkpoints.sqlite import Saver


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Conversations that asked a library, and the traces of questions to it."""

    threads: tuple[str, ...] = ()
    traces: tuple[Path, ...] = ()


async def leftovers(settings: Settings, library: str) -> Leftovers:
    """Return what names a library. Raises StoreError.

    A trace of an older version does not name its library: it belongs to it if its conversation asked the library last.
    """
    traces = await asyncio.to_thread(lambda: list(_traces(settings.trace_dir)))
    asking = {str(record["thread_id"]) for _, record in traces if _asked(record, library) and record.get("thread_id")}
    threads = asking | await _threads(settings, library)
    mine = [path for path, record in traces if _asked(record, library, threads)]
    return Leftovers(tuple(sorted(threads)), tuple(mine))


async def clear(settings: Settings, found: Leftovers) -> None:
    """Delete conversations and traces. Raises StoreError, OSError."""
    for path in found.traces:
        await asyncio.to_thread(path.unlink, missing_ok=True)
    if found.threads and _has_checkpoints(settings):
        from wenmai.checkpoints.sqlite import checkpoints_of
        from wenmai.checkpoints.thread_records import ThreadRecords

        async with checkpoints_of(settings) as saver:
            await saver.adelete_threads(found.threads)
            records = ThreadRecords(saver)
            await records.setup()
            for thread in found.threads:
                await records.delete(thread)
            if settings.postgres_uri is None:  # pages and the log keep what was deleted until the file is rewritten
                await saver.execute("VACUUM")
                await saver.rows("PRAGMA wal_checkpoint(TRUNCATE)")


def _asked(record: dict[str, Any], library: str, threads: set[str] | None = None) -> bool:
    """Return True if a trace is of a question to a library."""
    if "library" in record:
        return bool(record["library"] == library)
    return threads is not None and record.get("thread_id") in threads


def _traces(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the traces of a folder; files that are none are left alone."""
    for path in sorted(folder.glob("*.json")):
        try:
            yield path, read_trace(path)
        except (OSError, ValueError):
            continue


async def _threads(settings: Settings, library: str) -> set[str]:
    """Return the conversations of which a kept checkpoint has a result of a library."""
    if not _has_checkpoints(settings):
        return set()
    from wenmai.checkpoints.sqlite import checkpoints_of

    async with checkpoints_of(settings) as saver:
        return {thread async for thread in _threads_of(saver, library)}


async def _threads_of(saver: "Saver", library: str) -> AsyncIterator[str]:
    async for one in saver.alist(None):
        result = one.checkpoint["channel_values"].get("result") or {}
        if result.get("library") == library:
            yield str(one.config.get("configurable", {})["thread_id"])


def _has_checkpoints(settings: Settings) -> bool:
    return settings.postgres_uri is not None or (settings.data_dir / CHECKPOINTS_FILE).exists()
