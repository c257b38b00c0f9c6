"""Filters, scores and order of a search (memory.md §3)."""

from datetime import timedelta
from typing import Any

import pytest

from tests.unit.memories.desk import NOON, Desk
from tools.memory.records import FoundMemories, Keyword, Memory, MemoryQuery, SemanticScale
from tools.memory.scores import Terms


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def find(desk: Desk, query: str, user: str = "甲", **asked: Any) -> FoundMemories:
    return await desk.ranking.find(user, MemoryQuery(query=query, **asked))


def keys(found: FoundMemories) -> list[str]:
    return [one.memory.memory_key for one in found.found]


async def test_modes_reach_the_store_and_differ(desk: Desk) -> None:
    """S002-04 S002-D02: by words one is found, by meaning the other, by both both."""
    await desk.keeper.add("甲", "alpha beta gamma", memory_key="words", keywords=["部署"])
    await desk.keeper.add("甲", "上线流程说明", memory_key="meaning", keywords=["其他"])
    query = "上线流程 部署"
    assert keys(await find(desk, query, mode="keyword", keywords=("部署",))) == ["words"]
    assert keys(await find(desk, query, mode="semantic")) == ["meaning"]
    assert set(keys(await find(desk, query, mode="hybrid", min_score=0.3))) == {"words", "meaning"}
    assert {method for method, _ in desk.store.history} >= {"scroll", "dense"}


async def test_given_keywords_filter_in_every_mode(desk: Desk) -> None:
    """S002-D04: any of them, any case, literal, in keywords, summary or content; patterns mean nothing."""
    await desk.keeper.add("甲", "连接参数", memory_key="a", keywords=["DataBase"])
    await desk.keeper.add("甲", "连接参数", memory_key="b", summary="数据库的事", keywords=["x"])
    await desk.keeper.add("甲", "连接参数 100%_ok", memory_key="c", keywords=["x"])
    await desk.keeper.add("甲", "连接参数", memory_key="d", keywords=["x"])
    for mode in ("semantic", "keyword", "hybrid"):
        for given, expected in (
            (("database",), {"a"}),
            (("DATABASE", "数据库"), {"a", "b"}),
            (("0%_OK",), {"c"}),
            (("%",), {"c"}),
            (("*",), set()),
            ((".*",), set()),
            (("' OR 1=1 --",), set()),
        ):
            found = await find(desk, "连接参数", mode=mode, keywords=given, min_score=0.0, limit=10)
            assert set(keys(found)) == expected, (mode, given)


async def test_expanded_keywords_never_filter(desk: Desk) -> None:
    """S002-D04: they add to the scored terms only."""
    await desk.keeper.add("甲", "连接参数", memory_key="a", keywords=["postgres"])
    without = await find(desk, "连接", mode="keyword", keywords=("参数",), min_score=0.0)
    added = await find(desk, "连接", mode="keyword", keywords=("参数",), expanded=("mysql", "postgres"), min_score=0.0)
    assert keys(without) == keys(added) == ["a"]
    assert keys(await find(desk, "连接参数", mode="semantic", expanded=("mysql",), min_score=0.1)) == ["a"]
    scored = Terms(asked=("无",), added=("postgres",))
    assert scored.score(memory(keywords=(Keyword("postgres", 1.0),))) == pytest.approx(0.5)


def memory(**fields: Any) -> Memory:
    return Memory(**{"memory_key": "k", "user_id": "甲", "content": "正文", "created_at": NOON, **fields})


def test_keyword_score() -> None:
    """S002-D06: the larger of the weighted sum and the share of the asked terms that match."""
    row = memory(keywords=(Keyword("数据库", 0.5), Keyword("config", 1.0)))
    assert Terms(asked=("数据库",)).score(row) == 1.0
    assert Terms(asked=("数据库", "无一", "无二", "无三")).score(row) == pytest.approx(0.5 * 0.3 + 0.2)
    assert Terms(asked=("数据库", "config", "无")).score(row) == pytest.approx(1.5 * 0.3 + 0.4)
    assert Terms(asked=("正文", "无一", "无二", "无三")).score(row) == pytest.approx(0.25)
    assert Terms(asked=("无",)).score(row) == 0.0


def test_semantic_scale() -> None:
    """S002-D06: (cosine - floor) / (ceiling - floor), clipped to 0..1."""
    scale = SemanticScale(0.8, 0.9)
    assert [scale.score(one) for one in (0.5, 0.8, 0.87, 0.95)] == pytest.approx([0.0, 0.0, 0.7, 1.0])
    english = SemanticScale(0.8, 0.9, lower=0.05)
    assert [english.score(0.82), english.score(0.82, chinese=False)] == pytest.approx([0.2, 0.7])


