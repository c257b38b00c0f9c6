"""What `memory.py` beside it asks: the graph memory_recall, the tool search_memories, and vectors made once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from graph.recall_builder import GraphRecall, RecallDependencies, build_recall
from tools.base import Scope
from tools.memory.ranking import MemoryRanking
from tools.memory.records import MemoryQuery
from tools.ports import Embedder
from wenmai.app.clock import now
from wenmai.app.container import Services


class Searcher(Protocol):
    """What ranks the turns of a user for a question."""

    async def search(self, user: str, question: str, limit: int) -> list[str]:
        """Return the keys of the best turns."""
        ...


@dataclass
class KeptVectors:
    """An embedder that embeds no text twice: every system compares the same vectors."""

    inner: Embedder
    kept: dict[str, list[float]]

    @property
    def name(self) -> str:
        """Identity of the model."""
        return self.inner.name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self.inner.dimension

    def expect_queries(self, texts: Sequence[str]) -> None:
        """Nothing to prepare."""

    async def embed_query(self, text: str) -> list[float]:
        """Embed a search query."""
        return await self.inner.embed_query(text)

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed passages that are new."""
        new = [text for text in dict.fromkeys(texts) if text not in self.kept]
        self.kept.update(zip(new, await self.inner.embed_passages(new), strict=True))
        return [self.kept[text] for text in texts]


@dataclass(frozen=True, slots=True)
class Ours:
    """What `recall_memories` gives the agent: the graph memory_recall with the offline mind, from query to handoff."""

    recall: GraphRecall

    async def search(self, user: str, question: str, limit: int) -> list[str]:
        """Return the keys of the memories of the record, in its order."""
        recalled = await self.recall(question, Scope(library="", user_id=user))
        return [row["memory_key"] for row in recalled.record["memories"]][:limit]


def recall_of(services: Services) -> GraphRecall:
    """Return the product's recall, by rule even where a key is set: a benchmark pays no model."""
    parts = RecallDependencies(
        mind=services.assembly.offline,
        reader=services.assembly.memory_reader,
        catalog=services.catalog,
        policy=services.settings.policy(),
        clock=now,
    )
    return GraphRecall(build_recall(parts))


@dataclass(frozen=True, slots=True)
class Hybrid:
    """The tool search_memories in its default mode."""

    ranking: MemoryRanking

    async def search(self, user: str, question: str, limit: int) -> list[str]:
        """Return the keys of the best turns."""
        found = await self.ranking.find(user, MemoryQuery(query=question, limit=limit, min_score=0.0))
        return [one.memory.memory_key for one in found.found]
