"""Memories of all users in Qdrant Edge: one shard."""

from pathlib import Path

from tools.memory.keywords import embedded_text, searched_text
from tools.wording import Words
from wenmai.stores.edge.schema import LINKED_TENANT, Schema, tenant_config
from wenmai.stores.edge.store import CollectionPlan, CollectionPoints, EdgeStore
from wenmai.stores.files.refusals import Content
from wenmai.stores.records.memories import to_memory
from wenmai.stores.records.points import MEMORY_INDEXES, MEMORY_LABEL, MEMORY_WORDS, REIMPORT
from wenmai.stores.vectors.memories import VectorMemoryStore

MEMORIES = "memories"
UNREADABLE = Words(
    "请从备份恢复 DATA_DIR/.collections/memories，或删除它后用 wenmai memory import 重新导入",
    "restore DATA_DIR/.collections/memories from a backup, or delete it and wenmai memory import again",
)
SCHEMA = Schema(
    folder="points",
    config=tenant_config,
    fields=MEMORY_INDEXES,
    tenant=LINKED_TENANT,
    remedy=REIMPORT,
    content=Content(Words("记忆库", "the store of memories"), UNREADABLE),
)
PLAN = CollectionPlan(
    MEMORIES,
    MEMORY_LABEL,
    MEMORY_WORDS,
    SCHEMA,
    embedded=lambda record: embedded_text(to_memory(record)),
    worded=lambda record: searched_text(to_memory(record)),
)


def edge_memories(data_dir: Path, embedder: str) -> VectorMemoryStore:
    """Return the memories below a folder. The shard opens at first use; calls run in threads."""
    return VectorMemoryStore(CollectionPoints(EdgeStore(data_dir, PLAN, embedder)))
