"""Points of a vector engine: as they are written, as they come back, and how their pages and rankings are cut."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from wenmai.stores.records.vector_policy import DENSE, PAGE_ROWS, TIE_ROWS

UUID_TEXT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class NewPoint:
    """A point to write: its dense vector, the text that is indexed by its words, and its payload."""

    id: str
    vector: Sequence[float]
    text: str
    payload: dict[str, Any]


class StoredPoint(Protocol):
    """A point as any engine returns it."""

    @property
    def id(self) -> object:
        """The point's id."""
        ...

    @property
    def payload(self) -> Mapping[str, Any] | None:
        """What is stored beside the vectors."""
        ...


class ScoredPoint(StoredPoint, Protocol):
    """A point of a ranking."""

    @property
    def score(self) -> float:
        """Its cosine, or BM25."""
        ...


class VectorPoint(StoredPoint, Protocol):
    """A point that was read with its vectors."""

    @property
    def vector(self) -> object:
        """The vectors by their names."""
        ...


Row = TypeVar("Row", bound=StoredPoint)


def point_ids(ids: Iterable[str]) -> list[str]:
    """Return the different ids that can be points, sorted; others are unknown ids, not errors."""
    return sorted({id for id in ids if UUID_TEXT.fullmatch(id)})


def dense_vector(point: VectorPoint) -> list[float]:
    """Return the dense vector of a point. Raises TypeError for one that was read without vectors."""
    named = point.vector
    if not isinstance(named, dict):
        raise TypeError(f"a point without named vectors: {point.id}")
    return [float(value) for value in named[DENSE]]


def event_order(point: StoredPoint) -> int:
    """Return the story position of a stored passage."""
    return int((point.payload or {})["event_order"])


def has_all_ties(rows: Sequence[ScoredPoint], asked: int, limit: int) -> bool:
    """Return True if a ranking holds every row that equals the last of `limit`, or `asked` is more than ties may cost.

    Args:
        rows: what the engine returned, best first.
        asked: how many rows it was asked for, more than `limit`.
        limit: where the ranking will be cut.
    """
    return len(rows) < asked or asked > TIE_ROWS or rows[limit - 1].score > rows[-1].score


class StoryScroll(Generic[Row]):
    """Collects the pages of an engine that pages by `event_order`, until `limit` rows are certain or all are there."""

    def __init__(self, limit: int | None) -> None:
        self.start = 0
        self.size = PAGE_ROWS
        self.is_complete = False
        self._limit = limit
        self._rows: dict[str, Row] = {}

    def add(self, page: Sequence[Row]) -> None:
        """Take the page of `size` rows from position `start` on, and set the next one."""
        self._rows.update((str(row.id), row) for row in page)
        last = event_order(page[-1]) if page else self.start
        self.is_complete = len(page) < self.size or self._is_enough(last)
        # A page begins at the last value of the one before: a value that fills a page needs a bigger one.
        self.size = self.size * 2 if last == self.start else PAGE_ROWS
        self.start = last

    def rows(self) -> list[Row]:
        """Return the rows by story position, at most `limit`."""
        return sorted(self._rows.values(), key=lambda row: (event_order(row), str(row.id)))[: self._limit]

    def _is_enough(self, last: int) -> bool:
        """Return True if `limit` rows lie before the last position, which the next page may go on with."""
        return self._limit is not None and sum(event_order(row) < last for row in self._rows.values()) >= self._limit
