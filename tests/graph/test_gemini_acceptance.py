"""The acceptance runs as conversations through the real client over HTTP (story.md §6, loop.md §9)."""

import json
from typing import Any

import pytest

from tests.gemini.parts import as_json, call, text, thought
from tests.gemini.replies import turn
from tests.gemini.space import LOOPBACK_MODEL, Space
from tests.graph.talk import GRADER, REFINER, SHALLOW, TOKENS, grade, maiden, resolved, talking
from tools.toolboxes import TOOLKITS

STORY: dict[str, Any] = {"toolkits": ["story"]}
STOP = call("stop", {"reason": "sufficient"})


def called(result: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(one["tool"], one["args"]) for one in result["tool_calls"]]


async def test_composite(service: Space) -> None:
    """S000-38: graph_search shows the triple, track_entity the scenes in order, stop; the draft turn calls nothing."""
    async with talking(service) as talk:
        talk.agent(
            call("graph_search", {"entity": "恰斯卡", "depth": 2.0}),
            call("track_entity", {"entity": "恰斯卡", "chapter_range": [1.0, 10.0]}),
            STOP,
            turn(text("恰斯卡与卡齐娜一见如故[E1]。"), tokens=TOKENS),
        )
        talk.grader(grade())
        result = await talk.ask("恰斯卡和卡齐娜的关系如何演变？", **STORY)
    service.assert_clean()
    assert called(result) == [
        ("graph_search", {"entity": "恰斯卡", "depth": 2}),
        ("track_entity", {"entity": "恰斯卡", "chapter_range": [1, 10]}),
        ("stop", {"reason": "sufficient"}),
    ]
    assert all(one["ok"] for one in result["tool_calls"]) and result["passed"] and result["mind"] == service.provider
    first, second, third, draft = [one for one in service.history if one.model == LOOPBACK_MODEL]
    assert first.tools == second.tools == third.tools == draft.tools == [*TOOLKITS["story"], "stop"]
    assert first.system.startswith("你是“原神”的问答助手") and first.system == draft.system
    assert first.prompt == "用户问题: 恰斯卡和卡齐娜的关系如何演变？"
    (name, network), (_, journey) = second.responses[0], third.responses[0]
    assert name == "graph_search" and "恰斯卡 --friend_of--> 卡齐娜" in network["result"]
    assert "[E1] 恰斯卡 --friend_of--> 卡齐娜" in network["result"]
    assert "[E5] 第1部 第1章：恰斯卡在集市遇见了卡齐娜" in network["result"] and "见 E5" in journey["result"]
    assert not draft.may_call and draft.prompt.startswith("基于以上检索到的信息，请回答用户的问题: 恰斯卡和卡齐娜")
    responses = [part["functionResponse"] for c in draft.contents for part in c["parts"] if "functionResponse" in part]
    assert responses[-1]["response"] == {"result": "检索已停止"}


