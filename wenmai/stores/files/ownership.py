"""A library on all servers at once: the catalog that owns it, foreign copies, and transfers."""

from collections.abc import Sequence
from typing import Protocol

from wenmai.stores.files.owners import UNKNOWN, Claim, Owner


class LibraryServer(Protocol):
    """A server on which another catalog may have a library of the same name."""

    @property
    def place(self) -> str:
        """The server as errors name it."""
        ...

    async def owner_of(self, library: str) -> Owner | None:
        """Return the catalog that a library is marked with there, None where it has no mark."""
        ...

    async def holds(self, library: str) -> bool:
        """Return True if there is anything of a library, marked or not."""
        ...

    async def mark(self, library: str, owner: Owner) -> None:
        """Mark what is there of a library as a catalog's."""
        ...

    async def drop(self, library: str) -> None:
        """Delete what is there of a library, whichever catalog owns it."""
        ...


async def claim_library(servers: Sequence[LibraryServer], library: str, claim: Claim) -> None:
    """Make sure that what is there of a library is the claiming catalog's, before it is changed.

    Raises StoreForeign, and then no server was marked.
    """
    unmarked = [server for server in servers if await _needs_mark(server, library, claim)]
    for server in unmarked:
        await server.mark(library, claim.owner)


async def _needs_mark(server: LibraryServer, library: str, claim: Claim) -> bool:
    found = await server.owner_of(library)
    if found is None and not await server.holds(library):
        return False
    return claim.needs_mark(server.place, library, found)


async def foreign_copies(
    servers: Sequence[LibraryServer], library: str, mine: Owner, *, knows: bool
) -> list[tuple[LibraryServer, Owner]]:
    """Return the servers that have a library of this name which is not this catalog's, each with its owner.

    A copy without a mark is UNKNOWN's unless the catalog knows the library: no other catalog could claim it.
    """
    found: list[tuple[LibraryServer, Owner]] = []
    for server in servers:
        owner = await server.owner_of(library)
        if owner is None and not knows and await server.holds(library):
            owner = UNKNOWN
        if owner is not None and owner.id != mine.id:
            found.append((server, owner))
    return found
