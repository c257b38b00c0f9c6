"""How pages and rankings of a vector engine are cut, and what a filter means to both engines."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
import qdrant_edge as edge

from tests.contracts.test_document_store import ME, doc
from tools.documents.records import DocumentScope
from tools.errors import InputError
from wenmai.stores.edge.collections import edge_documents
from wenmai.stores.edge.points import edge_filter
from wenmai.stores.qdrant.collection import server_filter
from wenmai.stores.vectors import qdrant
from wenmai.stores.vectors.conditions import (
    EVERYTHING,
    Condition,
    Dated,
    Equals,
    Filter,
    Nested,
    Within,
    all_of,
    any_of,
    has_id,
    one_of,
)
from wenmai.stores.vectors.points import ALL_FIELDS, Fields, dense_vector, has_all_ties, point_ids
from wenmai.stores.vectors.qdrant import PointClient, QdrantPoints
from wenmai.stores.vectors.words import passage_words

IDS = [f"00000000-0000-4000-8000-{n:012d}" for n in range(4)]


@dataclass(frozen=True)
class Row:
    id: str
    payload: dict[str, Any] = field(default_factory=dict)
    score: float = 0.0
    vector: object = None


def rows_at(*positions: int) -> list[Row]:
    return [Row(f"{n:03d}", {"event_order": position}) for n, position in enumerate(positions)]


class Pages:
    """A client that pages through rows by their place in the story, and counts the pages."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.pages = 0

    def errors(self) -> AbstractContextManager[None]:
        return nullcontext()

    async def exists(self) -> bool:
        return True

    async def story_page(self, condition: Filter, fields: Fields, start: int, size: int) -> list[Row]:
        self.pages += 1
        later = [row for row in self.rows if row.payload["event_order"] >= start]
        return sorted(later, key=lambda row: int(row.payload["event_order"]))[:size]


