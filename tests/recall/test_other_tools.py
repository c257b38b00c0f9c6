"""The other four tools, the registry and the caches on the real engine (memory.md §1, §4-10)."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from langchain_google_genai._function_utils import convert_to_genai_function_declarations

from tests.fake_memories import deactivate
from tests.recall.rig import RecallRig, ScriptedExpander, at
from tests.recall.test_search import Failing
from tests.unit.minds.rooms import mind_of
from tests.unit.tools.test_declarations import KEYS, PLAIN_TYPES
from tools.errors import ModelError
from tools.language import cost
from tools.recall.schemas import SearchInput, read_expansion
from tools.recall.tools import ENTRIES, REGISTRY, declarations

NAMES = ["search_memories", "get_memory_detail", "extract_search_keywords", "expand_context_window", "handoff"]


def test_registry() -> None:
    """S002-22 S002-D15 S002-23 S002-D22: five entries with models, function and flags, and no other."""
    assert list(REGISTRY) == NAMES
    assert [tool.name for tool in ENTRIES if tool.is_expansion] == ["expand_context_window"]
    assert [tool.name for tool in ENTRIES if tool.is_handoff] == ["handoff"]
    assert REGISTRY["search_memories"].input_model is SearchInput
    assert all(tool.func.__name__ == tool.name and tool.output_model for tool in ENTRIES)


def test_declarations() -> None:
    """MEM-08 S000-D09: plain types, ranges and defaults in the descriptions, the required ones, an English twin."""
    for one in convert_to_genai_function_declarations(declarations()):
        for made in one.model_dump(mode="json", exclude_none=True)["function_declarations"]:
            properties = made["parameters"]["properties"]
            assert all(p["type"] in PLAIN_TYPES and set(p) <= KEYS for p in properties.values())
    required = {one["name"]: one["parameters"]["required"] for one in declarations()}
    assert list(required.values()) == [
        ["query"],
        ["memory_key"],
        ["query"],
        ["reason", "requested_size"],
        ["search_summary", "confidence"],
    ]
    search = declarations()[0]["parameters"]["properties"]
    assert search["limit"]["description"] == "返回结果数量限制（1..10，默认 5）"
    assert search["time_range_days"]["description"] == "时间范围过滤，最近 N 天内的记忆（1..365）"
    assert search["search_mode"]["enum"] == ["semantic", "keyword", "hybrid"]
    english = json.dumps(declarations("en"), ensure_ascii=False)
    assert not any("\u4e00" <= char <= "\u9fff" for char in english)


async def test_detail(rig: RecallRig) -> None:
    """S002-07 S002-08 S002-D08: the whole memory; unknown, inactive and foreign keys are all the same."""
    await rig.add("k", "完整内容", summary="概要", content_metadata={"host": "a"}, memory_type="command_output")
    await rig.add("theirs", "乙的", user="乙")
    await rig.add("old", "旧的")
    await deactivate(rig.store, "甲", "old")
    assert await rig.tool("get_memory_detail", {"memory_key": "k"}) == {
        "success": True,
        "memory_key": "k",
        "summary": "概要",
        "content": "完整内容",
        "memory_type": "command_output",
        "created_at": "2026-04-30T12:00:00+00:00",
        "metadata": {"host": "a"},
        "truncated": False,
        "original_size": 12,
        "next_offset": None,
        "message": "已获取记忆详情",
    }
    answers = [await rig.tool("get_memory_detail", {"memory_key": key}) for key in ("none", "old", "theirs")]
    messages = [f"未找到记忆: {key}。尝试模糊搜索或询问用户更多信息" for key in ("none", "old", "theirs")]
    assert [one.pop("message") for one in answers] == messages
    assert answers[0] == answers[1] == answers[2] and answers[0]["error_code"] == "not_found"


async def test_long_content(rig: RecallRig) -> None:
    """S002-D17: above 100 KB it is cut between two characters; the model sees no more than its budget."""
    await rig.add("long", "汉" * 40_000)
    whole = await rig.tool("get_memory_detail", {"memory_key": "long"}, budget=10**6)
    assert whole["truncated"] and whole["original_size"] == 120_000
    assert len(whole["content"].encode()) == 102_399 and set(whole["content"]) == {"汉"}
    assert whole["message"] == "已获取记忆详情（内容共 120000 字节，已截断）"
    shown = await rig.tool("get_memory_detail", {"memory_key": "long"})
    assert cost(json.dumps(shown, ensure_ascii=False)) <= 8_000 and shown["truncated"]


@pytest.mark.parametrize("text", ['汉字和"引号"\n换行' * 1_700, "x" * 21_700, "y" * 25_000])
async def test_parts_of_a_long_content(rig: RecallRig, text: str) -> None:
    """S002-D17: what fits of 8,000 Chinese characters is shown, with the offset of the rest; parts are the whole."""
    metadata = {"host": "a", "note": "长" * 5_000}
    await rig.add("long", text, summary="概要", content_metadata=metadata)
    parts, offset, answer, part = [], 0, "", {}
    while offset is not None:
        answer = (await rig.dispatched("get_memory_detail", {"memory_key": "long", "offset": offset})).content
        part = json.loads(answer)
        assert cost(answer) <= 8_000 and part["success"] and part["original_size"] == len(text.encode())
        assert part["next_offset"] is None or cost(answer) > 7_900
        parts.append(part["content"])
        offset = part["next_offset"]
    assert "".join(parts) == text and len(parts) > 1
    assert "offset=" in json.loads(answer)["message"] or part["message"] == "已获取记忆详情"


async def test_detail_failure(rig: RecallRig) -> None:
    """S002-09: an exception is an answer of the tool's own shape."""

    store: Any = Failing(rig.store, [RuntimeError("boom")] * 2)
    answer = await RecallRig(store).tool("get_memory_detail", {"memory_key": "k"})
    assert not answer["success"] and answer["content"] == ""
    assert answer["message"].startswith("获取记忆详情失败: ") and "boom" not in answer["message"]


