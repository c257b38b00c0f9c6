"""search_memories on the real engine: modes, filters, shapes, messages, limits (memory.md §3)."""

import itertools
from typing import Any

import pytest

from tests.fake_memories import deactivate
from tests.recall.rig import RecallRig, ScriptedExpander
from tools.errors import ModelError, StoreUnavailable

CONFIG = "数据库 配置：PostgreSQL，端口 5433"


async def stocked(rig: RecallRig) -> RecallRig:
    await rig.add("db", CONFIG, summary="数据库配置", keywords=["数据库", {"keyword": "配置", "weight": 0.5}])
    await rig.add("tea", "用户喜欢喝乌龙茶", memory_type="user_preference", days_ago=40)
    await rig.add("log", "deploy 命令输出：成功", memory_type="command_output", days_ago=2)
    await rig.add("theirs", CONFIG, user="乙", summary="乙的数据库配置")
    return rig


def keys(answer: dict[str, Any]) -> list[str]:
    return [row["memory_key"] for row in answer["results"]]


async def test_shape_of_a_result(rig: RecallRig) -> None:
    """S002-02 S002-03 S002-D05 S002-D07 S002-06 MEM-03: rows and totals as declared, only the user's own."""
    rig.expander = ScriptedExpander(["postgres"])
    await stocked(rig)
    answer = await rig.tool("search_memories", {"query": "数据库配置", "keywords": ["数据库"]})
    assert list(answer) == ["success", "total_found", "returned", "results", "search_query_expanded", "message"]
    assert answer["search_query_expanded"] == "数据库, postgres" and answer["message"] == "找到 1 条相关记忆，返回 1 条"
    (row,) = answer["results"]
    assert list(row) == [
        "memory_key",
        "summary",
        "content_preview",
        "memory_type",
        "relevance_score",
        "created_at",
        "keywords",
    ]
    assert row["memory_key"] == "db" and row["summary"] == "数据库配置" and row["content_preview"] == CONFIG
    assert row["created_at"] == "2026-04-30T12:00:00+00:00" and 0 <= row["relevance_score"] <= 1
    assert row["keywords"] == ["数据库", "配置"]


async def test_previews_are_cut_only_when_longer(rig: RecallRig) -> None:
    """S002-02: the first 200 characters, "..." only where there are more; a summary that is null becomes ""."""
    await rig.add("short", "配" * 200)
    await rig.add("long", "配" * 201)
    answer = await rig.tool("search_memories", {"query": "配配", "min_relevance_score": 0})
    previews = {row["memory_key"]: row["content_preview"] for row in answer["results"]}
    assert previews == {"short": "配" * 200, "long": "配" * 200 + "..."}
    assert {row["summary"] for row in answer["results"]} == {""}


async def test_modes_differ(rig: RecallRig) -> None:
    """S002-04 S002-D02 S002-D06: each mode finds what it should; keyword expands nothing, the others do."""
    rig.expander = ScriptedExpander()
    await rig.add("words", "zebra 完全别的内容一二三四五六七八九十", keywords=["乌龙"])
    await rig.add("meaning", "喝乌龙茶乌龙茶乌龙茶", keywords=["茶"])
    query = {"query": "乌龙茶", "keywords": ["乌龙", "zebra"], "min_relevance_score": 0.5}
    found = {mode: await rig.tool("search_memories", {**query, "search_mode": mode}) for mode in MODES}
    assert keys(found["semantic"]) == ["meaning"]
    assert keys(found["keyword"]) == ["words", "meaning"]
    assert sorted(keys(found["hybrid"])) == ["meaning", "words"]
    assert found["keyword"]["search_query_expanded"] is None and len(rig.expander.history) == 1
    assert found["semantic"]["search_query_expanded"] == "乌龙, zebra"


MODES = ("semantic", "keyword", "hybrid")


