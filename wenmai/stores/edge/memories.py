"""Memories of all users in Qdrant Edge: one shard."""

from pathlib import Path

from tools.memory.keywords import embedded_text, searched_text
from tools.messages import Message
from wenmai.stores.edge.schema import LINKED_TENANT, Schema, tenant_config
from wenmai.stores.edge.store import CollectionPlan, CollectionPoints, EdgeStore
from wenmai.stores.files.refusals import Content
from wenmai.stores.records.memories import to_memory
from wenmai.stores.records.points import MEMORY_INDEXES, MEMORY_WORDS
from wenmai.stores.vectors.memories import VectorMemoryStore

MEMORIES = "memories"
SCHEMA = Schema(
    folder="points",
    config=tenant_config,
    fields=MEMORY_INDEXES,
    tenant=LINKED_TENANT,
    remedy=Message("store.or_export_and_import"),
    content=Content(Message("store.memory_store"), Message("store.restore_memories")),
)
PLAN = CollectionPlan(
    MEMORIES,
    Message("count.memories"),
    MEMORY_WORDS,
    SCHEMA,
    embedded=lambda record: embedded_text(to_memory(record)),
    worded=lambda record: searched_text(to_memory(record)),
)


def edge_memories(data_dir: Path, embedder: str) -> VectorMemoryStore:
    """Return the memories below a folder. The shard opens at first use; calls run in threads."""
    return VectorMemoryStore(CollectionPoints(EdgeStore(data_dir, PLAN, embedder)))
