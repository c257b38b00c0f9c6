"""One side of a move: the stores of a library there."""

from dataclasses import dataclass
from typing import Any, Protocol

from tools.records import Chapter, LibraryInfo
from wenmai.ingestion.contracts import CatalogWriter, Stores
from wenmai.ingestion.passages.layout import chapter_key
from wenmai.stores.files.owners import Owner


class MovableCatalog(CatalogWriter, Protocol):
    """A catalog that returns all its notes at once, and its own identity."""

    async def notes(self, library: str) -> dict[str, Any]:
        """Return every note by its key."""
        ...

    async def owner(self) -> Owner:
        """Return the identity of the catalog. Raises StoreError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The stores of one side. Where both sides have the very same store, there is nothing to move."""

    stores: Stores
    catalog: MovableCatalog

    async def info(self, library: str) -> LibraryInfo:
        """Describe a library. Raises LibraryNotFound."""
        return await self.catalog.info(library)


async def chapters_of(side: Side, library: str) -> list[tuple[Chapter, list[str]]]:
    """Return the chapters in reading order, each with the ids of its passages."""
    chapters = await side.catalog.chapters(library)
    return [(one, await side.catalog.passage_ids(library, *chapter_key(one))) for one in chapters]