async def test_extract(rig: RecallRig) -> None:
    """S002-10 S002-11 S002-12: one call of the model, at most max_keywords, each with weight and type."""
    rig.expander = ScriptedExpander(["数据库", "配置", "端口"])
    answer = await rig.tool("extract_search_keywords", {"query": "数据库怎么配", "context": "部署", "max_keywords": 2})
    assert answer == {
        "success": True,
        "keywords": [
            {"keyword": "数据库", "weight": 1.0, "type": "concept"},
            {"keyword": "配置", "weight": 1.0, "type": "concept"},
        ],
        "expanded_query": "数据库怎么配",
        "message": "提取了 2 个关键词",
    }
    assert rig.expander.history[0].context == "部署" and rig.expander.history[0].most == 2


async def test_extract_failure(rig: RecallRig) -> None:
    """S002-13: a failing model is a failure of the tool."""
    rig.expander = ScriptedExpander(failure=ModelError("停机"))
    answer = await rig.tool("extract_search_keywords", {"query": "数据库"})
    assert not answer["success"] and answer["keywords"] == []
    assert answer["message"].startswith("关键词提取失败: 停机")


def test_cleaning_of_an_answer() -> None:
    """S002-D20: fences go, weights are clamped, unknown types are concepts, blanks and doubles go, then the cut."""
    text = """```json
    {"keywords": [{"keyword": " 数据库 ", "weight": 7, "type": "Entity"}, {"keyword": ""}, {"keyword": "数据库"},
    {"keyword": "部署", "weight": -1, "type": "verb"}, "上周", {"weight": 1}, {"keyword": "丢", "weight": "x"}],
    "expanded_query": "数据库部署"}
    ```"""
    found = read_expansion(text, 3)
    assert [(one.keyword, one.weight, one.type) for one in found.keywords] == [
        ("数据库", 1.0, "entity"),
        ("部署", 0.0, "concept"),
        ("上周", 1.0, "concept"),
    ]
    assert found.expanded_query == "数据库部署"
    for wrong in ("no json", "3", '{"keywords": 3}'):
        with pytest.raises(ValueError):
            read_expansion(wrong, 3)


