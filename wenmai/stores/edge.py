"""Passages in Qdrant Edge, Qdrant's engine inside this process: one shard per library."""

import asyncio
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import qdrant_edge as edge

from tools.errors import EmbedderMismatch, WenmaiError
from tools.records import Passage, PassageFilter, Ranked, ScoredPassage
from wenmai.stores.edge_query import (
    DENSE,
    SPARSE,
    field_indexes,
    search_params,
    shard_config,
    to_passage,
    to_payload,
    typed_filter,
    word_model,
)
from wenmai.stores.folder import NOT_TEXT, LibraryFolders, require_space, store_error

SHARD_FOLDER = "passages"
SHARD_CONFIG = "edge_config.json"
UUID_TEXT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PAGE_ROWS = 1_000
WRITE_ROWS = 500
TIE_ROWS = 4_096  # rows read at most to put equal scores at the cut in story order


class EdgePassageStore:
    """The PassageStore port over Qdrant Edge. Shards open at first use; calls run in threads."""

    def __init__(self, data_dir: Path) -> None:
        self._folders = LibraryFolders(data_dir)
        self._shards: dict[str, edge.EdgeShard] = {}
        self._guard = threading.Lock()
        self._words = word_model()

    async def dense(self, library: str, vector: Sequence[float], where: PassageFilter, limit: int) -> list[Ranked]:
        """Return the rows nearest to `vector` by cosine, best first."""
        query = edge.Query.Nearest(list(vector), using=DENSE)
        return await asyncio.to_thread(self._ranked, library, query, where, limit)

    async def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        """Return the rows that share most with the words of `text` by BM25, best first."""
        return await asyncio.to_thread(self._by_words, library, text, where, limit)

    async def fetch(
        self, library: str, ids: Sequence[str], vector: Sequence[float] | None = None
    ) -> list[ScoredPassage]:
        """Return these passages in the order of `ids` (unknown ids are left out), scored against `vector` if given."""
        return await asyncio.to_thread(self._fetch, library, ids, vector)

    async def scroll(self, library: str, where: PassageFilter, limit: int | None = None) -> list[Passage]:
        """Return all (or the first `limit`) matching passages in ascending story position (event_order)."""
        return await asyncio.to_thread(self._scroll, library, where, limit)

    async def count(self, library: str, where: PassageFilter) -> int:
        """Return how many passages match."""
        return await asyncio.to_thread(self._count, library, where)

    async def upsert(self, library: str, passages: Sequence[Passage], vectors: Sequence[Sequence[float]]) -> None:
        """Write passages; the same id is replaced. Durable when it returns."""
        await asyncio.to_thread(self._upsert, library, passages, vectors)

    async def reorder(self, library: str, orders: Mapping[str, int]) -> None:
        """Set `event_order` of these ids and change nothing else."""
        await asyncio.to_thread(self._reorder, library, orders)

    async def delete(self, library: str, ids: Iterable[str]) -> int:
        """Delete these ids and return how many there were."""
        return await asyncio.to_thread(self._delete, library, list(ids))

    async def optimize(self, library: str) -> None:
        """Build the indexes that fast search needs: call it once at the end of bulk writes."""
        await asyncio.to_thread(self._optimize, library)

    async def close(self) -> None:
        """Flush and close every shard and let the folders go."""
        await asyncio.to_thread(self._close)

    def _by_words(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        with self._errors(library):
            words = self._words.embed_query(text)
        if not words.indices:
            self._folders.existing(library)
            return []
        return self._ranked(library, edge.Query.Nearest(words, using=SPARSE), where, limit)

    def _ranked(self, library: str, query: edge.Query, where: PassageFilter, limit: int) -> list[Ranked]:
        shard = self._existing(library)
        if shard is None or limit < 1:
            return []
        condition = self._condition(library, where)
        size = limit + 1
        while True:
            rows = self._rows(shard, library, query, condition, size)
            if len(rows) < size or size > TIE_ROWS or rows[limit - 1].score > rows[-1].score:
                break
            size *= 2
        ranked = [Ranked(str(row.id), row.score, (row.payload or {})["event_order"]) for row in rows]
        return sorted(ranked, key=lambda row: (-row.score, row.event_order, row.id))[:limit]

    def _condition(self, library: str, where: PassageFilter) -> edge.Filter:
        with self._errors(library):
            return typed_filter(library, where)

    def _rows(
        self, shard: edge.EdgeShard, library: str, query: edge.Query, condition: edge.Filter, size: int
    ) -> list[edge.ScoredPoint]:
        with self._errors(library):
            return shard.query(
                edge.QueryRequest(
                    limit=size, query=query, filter=condition, with_payload=["event_order"], params=search_params()
                )
            )

    def _fetch(self, library: str, ids: Sequence[str], vector: Sequence[float] | None) -> list[ScoredPassage]:
        shard = self._existing(library)
        points = _point_ids(ids)
        if shard is None or not points:
            return []
        with self._errors(library):
            if vector is None:
                plain = [(row, None) for row in shard.retrieve(points, True, False)]
                found = {str(row.id): ScoredPassage(to_passage(row), score) for row, score in plain}
            else:
                query = edge.Query.Nearest(list(vector), using=DENSE)
                rows = shard.query(_compare(query, points))
                found = {str(row.id): ScoredPassage(to_passage(row), min(1.0, max(0.0, row.score))) for row in rows}
        return [found[id] for id in ids if id in found]

    def _scroll(self, library: str, where: PassageFilter, limit: int | None) -> list[Passage]:
        shard = self._existing(library)
        if shard is None:
            return []
        found: dict[str, edge.Record] = {}
        condition, start, size = self._condition(library, where), 0, PAGE_ROWS
        while True:
            page = self._page(shard, library, condition, start, size)
            found.update((str(record.id), record) for record in page)
            last = _order(page[-1]) if page else start
            if len(page) < size or (limit is not None and sum(_order(row) < last for row in found.values()) >= limit):
                break
            # A page begins at the last value of the one before: a value that fills a page needs a bigger one.
            start, size = last, size * 2 if last == start else PAGE_ROWS
        rows = sorted(found.values(), key=lambda row: (_order(row), str(row.id)))
        return [to_passage(row) for row in rows[:limit]]

    def _page(
        self, shard: edge.EdgeShard, library: str, condition: edge.Filter, start: int, size: int
    ) -> list[edge.Record]:
        order = edge.OrderBy("event_order", edge.Direction.Asc, start_from=start)
        with self._errors(library):
            records, _ = shard.scroll(
                edge.ScrollRequest(limit=size, filter=condition, with_payload=True, order_by=order)
            )
        return records

    def _count(self, library: str, where: PassageFilter) -> int:
        shard = self._existing(library)
        if shard is None:
            return 0
        with self._errors(library):
            return shard.count(edge.CountRequest(exact=True, filter=typed_filter(library, where)))

    def _upsert(self, library: str, passages: Sequence[Passage], vectors: Sequence[Sequence[float]]) -> None:
        if not passages:
            return
        shard = self._created(library, len(vectors[0]))
        pairs = list(zip(passages, vectors, strict=True))
        with self._errors(library):
            for begin in range(0, len(pairs), WRITE_ROWS):
                require_space(self._folders.path(library))
                points = [self._point(passage, vector) for passage, vector in pairs[begin : begin + WRITE_ROWS]]
                shard.update(edge.UpdateOperation.upsert_points(points))
            shard.flush()

    def _point(self, passage: Passage, vector: Sequence[float]) -> edge.Point:
        vectors: dict[str, edge.NamedVector] = {
            DENSE: list(vector),
            SPARSE: self._words.embed_document(passage.text),
        }
        return edge.Point(passage.id, vectors, to_payload(passage))

    def _reorder(self, library: str, orders: Mapping[str, int]) -> None:
        shard = self._existing(library)
        if shard is None or not orders:
            return
        with self._errors(library):
            known = {str(record.id) for record in shard.retrieve(_point_ids(orders), False, False)}
            for id, order in orders.items():
                if id in known:
                    shard.update(edge.UpdateOperation.set_payload([id], {"event_order": order}))
            shard.flush()

    def _delete(self, library: str, ids: list[str]) -> int:
        shard = self._existing(library)
        if shard is None or not ids:
            return 0
        with self._errors(library):
            known = {record.id for record in shard.retrieve(_point_ids(ids), False, False)}
            shard.update(edge.UpdateOperation.delete_points(list(known)))
            shard.flush()
        return len(known)

    def _optimize(self, library: str) -> None:
        shard = self._existing(library)
        if shard is not None:
            with self._errors(library):
                require_space(self._folders.path(library), copied=SHARD_FOLDER)
                shard.optimize()
                shard.flush()

    def _existing(self, library: str) -> edge.EdgeShard | None:
        """Return the open shard; None for a library that has no passages yet. Raises LibraryNotFound."""
        with self._guard:
            if library not in self._shards:
                path = self._folders.existing(library) / SHARD_FOLDER
                if not (path / SHARD_CONFIG).exists():
                    return None
                with self._errors(library):
                    self._shards[library] = edge.EdgeShard.load(str(path))
            return self._shards[library]

    def _created(self, library: str, dimension: int) -> edge.EdgeShard:
        path = self._folders.created(library) / SHARD_FOLDER
        shard = self._existing(library)
        if shard is not None:
            return shard
        with self._guard, self._errors(library):
            require_space(path.parent)
            path.mkdir(exist_ok=True)
            shard = edge.EdgeShard.create(str(path), shard_config(dimension))
            for operation in field_indexes():
                shard.update(operation)
            self._shards[library] = shard
            return shard

    def _close(self) -> None:
        with self._guard:
            for library, shard in self._shards.items():
                with self._errors(library):
                    shard.flush()
                    shard.close()
            self._shards.clear()
            self._folders.close()

    @contextmanager
    def _errors(self, library: str) -> Iterator[None]:
        try:
            yield
        except BaseException as error:  # the engine raises bare Exception, and a panic derives from BaseException
            if isinstance(error, WenmaiError) or not _of_engine(error):
                raise
            if "dimension error" in str(error):
                raise EmbedderMismatch(
                    f"资料库 {library} 的向量维度与当前嵌入模型不符（{error}）："
                    "请换回建库时的 EMBEDDING_MODEL，或重新 wenmai ingest"
                ) from error
            raise store_error(error, self._folders.path(library) / SHARD_FOLDER) from error


def _of_engine(error: BaseException) -> bool:
    """Tell whether an error comes from the engine or the disk, and not from our own code."""
    panic = type(error).__name__ == "PanicException"
    return panic or type(error) is Exception or isinstance(error, OSError) or NOT_TEXT in str(error)


def _order(record: edge.Record) -> int:
    return int((record.payload or {})["event_order"])


def _point_ids(ids: Iterable[str]) -> list[int | UUID | str]:
    """Return the ids that can be points (PLA-23); others are unknown ids, not errors."""
    return [id for id in ids if UUID_TEXT.fullmatch(id)]


def _compare(query: edge.Query, points: list[int | UUID | str]) -> edge.QueryRequest:
    """Ask for the exact cosine of these points with their payloads."""
    only = edge.Filter(must=[edge.HasIdCondition(set(points))])
    exact = edge.SearchParams(exact=True)
    return edge.QueryRequest(limit=len(points), query=query, filter=only, with_payload=True, params=exact)
