"""A library on all servers at once: whose it is there, what other catalogs have left, and how it changes hands."""

from collections.abc import Sequence
from typing import Protocol

from wenmai.stores.files.owners import UNKNOWN, Claim, Owner


class Marking(Protocol):
    """A server on which another catalog may have a library of the same name."""

    @property
    def place(self) -> str:
        """The server as errors name it."""
        ...

    async def owner_of(self, library: str) -> Owner | None:
        """Return whose mark a library bears there, None where there is none."""
        ...

    async def holds(self, library: str) -> bool:
        """Tell whether there is anything of a library, marked or not."""
        ...

    async def mark(self, library: str, owner: Owner) -> None:
        """Mark what is there of a library as a catalog's."""
        ...

    async def drop(self, library: str) -> None:
        """Delete what is there of a library, whosever it is."""
        ...


async def claim_all(stores: Sequence[Marking], library: str, claim: Claim) -> None:
    """Make sure that what is there of a library is the claimant's, before he changes it.

    Raises StoreForeign, and then no server was marked.
    """
    unmarked = [store for store in stores if await _must_mark(store, library, claim)]
    for store in unmarked:
        await store.mark(library, claim.owner)


async def _must_mark(store: Marking, library: str, claim: Claim) -> bool:
    found = await store.owner_of(library)
    if found is None and not await store.holds(library):
        return False
    return claim.must_mark(store.place, library, found)


async def left_by_others(
    stores: Sequence[Marking], library: str, mine: Owner, *, knows: bool
) -> list[tuple[Marking, Owner]]:
    """Return the servers with something of a library that is not this catalog's, and whose it is.

    What bears no mark is UNKNOWN's unless the catalog knows the library: nobody else could claim it.
    """
    found: list[tuple[Marking, Owner]] = []
    for store in stores:
        owner = await store.owner_of(library)
        if owner is None and not knows and await store.holds(library):
            owner = UNKNOWN
        if owner is not None and owner.id != mine.id:
            found.append((store, owner))
    return found