async def test_a_memory_found_by_meaning_alone_passes_the_default_threshold(desk: Desk) -> None:
    """S002-D06: hybrid is the larger of both scores: semantic 0.7 without a word in common is returned."""
    row = await desk.keeper.add("甲", "一二三四五六七八九十", memory_key="a", keywords=["x"])
    desk.ranking = type(desk.ranking)(
        desk.store, desk.embedder, desk.ranking.segment, SemanticScale(-2.0, 6 / 7), desk.clock
    )
    found = await find(desk, "zzz")
    [one] = found.found
    assert one.memory == row
    assert one.keyword == 0.0
    assert one.relevance == one.semantic == pytest.approx(0.7)


async def test_filters_and_threshold_hold_before_the_limit(desk: Desk) -> None:
    """S002-03 S002-D05 S002-D06: types, days, activity and score count in total_found; limit only cuts."""
    for n in range(6):
        await desk.keeper.add("甲", "备份方案", memory_key=f"k{n}", created_at=NOON - timedelta(days=n))
    await desk.keeper.add("甲", "备份方案", memory_key="pref", memory_type="user_preference")
    await desk.keeper.add("甲", "完全无关", memory_key="far")
    await desk.keeper.deactivate("甲", "k0")
    found = await find(desk, "备份方案", limit=2, days=3)
    assert (found.total, keys(found)) == (4, ["pref", "k1"])
    assert keys(await find(desk, "备份方案", types=("user_preference",))) == ["pref"]
    assert (await find(desk, "备份方案", limit=10)).total == 6
    assert (await find(desk, "备份方案", limit=10, min_score=1.0)).total == 6
    assert await find(desk, "备份方案", types=("无",)) == FoundMemories(0, ())


async def test_ties(desk: Desk) -> None:
    """S002-D06: equal relevance: 0.6 semantic + 0.4 keyword, then the newest, then the key."""
    await desk.keeper.add("甲", "备份 方案", memory_key="b", created_at=NOON)
    await desk.keeper.add("甲", "备份 方案", memory_key="a", created_at=NOON)
    await desk.keeper.add("甲", "备份 方案", memory_key="new", created_at=NOON + timedelta(days=1))
    await desk.keeper.add("甲", "备份 方案 另说", memory_key="near", created_at=NOON + timedelta(days=2))
    assert keys(await find(desk, "备份 方案")) == ["new", "a", "b", "near"]


async def test_users_are_apart(desk: Desk) -> None:
    """S002-06 MEM-06: the same key and text of another user is never found, nor counted."""
    await desk.keeper.add("甲", "备份方案", memory_key="k")
    await desk.keeper.add("乙", "备份方案 乙", memory_key="k")
    for mode in ("semantic", "keyword", "hybrid"):
        found = await find(desk, "备份方案", mode=mode, min_score=0.0)
        assert [one.memory.user_id for one in found.found] == ["甲"]
        assert found.total == 1
    recalled = await desk.ranking.recall("甲", MemoryQuery(query="备份方案", limit=10))
    assert [one.memory.user_id for one in recalled.found] == ["甲"]
    assert {user for method, user in desk.store.history if method != "put"} == {"甲", "乙"}


async def test_a_recall_hears_the_question_before_an_answer(desk: Desk) -> None:
    """MEM-01: an answer that repeats no word of its question is found beside it."""
    await desk.say("t", "Ann: 周末愉快", "Ann: 养的猫叫什么名字呢", "Bob: 豆包", "Ann: 真可爱", "Bob: 谢谢")
    for n in range(12):
        await desk.say(f"其他{n}", f"Bob: 天气第{n}天", f"Ann: 下雨第{n}回")
    found = await desk.ranking.recall("甲", MemoryQuery(query="猫叫什么名字", limit=3))
    assert set(keys(found)[:2]) == {"t#1", "t#2"}


async def test_a_recall_prefers_the_days_and_the_speaker_asked_for(desk: Desk) -> None:
    """MEM-01: 5月3日 means that day, 昨天 the day before now; a name in the question means who said it."""
    for n in range(5):
        desk.now = NOON + timedelta(days=n)
        await desk.say(f"第{n}日", "小林: 今天去跑步", "小周: 今天去跑步")
    assert keys(await desk.ranking.recall("甲", MemoryQuery(query="5月3日小林去做了什么运动", limit=1))) == ["第2日#0"]
    assert keys(await desk.ranking.recall("甲", MemoryQuery(query="小周5月4日去跑步了吗", limit=1))) == ["第3日#1"]
    assert keys(await desk.ranking.recall("甲", MemoryQuery(query="昨天小周去跑步了吗", limit=1))) == ["第3日#1"]
    assert await desk.ranking.recall("丙", MemoryQuery(query="跑步")) == FoundMemories(0, ())
