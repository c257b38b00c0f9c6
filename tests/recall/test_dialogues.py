"""The specification's own dialogues about memories by rule, on real engine and embedder (memory.md §11)."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, get_args

import pytest

import wenmai
from tools.recall.schemas import SearchInput
from wenmai.agent import Agent, open_agent
from wenmai.application.memories import SearchWay

KEPT: dict[str, tuple[str, str]] = {
    "db_config_001": ("command_output", "数据库配置：PostgreSQL 15，主机 10.0.0.5，端口 5433"),
    "plan": ("command_output", "上次讨论的方案：先把旧表迁移到新库，再在周末切换流量"),
    "tea": ("user_preference", "我喜欢喝乌龙茶，不加糖"),
    "trip": ("general", "十月份准备去云南旅行，打算住在大理古城"),
    "cat": ("general", "我的猫叫豆豆，三岁，是只橘猫"),
    "deploy": ("command_output", "部署脚本在 /opt/release/deploy.sh，需要先跑单元测试"),
    "font": ("user_preference", "报告里的图表一律用深色背景和大号字体"),
    "meeting": ("general", "每周三下午三点和产品组开例会"),
    "allergy": ("general", "我对花生过敏，点餐时要避开"),
}
VAGUE = "我之前让你做的那个东西"


@pytest.fixture
async def agent(tmp_path: Path) -> AsyncIterator[Agent]:
    """An agent without a model that knows nine things of its user."""
    async with open_agent(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces") as opened:
        for key, (kind, text) in KEPT.items():
            await opened.services.memory_service.add("甲", text, memory_key=key, memory_type=kind)
        yield opened


def first_key(answer: dict[str, Any]) -> str | None:
    return answer["results"][0]["memory_key"] if answer["results"] else None


async def test_the_configuration_of_before(agent: Agent) -> None:
    """S002-24: given the search's keywords or nothing, the configuration is found, read and handed off."""
    words = ["数据库", "配置", "database"]
    found = await agent.tool("search_memories", user_id="甲", query="我之前的数据库配置", keywords=words)
    assert first_key(found) == "db_config_001" and found["results"][0]["relevance_score"] >= 0.5
    detail = await agent.tool("get_memory_detail", user_id="甲", memory_key="db_config_001")
    assert detail["content"] == KEPT["db_config_001"][1]
    record = await agent.recall("按照我之前的数据库配置来", "甲")
    assert record["action"] == "RECALL_SUCCESS" and record["memories"][0]["memory_key"] == "db_config_001"
    assert "已找到相关记忆，搜索完成" in record["message"]


async def test_the_plan_of_last_time(agent: Agent) -> None:
    """S002-24 S002-D06: the example of the tool's description works: by meaning alone, at the default threshold."""
    found = await agent.tool("search_memories", user_id="甲", search_mode="semantic", query="上次讨论的方案")
    assert first_key(found) == "plan" and found["results"][0]["relevance_score"] >= 0.5
    narrow = {"query": "方案", "memory_types": ["command_output"], "time_range_days": 7, "min_relevance_score": 0.0}
    assert "plan" in [
        one["memory_key"] for one in (await agent.tool("search_memories", user_id="甲", **narrow))["results"]
    ]
    record = await agent.recall("上次说的那个方案", "甲")
    assert record["action"] == "RECALL_SUCCESS" and record["memories"][0]["memory_key"] == "plan"


async def test_what_no_memory_tells_is_asked_back(agent: Agent) -> None:
    """S002-24 MEM-11: both searches give nothing, the recall gives none and asks."""
    by_meaning = await agent.tool("search_memories", user_id="甲", search_mode="semantic", query=VAGUE)
    wide = await agent.tool("search_memories", user_id="甲", query=VAGUE, min_relevance_score=0.3, limit=10)
    assert (by_meaning["total_found"], wide["total_found"], wide["message"]) == (0, 0, "未找到相关记忆")
    record = await agent.recall(VAGUE, "甲")
    assert (record["action"], record["memories"], record["confidence"]) == ("NEED_MORE_INFO", [], 0.0)
    assert record["search_summary"] == "未找到用户提到的历史记忆" and record["needs_more_info"]
    assert record["follow_up_question"] == "您能否提供更多细节，比如大概什么时间或什么主题？"
    assert record["message"].endswith(record["follow_up_question"])
    asked = (await agent.ask(VAGUE, toolkits=["memory"], user_id="甲")).record
    assert asked["status"] == "not_found"
    assert asked["answer"] == f"抱歉，未能找到相关信息。\n{record['follow_up_question']}"


