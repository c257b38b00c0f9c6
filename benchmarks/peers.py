"""What the stores are measured beside: qdrant-client's local mode through langchain-qdrant, and plain BM25."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings
from langchain_qdrant import QdrantVectorStore, RetrievalMode
from langchain_qdrant.sparse_embeddings import SparseEmbeddings, SparseVector
from qdrant_client import QdrantClient, models
from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]  # it ships no types

from benchmarks.measures import latencies, memory, quantiles, timed
from benchmarks.synthetic import BATCH, batch, matches, queries
from tools.records import Passage, PassageFilter
from wenmai.stores.vectors.words import passage_words

COLLECTION = "peer"
DENSE, SPARSE = "dense", "sparse"


@dataclass
class GivenVectors(Embeddings):
    """Vectors that were made before, by text."""

    vectors: dict[str, list[float]]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        return [self.vectors[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return self.vectors[text]


class Words(SparseEmbeddings):
    """The sparse vectors that our own store uses."""

    def __init__(self) -> None:
        self._model = passage_words()

    def embed_documents(self, texts: list[str]) -> list[SparseVector]:
        """Return the weights of the words of texts."""
        rows = [self._model.embed_document(text) for text in texts]
        return [SparseVector(indices=list(row.indices), values=list(row.values)) for row in rows]

    def embed_query(self, text: str) -> SparseVector:
        """Return the words of a query."""
        row = self._model.embed_query(text)
        return SparseVector(indices=list(row.indices), values=list(row.values))


@dataclass(frozen=True)
class QdrantLocal:
    """A collection of qdrant-client's local mode on disk."""

    client: QdrantClient
    given: GivenVectors

    @classmethod
    def create(cls, folder: Path, dimension: int) -> "QdrantLocal":
        """Make an empty collection."""
        client = QdrantClient(path=str(folder))
        client.create_collection(
            COLLECTION,
            vectors_config={DENSE: models.VectorParams(size=dimension, distance=models.Distance.COSINE)},
            sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
        )
        return cls(client, GivenVectors({}))

    def store(self, mode: RetrievalMode) -> QdrantVectorStore:
        """Return the collection as langchain sees it."""
        return QdrantVectorStore(
            self.client,
            COLLECTION,
            embedding=self.given,
            sparse_embedding=Words(),
            retrieval_mode=mode,
            vector_name=DENSE,
            sparse_vector_name=SPARSE,
            validate_embeddings=False,
            validate_collection_config=False,
        )

    def add(self, passages: Sequence[Passage], vectors: Sequence[list[float]]) -> None:
        """Add passages with these vectors."""
        texts = [row.text for row in passages]
        self.given.vectors.update(zip(texts, vectors, strict=True))
        metadatas = [{"chapter": row.chapter, "entities": list(row.entities)} for row in passages]
        self.store(RetrievalMode.HYBRID).add_texts(texts, metadatas, [row.id for row in passages], batch_size=500)
        self.given.vectors.clear()


def qdrant_peer(folder: Path, size: int, count: int, filters: Mapping[str, PassageFilter], top: int) -> dict[str, Any]:
    """Build and ask a collection of qdrant-client's local mode."""
    vectors, texts = queries(count)
    peer = QdrantLocal.create(folder, vectors.shape[1])
    upserting = 0.0
    for number in range(size // BATCH):
        rows = batch(number)
        with timed() as watch:
            peer.add(rows.passages, rows.vectors.tolist())
        upserting += watch.seconds
    peer.given.vectors.update(zip(texts, vectors.tolist(), strict=True))
    figures: dict[str, Any] = {"upsert_s": round(upserting, 2)}
    modes = (RetrievalMode.DENSE, RetrievalMode.SPARSE, RetrievalMode.HYBRID)
    stores = {mode.value: peer.store(mode) for mode in modes}
    for name, where in filters.items():
        condition = condition_of(where)
        figures[name] = {
            kind: asked([partial(s.similarity_search_with_score, text, k=top, filter=condition) for text in texts])
            for kind, s in stores.items()
        }
    figures["memory"] = memory()
    peer.client.close()
    return figures


def asked(calls: Sequence[Callable[[], Any]]) -> dict[str, float]:
    """Measure blocking calls, after one to warm up."""
    calls[0]()
    return quantiles(asyncio.run(latencies([as_async(call) for call in calls])))


def as_async(call: Callable[[], Any]) -> Callable[[], Any]:
    """Wrap a blocking call."""

    async def run() -> None:
        call()

    return run


def condition_of(where: PassageFilter) -> models.Filter | None:
    """Return a filter of chapters and an entity as qdrant-client takes it."""
    must: list[models.Condition] = []
    if where.chapters:
        low, high = where.chapters
        must.append(models.FieldCondition(key="metadata.chapter", range=models.Range(gte=low, lte=high)))
    if where.entity:
        must.append(models.FieldCondition(key="metadata.entities", match=models.MatchValue(value=where.entity)))
    return models.Filter(must=must) if must else None


def bm25_peer(size: int, count: int, filters: Mapping[str, PassageFilter], top: int) -> dict[str, Any]:
    """Index all texts with rank_bm25 and ask it; a filter takes away scores afterwards."""
    passages = [row for number in range(size // BATCH) for row in batch(number).passages]
    with timed() as indexing:
        index = BM25Okapi([row.text.split() for row in passages])
    _, texts = queries(count)
    figures: dict[str, Any] = {"upsert_s": round(indexing.seconds, 2)}
    for name, where in filters.items():
        inside = np.array([matches(row, where) for row in passages])
        figures[name] = {"sparse": asked([partial(best, index, text, inside, top) for text in texts])}
    figures["memory"] = memory()
    return figures


def best(index: BM25Okapi, text: str, inside: np.ndarray[Any, np.dtype[np.bool_]], top: int) -> list[int]:
    """Return the rows of the best scores."""
    scores = np.where(inside, index.get_scores(text.split()), -1.0)
    found: list[int] = np.argsort(-scores)[:top].tolist()
    return found
