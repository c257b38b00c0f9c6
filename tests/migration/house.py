"""A library in embedded engines, and stores to move it to."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.fakes import FakeEmbedder
from tests.integration.cli_story import STORY
from tests.qdrant_service.server import LoopbackQdrant
from tools.documents.records import PRELOADED, DocumentOwner
from tools.memory.records import Memory
from wenmai.ingestion.contracts import Stores
from wenmai.ingestion.library.changes import merge_entities
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.migration import Side
from wenmai.stores.catalog.catalog import SqliteCatalog
from wenmai.stores.edge.collections import edge_documents, edge_memories
from wenmai.stores.edge.passages import EdgePassageStore
from wenmai.stores.graph.ladybug import LadybugEngine
from wenmai.stores.graph.store import StoryGraphStore
from wenmai.stores.qdrant.server import qdrant_server
from wenmai.stores.qdrant.stores import qdrant_documents, qdrant_memories, qdrant_passages

LIBRARY = "白石渡"
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
RELATIONS = """{"source": "沈青", "type": "FAMILY_OF", "target": "沈河", "chapter": 1, "evidence": "她的哥哥沈河"}
{"source": "周老三", "type": "FRIEND_OF", "target": "阿满", "chapter": 2}
"""
embedder = FakeEmbedder()


def silent(part: str, done: int, total: int | None) -> None:
    """Show nothing."""


@dataclass
class House:
    """Stores of one side; every method opens them anew, as a process does."""

    folder: Path
    qdrant: LoopbackQdrant | None = None
    opened: list[Any] = field(default_factory=list)

    def side(self) -> Side:
        """Return the stores of libraries."""
        catalog = self.keep(SqliteCatalog(self.folder))
        if self.qdrant is None:
            passages: Any = EdgePassageStore(self.folder)
        else:
            passages = qdrant_passages(self.server(), "stories", "fake", catalog.info, catalog.owner)
        graph = self.keep(StoryGraphStore(LadybugEngine(self.folder)))
        return Side(stores=Stores(passages=self.keep(passages), graph=graph, catalog=catalog), catalog=catalog)

    def memories(self) -> Any:
        """Return the memories."""
        return self.keep(
            edge_memories(self.folder, "fake") if self.qdrant is None else qdrant_memories(self.server(), "fake")
        )

    def documents(self) -> Any:
        """Return the documents."""
        return self.keep(
            edge_documents(self.folder, "fake")
            if self.qdrant is None
            else qdrant_documents(self.server(), "fake", lambda: NOON)
        )

    def server(self) -> Any:
        assert self.qdrant is not None
        return qdrant_server(self.qdrant.url, None, 10)

    def keep(self, store: Any) -> Any:
        self.opened.append(store)
        return store

    async def close(self) -> None:
        for store in self.opened:
            await store.close()
        self.opened.clear()

    async def build(self, text: str = STORY) -> None:
        """Ingest a story with an imported relation, and merge two of its persons."""
        source = self.folder.parent / "书.txt"
        source.write_text(text, encoding="utf-8")
        relations = self.folder.parent / "relations.jsonl"
        relations.write_text(RELATIONS, encoding="utf-8")
        stores = self.side().stores
        request = IngestRequest(path=source, library=LIBRARY, title="白石渡的灯", graph_files=(relations,))
        await ingest(request, stores=stores, embedder=embedder)
        if text == STORY:
            await merge_entities(stores, LIBRARY, "周老三", "阿满")
        await self.close()


def memories(users: Sequence[str] = ("甲", "乙"), each: int = 3) -> list[Memory]:
    """Return some memories of some users."""
    return [
        Memory(memory_key=f"k{n}", user_id=user, content=f"{user}的第{n}条", created_at=NOON, is_active=n != 1)
        for user in users
        for n in range(each)
    ]


OWNERS = (DocumentOwner("甲", "t1"), DocumentOwner("乙", "t2"), PRELOADED)
