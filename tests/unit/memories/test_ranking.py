"""Filters, scores and order of a search (memory.md §3)."""

from datetime import timedelta
from math import log
from typing import Any

import pytest

from tests.fake_memories import deactivate
from tests.unit.memories.desk import NOON, Desk
from tools.memory.ranking import MEANING, WEIGHTS, MemoryRanking, SearchTerms
from tools.memory.records import FoundMemories, Memory, MemoryKeyword, MemoryQuery, SemanticScale

MODES = ("semantic", "keyword", "hybrid")


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def find(desk: Desk, query: str, user: str = "甲", **asked: Any) -> FoundMemories:
    return await desk.ranking.find(user, MemoryQuery(query=query, **asked))


def keys(found: FoundMemories) -> list[str]:
    return [one.memory.memory_key for one in found.found]


async def test_modes_reach_the_store_and_differ(desk: Desk) -> None:
    """S002-04 S002-D02: by words one is found, by meaning the other, by both both.

    The threshold that both pass is the relevance of the second of them, which its words lift above that by meaning.
    """
    await desk.keeper.add("甲", "alpha beta gamma", memory_key="words", keywords=["部署"])
    await desk.keeper.add("甲", "上线流程说明", memory_key="meaning", keywords=["其他"])
    query = "上线流程 部署"
    assert keys(await find(desk, query, mode="keyword", keywords=("部署",))) == ["words"]
    assert keys(await find(desk, query, mode="semantic")) == ["meaning"]
    least = (await find(desk, query, mode="hybrid", min_score=0.0)).found[1].relevance
    assert keys(await find(desk, query, mode="semantic", min_score=least)) == ["meaning"]
    assert keys(await find(desk, query, mode="hybrid", min_score=least)) == ["meaning", "words"]
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
    scored = SearchTerms(asked=("无",), added=("postgres",))
    assert scored.score(memory(keywords=(MemoryKeyword("postgres", 1.0),))) == pytest.approx(0.5)


def memory(**fields: Any) -> Memory:
    return Memory(**{"memory_key": "k", "user_id": "甲", "content": "正文", "created_at": NOON, **fields})


def test_keyword_score() -> None:
    """S002-D06: the larger of the weighted sum and the share of the asked terms that match."""
    row = memory(keywords=(MemoryKeyword("数据库", 0.5), MemoryKeyword("config", 1.0)))
    assert SearchTerms(asked=("数据库",)).score(row) == 1.0
    assert SearchTerms(asked=("数据库", "无一", "无二", "无三")).score(row) == pytest.approx(0.5 * 0.3 + 0.2)
    assert SearchTerms(asked=("数据库", "config", "无")).score(row) == pytest.approx(1.5 * 0.3 + 0.4)
    assert SearchTerms(asked=("正文", "无一", "无二", "无三")).score(row) == pytest.approx(0.25)
    assert SearchTerms(asked=("无",)).score(row) == 0.0


def test_semantic_scale() -> None:
    """S002-D06: (cosine - floor) / (ceiling - floor), and back."""
    scale = SemanticScale(0.8, 0.9)
    assert [scale.place(one) for one in (0.5, 0.8, 0.87, 0.95)] == pytest.approx([-3.0, 0.0, 0.7, 1.5])
    english = SemanticScale(0.8, 0.9, lower=0.05)
    assert [english.place(0.82), english.place(0.82, chinese=False)] == pytest.approx([0.2, 0.7])
    assert [english.cosine(0.2), english.cosine(0.7, chinese=False)] == pytest.approx([0.82, 0.82])


async def test_a_memory_found_by_meaning_alone_passes_the_default_threshold(desk: Desk) -> None:
    """S002-D06: without a word in common, what is near enough is returned, as likely as by meaning alone.

    Near enough is the place on the scale at which the only memory, with the full score of meaning and nothing but
    itself to spread from, has the odds of the threshold.
    """
    await desk.keeper.add("甲", "一二三四五六七八九十", memory_key="a", keywords=["x"])
    weights, threshold = WEIGHTS["semantic"], MemoryQuery(query="zzz").min_score
    odds = log(threshold / (1 - threshold)) - weights.base - MEANING * (weights.score + weights.best)
    near_enough = odds / (weights.nearest + weights.spread)
    for place, count in ((0.99 * near_enough, 0), (1.01 * near_enough, 1)):
        scale = SemanticScale(-1.0, 1 / place - 1)  # the two texts have nothing in common: their cosine is 0
        desk.ranking = MemoryRanking(desk.store, desk.embedder, desk.ranking.segment, scale, desk.clock)
        found = await find(desk, "zzz")
        assert found.total == count
        assert found == await find(desk, "zzz", mode="semantic")


