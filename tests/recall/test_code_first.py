"""Memories found by code before the recaller's model is asked, on both services and the real engine."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.gemini.parts import call, text
from tests.gemini.space import LOOPBACK_MODEL, Space
from tests.graph.talk import Talk, grade
from tests.recall.rig import RecallRig, remembering
from tests.unit.tools.world import World

LEANING = "按照我之前说的，我最喜欢的人物是谁？"
HANDOFF = call("handoff", {"search_summary": "没有", "confidence": 0.0, "needs_more_info": True})
OPEN: dict[str, Any] = {"opening_search": True, "toolkits": ["narrative", "memory"], "user_id": "甲"}


@pytest.fixture
async def pair(service: Space, tmp_path: Path) -> AsyncIterator[tuple[Talk, RecallRig]]:
    """The agent and the recall on one service, over one store."""
    async with remembering(tmp_path) as plain:
        world = World()
        parts = Talk(service, world=world).parts()
        rig = RecallRig(plain.store, mind=parts.mind, fallback=parts.fallback)
        world.recall = rig.recall
        talk = Talk(service, world=world, memories=rig.memories)
        try:
            yield talk, rig
        finally:
            await talk.provider.close()


def asked(service: Space) -> list[Any]:
    return [one for one in service.history if one.model == LOOPBACK_MODEL]


async def test_what_the_words_find_needs_no_model(service: Space, pair: tuple[Talk, RecallRig]) -> None:
    """MEM-10: a search, what was cut is read whole, a handoff with what was found; nothing is sent."""
    _, rig = pair
    await rig.add("db", "数据库配置：端口 5433。" * 20)
    recalled = await rig.ask("数据库配置")
    assert [(one["tool"], one["round"]) for one in recalled.calls] == [
        ("search_memories", 0),
        ("get_memory_detail", 0),
        ("handoff", 0),
    ]
    assert recalled.record["action"] == "RECALL_SUCCESS" and recalled.record["confidence"] >= 0.5
    assert recalled.record["memories"][0]["content"].startswith("数据库配置：端口 5433。")
    assert service.history == [] and recalled.usage == []


async def test_the_agent_runs_where_nothing_is_relevant(service: Space, pair: tuple[Talk, RecallRig]) -> None:
    """MEM-10: it is told that the words were tried, sees no call of the code, and has all of its own searches."""
    talk, rig = pair
    await rig.add("tea", "用户喜欢喝茶")
    searches = [call("search_memories", {"query": f"饮料 {n}", "search_mode": "keyword"}) for n in range(3)]
    talk.agent(*searches, HANDOFF)
    recalled = await rig.ask("数据库配置")
    service.assert_clean()
    requests = asked(service)
    assert all("已按原话搜索过一次" in str(one.contents[0]) for one in requests) and len(requests[0].contents) == 1
    assert [one["ok"] for one in recalled.calls] == [True] * 5 and recalled.record["action"] == "NEED_MORE_INFO"
    assert [one["round"] for one in recalled.calls] == [0, 1, 2, 3, 4]
    assert len({(one.system, str(one.body["tools"])) for one in requests}) == 1
    assert all(name not in requests[0].system for name in ("search_memories", "expand_context_window:"))


async def test_a_handoff_is_asked_for_nothing_that_is_known(service: Space, pair: tuple[Talk, RecallRig]) -> None:
    """S002-18: user, window, iteration, session and language come from the run."""
    talk, rig = pair
    talk.agent(HANDOFF)
    await rig.ask("数据库配置")
    declared = str(asked(service)[0].body["tools"])
    known = ("iteration_used", "context_window_used", "current_size", "user_id", "language", "thread_id")
    assert "search_summary" in declared and not [name for name in known if name in declared]


async def test_a_question_that_leans_on_earlier_talk(service: Space, pair: tuple[Talk, RecallRig]) -> None:
    """MEM-10 LOP-17: the code recalls before the model's first turn, which answers at once."""
    talk, rig = pair
    await rig.add("who", "我最喜欢的人物是卡齐娜")
    talk.agent(text("您最喜欢卡齐娜[E1]。"))
    talk.grader(grade())
    result = await talk.ask(LEANING, **OPEN)
    service.assert_clean()
    assert ("recall_memories", {"query": LEANING}) in [(one["tool"], one["args"]) for one in result["tool_calls"]]
    (request,) = asked(service)
    assert "我最喜欢的人物是卡齐娜" in request.prompt and "functionCall" not in str(request.contents)
    assert [one["evidence"] for one in result["citations"]] == ["who"] and result["passed"]


async def test_a_question_about_the_story_recalls_nothing(service: Space, pair: tuple[Talk, RecallRig]) -> None:
    """LOP-17: memories are looked up by code only where a question leans on earlier talk."""
    talk, rig = pair
    await rig.add("who", "我最喜欢的人物是卡齐娜")
    talk.agent(text("两人一见如故[E1]。"))
    talk.grader(grade())
    result = await talk.ask("恰斯卡和卡齐娜是什么关系？", **OPEN)
    service.assert_clean()
    assert "recall_memories" not in [one["tool"] for one in result["tool_calls"]]
