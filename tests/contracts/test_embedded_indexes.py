"""What Qdrant Edge itself says of a shard that the store made."""

import json
from pathlib import Path

import qdrant_edge as edge

from tests.contracts.test_passage_store import LIBRARY, passage, put
from tools.records import VisibleName
from wenmai.stores.edge.passages import SCHEMA, EdgePassageStore
from wenmai.stores.edge.shards import SHARD_CONFIG

KEYWORDS = {"library", "task_id", "entities", "characters", "series_name", "veiled", "known_as"}
GUISE = VisibleName(entity="曹操", known_as="阿瞒", since=(1, 1), until=(1, 2))
NUMBERS = {"chapter", "event_order", "part"}


async def made(folder: Path) -> Path:
    """Write one passage that fills every field and return the folder of its shard."""
    store = EdgePassageStore(folder)
    await put(store, [passage(1, entities=("曹操",), characters=("曹操",), series_name="四大名著", guises=(GUISE,))])
    await store.close()
    return folder / LIBRARY / SCHEMA.folder


async def test_the_fields_of_filters_are_indexed(tmp_path: Path) -> None:
    """STO-04: the seven fields, the library, the two of the guard, each by its type; the index holds the passage."""
    shard = edge.EdgeShard.load(str(await made(tmp_path)))
    schema = shard.info().payload_schema
    shard.close()
    kinds = {name: index.data_type for name, index in schema.items()}
    assert {name for name, kind in kinds.items() if kind == edge.PayloadSchemaType.Keyword} == KEYWORDS
    assert {name for name, kind in kinds.items() if kind == edge.PayloadSchemaType.Integer} == NUMBERS
    assert {name: index.points for name, index in schema.items()} == dict.fromkeys(KEYWORDS | NUMBERS, 1)


async def test_the_distance_is_cosine(tmp_path: Path) -> None:
    """STO-04: distance cosine."""
    written = json.loads((await made(tmp_path) / SHARD_CONFIG).read_text(encoding="utf-8"))
    assert [vector["distance"] for vector in written["vectors"].values()] == ["Cosine"]