@pytest.mark.parametrize(
    ("query", "types"),
    [
        (
            "昨天在北京修改数据库的设计，部署到服务器上",
            "昨天=time 北京=entity 修改=action 数据库=entity 部署=action 服务器=entity",
        ),
        (
            "备份 config.yaml 文件到 MySQL 里，重启 nginx",
            "备份=action 文件=entity 重启=action mysql=entity config=entity",
        ),
        ("张三推荐的算法和可靠性方案", "张三=entity 推荐=action 算法=concept 可靠性=concept 方案=concept"),
        ("我最近去厦门旅游了", "最近=time 厦门=entity 旅游=action"),
        (
            "Yesterday I deployed the database migration to the Berlin server",
            "yesterday=time deployed=action database=entity migration=concept berlin=entity server=entity",
        ),
        (
            "Deploy the API and fix the strategy in app.py",
            "deploy=action api=entity fix=action strategy=concept app=entity",
        ),
    ],
)
async def test_offline_expander(rig: RecallRig, query: str, types: str) -> None:
    """LOP-09 S002-11 S002-12: without a model the words of the query, each with its type; words without content go."""
    expander = (await mind_of()).expander
    args = {"query": query, "max_keywords": 10}
    answer = await rig.tool("extract_search_keywords", args, model=expander)
    found = {one["keyword"]: one["type"] for one in answer["keywords"]}
    wanted = dict(one.split("=") for one in types.split())
    assert {word: found.get(word) for word in wanted} == wanted
    assert not found.keys() & {"the", "and", "里", "到"}


@pytest.mark.parametrize(
    ("stands", "wanted", "message"),
    [
        (at(3, 5, 40), 10, "已达到最大迭代次数 (3)，无法继续拓展"),
        (at(1, 5, 40), 5, "请求的窗口大小必须大于当前大小 (5)"),
        (at(1, 5, 5), 10, "没有更早的消息可供拓展"),
        (at(2, 50, 80), 60, "没有更早的消息可供拓展"),
    ],
)
async def test_refused_expansions(rig: RecallRig, stands: Any, wanted: int, message: str) -> None:
    """S002-15 S002-D09: nothing changes."""
    args = {"reason": "太少", "requested_size": wanted}
    assert await rig.tool("expand_context_window", args, iteration=stands) == {
        "approved": False,
        "new_size": stands.window,
        "iteration": stands.number,
        "max_iterations": 3,
        "message": message,
    }


@pytest.mark.parametrize(("available", "wanted", "size"), [(40, 10, 10), (8, 10, 8), (90, 80, 50)])
async def test_approved_expansions(rig: RecallRig, available: int, wanted: int, size: int) -> None:
    """S002-14 S002-16: limited to the messages that there are and to 50; the next iteration is told."""
    args = {"reason": "太少", "requested_size": float(wanted)}
    assert await rig.tool("expand_context_window", args, iteration=at(1, 5, available)) == {
        "approved": True,
        "new_size": size,
        "iteration": 2,
        "max_iterations": 3,
        "message": f"批准拓展到 {size} 条消息，进入第 2 轮迭代",
    }


async def test_handoff_message(rig: RecallRig) -> None:
    """S002-18 S002-19 S002-20 S002-D01 S002-D14: parts by newlines, .0%, unseen keys removed before."""
    args = {
        "reason": "都看过了",
        "search_summary": "数据库在 5433 端口",
        "confidence": 0.855,
        "relevant_memory_keys": ["db", "invented"],
        "needs_more_info": True,
        "follow_up_question": "哪一台？",
    }
    answer = await rig.tool("handoff", args, seen={"db": 0.9})
    assert answer == {
        "success": True,
        "task_completed": True,
        "dropped_keys": ["invented"],
        "message": "\n".join(
            [
                "## 记忆搜索完成 (信心度: 86%)",
                "",
                "### 搜索总结",
                "数据库在 5433 端口",
                "",
                "### 相关性分析",
                "都看过了",
                "",
                "### 相关记忆标识",
                "共找到 1 个相关记忆:",
                "- db",
                "",
                "### 需要进一步澄清",
                "哪一台？",
            ]
        ),
    }


async def test_handoff_defaults(rig: RecallRig) -> None:
    """S002-D13 S002-D14: reason and question are derived; without keys and without need those parts are left out."""
    found = await rig.tool(
        "handoff", {"search_summary": "有", "confidence": 1, "relevant_memory_keys": "db"}, seen={"db": 1.0}
    )
    assert "### 相关性分析\n已找到相关记忆，搜索完成" in found["message"] and "澄清" not in found["message"]
    nothing = await rig.tool("handoff", {"search_summary": "无", "confidence": "0", "needs_more_info": "yes"})
    assert "### 相关性分析\n未找到相关记忆" in nothing["message"] and "相关记忆标识" not in nothing["message"]
    assert nothing["message"].endswith("### 需要进一步澄清\n您能否提供更多细节，比如大概什么时间或什么主题？")
    wrong = await rig.tool("handoff", {"search_summary": "无", "confidence": 1.5})
    assert wrong["message"] == "结束回忆失败: confidence 必须在 0..1 之间，收到 1.5" and not wrong["task_completed"]


