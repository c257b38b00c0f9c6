"""Passages on a Qdrant server: all libraries of one embedder in one collection, the library inside every query."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import islice, starmap

from qdrant_client import models

from tools.errors import LibraryNotFound, StoreGone
from tools.records import Horizon, Passage, PassageFilter, Ranked, ScoredPassage
from wenmai.stores.files.folder import check_name
from wenmai.stores.files.owners import Owner, OwnerSource, foreign_error, require_owner
from wenmai.stores.qdrant.collection import QdrantCollection
from wenmai.stores.qdrant.points import EXACT, QdrantPoints, setting
from wenmai.stores.qdrant.server import QdrantServer
from wenmai.stores.records.collections import CollectionPlan, collection_of
from wenmai.stores.records.conditions import has_id
from wenmai.stores.records.passage_filter import of_library, passage_filter
from wenmai.stores.records.passage_payload import WITHOUT_TEXT, passage_text, ranked, scored, to_passage, to_point
from wenmai.stores.records.points import StoryScroll, dense_vector, event_order, point_ids
from wenmai.stores.records.vector_policy import DENSE, PASSAGE_INDEXES, WRITE_ROWS
from wenmai.stores.records.words import passage_words

PLAN = CollectionPlan("段落", PASSAGE_INDEXES, "或用 wenmai reembed 换用新的模型")
MARK = "owner:{library}"  # in the collection's metadata
Known = Callable[[str], Awaitable[object]]


async def unknown(library: str) -> None:
    """Know no library beside those that have passages. Raises LibraryNotFound."""
    raise LibraryNotFound(f"没有名为 {library} 的资料库：请先用 wenmai ingest 建立，或用 wenmai libraries 查看")


class QdrantPassageStore:
    """The PassageStore port over a server.

    A library without a row is one that `known` knows, else an error: the collection alone does not show it.
    """

    def __init__(
        self, server: QdrantServer, base: str, embedder: str, known: Known = unknown, *, owner: OwnerSource
    ) -> None:
        """Take a server.

        Args:
            server: where the collection is, or will be.
            base: COLLECTION_NAME.
            embedder: identity of the embedding model in use; each has its own collection.
            known: raises LibraryNotFound for a library that was never made.
            owner: returns the identity of the catalog that these libraries belong to.
        """
        self._server = server
        collection = QdrantCollection(server, collection_of(base, embedder), embedder, PLAN)
        self._points = QdrantPoints(collection, passage_words())
        self._known = known
        self._owner = owner

    @property
    def place(self) -> str:
        """The server as errors name it."""
        return f"Qdrant（{self._server.place}）"

    async def open(self, library: str) -> None:
        """Look for a library before it is asked. Raises LibraryNotFound, StoreForeign, StoreUnavailable."""
        await self._require(library)
        await self._require_mine(library)

    async def owner_of(self, library: str) -> Owner | None:
        """Return the owner that a library is marked with, None where there is no mark."""
        mark = await self._points.collection.mark(MARK.format(library=check_name(library)))
        return Owner(**mark) if mark else None

    async def holds(self, library: str) -> bool:
        """Return True if there is anything of a library, marked or not."""
        return await self._points.count(of_library(check_name(library))) > 0

    async def mark(self, library: str, owner: Owner) -> None:
        """Mark what is there of a library as a catalog's. Raises StoreForeign where another one did so meanwhile."""
        await self._points.collection.set_mark(MARK.format(library=library), asdict(owner))
        found = await self.owner_of(library)  # the server knows no condition: of two that mark at once the last has it
        if found is None or found.id != owner.id:
            raise foreign_error(self.place, library, found)

    async def dense(self, library: str, vector: Sequence[float], where: PassageFilter, limit: int) -> list[Ranked]:
        """Return the rows nearest to `vector` by cosine, best first."""
        await self._points.collection.require_embedder(len(vector))
        rows = await self._points.nearest(vector, passage_filter(library, where), limit, fields=["event_order"])
        return await self._ranked(library, rows, limit)

    async def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        """Return the rows that share most with the words of `text` by BM25, best first."""
        only = passage_filter(library, where)
        rows = await self._points.wording(text, only, limit, of_library(library), fields=["event_order"])
        return await self._ranked(library, rows, limit)

    async def fetch(
        self,
        library: str,
        ids: Sequence[str],
        vector: Sequence[float] | None = None,
        horizon: Horizon | None = None,
    ) -> list[ScoredPassage]:
        """Return these passages in the order of `ids` (unknown ids are left out), scored against `vector` if given."""
        points = point_ids(ids)
        only = of_library(library, has_id(points))
        if vector is None:
            rows = await self._points.listed(only) if points else []
            found = {str(row.id): scored(row, None, horizon) for row in rows}
        else:
            nearest = await self._points.nearest(vector, only, len(points), EXACT)
            found = {str(row.id): scored(row, row.score, horizon) for row in nearest}
        if not found:
            await self._require(library)
        return [found[id] for id in ids if id in found]

    async def scroll(
        self, library: str, where: PassageFilter, limit: int | None = None, *, texts: bool = True
    ) -> list[Passage]:
        """Return all (or the first `limit`) matching passages in ascending story position (event_order).

        Without `texts` theirs are '' and are not read.
        """
        only = passage_filter(library, where)
        scroll: StoryScroll[models.Record] = StoryScroll(limit)
        while not scroll.is_complete:
            scroll.add(
                await self._points.page_by("event_order", scroll.start, scroll.size, only, texts or WITHOUT_TEXT)
            )
        rows = scroll.rows()
        if not rows:
            await self._require(library)
        return [to_passage(row).as_of(where.horizon) for row in rows]

    async def count(self, library: str, where: PassageFilter) -> int:
        """Return how many passages match."""
        count = await self._points.count(passage_filter(library, where))
        if not count:
            await self._require(library)
        return count

    async def upsert(self, library: str, passages: Sequence[Passage], vectors: Sequence[Sequence[float]]) -> None:
        """Write passages; the same id is replaced. Durable when it returns."""
        check_name(library)
        if passages:
            try:
                await self._entered(library, len(vectors[0]))
            except StoreGone:  # dropped since the last call: it is made again
                await self._entered(library, len(vectors[0]))
            points = starmap(to_point, zip(passages, vectors, strict=True))
            await self._points.write(points, len(vectors[0]))
            await self._require_mine(library, mark=True)  # the write may have made a dropped collection again

    async def vectors(self, library: str, passages: Sequence[Passage]) -> dict[str, list[float]]:
        """Return the stored dense vectors, by id, of those passages that are stored with the same text."""
        texts = {passage.id: passage.text for passage in passages}
        rows: list[models.Record] = []
        if texts:
            only = of_library(library, has_id(list(texts)))
            rows = await self._points.listed(only, ["text"], [DENSE])
        if not rows:
            await self._require(library)
        return {str(row.id): dense_vector(row) for row in rows if passage_text(row) == texts[str(row.id)]}

    async def reorder(self, library: str, orders: Mapping[str, int]) -> None:
        """Set `event_order` of these ids and change nothing else."""
        await self._require_mine(library)
        changes = (setting(of_library(library, has_id([id])), {"event_order": orders[id]}) for id in point_ids(orders))
        while batch := list(islice(changes, WRITE_ROWS)):
            await self._points.change(*batch)

    async def delete(self, library: str, ids: Iterable[str]) -> int:
        """Delete these ids and return how many there were."""
        await self._require_mine(library)
        points = point_ids(ids)
        only = of_library(library, has_id(points))
        count = await self._points.count(only) if points else 0
        if count:
            await self._points.delete(only)
        else:
            await self._require(library)
        return count

    async def drop(self, library: str) -> None:
        """Delete every passage of a library, of whatever catalog."""
        await self._points.delete(of_library(library))
        if await self.owner_of(library) is not None:
            await self._points.collection.set_mark(MARK.format(library=library), None)

    async def optimize(self, library: str) -> None:
        """Leave it to the server, which builds its indexes by itself."""

    async def close(self) -> None:
        """Close the connections."""
        await self._server.close()

    async def _ranked(self, library: str, rows: Sequence[models.ScoredPoint], limit: int) -> list[Ranked]:
        if not rows:
            await self._require(library)
        return ranked((Ranked(str(row.id), row.score, event_order(row)) for row in rows), limit)

    async def _entered(self, library: str, dimension: int) -> None:
        """Make the collection if need be, with the mark of the library in it. Raises StoreForeign, StoreGone."""
        await self._points.collection.require_made(dimension)
        await self._require_mine(library, mark=True)

    async def _require_mine(self, library: str, *, mark: bool = False) -> None:
        """Raise StoreForeign for another catalog's library; with `mark`, mark one that has no owner."""
        mine, found = await self._owner(), await self.owner_of(library)
        require_owner(self.place, library, found, mine)
        if found is None and mark:
            await self.mark(library, mine)

    async def _require(self, library: str) -> None:
        """Raise LibraryNotFound for a library that has neither a passage nor a name that is known."""
        if not await self._points.count(of_library(check_name(library))):
            await self._known(library)
