"""Passages in Qdrant Edge, Qdrant's engine inside this process: one shard per library."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from itertools import starmap
from pathlib import Path
from types import CoroutineType
from typing import Any, Concatenate, ParamSpec, TypeVar

import qdrant_edge as edge

from tools.records import Horizon, Passage, PassageFilter, Ranked, ScoredPassage
from tools.wording import Words
from wenmai.stores.edge.points import Points
from wenmai.stores.edge.schema import EXACT, KEYWORD, Schema, search_params, shard_config
from wenmai.stores.edge.shards import Shards
from wenmai.stores.edge.store import EdgeMove
from wenmai.stores.files.refusals import LIBRARY
from wenmai.stores.records.conditions import all_of, has_id
from wenmai.stores.records.passages import (
    WITHOUT_TEXT,
    passage_filter,
    passage_text,
    ranked,
    scored,
    to_passage,
    to_point,
)
from wenmai.stores.records.points import DENSE, PASSAGE_INDEXES, StoryScroll, dense_vector, event_order, point_ids
from wenmai.stores.records.words import passage_words

MOST = 50_000  # ids of a library, about 8 MB: with more, the map starts again from nothing


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
        if len(known) + len(found) > MOST:
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


S = TypeVar("S")
P = ParamSpec("P")
T = TypeVar("T")
SHARD_FOLDER = "passages"
SCHEMA = Schema(
    folder=SHARD_FOLDER,
    config=shard_config,
    fields=PASSAGE_INDEXES,
    tenant=KEYWORD,
    remedy=Words("或重新 wenmai ingest", "or wenmai ingest again"),
    content=LIBRARY,
)


def in_thread(call: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], "CoroutineType[Any, Any, T]"]:
    """Make a coroutine of a blocking method, which runs in a thread to its end, also where its caller is cancelled."""

    @wraps(call)
    async def run(self: S, /, *args: P.args, **named: P.kwargs) -> T:
        return await asyncio.to_thread(call, self, *args, **named)

    return run  # type: ignore[return-value]  # mypy knows the type of a coroutine by its protocol alone


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
    def dense(self, library: str, vector: Sequence[float], where: PassageFilter, limit: int) -> list[Ranked]:
        only = passage_filter(library, where)
        rows = self._points(library).nearest(vector, only, limit, search_params(), fields=False)
        return self._ranked(library, rows, limit)

    @in_thread
    def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        rows = self._points(library).wording(text, passage_filter(library, where), limit, fields=False)
        return self._ranked(library, rows, limit)

    @in_thread
    def fetch(
        self,
        library: str,
        ids: Sequence[str],
        vector: Sequence[float] | None = None,
        horizon: Horizon | None = None,
    ) -> list[ScoredPassage]:
        points, known = self._points(library), point_ids(ids)
        if vector is None:
            found = {str(row.id): scored(row, None, horizon) for row in points.by_id(known)}
        else:
            rows = points.nearest(vector, all_of(has_id(known)), len(known), EXACT)
            found = {str(row.id): scored(row, row.score, horizon) for row in rows}
        return [found[id] for id in ids if id in found]

    @in_thread
    def scroll(
        self, library: str, where: PassageFilter, limit: int | None = None, *, texts: bool = True
    ) -> list[Passage]:
        points, only = self._points(library), passage_filter(library, where)
        scroll: StoryScroll[edge.Record] = StoryScroll(limit)
        while not scroll.is_complete:
            scroll.add(points.page_by("event_order", scroll.start, scroll.size, only, texts or WITHOUT_TEXT))
        return [to_passage(row).as_of(where.horizon) for row in scroll.rows()]

    @in_thread
    def count(self, library: str, where: PassageFilter) -> int:
        return self._points(library).count(passage_filter(library, where))

    @in_thread
    def upsert(self, library: str, passages: Sequence[Passage], vectors: Sequence[Sequence[float]]) -> None:
        if passages:
            rows = starmap(to_point, zip(passages, vectors, strict=True))
            with self._orders.changing(library):
                self._points(library).write(rows, len(vectors[0]))

    @in_thread
    def vectors(self, library: str, passages: Sequence[Passage]) -> dict[str, list[float]]:
        texts = {passage.id: passage.text for passage in passages}
        rows = self._points(library).by_id(list(texts), ["text"], [DENSE])
        return {str(row.id): dense_vector(row) for row in rows if passage_text(row) == texts[str(row.id)]}

    @in_thread
    def reorder(self, library: str, orders: Mapping[str, int]) -> None:
        with self._orders.changing(library):
            self._points(library).set_each({id: {"event_order": orders[id]} for id in point_ids(orders)})

    @in_thread
    def delete(self, library: str, ids: Iterable[str]) -> int:
        points = self._points(library)
        known = [str(row.id) for row in points.by_id(point_ids(ids), fields=False)]
        if known:
            with self._orders.changing(library):
                points.delete(all_of(has_id(known)), rows=len(known))
        return len(known)

    @in_thread
    def optimize(self, library: str) -> None:
        """Build the indexes that fast search needs: call it once at the end of bulk writes."""
        self._points(library).optimize()

    def moving(self, library: str) -> EdgeMove:
        points = Points(self._shards, library, self._words)
        return EdgeMove(points, embedded=passage_text, worded=passage_text)

    @in_thread
    def close(self) -> None:
        """Flush and close every shard and let the folders go."""
        self._shards.close()
        self._orders.clear()

    @in_thread
    def release(self, library: str) -> None:
        self._shards.release(library)
        with self._orders.changing(library):
            pass

    def _points(self, library: str) -> Points:
        return Points(self._shards, library, self._words, must_exist=True)

    def _ranked(self, library: str, rows: Sequence[edge.ScoredPoint], limit: int) -> list[Ranked]:
        scores = {str(row.id): row.score for row in rows}
        orders = self._orders.of(library, scores, lambda ids: self._looked_up(library, ids))
        return ranked((Ranked(id, score, orders[id]) for id, score in scores.items() if id in orders), limit)

    def _looked_up(self, library: str, ids: Sequence[str]) -> dict[str, int]:
        rows = self._points(library).by_id(ids, ["event_order"])
        return {str(row.id): event_order(row) for row in rows}