async def test_every_tool_needs_a_user(rig: RecallRig) -> None:
    """S002-29 MEM-02: without a user no tool reads anything."""
    for name in NAMES:
        answer = await rig.tool(name, {"query": "x", "memory_key": "k"}, user_id=" ")
        assert answer["error_code"] == "permission_denied" and "缺少用户身份" in answer["message"]


async def test_unknown_tool(rig: RecallRig) -> None:
    """S000-36 S002-23: the set is fixed; a name beside it is told so."""
    answer = await rig.tool("delete_memories", {})
    assert answer == {"error": "Unknown tool: delete_memories", "tool": "delete_memories", "valid_tools": NAMES}


async def test_caches(rig: RecallRig) -> None:
    """S002-27 S002-D16: successes for 1, 5 and 10 minutes by user and parameters; a write drops the user's."""
    expander = rig.expander = ScriptedExpander()
    await rig.add("db", "数据库配置")
    args = {"query": "数据库", "min_relevance_score": 0}

    async def total(**more: Any) -> int:
        return int((await rig.tool("search_memories", {**args, **more}))["total_found"])

    assert await total() == 1
    await rig.store.put([await rig.add("两", "数据库", user="乙")], [[1.0] * rig.embedder.dimension])
    row = (await rig.store.get("甲", ["db"]))[0]
    await rig.store.delete("甲", ["db"])  # behind the caches' back
    assert await total() == 1 and len(expander.history) == 1
    assert await total(limit=4) == 0 and await total(limit=4) == 0
    rig.ticks.now = 59.9
    assert await total() == 1
    rig.ticks.now = 60.0
    assert await total() == 0 and len(expander.history) == 1
    rig.ticks.now = 300.0
    await total(limit=9)
    assert len(expander.history) == 2
    await rig.keeper.put([row])
    assert await total(limit=9) == 1


async def test_content_cache(rig: RecallRig) -> None:
    """S002-27 S002-D16: contents live 10 minutes, misses not at all, updates are seen at once, the size is bound."""
    assert (await rig.tool("get_memory_detail", {"memory_key": "db"}))["error_code"] == "not_found"
    await rig.add("db", "旧")
    assert (await rig.tool("get_memory_detail", {"memory_key": "db"}))["content"] == "旧"
    await rig.keeper.update("甲", "db", content="新")
    assert (await rig.tool("get_memory_detail", {"memory_key": "db"}))["content"] == "新"
    await rig.store.delete("甲", ["db"])
    rig.ticks.now = 599.0
    assert (await rig.tool("get_memory_detail", {"memory_key": "db"}))["success"]
    rig.ticks.now = 600.0
    assert not (await rig.tool("get_memory_detail", {"memory_key": "db"}))["success"]
    for n in range(1_100):
        rig.caches.contents.put("甲", n, (await rig.add(f"m{n}", "x")) if n == 0 else rig.caches.contents.get("甲", 0))  # type: ignore[arg-type]  # the first is there
    assert len(rig.caches.contents) == 1_000


@dataclass
class Slow:
    """A store during whose first read something else happens."""

    store: Any
    meanwhile: Callable[[], Awaitable[Any]] | None = None

    def __getattr__(self, name: str) -> Any:
        async def called(*args: Any) -> Any:
            found = await getattr(self.store, name)(*args)
            if name == "get" and self.meanwhile:
                happening, self.meanwhile = self.meanwhile, None
                await happening()
            return found

        return called


async def test_a_read_during_a_write_is_not_kept(rig: RecallRig) -> None:
    """S002-D16: what was read before a write must not come back from the cache behind it."""
    await rig.add("db", "旧")
    slow: Any = Slow(rig.store)
    rig = RecallRig(slow)
    slow.meanwhile = lambda: rig.keeper.update("甲", "db", content="新")
    assert (await rig.tool("get_memory_detail", {"memory_key": "db"}))["content"] == "旧"
    assert (await rig.tool("get_memory_detail", {"memory_key": "db"}))["content"] == "新"
