"""What a new shard of Qdrant Edge is made of, and how a search walks its graph."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import qdrant_edge as edge

from tools.wording import Words
from wenmai.stores.files.refusals import Content
from wenmai.stores.records.conditions import (
    Condition,
    Dated,
    Equals,
    Filter,
    HasId,
    IsEmpty,
    Nested,
    OneOf,
    Within,
)
from wenmai.stores.records.points import (
    DENSE,
    EXACT_KILOBYTES,
    GRAPH_EFFORT,
    GRAPH_LINKS,
    NO_GLOBAL_LINKS,
    SCAN_KILOBYTES,
    SEARCH_EFFORT,
    SEARCH_SELECTIVITY,
    SPARSE,
    IndexKind,
)


def edge_filter(filter: Filter) -> edge.Filter:
    """Return a filter for the engine. Raises UnicodeEncodeError for a text that is none."""
    return edge.Filter(must=_each(filter.must), should=_each(filter.should), must_not=_each(filter.must_not))


def _each(conditions: Sequence[Condition]) -> "list[edge.ConditionType] | None":
    return [_condition(one) for one in conditions] or None


def _condition(condition: Condition) -> "edge.ConditionType":
    match condition:
        case Filter():
            return edge_filter(condition)
        case Equals(field, value):
            return edge.FieldCondition(field, match=edge.MatchValue(value))
        case OneOf(field, values):
            return edge.FieldCondition(field, match=edge.MatchAny(list(values)))
        case Within(field, gt, gte, lt, lte):
            return edge.FieldCondition(field, range=edge.RangeFloat(gt=gt, gte=gte, lt=lt, lte=lte))
        case Dated(field, since, until):
            return edge.FieldCondition(field, range=edge.RangeDateTime(gte=_iso(since), lt=_iso(until)))
        case HasId(ids):
            return edge.HasIdCondition(set(ids))
        case IsEmpty(field):
            return edge.IsEmptyCondition(field)
        case Nested(field, filter):
            return edge.NestedCondition(field, edge_filter(filter))


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


KEYWORD = edge.KeywordIndexParams(enable_hnsw=False)
TENANT = edge.KeywordIndexParams(is_tenant=True, enable_hnsw=False)
LINKED_TENANT = edge.KeywordIndexParams(is_tenant=True, enable_hnsw=True)
INTEGER = edge.IntegerIndexParams(lookup=True, range=True, enable_hnsw=False)
DATETIME = edge.DatetimeIndexParams(enable_hnsw=False)
EXACT = edge.SearchParams(exact=True)


def shard_config(dimension: int) -> edge.EdgeConfig:
    """Return the settings of a shard that is searched as a whole."""
    links = edge.HnswIndexConfig(GRAPH_LINKS, GRAPH_EFFORT, SCAN_KILOBYTES, memory=edge.Memory.Cached)
    return _config(dimension, links, edge.Memory.Cold)


def tenant_config(dimension: int) -> edge.EdgeConfig:
    """Return the settings of a shard that is searched one tenant at a time: links are made inside each alone."""
    links = edge.HnswIndexConfig(
        NO_GLOBAL_LINKS, GRAPH_EFFORT, SCAN_KILOBYTES, payload_m=GRAPH_LINKS, memory=edge.Memory.Cached
    )
    # A search reads all of a user's memories: cold, a user's first one took twice as long (11.7 and 12.7 ms at
    # 100,000 memories, 6.3 and 7.8 ms so; benchmarks/memory.py --scale).
    return _config(dimension, links, edge.Memory.Cached)


def _config(dimension: int, links: edge.HnswIndexConfig, payloads: edge.Memory) -> edge.EdgeConfig:
    """Return settings with cosine and IDF, both kept on disk and cached by the system."""
    return edge.EdgeConfig(
        vectors={
            DENSE: edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine, memory=edge.Memory.Cached)
        },
        sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf, memory=edge.Memory.Cached)},
        payload_memory=payloads,
        hnsw_config=links,
        optimizers=edge.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=EXACT_KILOBYTES),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """What a new shard is made of, what its errors call it, and what to do when its vectors have another dimension.

    Attributes:
        folder: of the shard, inside that of its library or collection.
        fields: what is indexed.
        tenant: how the tenant among them is; a shard of one library has none.
    """

    folder: str
    config: Callable[[int], edge.EdgeConfig]
    fields: Mapping[str, IndexKind]
    tenant: edge.KeywordIndexParams
    remedy: Words
    content: Content

    def indexes(self) -> dict[str, edge.UpdateOperation]:
        kinds: dict[IndexKind, Any] = {
            "keyword": KEYWORD,
            "tenant": self.tenant,
            "integer": INTEGER,
            "datetime": DATETIME,
        }
        return {
            field: edge.UpdateOperation.create_field_index(field, kinds[kind]) for field, kind in self.fields.items()
        }


def search_params() -> edge.SearchParams:
    """Return how a graph is walked; ACORN keeps its recall under a filter. Exact searches ignore them."""
    acorn = edge.AcornSearchParams(True, SEARCH_SELECTIVITY)
    return edge.SearchParams(hnsw_ef=SEARCH_EFFORT, acorn=acorn)
