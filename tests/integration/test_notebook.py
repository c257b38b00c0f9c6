"""`wenmai.ask` in scripts and notebooks: no `await`, and no store stays open."""

import asyncio
from pathlib import Path

import pytest

import wenmai
from tests.integration.cli_story import STORY, Cli


@pytest.fixture
def ingested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A library in the folder that this process works with too."""
    (tmp_path / "story.txt").write_text(STORY, encoding="utf-8")
    monkeypatch.setenv("DATA_DIR", str(tmp_path / ".wenmai"))
    monkeypatch.setenv("TRACE_DIR", str(tmp_path / "traces"))
    cli = Cli(tmp_path)
    done = cli.run("ingest", "story.txt", "--library", "ferry")
    assert done.returncode == 0, done.stderr
    return cli


def test_a_question_and_its_follow_up_need_no_await(ingested: Cli) -> None:
    first = wenmai.ask("沈河在对岸开了什么？", library="ferry")
    second = wenmai.ask("他的左腿怎么了？", library="ferry", thread_id=first.thread_id)

    assert "茶铺" in first.text and first.citations
    assert "沈河" in second.record["resolved_question"]


def test_it_is_asked_beside_a_running_loop_and_leaves_the_stores_to_others(ingested: Cli) -> None:
    async def cell() -> wenmai.Answer:
        return wenmai.ask("阿满今年多大？", library="ferry")

    assert "十四岁" in asyncio.run(cell()).text
    assert "十四岁" in ingested.run("ask", "阿满今年多大？", "--library", "ferry").stdout


def test_a_wrong_field_is_refused(ingested: Cli) -> None:
    with pytest.raises(ValueError, match="as_of_chaptr"):
        wenmai.ask("阿满是谁？", library="ferry", as_of_chaptr=1)