async def test_relevance_falls_with_the_place(desk: Desk) -> None:
    """S002-D06: hybrid and semantic give a probability between 0 and 1 in the order of the ranking."""
    for n in range(30):
        await desk.keeper.add("甲", f"第{n}次部署 备份方案{'的说明' * (n % 4)}", memory_key=f"k{n}")
    for mode in ("hybrid", "semantic"):
        found = (await find(desk, "备份方案 第3次", mode=mode, min_score=0.0, limit=30)).found
        chances = [one.relevance for one in found]
        assert len(found) == 30 and chances == sorted(chances, reverse=True) and 0 < chances[-1] < chances[0] < 1
        assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


async def test_sensitive_memories_leave_no_trace(desk: Desk) -> None:
    """S002-D19: without the permission a search gives the same with and without them: rows, totals and scores."""
    for n in range(6):
        await desk.keeper.add("甲", f"备份方案 第{n}次 服务器", memory_key=f"k{n}", thread_id="t")
    asked = [("密码 备份方案", ()), ("密码", ("密码",)), ("备份方案", ("备份",))]
    every = [(mode, query, given) for mode in MODES for query, given in asked]

    async def answers(**fields: Any) -> list[FoundMemories]:
        return [await find(desk, q, mode=m, keywords=k, min_score=0.0, limit=10, **fields) for m, q, k in every]

    before = await answers()
    for n in range(9):
        hidden = {"sensitive": True}
        await desk.keeper.add("甲", f"密码是{n} 备份方案", memory_key=f"s{n}", thread_id="t", content_metadata=hidden)
    assert await answers() == before
    assert [one.total for one in await answers(sees_sensitive=True)] > [one.total for one in before]


async def test_filters_and_threshold_hold_before_the_limit(desk: Desk) -> None:
    """S002-03 S002-D05 S002-D06: types, days, activity and score count in total_found; limit only cuts."""
    for n in range(6):
        await desk.keeper.add("甲", "备份方案", memory_key=f"k{n}", created_at=NOON - timedelta(days=n))
    await desk.keeper.add("甲", "备份方案", memory_key="pref", memory_type="user_preference")
    await desk.keeper.add("甲", "完全无关", memory_key="far")
    await deactivate(desk.store, "甲", "k0")
    found = await find(desk, "备份方案", limit=2, days=3)
    assert (found.total, keys(found)) == (4, ["pref", "k1"])
    assert keys(await find(desk, "备份方案", types=("user_preference",))) == ["pref"]
    assert (await find(desk, "备份方案", limit=10)).total == 6
    assert (await find(desk, "备份方案", limit=10, min_score=1.0)).total == 0
    assert await find(desk, "备份方案", types=("无",)) == FoundMemories(0, ())


async def test_ties(desk: Desk) -> None:
    """S002-D06: equal relevance: the newest, then the key."""
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
    recalled = await desk.ranking.find("甲", MemoryQuery(query="备份方案", limit=10, min_score=0.0))
    assert [one.memory.user_id for one in recalled.found] == ["甲"]
    assert {user for method, user in desk.store.history if method != "put"} == {"甲", "乙"}


async def test_a_recall_hears_the_question_before_an_answer(desk: Desk) -> None:
    """MEM-01: an answer that repeats no word of its question is found beside it."""
    await desk.say("t", "Ann: 周末愉快", "Ann: 养的猫叫什么名字呢", "Bob: 豆包", "Ann: 真可爱", "Bob: 谢谢")
    for n in range(12):
        await desk.say(f"其他{n}", f"Bob: 天气第{n}天", f"Ann: 下雨第{n}回")
    found = await desk.ranking.find("甲", MemoryQuery(query="猫叫什么名字", limit=3, min_score=0.0))
    assert set(keys(found)[:2]) == {"t#1", "t#2"}


async def best(desk: Desk, question: str) -> str:
    return keys(await find(desk, question, limit=1, min_score=0.0))[0]


async def test_a_recall_prefers_the_days_and_the_speaker_asked_for(desk: Desk) -> None:
    """MEM-01: 5月3日 means that day, 昨天 the day before now; a name in the question means who said it."""
    for n in range(5):
        desk.now = NOON + timedelta(days=n)
        await desk.say(f"第{n}日", "小林: 今天去跑步", "小周: 今天去跑步")
    assert await best(desk, "5月3日小林去做了什么运动") == "第2日#0"
    assert await best(desk, "小周5月4日去跑步了吗") == "第3日#1"
    assert await best(desk, "昨天小周去跑步了吗") == "第3日#1"
    assert await desk.ranking.find("丙", MemoryQuery(query="跑步", min_score=0.0)) == FoundMemories(0, ())