@pytest.mark.parametrize(
    ("question", "calls", "shown"),
    [
        ("玛拉妮的性格是什么？", [("vector_search", {"query": "玛拉妮 性格"})], ["[E1] 第"]),
        ("恰斯卡和卡齐娜是什么关系？", [("graph_search", {"entity": "恰斯卡"})], ["恰斯卡 --friend_of--> 卡齐娜"]),
        (
            "旅行者如何获得古名？",
            [("track_entity", {"entity": "卡齐娜"}), ("vector_search", {"query": "获得古名"})],
            ["恰斯卡在集市遇见了卡齐娜", "卡齐娜终于获得了自己的古名"],
        ),
    ],
)
async def test_runs(service: Space, question: str, calls: list[tuple[str, dict[str, Any]]], shown: list[str]) -> None:
    """S000-39: the calls one after another, stop, a graded answer; what each request holds."""
    async with talking(service) as talk:
        talk.agent(*(call(*one) for one in calls), STOP, text("她勇敢而努力[E1]。"))
        talk.grader(grade())
        result = await talk.ask(question, **STORY)
    service.assert_clean()
    assert called(result) == [*calls, ("stop", {"reason": "sufficient"})]
    assert result["passed"] and [one["n"] for one in result["citations"]] == [1]
    assert result["resolved_question"] == question
    *turns, draft = [one for one in service.history if one.model == LOOPBACK_MODEL]
    assert {tuple(one.tools) for one in turns} == {(*TOOLKITS["story"], "stop")}
    assert turns[0].contents == [{"role": "user", "parts": [{"text": f"用户问题: {question}"}]}]
    for request, (name, _), words in zip(turns[1:], calls, shown, strict=True):
        ((tool, answer),) = request.responses
        said = str(request.contents)
        assert tool == name and words in said and "[E1] " in said and "cite_as" not in answer
    assert not draft.may_call and draft.prompt.startswith(f"基于以上检索到的信息，请回答用户的问题: {question}")
    (graded,) = [one for one in service.history if one.model == GRADER]
    assert graded.tools == [] and graded.schema is not None and "scores" in graded.schema["required"]
    assert f"## 问题\n{question}" in graded.prompt and "## 草稿\n她勇敢而努力[E1]。" in graded.prompt
    assert all(f"{name}({json.dumps(args, ensure_ascii=False)})" in graded.prompt for name, args in calls)


async def test_a_reference(service: Space) -> None:
    """S000-39: 它 becomes 阿尤, and vector_search is asked with entity_filter 阿尤; the resolver sees the context."""
    async with talking(service) as talk:
        talk.resolver(resolved("阿尤在任务中做了什么？", ("它", "阿尤"), topic="龙伙伴"))
        talk.agent(call("vector_search", {"query": "任务", "entity_filter": "阿尤"}), STOP, text("阿尤一同跃下[E1]。"))
        talk.grader(grade())
        session = {"entities": ["基尼奇", "阿尤"], "topic": "龙伙伴"}
        result = await talk.ask("它在任务中做了什么？", session=session, **STORY)
    service.assert_clean()
    assert result["resolutions"] == [{"mention": "它", "entity": "阿尤"}]
    assert result["resolved_question"] == "阿尤在任务中做了什么？"
    assert called(result)[0] == ("vector_search", {"query": "任务", "entity_filter": "阿尤"})
    resolver, planner = service.history[:2]
    assert "（最近的在前）：阿尤 (Character), 基尼奇 (Character)\n" in resolver.prompt
    assert resolver.prompt.endswith("新问题：它在任务中做了什么？") and resolver.system.endswith(
        "topic 是话题，二十字以内"
    )
    assert resolver.schema is not None and set(resolver.schema["required"]) >= {"refers_back", "question"}
    assert planner.prompt.endswith("用户的问题已消解为：阿尤在任务中做了什么？")


async def test_maiden(service: Space) -> None:
    """S003-28: get_character_events, search_memory, an answer that cites chapter 16 task 1608, 78 points, a trace."""
    async with talking(service, world=maiden()) as talk:
        talk.agent(
            turn(thought("先看重大事件"), call("get_character_events", {"entity": "少女"})),
            call("search_memory", {"query": "少女 献出 身体"}),
            text("少女献出身体，权能转交后重回世界（第16章，任务1608）[E1][E2]。"),
        )
        talk.grader(grade())
        result = await talk.ask("少女是如何重回世界的")
    service.assert_clean()
    assert [name for name, _ in called(result)] == ["get_character_events", "search_memory"]
    assert list(result["grade"]["scores"].values()) == [18, 20, 10, 15, 15]
    assert (result["grade"]["score"], result["passed"]) == (78, True)
    assert {(one["source"], one["chapter"]) for one in result["citations"]} == {("1608", 16)}
    first, second, third, graded = service.history
    assert first.tools == [*TOOLKITS["narrative"], "stop"] and first.system.startswith("你是“原神”的问答助手")
    assert first.contents == [{"role": "user", "parts": [{"text": "用户问题: 少女是如何重回世界的"}]}]
    ((tool, events),) = second.responses
    assert tool == "get_character_events" and "[E1] 第1部 第16章：[sacrifice] 少女献出身体" in events["result"]
    ((tool, scenes),) = third.responses
    assert tool == "search_memory" and "[E2] 第1部 第16章：少女献出了自己的身体" in scenes["result"]
    assert graded.model == GRADER and "权能转交后重回世界（第16章，任务1608）[E1][E2]。" in graded.prompt
    assert "先看重大事件" not in graded.prompt, "the grader never sees the planner's reasoning"
    (trace,) = talk.traces.records
    assert trace["attempts"][0]["reasoning"]["thoughts"] == ["先看重大事件"]
    assert trace["config"] == {"agent_model": LOOPBACK_MODEL, "grader_model": GRADER, "max_retries": 3}


