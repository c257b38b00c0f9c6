"""Passages in PostgreSQL: all libraries of one embedder in one table, the library inside every query.

The catalog is in the same database, so the libraries here are its own: they bear no mark of an owner.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import starmap

from psycopg import sql

from tools.records import Horizon, Passage, PassageFilter, Ranked, ScoredPassage
from wenmai.stores.files.folder import check_name
from wenmai.stores.files.owners import Owner
from wenmai.stores.postgres.points import PAYLOAD, PostgresPoints, Row
from wenmai.stores.postgres.server import PostgresServer
from wenmai.stores.postgres.table import PostgresTable
from wenmai.stores.records.collections import CollectionPlan, collection_of
from wenmai.stores.records.conditions import has_id
from wenmai.stores.records.passage_filter import of_library, passage_filter
from wenmai.stores.records.passage_payload import passage_text, ranked, scored, to_passage, to_point
from wenmai.stores.records.points import dense_vector, event_order, point_ids
from wenmai.stores.records.vector_policy import PASSAGE_INDEXES
from wenmai.stores.records.words import passage_words

PLAN = CollectionPlan("段落", PASSAGE_INDEXES, "或用 wenmai reembed 换用新的模型")
POSITION = sql.SQL("jsonb_build_object('event_order', event_order)")
WITHOUT_TEXT = sql.SQL("payload - 'text'")
IN_STORY_ORDER = sql.SQL("event_order, id")
REORDER = sql.SQL("""
UPDATE {} AS stored SET payload = jsonb_set(payload, ARRAY['event_order'], to_jsonb(place))
FROM unnest(%(ids)s::uuid[], %(places)s::integer[]) AS new (id, place)
WHERE library = %(library)s AND stored.id = new.id RETURNING stored.id
""")
Known = Callable[[str], Awaitable[object]]


class PostgresPassageStore:
    """The PassageStore port over PostgreSQL.

    A library without a row is one that `known` knows, else an error: the table alone does not show it.
    """

    def __init__(self, server: PostgresServer, base: str, embedder: str, known: Known) -> None:
        """Take a server.

        Args:
            server: where the table is, or will be.
            base: COLLECTION_NAME.
            embedder: identity of the embedding model in use; each has its own table.
            known: raises LibraryNotFound for a library that was never made.
        """
        self._table = PostgresTable(server, f"wenmai_{collection_of(base, embedder)}", embedder, PLAN)
        self._points = PostgresPoints(self._table, passage_words())
        self._known = known

    @property
    def place(self) -> str:
        """The server as errors name it."""
        return f"PostgreSQL（{self._table.server.place}）"

    async def owner_of(self, library: str) -> Owner | None:
        """Return None: there are no marks."""
        return None

    async def holds(self, library: str) -> bool:
        """Return True if there is anything of a library."""
        return await self._points.count(of_library(check_name(library))) > 0

    async def mark(self, library: str, owner: Owner) -> None:
        """Mark nothing: what the catalog of this database knows is its own."""

    async def open(self, library: str) -> None:
        """Look for a library before it is asked. Raises LibraryNotFound, StoreUnavailable."""
        await self._require(library)

    async def dense(self, library: str, vector: Sequence[float], where: PassageFilter, limit: int) -> list[Ranked]:
        """Return the rows nearest to `vector` by cosine, best first."""
        await self._table.require_embedder(len(vector))
        rows = await self._points.nearest(vector, passage_filter(library, where), limit, POSITION)
        return await self._ranked(library, rows, limit)

    async def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        """Return the rows that share most with the words of `text` by BM25, best first."""
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
        """Return these passages in the order of `ids` (unknown ids are left out), scored against `vector` if given."""
        points = point_ids(ids)
        only = of_library(library, has_id(points))
        if vector is None:
            found = {row.id: scored(row, None, horizon) for row in await self._points.listed(only)}
        else:
            rows = await self._points.compared(vector, only, len(points))
            found = {row.id: scored(row, row.score, horizon) for row in rows}
        if not found:
            await self._require(library)
        return [found[id] for id in ids if id in found]

    async def scroll(
        self, library: str, where: PassageFilter, limit: int | None = None, *, texts: bool = True
    ) -> list[Passage]:
        """Return all (or the first `limit`) matching passages in ascending story position (event_order).

        Without `texts` theirs are '' and are not read.
        """
        fields = PAYLOAD if texts else WITHOUT_TEXT
        rows = await self._points.listed(passage_filter(library, where), fields, order=IN_STORY_ORDER, limit=limit)
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
        """Write passages, all or none; the same id is replaced. Durable when it returns."""
        check_name(library)
        if passages:
            await self._points.write(starmap(to_point, zip(passages, vectors, strict=True)), len(vectors[0]))

    async def vectors(self, library: str, passages: Sequence[Passage]) -> dict[str, list[float]]:
        """Return the stored dense vectors, by id, of those passages that are stored with the same text."""
        texts = {passage.id: passage.text for passage in passages}
        rows = await self._points.listed(of_library(library, has_id(texts)), vectors=True)
        if not rows:
            await self._require(library)
        return {row.id: dense_vector(row) for row in rows if passage_text(row) == texts[row.id]}

    async def reorder(self, library: str, orders: Mapping[str, int]) -> None:
        """Set `event_order` of these ids and change nothing else."""
        ids = point_ids(orders)
        values = {"library": library, "ids": ids, "places": [orders[id] for id in ids]}
        await self._table.rows(REORDER.format(self._table.identifier), values)

    async def delete(self, library: str, ids: Iterable[str]) -> int:
        """Delete these ids and return how many there were."""
        deleted = await self._points.delete(of_library(library, has_id(point_ids(ids))))
        if not deleted:
            await self._require(library)
        return len(deleted)

    async def drop(self, library: str) -> None:
        """Delete every passage of a library."""
        await self._points.delete(of_library(library))

    async def optimize(self, library: str) -> None:
        """Leave it to the server, which keeps its indexes by itself."""

    async def close(self) -> None:
        """Close the connections."""
        await self._table.close()

    async def _ranked(self, library: str, rows: Sequence[Row], limit: int) -> list[Ranked]:
        if not rows:
            await self._require(library)
        return ranked((Ranked(row.id, row.score, event_order(row)) for row in rows), limit)

    async def _require(self, library: str) -> None:
        """Raise LibraryNotFound for a library that has neither a passage nor a name that is known."""
        if not await self.holds(library):
            await self._known(library)
