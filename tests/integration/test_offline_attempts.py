"""Grading and attempts without a model, through Python's door with the shipped reader (loop.md §6, §8)."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from wenmai.agent import Agent, open_agent
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import load_settings

STORY = """第一回 雾港

清晨，陆沉舟走进雾港的码头，遇见了卖灯的姑娘苏晚照。苏晚照把父亲留下的铜灯藏在灯塔的地窖里。码头上的人都说这盏灯早就沉了海。

第二回 大雪

大雪下了三天，渡船停了。陆沉舟在茶馆里修好了一只旧钟，掌柜送他一把红伞。

第三回 铜灯

开春以后，守塔的老秦扫地窖，找到了那盏铜灯，把它挂在了塔顶。苏晚照站在塔下看了一夜。
"""
TWO_PARTS = "苏晚照遇见了谁，陆沉舟修好了什么？"


@pytest.fixture
async def agent(tmp_path: Path) -> AsyncIterator[Agent]:
    story = tmp_path / "story.txt"
    story.write_text(STORY, encoding="utf-8")
    async with open_agent(load_settings(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces")) as opened:
        services = opened.services
        await ingest(
            IngestRequest(path=story, library="harbour"),
            stores=services.stores,
            embedder=services.embedder,
            tagger=services.reader,
        )
        yield opened


async def record_of(agent: Agent, question: str) -> dict[str, Any]:
    return (await agent.ask(question, library="harbour")).record


async def test_the_parts_of_a_question_are_searched_for_where_one_is_not_answered(agent: Agent) -> None:
    """LOP-09 LOP-13: the first draft leaves a part out and says which, the second searches for it and answers both."""
    record = await record_of(agent, TWO_PARTS)

    first, second = record["attempts"]
    assert (first["passed"], second["passed"], record["passed"]) == (False, True, True)
    assert first["grade"]["suggestion"] == "没有回答“陆沉舟修好了什么？”。" and second["grade"]["suggestion"] == ""
    assert second["grade"]["scores"]["completeness"] > first["grade"]["scores"]["completeness"]
    assert "苏晚照" in record["answer"] and "旧钟" in record["answer"]
    searched = {call["args"].get("query") for call in record["tool_calls"] if call["attempt"] == 2}
    assert "陆沉舟修好了什么？" in searched


@pytest.mark.parametrize(
    "question",
    ["大雪下了几天？", "掌柜送给陆沉舟什么，老秦把铜灯挂在哪里？", "陆沉舟有几个孩子？", "第二回里铜灯是谁找到的？"],
)
async def test_no_attempt_is_made_that_sees_nothing_new(agent: Agent, question: str) -> None:
    """LOP-13: of an answered question, and of one to which every passage was found."""
    assert len((await record_of(agent, question))["attempts"]) == 1


async def test_a_passed_answer_has_no_suggestion_that_nothing_answers(agent: Agent) -> None:
    """LOP-09: a suggestion names what is missing; where nothing is, there is none."""
    record = await record_of(agent, "大雪下了几天？")

    assert record["passed"] and record["grade"]["suggestion"] == ""
    assert record["grade"]["hallucination_detected"] is False


async def test_the_dimensions_come_from_different_signs(agent: Agent) -> None:
    """LOP-09 S003-12: evidence, completeness and depth of five answers are no one number."""
    questions = ["大雪下了几天？", "谁找到了铜灯？", "陆沉舟和苏晚照是什么关系？", "铜灯藏在哪里？", TWO_PARTS]
    grades = [(await record_of(agent, one))["grade"]["scores"] for one in questions]

    triples = [(one["evidence"], one["completeness"], one["depth"]) for one in grades]
    assert all(len(set(one)) > 1 for one in triples) and len(set(triples)) > 3
