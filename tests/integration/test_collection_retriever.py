"""`wenmai.retriever` over a collection that somebody else keeps in Qdrant, opened by langchain-qdrant."""

import asyncio
import math
from collections import Counter
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_qdrant import QdrantVectorStore, RetrievalMode
from langchain_qdrant.sparse_embeddings import SparseEmbeddings, SparseVector
from qdrant_client import models

import wenmai

NOTES = {
    "差旅报销要在三十天内提交发票，由财务处审核。": "财务",
    "年假每年五天，要提前两周向主管申请。": "人事",
    "门卫室每天早上七点开门，晚上十点关门。": "行政",
    "打印机的墨盒由行政处统一更换。": "行政",
    "新员工入职第一周要参加安全培训。": "人事",
}
INVOICE, LEAVE, DOOR, *_ = NOTES


class Letters(Embeddings):
    """Counts of characters, in 64 places."""

    def embed_query(self, text: str) -> list[float]:
        counts = Counter(ord(letter) % 64 for letter in text)
        length = math.hypot(*counts.values()) or 1.0
        return [counts[place] / length for place in range(64)]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class Alike(Letters):
    """Tells no text from another."""

    def embed_query(self, text: str) -> list[float]:
        return [1.0] + [0.0] * 63


class Sparse(SparseEmbeddings):
    """Characters as words."""

    def embed_query(self, text: str) -> SparseVector:
        counts = Counter(map(ord, text))
        return SparseVector(indices=list(counts), values=[float(one) for one in counts.values()])

    def embed_documents(self, texts: list[str]) -> list[SparseVector]:
        return [self.embed_query(text) for text in texts]


def collection(embedding: Embeddings | None = None, **options: Any) -> QdrantVectorStore:
    """Return a collection as a user of langchain-qdrant makes one."""
    metadata = [{"office": office} for office in NOTES.values()]
    made = {"location": ":memory:", "collection_name": "handbook", **options}
    return QdrantVectorStore.from_texts(list(NOTES), embedding or Letters(), metadata, **made)


def texts(found: list[Document]) -> list[str]:
    return [one.page_content for one in found]


async def test_documents_of_a_collection() -> None:
    """PLA-41: texts with their own metadata and their cosine, best first, with and without `await`."""
    search = wenmai.retriever(collection=collection(), top_k=2)
    found = search.invoke("差旅报销要在几天内提交发票？")
    assert len(found) == 2 and found[0].page_content == INVOICE
    assert found[0].metadata["office"] == "财务" and 0 < found[0].metadata["score"] <= 1
    assert texts(await search.ainvoke("差旅报销要在几天内提交发票？")) == texts(found)
    assert await asyncio.gather(*(search.ainvoke(" ") for _ in range(2))) == [[], []]


def test_where_vectors_do_not_tell_words_do() -> None:
    """PLA-41: candidates come by vectors, their order by words, too: what shares the rare ones is first."""
    search = wenmai.retriever(collection=collection(Alike()), top_k=1)
    assert [texts(search.invoke(one)) for one in ("年假要怎么申请？", "门卫室几点关门？")] == [[LEAVE], [DOOR]]


def test_a_filter_is_kept_by_every_search() -> None:
    """PLA-41: the filter is Qdrant's own, inside its query; no caller of the search can change it."""
    office = models.FieldCondition(key="metadata.office", match=models.MatchValue(value="人事"))
    search = wenmai.retriever(collection=collection(), filter=models.Filter(must=[office]))
    assert {one.metadata["office"] for one in search.invoke("差旅报销要在几天内提交发票？")} == {"人事"}


def test_a_store_with_words_of_its_own_keeps_its_order() -> None:
    """PLA-41: a hybrid or sparse store has fused already."""
    question = "门卫室几点关门？"
    for mode in (RetrievalMode.HYBRID, RetrievalMode.SPARSE):
        store = collection(Alike(), retrieval_mode=mode, sparse_embedding=Sparse())
        assert texts(wenmai.retriever(collection=store).invoke(question)) == texts(
            store.similarity_search(question, k=8)
        )


@pytest.mark.parametrize("distance", [models.Distance.EUCLID, models.Distance.MANHATTAN, models.Distance.DOT])
def test_scores_that_are_no_cosines_keep_the_order_of_the_store(distance: models.Distance) -> None:
    """PLA-41: of a distance the smaller is the better; words and cosines order cosines alone."""
    store, question = collection(distance=distance), "年假有几天？"
    found = wenmai.retriever(collection=store, top_k=3).invoke(question)
    assert texts(found) == texts(store.similarity_search(question, k=3)) and found[0].page_content == LEAVE


@pytest.mark.filterwarnings("ignore:This API is in beta")  # `as_tool` of langchain-core
def test_an_agent_takes_it_as_a_tool() -> None:
    search = wenmai.retriever(collection=collection(), top_k=1)
    tool = search.as_tool(name="search_handbook", description="查手册")
    assert "五天" in str(tool.invoke("年假有几天？"))


async def test_what_is_refused() -> None:
    """PLA-07: what only Wenmai's own stores know is no field of a collection; a server that is away is an error."""
    store = collection()
    wrong: list[dict[str, Any]] = [{"as_of_chapter": 1}, {"user_id": "甲"}, {"data_dir": "x"}]
    for fields in wrong:
        with pytest.raises(wenmai.InputError, match="collection"):
            wenmai.retriever(collection=store, **fields)
    text: Any = "handbook"
    with pytest.raises(wenmai.InputError, match="collection 必须是 QdrantVectorStore，收到 str"):
        wenmai.retriever(collection=text)
    both: list[dict[str, Any]] = [{"library": "ferry"}, {"session_id": "s1"}]
    for fields in both:
        with pytest.raises(wenmai.InputError, match="给出一个"):
            wenmai.retriever(collection=store, **fields)
    away = QdrantVectorStore.from_existing_collection(
        "handbook",
        Letters(),
        url="http://127.0.0.1:9",
        validate_embeddings=False,
        validate_collection_config=False,
        check_compatibility=False,
    )
    with pytest.raises(wenmai.StoreUnavailable, match="handbook"):
        await wenmai.retriever(collection=away).ainvoke("年假")
