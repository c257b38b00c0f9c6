"""The deletion of a library, or of one source of it, with what was there before."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, TypeVar

from tools.errors import LibraryNotFound, StoreCorrupt
from wenmai.app.leftovers import Leftovers, clear, leftovers
from wenmai.app.libraries import PATIENCE_S
from wenmai.stores.files.folder import LibraryFolders

if TYPE_CHECKING:
    from wenmai.app.container import Services

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
            from wenmai.ingestion.library.deletion import delete_source

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
    try:
        counts = await deleted(services, library, None)
    except LibraryNotFound:
        if not everything or await leftovers(services.settings, library) == NONE:
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
    except (LibraryNotFound, StoreCorrupt):
        return None