async def test_filters_hold_in_every_mode(rig: RecallRig) -> None:
    """S002-01 S002-D04 S002-D06: types, days, keywords (any, any case, literal) and the threshold, before the limit."""
    await stocked(rig)
    for mode in MODES:
        base = {"query": "数据库 deploy 乌龙茶", "search_mode": mode, "min_relevance_score": 0}
        assert keys(await rig.tool("search_memories", {**base, "memory_types": ["command_output"]})) in (["log"], [])
        assert "tea" not in keys(await rig.tool("search_memories", {**base, "time_range_days": 7}))
        assert keys(await rig.tool("search_memories", {**base, "keywords": ["DEPLOY"]})) == ["log"]
        assert keys(await rig.tool("search_memories", {**base, "keywords": [".*", "%"]})) == []
    one = await rig.tool("search_memories", {"query": "数据库 deploy", "min_relevance_score": 0, "limit": 1})
    assert one["returned"] == 1 and one["total_found"] > 1


async def test_inactive_memories_are_not_found(rig: RecallRig) -> None:
    """S002-D21 S002-D08: what was deactivated or superseded appears in no tool."""
    await stocked(rig)
    await deactivate(rig.store, "甲", "db")
    assert "db" not in keys(await rig.tool("search_memories", {"query": "数据库配置", "min_relevance_score": 0}))
    assert (await rig.tool("get_memory_detail", {"memory_key": "db"}))["error_code"] == "not_found"


async def test_nothing_found_is_a_success(rig: RecallRig) -> None:
    """MEM-05 S002-05: an empty store is no failure."""
    assert await rig.tool("search_memories", {"query": "火星"}) == {
        "success": True,
        "total_found": 0,
        "returned": 0,
        "results": [],
        "search_query_expanded": None,
        "message": "未找到相关记忆",
    }


async def test_a_failing_expander(rig: RecallRig) -> None:
    """S002-D03: the search goes on with the given keywords and says so."""
    rig.expander = ScriptedExpander(failure=ModelError("停机"))
    await stocked(rig)
    answer = await rig.tool("search_memories", {"query": "数据库", "keywords": ["数据库"]})
    assert answer["success"] and keys(answer) == ["db"] and answer["search_query_expanded"] is None
    assert answer["message"] == "找到 1 条相关记忆，返回 1 条（关键词拓展失败，仅使用给定的关键词）"


async def test_limits_of_searches(rig: RecallRig) -> None:
    """S002-28 S002-D11: the 4th in a row and the 11th of all are refused with what to do instead."""
    row = await rig.tool("search_memories", {"query": "数据库"}, searches_in_row=3, searches=3)
    assert row == {
        "success": False,
        "total_found": 0,
        "results": [],
        "message": "已连续搜索 3 次，请获取记忆详情、拓展上下文窗口或调用 handoff",
    }
    every = await rig.tool("search_memories", {"query": "数据库"}, searches_in_row=1, searches=10)
    assert every["message"] == "本次回忆已搜索 10 次，请获取记忆详情、拓展上下文窗口或调用 handoff"
    assert (await rig.tool("search_memories", {"query": "数据库", "limit": 11}))["error_code"] == "invalid_input"


async def test_sensitive_memories(rig: RecallRig) -> None:
    """S002-D19 S002-29: without the permission there is nothing to find, with it all of it."""
    await rig.add("pin", "数据库密码 1234", summary="密码", content_metadata={"sensitive": True})
    args = {"query": "数据库密码", "min_relevance_score": 0}
    for mode, keywords in itertools.product(MODES, (None, ["密码"], ["数据库"])):
        hidden = await rig.tool("search_memories", {**args, "search_mode": mode, "keywords": keywords})
        assert (hidden["total_found"], hidden["results"], hidden["message"]) == (0, [], "未找到相关记忆")
    refused = await rig.tool("get_memory_detail", {"memory_key": "pin"})
    assert refused["error_code"] == "permission_denied" and refused["content"] == ""
    assert refused["message"] == "获取记忆详情失败: 没有查看敏感记忆的权限。请报告调用方，可能需要重新认证"
    allowed = {"permissions": frozenset({"sensitive_memory"})}
    (shown,) = (await rig.tool("search_memories", args, **allowed))["results"]
    assert shown["summary"] == "密码" and shown["content_preview"] == "数据库密码 1234"
    assert (await rig.tool("get_memory_detail", {"memory_key": "pin"}, **allowed))["content"] == "数据库密码 1234"