async def test_maiden_in_two_attempts(service: Space) -> None:
    """S003-29: 60 points with depth 5 fail, the refiner's words open attempt 2, which passes with 78."""
    passing = {"tool_usage": 18, "evidence": 20, "completeness": 13, "citation": 15, "depth": 12}
    queries = ["少女 献出 身体", "三月 权能 转交"]
    async with talking(service, world=maiden()) as talk:
        talk.agent(
            call("search_memory", {"query": "少女 重回"}),
            text("她回来了[E1]。"),
            call("search_memory", {"query": "少女 献出 身体"}),
            text("少女献出身体，三月的权能转交，她重回世界[E1]。"),
        )
        talk.grader(grade(SHALLOW), grade(passing))
        talk.refiner(as_json(queries))
        result = await talk.ask("少女是如何重回世界的")
    service.assert_clean()
    first, second = result["attempts"]
    assert (first["limit"], first["grade"]["score"], first["passed"]) == (3, 60, False)
    assert "depth=5 < 8" in first["fail_reason"]
    assert (second["limit"], second["grade"]["score"], second["passed"]) == (3, 78, True)
    assert talk.traces.records[0]["attempts"][0]["refiner"]["queries"] == queries
    _, second_turn, third, _ = [one for one in service.history if one.model == LOOPBACK_MODEL]
    kept = len(second_turn.contents)
    assert third.contents[:kept] == second_turn.contents, "the attempt goes on with what was found"
    assert third.contents[kept]["parts"][0]["text"] == "她回来了[E1]。", "and with its own draft"
    assert '上次答案深度不足。建议搜索关键词: "少女 献出 身体", "三月 权能 转交"' in third.prompt
    assert "[核对你上一份草稿的结果：\n- 没有依据: 她回来了。" in third.prompt


async def test_refiner(service: Space) -> None:
    """S003-20 S003-19: question and suggestion go in, a JSON array of queries comes out and stands in the hint."""
    queries = ["努昂诺塔 少女 相遇 见面", "努昂诺塔 创造 诞生 灵魂", "少女 月灵 起源"]
    async with talking(service, world=maiden()) as talk:
        talk.agent(
            call("find_connection", {"entity1": "努昂诺塔", "entity2": "少女"}),
            text("他们是朋友[E1]。"),
            call("search_memory", {"query": queries[0]}),
            text("两人在月下相遇[E1]。"),
        )
        talk.grader(grade(SHALLOW), grade())
        talk.refiner(as_json([*queries, "多余的一条"]))
        await talk.ask("努昂诺塔和少女是什么关系？")
    service.assert_clean()
    (asked,) = [one for one in service.history if one.model == REFINER]
    assert asked.schema == {"type": "array", "items": {"type": "string"}} and asked.tools == []
    assert "努昂诺塔和少女是什么关系？" in asked.prompt
    assert "答案深度不足，请调用 search_memory 获取具体剧情内容" in asked.prompt
    assert talk.traces.records[0]["attempts"][0]["refiner"]["queries"] == queries
