"""Vectors that are gone: what `doctor` says is to be done, `ingest` does."""

import shutil
from pathlib import Path

import pytest

from tests.integration.cli_story import STORY, Cli
from wenmai.stores.edge.passages import SCHEMA


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


def test_doctor_sends_to_an_ingest_that_helps(cli: Cli) -> None:
    """PLA-28: named with what to do, a question is refused, and the ingest says what it embeds again.

    Then nothing is wrong any more.
    """
    (cli.folder / "灯.txt").write_text(STORY, encoding="utf-8")
    ingest = ("ingest", "灯.txt", "--library", "lamp")
    assert cli.run(*ingest).returncode == 0
    [shard] = cli.folder.rglob(f"lamp/{SCHEMA.folder}")
    shutil.rmtree(shard)
    (wrong,) = [line for line in cli.run("doctor").stdout.splitlines() if line.startswith("✗")]
    assert "没有向量" in wrong and "wenmai ingest" in wrong
    asked = cli.run("ask", "沈青是谁？", "--library", "lamp")
    assert asked.returncode == 1 and "wenmai ingest" in asked.stderr and not asked.stdout
    mended = cli.run(*ingest)
    assert mended.returncode == 0 and "已重新嵌入并写入" in mended.stdout and "没有变化" not in mended.stdout
    assert "✗" not in cli.run("doctor").stdout
    once_more = cli.run(*ingest).stdout
    assert "没有变化" in once_more and "已重新嵌入" not in once_more
