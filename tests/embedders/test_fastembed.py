"""FastEmbed models: the real library on a cache that holds a tiny model, and what it refuses."""

import sys
from pathlib import Path

import pytest

from tests.embedders.tiny import expected, write_json, write_model, write_tokenizer
from tools.errors import ConfigError
from wenmai.embedders.fastembed import prefixes
from wenmai.embedders.local import LocalEmbedder, local_embedder
from wenmai.settings.settings import load_settings

BGE = "BAAI/bge-small-zh-v1.5"
DIMENSION = 512
REVISION = "0" * 40


def embedder_of(cache: Path, name: str = BGE, **settings: object) -> LocalEmbedder:
    return local_embedder(
        load_settings(_env_file=None, embedding_model=name, fastembed_cache_path=str(cache), **settings)
    )


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Lay out a downloaded model as its hub's client does."""
    home = tmp_path / "models--Qdrant--bge-small-zh-v1.5"
    snapshot = home / "snapshots" / REVISION
    write_model(snapshot / "model_optimized.onnx", DIMENSION)
    write_tokenizer(snapshot)
    write_json(snapshot / "config.json", {"pad_token_id": 0})
    write_json(snapshot / "tokenizer_config.json", {"model_max_length": 512, "pad_token": "[PAD]"})
    write_json(snapshot / "special_tokens_map.json", {"pad_token": "[PAD]"})
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(REVISION)
    return tmp_path


async def test_a_downloaded_model_embeds(cache: Path) -> None:
    """By its id, pooled as FastEmbed knows it (cls); nothing is fetched that is there."""
    embedder = embedder_of(cache)
    await embedder.open()
    [passage] = await embedder.embed_passages(["灯塔"])
    assert passage == pytest.approx(expected("灯塔", "cls", DIMENSION), abs=1e-6)
    assert (embedder.name, embedder.dimension) == (BGE, DIMENSION)


async def test_prefixes_of_known_models() -> None:
    """What FastEmbed leaves to its caller."""
    assert prefixes("intfloat/multilingual-e5-large") == ("query: ", "passage: ")
    assert prefixes("baai/BGE-small-zh-v1.5")[0].startswith("为这个句子")
    assert prefixes("sentence-transformers/all-MiniLM-L6-v2") == ("", "")


async def test_another_prefix_of_passages_is_another_embedder(cache: Path) -> None:
    assert embedder_of(cache, embedding_passage_prefix="文：").name.startswith(f"{BGE}@")
    assert embedder_of(cache, embedding_query_prefix="问：").name == BGE


async def test_an_id_in_another_case_is_the_same_embedder(cache: Path) -> None:
    """PLA-10: collections are named by the embedder; the id's case makes no other one."""
    embedder = embedder_of(cache, BGE.lower())
    await embedder.open()
    assert (embedder.name, embedder.dimension) == (BGE, DIMENSION)
    assert await embedder.embed_query("灯塔") == await embedder_of(cache).embed_query("灯塔")


def test_an_unknown_model_is_told_with_its_like(cache: Path) -> None:
    with pytest.raises(ConfigError, match=r"既不是文件夹，也不是 FastEmbed 的模型；相近的有 .*bge-small-zh-v1.5"):
        _ = embedder_of(cache, "BAAI/bge-smal-zh").dimension
    with pytest.raises(ConfigError, match="既不是文件夹"):
        _ = embedder_of(cache, "BAAI/bge-smal-zh").name


def test_a_wrong_dimension_is_refused(cache: Path) -> None:
    """DOC-03: when it is set it must equal the embedder's."""
    with pytest.raises(ConfigError, match=r"EMBEDDING_DIMENSION=384：.*512 维"):
        embedder_of(cache, embedding_dimension=384)


async def test_without_a_network_the_way_out_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ConfigError, match="首次使用需要联网") as caught:
        await embedder_of(tmp_path).open()
    assert "\n" not in str(caught.value)


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(ConfigError, match=r"pip install 'wenmai\[fastembed\]'"):
        _ = embedder_of(tmp_path).dimension
