"""Libraries as a whole: who reads and who writes them, whose they are on servers, how they change hands and go.

A library is seen whole or not at all. Whoever reads one is inside of `reading`, whoever changes one inside of
`writing`; what lies between "new" and "complete" is noted in its catalog, so that other processes and later ones see
it as well.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tools.errors import LibraryNotFound, StoreCorrupt, StoreFull, StoreLocked, StoreUnfinished, WenmaiError
from tools.messages import Message
from tools.records import PassageFilter
from wenmai.checkpoints import CHECKPOINTS_FILE
from wenmai.observability.traces import stored_traces
from wenmai.settings.settings import Settings
from wenmai.stores.files.deletions import discard, leaving, set_aside
from wenmai.stores.files.folder import LibraryFolders
from wenmai.stores.files.owners import LibraryServer, Owner, OwnerClaim, claim_library, foreign_copies
from wenmai.stores.files.sqlite import EMPTY_LOG

if TYPE_CHECKING:
    from wenmai.app.engines import Engines

EMBEDDED = ("passages", "graph", "catalog", "answers")  # properties of Services
PATIENCE_S = 30.0  # how long a writer waits for those who read already
KINDS = ("passages", "chapters", "entities", "relations", "events", "answers")  # that a deletion counts
Counts = dict[str, int | None]
T = TypeVar("T")


@dataclass(slots=True, eq=False)
class LibraryReading:
    """A reader of a library. `ended_by` is set when it is changed or deleted under it."""

    done: asyncio.Event = field(default_factory=asyncio.Event)
    ended_by: WenmaiError | None = None

    def require_undisturbed(self) -> None:
        """Raise LibraryNotFound or StoreLocked where the library is no longer what it was at the beginning."""
        if self.ended_by is not None:
            raise self.ended_by


@dataclass(frozen=True, slots=True)
class Leftovers:
    threads: tuple[str, ...] = ()
    traces: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Libraries:
    """Changes whole libraries over all stores of a process.

    On a server, libraries of several catalogs may have the same name; each bears the mark of the catalog that owns it.
    """

    services: "Engines"
    _changing: set[str] = field(default_factory=set, init=False, repr=False)  # by this process
    _closed: set[str] = field(default_factory=set, init=False, repr=False)  # to readers of this process
    _readers: dict[str, set[LibraryReading]] = field(default_factory=dict, init=False, repr=False)

    @asynccontextmanager
    async def reading(self, library: str) -> AsyncIterator[LibraryReading]:
        """Read a library that is whole from the first to the last.

        Raises:
            LibraryNotFound: there is none, or it was deleted meanwhile.
            StoreLocked: it is being changed, or was meanwhile.
            StoreUnfinished: a change of it was broken off.
        """
        if library in self._closed:
            raise StoreLocked(Message("library.being_changed", library=library))
        reader = LibraryReading()
        self._readers.setdefault(library, set()).add(reader)
        try:
            await self._require_whole(library)
            yield reader
            reader.require_undisturbed()
        except WenmaiError as error:
            if reader.ended_by not in (None, error):  # what went wrong comes from that
                raise reader.ended_by from error
            raise
        finally:
            self._readers[library].discard(reader)
            if not self._readers[library]:
                del self._readers[library]
            reader.done.set()

    async def _require_whole(self, library: str) -> None:
        from wenmai.ingestion.library.known_state import is_half_made

        catalog, is_changing = self.services.catalog, library in self._changing
        info = await catalog.info(library)
        if not await is_half_made(catalog, library) and (info.counts.get("chapters") or not is_changing):
            return
        if is_changing:
            raise StoreLocked(Message("library.being_changed", library=library))
        if self.services.settings.shares_libraries:  # another process may be at it
            raise StoreLocked(Message("library.being_changed_or_unfinished", library=library))
        raise StoreUnfinished(Message("library.ingest_unfinished", library=library))

    @asynccontextmanager
    async def writing(
        self, library: str, transfer_from: Owner | None = None, *, patience_s: float | None = PATIENCE_S
    ) -> AsyncIterator[None]:
        """Be the only one that changes a library, which must be this catalog's on every server.

        Args:
            library: its name.
            transfer_from: another catalog; it may be that one's, too, and is this one's from now on.
            patience_s: how long readers of this process may take to end; with None they stay until `without_readers`.

        Raises:
            StoreLocked: this or another process changes it.
            StoreForeign: it is another catalog's.
        """
        async with self.alone(library):
            await self._claim(library, transfer_from)
            async with nullcontext() if patience_s is None else self.without_readers(library, patience_s):
                yield

    @asynccontextmanager
    async def without_readers(self, library: str, patience_s: float = PATIENCE_S) -> AsyncIterator[None]:
        """Refuse a library to new readers, and give those who read it the time to end."""
        self._closed.add(library)
        try:
            ends = [asyncio.ensure_future(one.done.wait()) for one in self._readers.get(library, ())]
            if ends:
                _, late = await asyncio.wait(ends, timeout=patience_s)
                for one in late:
                    one.cancel()
            self._end_readers(library, StoreLocked, Message("library.being_changed", library=library))
            yield
        finally:
            self._closed.discard(library)

    def _end_readers(self, library: str, kind: type[WenmaiError], message: Message) -> None:
        for one in self._readers.get(library, ()):
            if not isinstance(one.ended_by, LibraryNotFound):  # what is deleted stays so, if another one has its name
                one.ended_by = kind(message)

    @asynccontextmanager
    async def alone(self, library: str) -> AsyncIterator[None]:
        """Be the only one that changes a library. Raises StoreLocked where this or another process does already."""
        self.require_free(library)
        self._changing.add(library)
        try:
            async with self._only_process(library):
                yield
        finally:
            self._changing.remove(library)

    def require_free(self, library: str) -> None:
        """Raise StoreLocked while this process changes a library."""
        if library in self._changing:
            raise StoreLocked(Message("library.being_changed", library=library))

    @asynccontextmanager
    async def _only_process(self, library: str) -> AsyncIterator[None]:
        """Be the only process that changes a library; an embedded engine locks its folder for that."""
        services = self.services
        if services.server_catalog is not None:
            async with services.server_catalog.writing(library):
                yield
        elif services.settings.shares_libraries:
            with LibraryFolders(services.settings.data_dir).writing(library):
                yield
        else:
            yield

    async def foreign_owners(self, library: str) -> list[Owner]:
        """Return the other catalogs of which servers have a library of this name, UNKNOWN among them."""
        return list(dict.fromkeys(owner for _, owner in await self._foreign_copies(library)))

    async def drop_abandoned(self, library: str) -> None:
        """Delete what other catalogs have left of a library on servers. Raises StoreLocked, StoreError."""
        async with self.alone(library):
            for store, _ in await self._foreign_copies(library):
                await store.drop(library)

    async def adopt(self, library: str) -> list[Owner]:
        """Mark a library that the catalog has as its own on servers; return the owners whose marks it bore there.

        Raises LibraryNotFound, StoreLocked, StoreError.
        """
        with suppress(StoreCorrupt):
            await self.services.catalog.info(library)
        async with self.alone(library):
            mine, found = await self.services.catalog.owner(), await self._foreign_copies(library)
            for store, _ in found:
                await store.mark(library, mine)
        return list(dict.fromkeys(owner for _, owner in found))

    async def drop(self, library: str, *, with_folder: bool = False) -> None:
        """Delete what servers keep of a library, and with `with_folder` what is below DATA_DIR. Raises StoreError.

        The catalog on a server, or else the folder, goes last: until then the library can be found and deleted again.
        The folder goes at once: whoever reads it then is told that it is gone, and what fails before leaves all of it.
        """
        services = self.services
        services.losses.pop(library, None)
        services.spoilt.pop(library, None)
        self._end_readers(library, LibraryNotFound, Message("library.just_deleted", library=library))
        if services.settings.shares_libraries:
            from wenmai.ingestion.library.decisions import load_decisions, save_decisions

            catalog = services.catalog  # it lets other processes see that parts of the library are gone
            with suppress(StoreCorrupt, LibraryNotFound):
                await save_decisions(catalog, library, replace(await load_decisions(catalog, library), settled=False))
        if services.server_graph is not None:
            await services.server_graph.drop(library)
        if services.server_passages is not None:
            await services.server_passages.drop(library)
        if with_folder:
            folders = LibraryFolders(services.settings.data_dir)
            with leaving(folders.path(library)):
                await self._release_embedded(library)
                left = await asyncio.to_thread(set_aside, folders, library)
            await asyncio.to_thread(discard, left)
        if services.server_catalog is not None:
            await services.server_catalog.drop(library)

    async def require_deletable(self, library: str) -> None:
        """Look for a library: in the catalog on a server, else for the folder. Raises LibraryNotFound, InputError."""
        folders = LibraryFolders(self.services.settings.data_dir)
        try:
            if self.services.server_catalog is None:
                folders.existing(library)
            else:
                await self.services.catalog.info(library)
        except StoreCorrupt:
            return
        except LibraryNotFound:
            if not folders.path(library).is_dir():  # a folder that a deletion has left can still be deleted
                raise
        finally:
            folders.close()

    async def delete(self, library: str, source: str | None = None) -> Counts:
        """Delete a library or one of its sources, and return how much there was of each kind.

        Raises LibraryNotFound, InputError, StoreError.
        """
        await self.require_deletable(library)
        patience = PATIENCE_S if source else 0  # a library goes at once: whoever reads it is told so
        async with self.writing(library, patience_s=patience):
            if source is not None:
                from wenmai.ingestion.library.changes import delete_source

                receipt = await delete_source(library, source, self.services.stores)
                return {kind: getattr(receipt, kind) for kind in KINDS}
            counts = await self._counts(library)
            await self.drop(library, with_folder=True)
            return counts

    async def delete_whole(self, library: str, *, everything: bool) -> tuple[Counts, Leftovers]:
        """Delete a library; return what it held, and the conversations and traces of questions to it.

        These stay, but with `everything` they are deleted, too, also where the library itself is gone already. Raises
        LibraryNotFound, InputError, StoreError.
        """
        known, settings = Leftovers(), self.services.settings
        with suppress(StoreFull):  # a deletion makes room
            known = await leftovers(settings, library)  # before: what cannot be read must not fail half way
        try:
            counts = await self.delete(library)
        except LibraryNotFound:
            if not everything or known == Leftovers():
                raise
            counts = {}
        left = await leftovers(settings, library)
        if everything:
            await delete_leftovers(settings, left)
        return counts, left

    async def _counts(self, library: str) -> Counts:
        """Return how much a library holds; what cannot be read, or was never built, must not prevent its deletion."""
        services = self.services
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

    async def _release_embedded(self, library: str) -> None:
        """Close what embedded stores have open of a library, also files that cannot be read."""
        services = self.services
        graph = services.graph if services.server_graph is not None else None
        on_servers = (services.server_passages, graph, services.server_catalog)
        for name in EMBEDDED:
            store = vars(services).get(name)  # where cached_property keeps it
            if store is not None and store not in on_servers:
                with suppress(StoreCorrupt, LibraryNotFound):
                    await store.release(library)

    async def _claim(self, library: str, transfer_from: Owner | None) -> None:
        if not self._servers:
            return
        knows = transfer_from is not None or await self._has(library)
        await claim_library(
            self._servers, library, OwnerClaim(await self.services.catalog.owner(), knows, transfer_from)
        )

    @property
    def _servers(self) -> list[LibraryServer]:
        """The servers on which another catalog may have a library of the same name."""
        stores = (self.services.server_graph, self.services.server_passages)
        return [store for store in stores if store is not None]

    async def _foreign_copies(self, library: str) -> list[tuple[LibraryServer, Owner]]:
        mine, knows = await self.services.catalog.owner(), await self._has(library)
        return await foreign_copies(self._servers, library, mine, knows=knows)

    async def _has(self, library: str) -> bool:
        """Return True if the catalog has a library; one that cannot be read is there, and may be deleted."""
        with suppress(StoreCorrupt):
            try:
                await self.services.catalog.info(library)
            except LibraryNotFound:
                return False
        return True


async def readable(reading: Awaitable[T]) -> T | None:
    """Return what a store tells, None where its files cannot be read. Raises StoreLocked."""
    try:
        return await reading
    except (LibraryNotFound, StoreCorrupt, StoreFull):
        return None


async def leftovers(settings: Settings, library: str) -> Leftovers:
    """Return what names a library. Raises StoreError.

    A trace of an older version does not name its library: it belongs to it if its conversation asked the library last.
    """
    traces = await asyncio.to_thread(lambda: list(stored_traces(settings.trace_dir)))
    threads = {str(one["thread_id"]) for _, one in traces if one.get("library") == library and one.get("thread_id")}
    threads |= await _threads(settings, library)
    mine = [
        path
        for path, one in traces
        if (one["library"] == library if "library" in one else one.get("thread_id") in threads)
    ]
    return Leftovers(tuple(sorted(threads)), tuple(mine))


async def _threads(settings: Settings, library: str) -> set[str]:
    """Return the conversations of which a kept checkpoint has a result of a library."""
    if not _has_checkpoints(settings):
        return set()
    from wenmai.checkpoints.sqlite import checkpoints_of

    found: set[str] = set()
    async with checkpoints_of(settings) as saver:
        async for one in saver.alist(None):
            if (one.checkpoint["channel_values"].get("result") or {}).get("library") == library:
                found.add(str(one.config.get("configurable", {})["thread_id"]))
    return found


def _has_checkpoints(settings: Settings) -> bool:
    return settings.postgres_uri is not None or (settings.data_dir / CHECKPOINTS_FILE).exists()


async def delete_leftovers(settings: Settings, found: Leftovers) -> None:
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
                await saver.rows(EMPTY_LOG)
