"""What every vector engine does alike: names of vectors, sizes of pages, effort of a search, indexed fields."""

from collections.abc import Mapping
from typing import Literal

DENSE = "dense"
SPARSE = "sparse"

PAGE_ROWS = 1_000
WRITE_ROWS = 500
TIE_ROWS = 4_096  # rows read at most to order equal scores at the cut

# Words of a text that are no stop words; BM25 normalises lengths with it.
PASSAGE_WORDS = 280  # measured: 450 characters of 三国演义
CHUNK_WORDS = 280
MEMORY_WORDS = 20

# Below this size of a segment's vectors every search is exact, and nothing needs building: 20,000 vectors of 384
# dimensions are compared in 4 ms. Above it, the engine builds a graph.
EXACT_KILOBYTES = 40_000
GRAPH_LINKS = 16
GRAPH_EFFORT = 64  # recall@50 0.999 at 20,000 points, as with 100, in two thirds of the time
SCAN_KILOBYTES = 40_000  # a filter that leaves fewer vectors than this is answered exactly
NO_GLOBAL_LINKS = 0  # where no search is without its tenant, links over all tenants' vectors would never be walked
# Measured at 200,000 points (benchmarks/growth.py): recall@10 is 0.99 without a filter and with filters that leave 15,
# 20, 33, 50 and 80 % of the rows; an effort of 256 finds no more in twice the time. At 30,000 points the engine's
# defaults gave a recall@50 of 0.28 under a filter on a sixth of them; walked without ACORN it is 0.74 here.
SEARCH_EFFORT = 128
SEARCH_SELECTIVITY = 0.7

IndexKind = Literal["keyword", "tenant", "integer", "datetime"]
PASSAGE_INDEXES: Mapping[str, IndexKind] = {
    "library": "tenant",
    "task_id": "keyword",
    "entities": "keyword",
    "characters": "keyword",
    "series_name": "keyword",
    "veiled": "keyword",
    "known_as": "keyword",
    "chapter": "integer",
    "event_order": "integer",
    "part": "integer",
}
DOCUMENT_INDEXES: Mapping[str, IndexKind] = {
    "user_id": "tenant",
    "visibility": "keyword",
    "session_id": "keyword",
    "document_id": "keyword",
    "filename": "keyword",
    "mime_type": "keyword",
    "chunk_index": "integer",
}
MEMORY_INDEXES: Mapping[str, IndexKind] = {
    "user_id": "tenant",
    "state": "keyword",
    "memory_key": "keyword",
    "memory_type": "keyword",
    "thread_id": "keyword",
    "superseded_by": "keyword",
    "created_at": "datetime",
}
