"""Recall, keywords and lessons through the real Gemini client, on the loopback service and the real engine."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.gemini import fault
from tests.gemini.parts import as_json, call, text
from tests.gemini.replies import turn, usage
from tests.gemini.space import LOOPBACK_MODEL, Gemini
from tests.graph.rig import LIBRARY
from tests.graph.talk import REFINER, TOKENS, Talk, grade
from tests.recall.rig import NOON, RecallRig, remembering, said
from tests.unit.tools.world import World

WORDS = as_json({"keywords": [{"keyword": "数据库", "weight": 0.9, "type": "concept"}], "expanded_query": "数据库配置"})
FENCED = text("```json\n" + WORDS["text"] + "\n```")
SEARCH = call("search_memories", {"query": "数据库配置", "limit": 3.0, "min_relevance_score": 0.0})
DETAIL = call("get_memory_detail", {"memory_key": "db"})
HANDOFF = call(
    "handoff",
    {
        "search_summary": "数据库在 5433 端口",
        "confidence": 0.9,
        "relevant_memory_keys": ["db"],
        "needs_more_info": False,
    },
)


@pytest.fixture
async def pair(gemini: Gemini, tmp_path: Path) -> AsyncIterator[tuple[Talk, RecallRig]]:
    """The agent and the recall on one service, over one store."""
    async with remembering(tmp_path) as plain:
        world = World()
        talk = Talk(gemini, world=world)
        parts = talk.parts()
        rig = RecallRig(plain.store, mind=parts.mind, fallback=parts.fallback)
        world.recall = rig.recall
        talk = Talk(gemini, world=world, memories=rig.memories)
        try:
            yield talk, rig
        finally:
            await talk.provider.close()


def asked(gemini: Gemini, model: str = LOOPBACK_MODEL) -> list[Any]:
    return [one for one in gemini.history if one.model == model]


async def test_a_recall(gemini: Gemini, pair: tuple[Talk, RecallRig]) -> None:
    """S002-24 S002-12 S002-D20 S004-D15: native calls with signatures, JSON mode for keywords, one result each."""
    talk, rig = pair
    await rig.add("db", "主机和端口 5433", keywords=["数据库"])
    talk.agent(SEARCH, turn(text("看全文"), DETAIL), HANDOFF)
    talk.refiner(FENCED)
    recalled = await rig.ask("按照我之前的数据库配置来", history=said("用一下数据库", "好的"))
    gemini.assert_clean()
    first, second, third = asked(gemini)
    assert first.tools == [
        "search_memories",
        "get_memory_detail",
        "extract_search_keywords",
        "expand_context_window",
        "handoff",
    ]
    assert first.system.startswith("你是记忆回忆 Agent") and "不得查询其他用户" in first.system
    assert "user: 用一下数据库" in first.prompt and "第 1/3 轮迭代" in first.prompt
    ((name, found),) = second.responses
    assert name == "search_memories" and found["results"][0]["memory_key"] == "db"
    assert found["search_query_expanded"] == "数据库" and third.responses[0][1]["content"] == "主机和端口 5433"
    (expanding,) = asked(gemini, REFINER)
    assert "最多 5 个关键词" in expanding.prompt and expanding.schema["required"] == ["keywords", "expanded_query"]
    assert recalled.record["memories"][0]["content"] == "主机和端口 5433"


async def test_the_answer_beside_its_question(gemini: Gemini, pair: tuple[Talk, RecallRig]) -> None:
    """MEM-01 S004-D15: the model is told what was said around a result, behind the result, and may hand it off."""
    talk, rig = pair
    await rig.add("asked", "数据库的端口是多少来着", thread_id="t", days_ago=1)
    await rig.add("said", "五四三三", thread_id="t", days_ago=0.99)
    talk.agent(
        call("search_memories", {"query": "数据库的端口", "search_mode": "keyword", "limit": 1}),
        call("search_memories", {"query": "数据库的端口是多少", "limit": 1}),
        call("handoff", {"search_summary": "5433", "confidence": 0.9, "relevant_memory_keys": ["said", "别的"]}),
    )
    talk.refiner(FENCED)
    record = (await rig.ask("上回那件事")).record
    gemini.assert_clean()
    _, second, third = asked(gemini)
    assert "五四三三" not in second.prompt and '">五四三三</memory>' in third.prompt
    assert [row["content"] for row in record["memories"]] == ["五四三三"]


async def test_recall_in_the_main_agent(gemini: Gemini, pair: tuple[Talk, RecallRig]) -> None:
    """MEM-01 MEM-07 S003-08 S003-D17 PLA-22: one tool call, its own transcript, a memory as cited evidence."""
    talk, rig = pair
    await rig.add("db", "用户最喜欢卡齐娜", user="林")
    talk.refiner(turn(WORDS, tokens=TOKENS))
    talk.agent(
        call("recall_memories", {"query": "上回那件事", "user_id": "乙"}),
        turn(SEARCH, tokens=TOKENS),
        call("handoff", {"search_summary": "卡齐娜", "confidence": 0.9, "relevant_memory_keys": ["db"]}),
        call("stop", {"reason": "sufficient"}),
        turn(text("您最喜欢卡齐娜[E1]。"), tokens=TOKENS),
    )
    talk.grader(grade())
    result = await talk.ask("按照我之前说的，我最喜欢谁？", toolkits=["narrative", "memory"], user_id="林")
    gemini.assert_clean()
    first, inner, _, after, _ = asked(gemini)
    assert "recall_memories" in first.tools and "recall_memories" in first.system
    assert "user: 按照我之前说的，我最喜欢谁？" in inner.prompt and "handoff" in inner.tools
    ((name, recalled),) = after.responses
    assert name == "recall_memories" and "action: RECALL_SUCCESS" in recalled["result"]
    assert "[E1] db" in recalled["result"] and "用户最喜欢卡齐娜" in recalled["result"]
    (citation,) = result["citations"]
    assert citation["evidence"] == "db" and citation["quote"] == "用户最喜欢卡齐娜"
    (piece,) = result["evidence"]
    assert piece["kind"] == "memory" and piece["tool"] == "recall_memories" and piece["call"] == 1
    (traced, _) = talk.traces.records[0]["attempts"][0]["tool_calls"]
    assert [step["tool"] for step in traced["steps"]] == ["search_memories", "search_memories", "handoff"]
    assert {row["role"] for row in result["usage"]["by"]} == {"planner", "recaller", "expander", "grader"}


async def test_a_failing_recall_in_the_main_agent(gemini: Gemini, pair: tuple[Talk, RecallRig]) -> None:
    """MEM-01 MEM-02: without a user the tool's result is an error with its code, and the loop goes on."""
    talk, _ = pair
    talk.agent(
        call("recall_memories", {"query": "我的偏好"}), call("search_memory", {"query": "卡齐娜"}), text("好[E1]。")
    )
    talk.grader(grade())
    result = await talk.ask("按照我之前的偏好回答", toolkits=["narrative", "memory"])
    gemini.assert_clean()
    ((_, error),) = asked(gemini)[1].responses
    assert error["error_code"] == "permission_denied" and error["tool"] == "recall_memories"
    assert [one["ok"] for one in result["tool_calls"]] == [False, True]