@pytest.mark.parametrize(
    ("positions", "limit", "pages"),
    [
        ((), None, 1),
        ((1, 2), None, 1),
        ((0, 1, 2, 3, 4, 5), None, 3),
        ((7, 7, 7, 7, 7, 9), None, 4),
        ((0, 1, 2, 3, 4, 5, 6, 7), 2, 1),
        ((1, 1, 1, 1, 2, 2), 3, 3),
    ],
)
async def test_pages_join_in_story_order(
    positions: tuple[int, ...], limit: int | None, pages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row comes once, also where more rows than a page holds share one position; a limit ends the reading."""
    monkeypatch.setattr(qdrant, "PAGE_ROWS", 3)
    client = Pages(rows_at(*positions))
    points = QdrantPoints(cast(PointClient, client), passage_words())
    found = await points.in_story_order(EVERYTHING, limit, ALL_FIELDS)
    assert [row.id for row in found] == [row.id for row in client.rows][:limit]
    assert client.pages == pages


@pytest.mark.parametrize(
    ("scores", "asked", "limit", "is_whole"),
    [
        ((0.9, 0.8), 3, 2, True),
        ((0.9, 0.8, 0.7), 3, 2, True),
        ((0.9, 0.8, 0.8), 3, 2, False),
        ((0.8, 0.8, 0.8), 3, 1, False),
    ],
)
def test_ties_at_the_cut(scores: tuple[float, ...], asked: int, limit: int, is_whole: bool) -> None:
    """A ranking is whole when its last row scores less than the last one that is kept, or no more rows came."""
    assert has_all_ties([Row("", score=score) for score in scores], asked, limit) is is_whole


def test_ties_end_somewhere() -> None:
    """Beyond TIE_ROWS equal scores are cut as they come."""
    rows = [Row("", score=0.5)] * 5000
    assert has_all_ties(rows, 5000, 10)


def test_ids_and_vectors() -> None:
    """Ids that no point can have are left out; a row that was read without vectors is an error of the program."""
    assert point_ids([IDS[2], "x", IDS[0], IDS[2], IDS[0].upper() + "g"]) == [IDS[0], IDS[2]]
    assert dense_vector(Row("a", vector={"dense": [1, 0.5]})) == [1.0, 0.5]
    with pytest.raises(TypeError, match="a point without named vectors: a"):
        dense_vector(Row("a"))


MARCH, MAY = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
PAYLOADS: list[dict[str, Any]] = [
    {"kind": "a", "n": 1, "at": MARCH.isoformat(), "parts": [{"x": "p", "y": 1}, {"x": "q", "y": 2}]},
    {"kind": "b", "n": 2, "at": MAY.isoformat(), "parts": [{"x": "p", "y": 2}]},
    {"kind": "c", "n": 3},
    {"kind": ["a", "c"], "n": 4},
]
CONDITIONS: list[tuple[Condition, list[int]]] = [
    (EVERYTHING, [0, 1, 2, 3]),
    (all_of(Equals("kind", "a"), Equals("n", 1)), [0]),
    (any_of(Equals("n", 1), Equals("n", 3)), [0, 2]),
    (Filter(must=(Within("n", gte=2),), must_not=(Equals("kind", "b"),)), [2, 3]),
    (one_of("kind", ("b", "c")), [1, 2, 3]),
    (Within("n", gt=1, lt=4), [1, 2]),
    (Within("n", gte=2, lte=3), [1, 2]),
    (Dated("at", MARCH, MAY), [0]),
    (Dated("at", since=MAY), [1]),
    (has_id([IDS[3], IDS[1]]), [1, 3]),
    (Nested("parts", all_of(Equals("x", "p"), Equals("y", 2))), [1]),
]


@pytest.fixture(scope="module")
def shard(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A shard of Qdrant Edge with PAYLOADS."""
    folder = tmp_path_factory.mktemp("shard")
    params = edge.EdgeVectorParams(size=2, distance=edge.Distance.Cosine)
    opened = edge.EdgeShard.create(str(folder), edge.EdgeConfig(vectors={"dense": params}))
    points = [edge.Point(id, {"dense": [1.0, 0.0]}, payload) for id, payload in zip(IDS, PAYLOADS, strict=True)]
    opened.update(edge.UpdateOperation.upsert_points(points))
    yield opened
    opened.close()


@pytest.mark.parametrize(("condition", "found"), CONDITIONS)
def test_a_filter_means_the_same_to_both_engines(shard: edge.EdgeShard, condition: Condition, found: list[int]) -> None:
    """Each kind of condition finds the same rows in Qdrant Edge as in the client's own engine."""
    from qdrant_client import QdrantClient, models

    only = condition if isinstance(condition, Filter) else all_of(condition)
    rows, _ = shard.scroll(edge.ScrollRequest(limit=10, filter=edge_filter(only)))
    assert sorted(str(row.id) for row in rows) == [IDS[n] for n in found]
    client = QdrantClient(":memory:")
    client.create_collection("c", vectors_config=models.VectorParams(size=2, distance=models.Distance.COSINE))
    points = [
        models.PointStruct(id=id, vector=[1.0, 0.0], payload=payload) for id, payload in zip(IDS, PAYLOADS, strict=True)
    ]
    client.upsert("c", points)
    records, _ = client.scroll("c", server_filter(only), limit=10)
    assert sorted(str(record.id) for record in records) == [IDS[n] for n in found]
    client.close()


async def test_a_scope_that_is_no_text(tmp_path: Path) -> None:
    """PLA-28: a lone surrogate in a user or a question is the caller's error, not a broken store."""
    store = edge_documents(tmp_path, "fake")
    await store.put(doc(1, "数据库"), [[1.0, 0.0]])
    for read in (store.documents(DocumentScope("\ud800", "t1")), store.sparse(ME, "\ud800", 5)):
        with pytest.raises(InputError, match="代理字符"):
            await read
    await store.close()
