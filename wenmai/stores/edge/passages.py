"""Passages in Qdrant Edge, Qdrant's engine inside this process: one shard per library."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import starmap
from pathlib import Path

from tools.messages import Message
from tools.records import Horizon, Passage, PassageFilter, Ranked, ScoredPassage
from wenmai.stores.edge.points import GRAPH_WALK, ShardClient
from wenmai.stores.edge.reembedding import EdgeMove
from wenmai.stores.edge.shards import KEYWORD, Schema, Shards, shard_config
from wenmai.stores.files.folder import LIBRARY
from wenmai.stores.files.threads import in_thread
from wenmai.stores.vectors.conditions import all_of, has_id
from wenmai.stores.vectors.passages import (
    POSITION,
    TEXT,
    WITHOUT_TEXT,
    passage_filter,
    passage_text,
    ranked,
    scored,
    to_passage,
    to_point,
)
from wenmai.stores.vectors.points import (
    ALL_FIELDS,
    DENSE,
    NO_FIELDS,
    PASSAGE_INDEXES,
    ScoredPoint,
    dense_vector,
    event_order,
    point_ids,
)
from wenmai.stores.vectors.qdrant import QdrantPoints
from wenmai.stores.vectors.words import passage_words

MOST_CACHED_IDS = 50_000  # ids of a library, about 8 MB: with more, the map starts again from nothing


class StoryOrders:
    """What searches have asked for, by library, until something is written there."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, int]] = {}

    def of(
        self, library: str, ids: Iterable[str], look_up: Callable[[list[str]], Mapping[str, int]]
    ) -> Mapping[str, int]:
        """Return the positions by id, from the store only those that are not known.

        What is looked up during a write goes to a map that `changing` has put aside, or is about to.
        """
        known = self._known.setdefault(library, {})
        wanted = {id: known.get(id) for id in ids}
        unknown = [id for id, order in wanted.items() if order is None]
        found = look_up(unknown) if unknown else {}
        if len(known) + len(found) > MOST_CACHED_IDS:
            known.clear()
        known.update(found)
        return {**{id: order for id, order in wanted.items() if order is not None}, **found}

    @contextmanager
    def changing(self, library: str) -> Iterator[None]:
        """Drop what is known of a library behind a write, also behind one that failed."""
        try:
            yield
        finally:
            self._known.pop(library, None)

    def clear(self) -> None:
        self._known.clear()


SCHEMA = Schema(
    folder="passages",
    config=shard_config,
    fields=PASSAGE_INDEXES,
    tenant=KEYWORD,
    remedy=Message("store.or_ingest_again"),
    content=LIBRARY,
)


class EdgePassageStore:
    """The PassageStore port over Qdrant Edge. Shards open at first use; calls run in threads."""

    def __init__(self, data_dir: Path) -> None:
        self._shards = Shards(data_dir, SCHEMA)
        self._words = passage_words()
        self._orders = StoryOrders()

    async def open(self, library: str) -> None:
        """Open a library's shard before it is asked. Raises LibraryNotFound, StoreLocked, StoreCorrupt."""
        if not self._shards.has_open(library):
            await asyncio.to_thread(self._shards.existing, library)

    @in_thread
    async def require_room_to_open(self, library: str) -> None:
        """Raise StoreFull where a library is closed and could not be opened on what is left of the disk."""
        self._shards.require_room_to_open(library)

    @in_thread
    async def dense(self, library: str, vector: Sequence[float], where: PassageFilter, limit: int) -> list[Ranked]:
        rows = await self._points(library).nearest(vector, passage_filter(library, where), limit, NO_FIELDS)
        return self._ranked(library, rows, limit)

    @in_thread
    async def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        rows = await self._points(library).wording(text, passage_filter(library, where), limit, None, NO_FIELDS)
        return self._ranked(library, rows, limit)

    @in_thread
    async def fetch(
        self,
        library: str,
        ids: Sequence[str],
        vector: Sequence[float] | None = None,
        horizon: Horizon | None = None,
    ) -> list[ScoredPassage]:
        known = point_ids(ids)
        if vector is None:
            rows = self._client(library).by_id(known, ALL_FIELDS)
            found = {str(row.id): scored(row, None, horizon) for row in rows}
        else:
            nearest = await self._points(library).compared(vector, all_of(has_id(known)), len(known))
            found = {str(row.id): scored(row, row.score, horizon) for row in nearest}
        return [found[id] for id in ids if id in found]

    @in_thread
    async def scroll(
        self, library: str, where: PassageFilter, limit: int | None = None, *, texts: bool = True
    ) -> list[Passage]:
        fields = ALL_FIELDS if texts else WITHOUT_TEXT
        rows = await self._points(library).in_story_order(passage_filter(library, where), limit, fields)
        return [to_passage(row).as_of(where.horizon) for row in rows]

    @in_thread
    async def count(self, library: str, where: PassageFilter) -> int:
        return await self._points(library).count(passage_filter(library, where))

    @in_thread
    async def upsert(self, library: str, passages: Sequence[Passage], vectors: Sequence[Sequence[float]]) -> None:
        if passages:
            rows = starmap(to_point, zip(passages, vectors, strict=True))
            with self._orders.changing(library):
                await self._points(library).write(rows, len(vectors[0]))

    @in_thread
    async def vectors(self, library: str, passages: Sequence[Passage]) -> dict[str, list[float]]:
        texts = {passage.id: passage.text for passage in passages}
        rows = self._client(library).by_id(list(texts), TEXT, [DENSE])
        return {str(row.id): dense_vector(row) for row in rows if passage_text(row) == texts[str(row.id)]}

    @in_thread
    async def reorder(self, library: str, orders: Mapping[str, int]) -> None:
        with self._orders.changing(library):
            self._client(library).set_each({id: {"event_order": orders[id]} for id in point_ids(orders)})

    @in_thread
    async def delete(self, library: str, ids: Iterable[str]) -> int:
        with self._orders.changing(library):
            return await self._points(library).delete(all_of(has_id(point_ids(ids))))

    @in_thread
    async def optimize(self, library: str) -> None:
        """Build the indexes that fast search needs: call it once at the end of bulk writes."""
        self._client(library).optimize()

    def moving(self, library: str) -> EdgeMove:
        return EdgeMove(ShardClient(self._shards, library), self._words, embedded=passage_text, worded=passage_text)

    @in_thread
    async def close(self) -> None:
        """Flush and close every shard and let the folders go."""
        self._shards.close()
        self._orders.clear()

    @in_thread
    async def release(self, library: str) -> None:
        with self._orders.changing(library):
            self._shards.release(library)

    def _client(self, library: str) -> ShardClient:
        return ShardClient(self._shards, library, GRAPH_WALK, must_exist=True)

    def _points(self, library: str) -> QdrantPoints:
        return QdrantPoints(self._client(library), self._words)

    def _ranked(self, library: str, rows: Sequence[ScoredPoint], limit: int) -> list[Ranked]:
        def look_up(ids: Sequence[str]) -> dict[str, int]:
            return {str(row.id): event_order(row) for row in self._client(library).by_id(ids, POSITION)}

        scores = {str(row.id): row.score for row in rows}
        orders = self._orders.of(library, scores, look_up)
        return ranked((Ranked(id, score, orders[id]) for id, score in scores.items() if id in orders), limit)
