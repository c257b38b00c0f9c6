"""What Qdrant Edge is asked: shard settings and typed filters."""

from collections.abc import Sequence

import qdrant_edge as edge

from tools.records import Horizon, PassageFilter

DENSE = "dense"
SPARSE = "sparse"
AVERAGE_TOKENS = 280  # measured: 450 characters of 三国演义; Bm25 normalises lengths with it
# Below this size of a segment's vectors every search is exact, and nothing needs building: 20,000 vectors of 384
# dimensions are compared in 4 ms. Above it, optimize() builds a graph.
EXACT_KILOBYTES = 40_000
GRAPH_LINKS = 16
GRAPH_EFFORT = 64  # recall@50 0.999 at 20,000 points, as with 100, in two thirds of the time
SCAN_KILOBYTES = 40_000  # a filter that leaves fewer vectors than this is answered exactly
# Measured at 200,000 points (benchmarks/growth.py): recall@10 is 0.99 without a filter and with filters that leave 15,
# 20, 33, 50 and 80 % of the rows; an effort of 256 finds no more in twice the time. At 30,000 points the engine's
# defaults gave a recall@50 of 0.28 under a filter on a sixth of them; walked without ACORN it is 0.74 here.
SEARCH_EFFORT = 128
SEARCH_SELECTIVITY = 0.7

KEYWORD_FIELDS = ("library", "task_id", "entities", "characters", "series_name", "veiled", "known_as")
INTEGER_FIELDS = ("chapter", "event_order", "part")


def shard_config(dimension: int) -> edge.EdgeConfig:
    """Return the settings of a new shard: cosine and IDF, both kept on disk and cached by the system."""
    return edge.EdgeConfig(
        vectors={
            DENSE: edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine, memory=edge.Memory.Cached)
        },
        sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf, memory=edge.Memory.Cached)},
        payload_memory=edge.Memory.Cold,
        hnsw_config=edge.HnswIndexConfig(GRAPH_LINKS, GRAPH_EFFORT, SCAN_KILOBYTES, memory=edge.Memory.Cached),
        optimizers=edge.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=EXACT_KILOBYTES),
    )


def search_params() -> edge.SearchParams:
    """Return how a graph is walked; ACORN keeps its recall under a filter. Exact searches ignore them."""
    acorn = edge.AcornSearchParams(True, SEARCH_SELECTIVITY)
    return edge.SearchParams(hnsw_ef=SEARCH_EFFORT, acorn=acorn)


def field_indexes() -> dict[str, edge.UpdateOperation]:
    """Return by field the operations that make the payload indexes of STO-04 and of the spoiler guard."""
    keyword = edge.KeywordIndexParams(enable_hnsw=False)
    integer = edge.IntegerIndexParams(lookup=True, range=True, enable_hnsw=False)
    return {
        **{name: edge.UpdateOperation.create_field_index(name, keyword) for name in KEYWORD_FIELDS},
        **{name: edge.UpdateOperation.create_field_index(name, integer) for name in INTEGER_FIELDS},
    }


def word_model() -> edge.Bm25:
    """Return the tokenizer and term weights that both Qdrant engines share."""
    return edge.Bm25(edge.Bm25Config(tokenizer=edge.TokenizerType.Multilingual, avg_len=AVERAGE_TOKENS))


def typed_filter(library: str, where: PassageFilter) -> edge.Filter:
    """Return the conditions of `where` for the engine (S000-D02)."""
    must: list[edge.ConditionType] = [_equals("library", library)]
    if where.chapters is not None:
        low, high = where.chapters
        must.append(edge.FieldCondition("chapter", range=edge.RangeFloat(gte=low, lte=high)))
    if where.entity is not None:
        must.append(_named((where.entity,), where.horizon))
    if where.any_entity:
        must.append(_named(where.any_entity, where.horizon))
    if where.task_id is not None:
        must.append(_equals("task_id", where.task_id))
    if where.horizon is not None:
        must.append(_visible(where.horizon))
    return edge.Filter(must=must)


def passage_text(record: edge.Record) -> str:
    """Return what is embedded of a passage, and indexed by its words."""
    return str((record.payload or {})["text"])


def _equals(field: str, value: str | int) -> edge.FieldCondition:
    return edge.FieldCondition(field, match=edge.MatchValue(value))


def _named(names: Sequence[str], horizon: Horizon | None) -> edge.FieldCondition | edge.Filter:
    """Return the condition that a passage names one of these, as a reader at the horizon knows them."""
    if horizon is None:
        return edge.FieldCondition("entities", match=edge.MatchAny(list(names)))
    return edge.Filter(should=[branch for name in names for branch in _known(name, horizon)])


def _known(name: str, horizon: Horizon) -> list[edge.Filter]:
    """Return the conditions that may hold: the name is no secret here, it is told by now, or a guise bears it."""
    hidden = edge.NestedCondition("guises", edge.Filter(must=[_equals("entity", name), _after("until", horizon)]))
    worn: list[edge.ConditionType] = [_equals("known_as", name), _reached("since", horizon), _after("until", horizon)]
    return [
        edge.Filter(must=[_equals("entities", name)], must_not=[_equals("veiled", name)]),
        edge.Filter(must=[_equals("entities", name), _equals("veiled", name)], must_not=[hidden]),
        edge.Filter(must=[_equals("known_as", name), edge.NestedCondition("guises", edge.Filter(must=worn))]),
    ]


def _after(mark: str, horizon: Horizon) -> edge.Filter:
    """Return the condition that a position of a guise lies beyond the horizon."""
    beyond = edge.RangeFloat(gt=horizon.chapter)
    here: list[edge.ConditionType] = [
        _equals(f"{mark}_part", horizon.part),
        edge.FieldCondition(f"{mark}_chapter", range=beyond),
    ]
    later = edge.FieldCondition(f"{mark}_part", range=edge.RangeFloat(gt=horizon.part))
    return edge.Filter(should=[later, edge.Filter(must=here)])


def _reached(mark: str, horizon: Horizon) -> edge.Filter:
    """Return the condition that a position of a guise lies before the horizon or at it."""
    return edge.Filter(must_not=[_after(mark, horizon)])


def _visible(horizon: Horizon) -> edge.Filter:
    in_part: list[edge.ConditionType] = [
        _equals("part", horizon.part),
        edge.FieldCondition("chapter", range=edge.RangeFloat(lte=horizon.chapter)),
    ]
    # A passage of an earlier part is hidden too when it has no chapter (STO-19): the range asks for one.
    earlier: list[edge.ConditionType] = [
        edge.FieldCondition("part", range=edge.RangeFloat(lt=horizon.part)),
        edge.FieldCondition("chapter", range=edge.RangeFloat(gte=0)),
    ]
    return edge.Filter(should=[edge.Filter(must=earlier), edge.Filter(must=in_part)])
