"""The owner of a library on a shared server: each catalog has an identity, and marks there what it writes.

A server knows a library by its name alone. Two catalogs with a library of one name would write over each other there.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tools.errors import StoreForeign
from tools.messages import Message, Text


@dataclass(frozen=True, slots=True)
class Owner:
    """A catalog: its identity, and its place as the command line names it."""

    id: str
    place: Text


UNKNOWN = Owner("", Message("library.owner_unknown"))  # of what has no mark
OwnerSource = Callable[[], Awaitable[Owner]]


@dataclass(frozen=True, slots=True)
class OwnerClaim:
    """A catalog that is about to change a library.

    Attributes:
        owner: the catalog.
        knows: whether it has the library: then what has no mark is its own.
        transfer_from: another catalog whose library becomes this one's.
    """

    owner: Owner
    knows: bool = False
    transfer_from: Owner | None = None

    def needs_mark(self, server: str, library: str, found: Owner | None) -> bool:
        """Return True if what a server has of a library has yet to be marked as this catalog's.

        Raises:
            StoreForeign: it is another catalog's.
        """
        if found is None and self.knows:
            return True
        if found is not None and self.transfer_from is not None and found.id == self.transfer_from.id != self.owner.id:
            return True
        if found is None or found.id != self.owner.id:
            raise foreign_error(server, library, found)
        return False


def require_owner(server: str, library: str, found: Owner | None, mine: Owner) -> None:
    """Raise StoreForeign where a server's library has another catalog's mark; readers need no mark."""
    if found is not None and found.id != mine.id:
        raise foreign_error(server, library, found)


def foreign_error(server: str, library: str, found: Owner | None) -> StoreForeign:
    unmarked = "" if found else Message("library.owner_unknown")
    return StoreForeign(
        Message("library.owned_by_other_catalog", server=server, library=library, unmarked=unmarked),
        str(found.place) if found else "",
    )


class LibraryServer(Protocol):
    """A server on which another catalog may have a library of the same name."""

    @property
    def place(self) -> str: ...

    async def owner_of(self, library: str) -> Owner | None:
        """Return the catalog that a library is marked with there, None where it has no mark."""
        ...

    async def holds(self, library: str) -> bool:
        """Return True if there is anything of a library, marked or not."""
        ...

    async def mark(self, library: str, owner: Owner) -> None: ...

    async def drop(self, library: str) -> None:
        """Delete what is there of a library, whichever catalog owns it."""
        ...


async def claim_library(servers: Sequence[LibraryServer], library: str, claim: OwnerClaim) -> None:
    """Make sure that what is there of a library is the claiming catalog's, before it is changed.

    Raises StoreForeign, and then no server was marked.
    """
    unmarked = [server for server in servers if await _needs_mark(server, library, claim)]
    for server in unmarked:
        await server.mark(library, claim.owner)


async def _needs_mark(server: LibraryServer, library: str, claim: OwnerClaim) -> bool:
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