async def test_outage_of_the_recaller(gemini: Gemini, pair: tuple[Talk, RecallRig]) -> None:
    """LOP-11 LOP-04: where the service fails for good the offline rules finish the recall."""
    talk, rig = pair
    await rig.add("db", "数据库端口 5433", keywords=["数据库"])
    talk.agent(*[fault.status(503)] * 3)
    recalled = await rig.ask("数据库")
    assert [row["memory_key"] for row in recalled.record["memories"]] == ["db"]


def learned(kind: str, content: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "content": content, "summary": "", "keywords": ["茶"], "supersedes": []} | more


async def test_lessons(gemini: Gemini, pair: tuple[Talk, RecallRig]) -> None:
    """S002-D21 S002-D23 MEM-03: what a turn taught is kept without doubles; a contradiction becomes history."""
    talk, rig = pair
    await rig.add("tea", "用户喜欢喝咖啡", user="林", memory_type="user_preference")
    lessons = [
        {
            "kind": "preference",
            "content": "用户喜欢喝茶",
            "summary": "喜欢茶",
            "keywords": ["茶"],
            "supersedes": ["tea", "别人的"],
        },
        {"kind": "fact", "content": "用户在读原神", "summary": "", "keywords": [], "supersedes": []},
    ]
    for _ in range(2):
        talk.agent(call("search_memory", {"query": "卡齐娜"}), text("卡齐娜获得了古名[E1]。"))
        talk.grader(grade())
    answer = turn(as_json({"lessons": lessons}), tokens=TOKENS)
    talk.refiner(answer, answer)
    first = await talk.ask("卡齐娜的古名？我现在喝茶了。", user_id="林", remember=True)
    second = await talk.ask("卡齐娜的古名？我现在喝茶了。", user_id="林", remember=True)
    gemini.assert_clean()
    tea, book = first["remembered"]
    assert tea["outcome"] == "superseded" and tea["supersedes"] == ["tea"] and book["outcome"] == "kept"
    assert [row["outcome"] for row in second["remembered"]] == ["known", "known"]
    request = asked(gemini, REFINER)[0]
    assert '<memory key="tea" date="2026-04-30">用户喜欢喝咖啡</memory>' in request.prompt
    newer, older = await rig.keeper.history("林", tea["memory_key"])
    assert newer.is_active and not older.is_active and older.superseded_by == newer.memory_key
    assert older.created_at < NOON and older.valid_until == newer.created_at
    assert newer.content_metadata["library"] == LIBRARY and newer.memory_type == "user_preference"
    assert talk.traces.records[0]["remembered"] == first["remembered"]
    assert [row["calls"] for row in first["usage"]["by"] if row["role"] == "learner"] == [1]


