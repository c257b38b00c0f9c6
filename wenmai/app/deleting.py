"""The deletion of a library, or of one of its sources, and what conversations and traces still hold of it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tools.errors import LibraryNotFound, StoreCorrupt, StoreFull
from wenmai.app.libraries import PATIENCE_S
from wenmai.checkpoints.files import CHECKPOINTS_FILE
from wenmai.observability.traces import read_trace
from wenmai.settings.settings import Settings
from wenmai.stores.files.folder import LibraryFolders

if TYPE_CHECKING:
    from wenmai.app.container import Services
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


T = TypeVar("T")
NONE = Leftovers()
Counts = dict[str, int | None]
KINDS = ("passages", "chapters", "entities", "relations", "events", "answers")


async def deleted(services: "Services", library: str, source: str | None) -> Counts:
    """Delete and return how much there was of each kind. Raises LibraryNotFound, InputError, StoreError."""
    await require(services, library)
    patience = PATIENCE_S if source else 0  # a library goes at once: whoever reads it is told so
    async with services.libraries.writing(library, patience_s=patience):
        if source is not None:
            from wenmai.ingestion.library.changes import delete_source

            receipt = await delete_source(library, source, services.stores)
            return {kind: getattr(receipt, kind) for kind in KINDS}
        counts = await counted(services, library)
        await services.libraries.drop(library, with_folder=True)
        return counts


async def deleted_whole(services: "Services", library: str, *, everything: bool) -> tuple[Counts, Leftovers]:
    """Delete a library; return what it held, and the conversations and traces of questions to it.

    These stay, but with `everything` they are deleted, too, also where the library itself is gone already. Raises
    LibraryNotFound, InputError, StoreError.
    """
    known = NONE
    with suppress(StoreFull):  # a deletion makes room
        known = await leftovers(services.settings, library)  # before: what cannot be read must not fail half way
    try:
        counts = await deleted(services, library, None)
    except LibraryNotFound:
        if not everything or known == NONE:
            raise
        counts = {}
    left = await leftovers(services.settings, library)
    if everything:
        await clear(services.settings, left)
    return counts, left


async def require(services: "Services", library: str) -> None:
    """Look for a library: in the catalog on a server, else for the folder. Raises LibraryNotFound, InputError."""
    folders = LibraryFolders(services.settings.data_dir)
    try:
        if services.server_catalog is None:
            folders.existing(library)
        else:
            await services.catalog.info(library)
    except StoreCorrupt:
        return
    except LibraryNotFound:
        if not folders.path(library).is_dir():  # a folder that a deletion has left can still be deleted
            raise
    finally:
        folders.close()


async def counted(services: "Services", library: str) -> Counts:
    """Return how much a library holds; what cannot be read, or was never built, must not prevent its deletion."""
    from tools.records import PassageFilter

    info = await readable(services.catalog.info(library))
    graph = await readable(services.graph.counts(library)) or {}
    return {
        "passages": await readable(services.passages.count(library, PassageFilter())),
        "chapters": info.counts["chapters"] if info else None,
        "entities": graph.get("entities"),
        "relations": graph.get("relations"),
        "events": graph.get("events"),
        "answers": await readable(services.answers.count(library)),
    }


async def readable(reading: Awaitable[T]) -> T | None:
    """Return what a store tells, None where its files cannot be read. Raises StoreLocked."""
    try:
        return await reading
    except (LibraryNotFound, StoreCorrupt, StoreFull):
        return None
