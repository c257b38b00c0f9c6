"""The real bge-small-zh-v1.5 as an embedder, from its folder and by its FastEmbed id (`make services` fetches it)."""

import asyncio
import shutil
from pathlib import Path

import pytest

from devservers.supplies import model_folder
from tests.command_line import ROOT
from tests.integration.cli_story import Cli
from wenmai.embedders.local import LocalEmbedder, local_embedder
from wenmai.settings.settings import load_settings

BGE = "BAAI/bge-small-zh-v1.5"
SAMPLE = ROOT / "data" / "sample"
QUESTION = "顾长庚守了多少年灯塔？"
NEAR = "顾长庚在雾港守了三十九年灯塔，从没有误过一次点灯。"
FAR = ("盐市街的米价又涨了两个铜板。", "春天的时候，山坡上开满了杜鹃花。", "船工们在码头上修补渔网。")


@pytest.fixture(scope="module")
def folder() -> Path:
    """The model's folder; missing is a failure, for it should have been fetched."""
    found = model_folder()
    assert (found / "model.onnx").is_file(), "make services fetches it"
    return found


def embedder_of(name: Path | str, **settings: object) -> LocalEmbedder:
    return local_embedder(load_settings(_env_file=None, embedding_model=str(name), **settings))


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


async def test_what_is_meant_is_nearest(folder: Path) -> None:
    """512 dimensions, read from the folder alone; a question is nearer to its answer than to anything else."""
    embedder = embedder_of(folder)
    await embedder.open()
    query = await embedder.embed_query(QUESTION)
    near, *far = await embedder.embed_passages([NEAR, *FAR])
    assert embedder.dimension == len(query) == 512 and embedder.name.startswith("onnx/bge-small-zh-v1.5@")
    assert cosine(query, near) > max(cosine(query, one) for one in far) + 0.15


async def test_by_its_id_it_is_the_same_model(folder: Path, tmp_path: Path) -> None:
    """FastEmbed's own class on a cache that holds these files gives the same vectors as the folder."""
    home = tmp_path / "models--Qdrant--bge-small-zh-v1.5"
    snapshot = shutil.copytree(folder, home / "snapshots" / ("0" * 40))
    (snapshot / "model.onnx").rename(snapshot / "model_optimized.onnx")
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text("0" * 40)
    by_id, by_folder = embedder_of(BGE, fastembed_cache_path=str(tmp_path)), embedder_of(folder)
    for text in (NEAR, *FAR):
        [one], [other] = await asyncio.gather(by_id.embed_passages([text]), by_folder.embed_passages([text]))
        assert one == pytest.approx(other, abs=1e-5)
    assert await by_id.embed_query(QUESTION) == pytest.approx(await by_folder.embed_query(QUESTION), abs=1e-5)


def test_the_sample_is_asked_with_it(folder: Path, tmp_path: Path) -> None:
    """Ingested, asked and checked by the installed command, with the setting alone."""
    cli = Cli(tmp_path)
    story, names = str(SAMPLE / "雾港纪事.txt"), str(SAMPLE / "aliases.json")
    bge = {"EMBEDDING_MODEL": str(folder)}
    done = cli.run("ingest", story, "-l", "sample", "--aliases", names, **bge)
    assert done.returncode == 0 and "新写 64 段" in done.stdout, done.stderr
    answered = cli.run("ask", QUESTION, "-l", "sample", **bge)
    assert answered.returncode == 0 and "三十九年" in answered.stdout
    assert "512 维" in cli.run("doctor", **bge).stdout
