"""What Qdrant Edge is asked about memories: shard settings and typed filters."""

from typing import Any

import qdrant_edge as edge

from tools.memory.records import MemoryFilter
from wenmai.stores.edge.query import DENSE, EXACT_KILOBYTES, GRAPH_EFFORT, GRAPH_LINKS, SCAN_KILOBYTES, SPARSE
from wenmai.stores.records.memory_payload import STATES, checked

KEYWORD_FIELDS = ("state", "memory_key", "memory_type", "thread_id", "superseded_by")
# No search is without its user: links over all users' vectors would never be walked.
NO_GLOBAL_LINKS = 0


def memory_config(dimension: int) -> edge.EdgeConfig:
    """Return the settings of a new shard: links are made inside each user's memories alone."""
    links = edge.HnswIndexConfig(
        NO_GLOBAL_LINKS, GRAPH_EFFORT, SCAN_KILOBYTES, payload_m=GRAPH_LINKS, memory=edge.Memory.Cached
    )
    return edge.EdgeConfig(
        vectors={
            DENSE: edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine, memory=edge.Memory.Cached)
        },
        sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf, memory=edge.Memory.Cached)},
        # A search reads all of a user's memories: cold, a user's first one took twice as long (11.7 and 12.7 ms at
        # 100,000 memories, 6.3 and 7.8 ms so; benchmarks/memory.py --scale).
        payload_memory=edge.Memory.Cached,
        hnsw_config=links,
        optimizers=edge.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=EXACT_KILOBYTES),
    )


def memory_indexes() -> dict[str, edge.UpdateOperation]:
    """Return by field the operations that make the payload indexes; user_id is the tenant."""
    keyword = edge.KeywordIndexParams(enable_hnsw=False)
    kinds: dict[str, Any] = {
        "user_id": edge.KeywordIndexParams(is_tenant=True, enable_hnsw=True),
        **dict.fromkeys(KEYWORD_FIELDS, keyword),
        "created_at": edge.DatetimeIndexParams(enable_hnsw=False),
    }
    return {name: edge.UpdateOperation.create_field_index(name, kind) for name, kind in kinds.items()}


def owned_by(user_id: str) -> edge.Filter:
    """Return the condition that stands in every query. Raises InputError for a blank user."""
    return edge.Filter(must=[_equals("user_id", checked(user_id))])


def memory_filter(user_id: str, where: MemoryFilter) -> edge.Filter:
    """Return the user and the conditions of `where` for the engine."""
    must: list[edge.ConditionType] = [_equals("user_id", checked(user_id))]
    if where.active is not None:
        must.append(_equals("state", STATES[where.active]))
    if where.types:
        must.append(edge.FieldCondition("memory_type", match=edge.MatchAny(list(where.types))))
    if where.since is not None or where.until is not None:
        since, until = (None if at is None else at.isoformat() for at in (where.since, where.until))
        must.append(edge.FieldCondition("created_at", range=edge.RangeDateTime(gte=since, lt=until)))
    if where.thread_id is not None:
        must.append(_equals("thread_id", where.thread_id))
    if where.superseded_by is not None:
        must.append(_equals("superseded_by", where.superseded_by))
    return edge.Filter(must=must)


def _equals(field: str, value: str) -> edge.FieldCondition:
    return edge.FieldCondition(field, match=edge.MatchValue(value))