async def test_a_failing_learner(gemini: Gemini, pair: tuple[Talk, RecallRig]) -> None:
    """LOP-11: where nothing can be learned the answer stands, and a warning says so."""
    talk, _ = pair
    talk.agent(call("search_memory", {"query": "卡齐娜"}), text("卡齐娜获得了古名[E1]。"))
    talk.grader(grade())
    talk.refiner(fault.status(500))
    result = await talk.ask("卡齐娜的古名？", user_id="林", remember=True)
    assert result["passed"] and result["remembered"] == [] and "这一轮没有记住" in result["warning"]


async def test_max_tokens_bounds_a_recall(gemini: Gemini, pair: tuple[Talk, RecallRig]) -> None:
    """PLA-08: a recall whose model would cost more than the question has left goes on by rules."""
    talk, rig = pair
    await rig.add("db", "用户最喜欢卡齐娜", user="林")
    recall = turn(call("recall_memories", {"query": "上回那件事"}), tokens=usage(2_200, 50))
    talk.agent(recall)
    result = await talk.ask(
        "按照我之前说的，我最喜欢谁？", toolkits=["narrative", "memory"], user_id="林", max_tokens=3_500
    )
    gemini.assert_clean()
    (traced,) = result["tool_calls"]
    assert len(gemini.history) == 1 and traced["tool"] == "recall_memories" and traced["ok"]
    assert result["usage"]["total_tokens"] <= 3_500 and "max_tokens" in result["warning"]


async def test_max_tokens_bounds_what_is_learnt(gemini: Gemini, pair: tuple[Talk, RecallRig]) -> None:
    """PLA-08 MEM-03: what a learner would cost too much for is kept by rules."""
    talk, _ = pair
    result = await talk.ask("我现在喜欢喝茶。", user_id="林", remember=True, max_tokens=300)
    assert gemini.history == [] and [row["outcome"] for row in result["remembered"]] == ["kept"]