@pytest.mark.parametrize("query", ["上次那个", "上次的那个东西", "那件事", "之前那个呢", "that thing from last time"])
async def test_a_query_that_names_nothing(agent: Agent, query: str) -> None:
    """MEM-11: Given a memory that is near by chance, When the query has no word of its own, Then the user is asked."""
    await agent.services.memory_service.add("甲", f"{query}，上次那个", memory_key="chance")
    record = await agent.recall(query, "甲")
    assert (record["action"], record["memories"]) == ("NEED_MORE_INFO", [])


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("上次讨论的方案", "plan"),
        ("我平时喝什么", "tea"),
        ("我的宠物叫什么名字", "cat"),
        ("我对图表样式有什么要求", "font"),
        ("什么时候跟产品的人碰头", "meeting"),
        ("我有什么不能吃", "allergy"),
        ("昨天的足球比赛谁赢了", None),
        ("今天天气怎么样？", None),
        ("北京今天会下雨吗？", None),
        ("what is the weather like today?", None),
        (VAGUE, None),
    ],
)
async def test_meaning_alone(agent: Agent, query: str, key: str | None) -> None:
    """S002-D06: at the default threshold meaning alone finds what it does find, and nothing for what none tells.

    Of the other three of the nine (configuration, trip, deploy) the right one comes first, below 0.5.
    """
    assert first_key(await agent.tool("search_memories", user_id="甲", search_mode="semantic", query=query)) == key


@pytest.mark.parametrize("mode", ["semantic", "keyword", "hybrid"])
async def test_the_example_of_the_description(agent: Agent, mode: str) -> None:
    """MEM-08: Given a configuration, When the description's example is searched for, Then it is found."""
    example = re.search('例如"(.+)"', SearchInput.model_fields["query"].description or "")
    assert example
    found = await agent.tool("search_memories", user_id="甲", search_mode=mode, query=example[1])
    assert first_key(found) == "db_config_001"


async def test_every_memory_of_a_recall_is_relevant(agent: Agent) -> None:
    """MEM-11: Given nine memories of other matters, When one is recalled, Then none below the threshold comes along."""
    for question in ("我的猫叫什么名字", "按照我之前的数据库配置来", "我对什么过敏"):
        record = await agent.recall(question, "甲")
        assert record["memories"]
        assert all(row["relevance_score"] >= 0.35 for row in record["memories"])


async def test_every_hit_of_a_search_passes_its_threshold(tmp_path: Path) -> None:
    """MEM-11: Given nine memories, When searched in each mode, Then the threshold holds for each hit."""
    async with wenmai.open(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces") as app:
        for key, (kind, text) in KEPT.items():
            await app.memories.add(text, type=kind, key=key)
        for mode in get_args(SearchWay):
            for least in (0.5, 0.2, 0.0):
                found = await app.memories.search("我的猫叫豆豆吗", mode=mode, min_score=least)
                assert [one.memory.key for one in found.items][:1] == ["cat"]
                assert all(one.relevance >= least for one in found.items)


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("重构登录接口", {"重构": "action", "登录接口": "entity"}),
        ("上周我重构了登录接口", {"上周": "time", "重构": "action", "登录接口": "entity"}),
        ("部署了 Redis", {"部署": "action", "redis": "entity"}),
        ("我下周要部署 Redis", {"下周": "time", "部署": "action", "redis": "entity"}),
        ("把用户服务部署到生产环境", {"用户服务": "entity", "部署": "action", "生产环境": "entity", "生产": None}),
        ("将订单系统迁移到新集群", {"迁移": "action", "集群": "entity"}),
        ("上次部署的服务", {"服务": "entity"}),
        ("我们讨论的设计", {"讨论": "action", "设计": "entity"}),
        ("他的工作经验", {"工作经验": "concept"}),
        ("查询和概念", {"查询": "action", "概念": "concept"}),
        ("我些微能认真考虑这部电影", {"些微": None, "考虑": "action", "电影": "entity", "这部": None, "我些": None}),
    ],
)
async def test_kinds_of_keywords(agent: Agent, query: str, kinds: dict[str, str | None]) -> None:
    """S002-12: Given a request, When its keywords are extracted, Then what is done and to what are told apart."""
    found = await agent.tool("extract_search_keywords", user_id="甲", query=query, max_keywords=10)
    types = {one["keyword"]: one["type"] for one in found["keywords"]}
    assert {word: types.get(word) for word in kinds} == kinds
