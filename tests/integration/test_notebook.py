"""`wenmai.ask` in scripts and notebooks: no `await`, and no store stays open."""

import asyncio
from pathlib import Path

import pytest

import wenmai
from state.result import TurnResult
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
    assert first.citations[0]["quote"] in first._repr_html_()
    assert "沈河" in second.record["resolved_question"]


def test_a_notebook_shows_an_answer_as_text_whatever_a_book_holds() -> None:
    quote = {"n": 1, "label": "《<b>》", "quote": "<script>alert(1)</script>"}
    shown = wenmai.Answer(TurnResult.model_construct(answer="<i>他</i>[1]\n\n走了", citations=[quote]))._repr_html_()

    assert "<script" not in shown and "<i>" not in shown and "<b>" not in shown
    assert shown.count("<p>") == 2 and '<li value="1">' in shown


def test_it_is_asked_beside_a_running_loop_and_leaves_the_stores_to_others(ingested: Cli) -> None:
    async def cell() -> wenmai.Answer:
        return wenmai.ask("阿满今年多大？", library="ferry")

    assert "十四岁" in asyncio.run(cell()).text
    assert "十四岁" in ingested.run("ask", "阿满今年多大？", "--library", "ferry").stdout


def test_a_wrong_field_is_refused(ingested: Cli) -> None:
    with pytest.raises(ValueError, match="as_of_chaptr"):
        wenmai.ask("阿满是谁？", library="ferry", as_of_chaptr=1)  # type: ignore[call-arg]
