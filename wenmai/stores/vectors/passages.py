"""Passages on a server: all libraries of one embedder in one collection, the library inside every query."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import starmap
from typing import Protocol

from tools.records import Horizon, Passage, PassageFilter, Ranked, ScoredPassage
from wenmai.stores.files.folder import check_name
from wenmai.stores.files.owners import Owner
from wenmai.stores.records.conditions import has_id
from wenmai.stores.records.passages import (
    of_library,
    passage_filter,
    passage_text,
    ranked,
    scored,
    to_passage,
    to_point,
)
from wenmai.stores.records.points import (
    PASSAGE_INDEXES,
    PASSAGE_LABEL,
    REEMBED,
    CollectionPlan,
    ScoredPoint,
    dense_vector,
    event_order,
    point_ids,
)
from wenmai.stores.vectors.points import ALL_FIELDS, Fields, PassagePoints

PASSAGE_PLAN = CollectionPlan(PASSAGE_LABEL, PASSAGE_INDEXES, REEMBED)
POSITION, TEXT, WITHOUT_TEXT = Fields(only=("event_order",)), Fields(only=("text",)), Fields(without=("text",))
Known = Callable[[str], Awaitable[object]]


class Marks(Protocol):
    """The owners that the libraries of a server are marked with."""

    @property
    def place(self) -> str:
        """The server as errors name it."""
        ...

    async def owner_of(self, library: str) -> Owner | None:
        """Return the owner that a library is marked with, None where there is no mark."""
        ...

    async def mark(self, library: str, owner: Owner) -> None:
        """Mark what is there of a library. Raises StoreForeign where another one did so meanwhile."""
        ...

    async def unmark(self, library: str) -> None:
        """Take the mark of a library away."""
        ...

    async def require_mine(self, library: str) -> None:
        """Raise StoreForeign for another catalog's library."""
        ...

    async def prepare(self, library: str, dimension: int) -> None:
        """Make the collection if need be, with the mark of the library in it. Raises StoreForeign."""
        ...

    async def claim(self, library: str) -> None:
        """Mark a library that has no owner. Raises StoreForeign for another catalog's."""
        ...


class ServerPassageStore:
    """The PassageStore port over a server.

    A library without a row is one that `known` knows, else an error: the collection alone does not show it.
    """

    def __init__(self, points: PassagePoints, known: Known, marks: Marks) -> None:
        """Take the points.

        Args:
            points: of all libraries of an embedder.
            known: raises LibraryNotFound for a library that was never made.
            marks: whose the libraries are.
        """
        self._points = points
        self._known = known
        self._marks = marks

    @property
    def place(self) -> str:
        return self._marks.place

    async def open(self, library: str) -> None:
        """Look for a library before it is asked. Raises LibraryNotFound, StoreForeign, StoreUnavailable."""
        await self._require(library)
        await self._marks.require_mine(library)

    async def owner_of(self, library: str) -> Owner | None:
        return await self._marks.owner_of(library)

    async def holds(self, library: str) -> bool:
        return await self._points.count(of_library(check_name(library))) > 0

    async def mark(self, library: str, owner: Owner) -> None:
        """Mark what is there of a library as a catalog's. Raises StoreForeign where another one did so meanwhile."""
        await self._marks.mark(library, owner)

    async def dense(self, library: str, vector: Sequence[float], where: PassageFilter, limit: int) -> list[Ranked]:
        await self._points.collection.require_embedder(len(vector))
        rows = await self._points.nearest(vector, passage_filter(library, where), limit, POSITION)
        return await self._ranked(library, rows, limit)

    async def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        only = passage_filter(library, where)
        rows = await self._points.wording(text, only, limit, of_library(library), POSITION)
        return await self._ranked(library, rows, limit)

    async def fetch(
        self,
        library: str,
        ids: Sequence[str],
        vector: Sequence[float] | None = None,
        horizon: Horizon | None = None,
    ) -> list[ScoredPassage]:
        points = point_ids(ids)
        only = of_library(library, has_id(points))
        if vector is None:
            rows = await self._points.listed(only) if points else []
            found = {str(row.id): scored(row, None, horizon) for row in rows}
        else:
            nearest = await self._points.compared(vector, only, len(points))
            found = {str(row.id): scored(row, row.score, horizon) for row in nearest}
        if not found:
            await self._require(library)
        return [found[id] for id in ids if id in found]

    async def scroll(
        self, library: str, where: PassageFilter, limit: int | None = None, *, texts: bool = True
    ) -> list[Passage]:
        fields = ALL_FIELDS if texts else WITHOUT_TEXT
        rows = await self._points.in_story_order(passage_filter(library, where), limit, fields)
        if not rows:
            await self._require(library)
        return [to_passage(row).as_of(where.horizon) for row in rows]

    async def count(self, library: str, where: PassageFilter) -> int:
        count = await self._points.count(passage_filter(library, where))
        if not count:
            await self._require(library)
        return count

    async def upsert(self, library: str, passages: Sequence[Passage], vectors: Sequence[Sequence[float]]) -> None:
        check_name(library)
        if passages:
            dimension = len(vectors[0])
            await self._marks.prepare(library, dimension)
            await self._points.write(starmap(to_point, zip(passages, vectors, strict=True)), dimension)
            await self._marks.claim(library)  # the write may have made a dropped collection again

    async def vectors(self, library: str, passages: Sequence[Passage]) -> dict[str, list[float]]:
        texts = {passage.id: passage.text for passage in passages}
        only = of_library(library, has_id(texts))
        rows = await self._points.listed(only, TEXT, vectors=True) if texts else []
        if not rows:
            await self._require(library)
        return {str(row.id): dense_vector(row) for row in rows if passage_text(row) == texts[str(row.id)]}

    async def reorder(self, library: str, orders: Mapping[str, int]) -> None:
        await self._marks.require_mine(library)
        await self._points.reorder(of_library(library), {id: orders[id] for id in point_ids(orders)})

    async def delete(self, library: str, ids: Iterable[str]) -> int:
        await self._marks.require_mine(library)
        points = point_ids(ids)
        count = await self._points.delete(of_library(library, has_id(points))) if points else 0
        if not count:
            await self._require(library)
        return count

    async def drop(self, library: str) -> None:
        """Delete every passage of a library, of whatever catalog."""
        await self._points.delete(of_library(library))
        await self._marks.unmark(library)

    async def optimize(self, library: str) -> None:
        """Leave it to the server, which builds its indexes by itself."""

    async def close(self) -> None:
        await self._points.collection.close()

    async def _ranked(self, library: str, rows: Sequence[ScoredPoint], limit: int) -> list[Ranked]:
        if not rows:
            await self._require(library)
        return ranked((Ranked(str(row.id), row.score, event_order(row)) for row in rows), limit)

    async def _require(self, library: str) -> None:
        """Raise LibraryNotFound for a library that has neither a passage nor a name that is known."""
        if not await self.holds(library):
            await self._known(library)