@pytest.mark.parametrize(
    ("args", "wrong"),
    [
        ({}, "缺少必填参数 query"),
        ({"query": " "}, "缺少必填参数 query"),
        ({"query": "x", "limit": 80}, "limit 必须在 1..10 之间，收到 80"),
        ({"query": "x", "time_range_days": 0}, "time_range_days 必须在 1..365 之间，收到 0"),
        ({"query": "x", "search_mode": "fuzzy"}, "search_mode 必须是 semantic/keyword/hybrid 之一，收到 fuzzy"),
        ({"query": "x", "limit": 5.5}, "limit 必须是 1..10 之间的整数，收到 5.5"),
        ({"limit": "many"}, "缺少必填参数 query; limit 必须是 1..10 之间的整数，收到 many"),
    ],
)
async def test_wrong_arguments(rig: RecallRig, args: dict[str, Any], wrong: str) -> None:
    """S002-D18 S002-25 S002-26 S002-29: every wrong field is listed, as a result and never an exception."""
    assert await rig.tool("search_memories", args) == {
        "success": False,
        "total_found": 0,
        "results": [],
        "message": f"搜索失败: {wrong}",
        "error_code": "invalid_input",
    }


async def test_coercion(rig: RecallRig) -> None:
    """S002-01 S000-D15: what models send in other forms is understood, unknown names and identities are ignored."""
    await stocked(rig)
    args = {
        "query": "数据库",
        "limit": "3",
        "search_mode": "KEYWORD",
        "keywords": "数据库",
        "user_id": "乙",
        "limit_": 1,
    }
    answer = await rig.tool("search_memories", args)
    assert keys(answer) == ["db"] and "乙" not in str(answer)


class Failing:
    """A store whose reads fail a number of times."""

    def __init__(self, store: Any, failures: list[Exception]) -> None:
        self.store, self.failures, self.asked = store, failures, 0

    def __getattr__(self, name: str) -> Any:
        async def called(*args: Any, **more: Any) -> Any:
            self.asked += 1
            if self.failures:
                raise self.failures.pop(0)
            return await getattr(self.store, name)(*args, **more)

        return called


async def test_a_database_error_is_retried_once(rig: RecallRig) -> None:
    """S002-25 S002-05 LOP-05: one more try and no other, then an error answer that is not "nothing found"."""
    await stocked(rig)
    store: Any = Failing(rig.store, [StoreUnavailable("磁盘坏了")])
    once = RecallRig(store)
    assert keys(await once.tool("search_memories", {"query": "数据库", "search_mode": "keyword"})) == ["db"]
    store.failures = [StoreUnavailable("磁盘坏了")] * 2
    answer = await once.tool("search_memories", {"query": "数据库 再", "search_mode": "keyword"})
    assert answer == {
        "success": False,
        "total_found": 0,
        "results": [],
        "message": "搜索失败: 磁盘坏了。已重试一次，请报告调用方",
        "error_code": "database_error",
    }
    assert store.failures == []


async def test_other_errors_are_not_retried(rig: RecallRig) -> None:
    """S002-25 S000-D13: a time-out is told at once with its remedy; a fault shows neither trace nor query."""
    store: Any = Failing(rig.store, [TimeoutError(), RuntimeError("SELECT secret FROM t"), RuntimeError("x")])
    slow = RecallRig(store)
    late = await slow.tool("search_memories", {"query": "数据库", "search_mode": "keyword"})
    assert late["error_code"] == "timeout" and late["message"].endswith("。缩小搜索范围，使用更精确的关键词")
    assert len(store.failures) == 2
    broken = await slow.tool("search_memories", {"query": "数据库", "search_mode": "keyword"})
    assert broken["error_code"] == "database_error" and "secret" not in str(broken) and store.failures == []


async def test_english(rig: RecallRig) -> None:
    """S002-05 S002-28: an English question gets English messages."""
    nothing = await rig.tool("search_memories", {"query": "nothing"}, language="en")
    assert nothing["message"] == "No relevant memory was found"
    wrong = await rig.tool("search_memories", {"query": "x", "limit": 0}, language="en")
    assert wrong["message"] == "Search failed: limit must be between 1 and 10, got 0"
