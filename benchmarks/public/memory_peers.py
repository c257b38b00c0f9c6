"""What the recall of memories is measured beside: a plain BM25, and LangGraph's InMemoryStore."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from langgraph.store.memory import InMemoryStore
from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]  # it ships no types

from tools.memory.keywords import embedded_text
from tools.memory.records import Memory
from tools.ports import Embedder

TOKENS = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")


def tokens(text: str) -> list[str]:
    """Return words of letters, character bigrams of Chinese."""
    found: list[str] = []
    for run in TOKENS.findall(text.lower()):
        found += [run] if run.isascii() or len(run) == 1 else ["".join(pair) for pair in pairwise(run)]
    return found


@dataclass
class PlainBm25:
    """BM25 over single turns."""

    indexes: dict[str, tuple[BM25Okapi, list[str]]] = field(default_factory=dict)

    async def put(self, user: str, memories: Sequence[Memory]) -> None:
        """Index a user's turns."""
        index = BM25Okapi([tokens(one.content) or [""] for one in memories])
        self.indexes[user] = (index, [one.memory_key for one in memories])

    async def search(self, user: str, question: str, limit: int) -> list[str]:
        """Return the keys of the best turns."""
        index, keys = self.indexes[user]
        scores = index.get_scores(tokens(question))
        return [keys[at] for at in sorted(range(len(keys)), key=lambda at: (-scores[at], at))[:limit]]


class LangGraphMemory:
    """InMemoryStore with a vector index over the same embeddings, a namespace for each user."""

    def __init__(self, embedder: Embedder) -> None:
        self._asks = False

        async def embed(texts: Sequence[str]) -> list[list[float]]:
            # The store embeds what it keeps and what it is asked alike.
            if self._asks:
                return [await embedder.embed_query(text) for text in texts]
            return await embedder.embed_passages(texts)

        self._store = InMemoryStore(index={"dims": embedder.dimension, "embed": embed, "fields": ["text"]})

    async def put(self, user: str, memories: Sequence[Memory]) -> None:
        """Store a user's turns; one batch may hold a text only once, or the store misses vectors."""
        from langgraph.store.base import PutOp

        self._asks = False
        rounds: dict[int, list[PutOp]] = defaultdict(list)
        seen: Counter[str] = Counter()
        for memory in memories:
            text = embedded_text(memory)
            rounds[seen[text]].append(PutOp((user,), memory.memory_key, {"text": text}))
            seen[text] += 1
        for batch in rounds.values():
            await self._store.abatch(batch)

    async def search(self, user: str, question: str, limit: int) -> list[str]:
        """Return the keys of the best turns."""
        self._asks = True
        return [item.key for item in await self._store.asearch((user,), query=question, limit=limit)]
