"""The offline mind over networks: names and labels in questions, follow-ups, refusals, networks beside a story."""

from typing import Any

import pytest

from tests.networks.harbor import HARBOR, NOT_FOUND, agent, folder, played, said
from tools.errors import InputError, KnowledgeFailed
from wenmai.agent import Agent
from wenmai.stores.networks.local import LocalKnowledge

__all__ = ["agent", "folder"]


async def test_schema_first_then_the_keyword_of_its_type(agent: Agent) -> None:
    """KNO-35 S001-01: the whole question, then the instance by its name with its object type, then stop."""
    record = await said(agent, "云雀号的载重是多少？")
    assert [(one["tool"], one["args"]) for one in record["tool_calls"]] == [
        ("knowledge_network_retrieval", {"query": "云雀号的载重是多少？"}),
        (
            "knowledge_network_retrieval",
            {"query": "云雀号", "enable_keyword_context": True, "object_type_id": "ship"},
        ),
        ("stop", {"reason": "sufficient"}),
    ]
    assert record["answer"] == "云雀号的载重：180[1]。" and record["passed"]
    assert record["resolved_question"] == "云雀号的载重是多少？"


async def test_citations_quote_values(agent: Agent) -> None:
    """S003-D17: a value is one piece: 实体 — 属性: 值, placed by network, instance and property."""
    record = await said(agent, "云雀号的载重是多少？")
    [citation] = record["citations"]
    assert (citation["quote"], citation["location"]) == ("云雀号 — 载重: 180", "harbor / s01 / 载重")
    piece = record["evidence"][0]
    assert (piece["kind"], piece["library"], piece["source"], piece["entities"]) == (
        "property",
        "harbor",
        "s01",
        ["云雀号"],
    )
    relation = (await said(agent, "长风号的船长是谁？"))["evidence"][0]
    assert (relation["kind"], relation["text"]) == ("relation", "长风号 — 船长: 杜衡之")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("粗盐多少钱？", "云州粗盐的价格：12"),
        ("云州的春茶多少钱？", "云州春茶的价格：85"),
        ("谭娘子的籍贯是哪里？", "柳浦"),
    ],
)
async def test_aliases_and_near_misses(agent: Agent, question: str, told: str) -> None:
    """LOP-09: instances are found by aliases and by names that are nearly theirs."""
    assert told in (await said(agent, question))["answer"]


async def test_follow_ups(agent: Agent) -> None:
    """LOP-09 S000-D10: pronouns, descriptions and dropped subjects become the instance that the talk is about."""
    talk = [
        ("海棠号的船东是谁？", "海棠号", "听雨轮渡"),
        ("它什么时候成立的？", "听雨轮渡", "1844"),
        ("掌柜是谁？", "听雨轮渡", "谭月卿"),
        ("她是哪年出生的？", "谭月卿", "1824"),
    ]
    for question, entity, told in talk:
        record = await said(agent, question, "t1")
        assert entity in record["resolved_question"] and told in record["answer"], question
    state = (await agent.graph.aget_state({"configurable": {"thread_id": "t1"}})).values
    newest = state["session"]["entities"][0]
    assert (newest["name"], newest["kind"]) == ("谭月卿", "人员")


async def test_that_captain(agent: Agent) -> None:
    """LOP-09: 那位船长 is the captain whom the answer named, not the ship that has one."""
    await said(agent, "长风号的船长是谁？", "t1")
    record = await said(agent, "那位船长是哪里人？", "t1")
    assert record["resolutions"] == [{"mention": "那位船长", "entity": "杜衡之"}]
    assert record["answer"] == "杜衡之的籍贯：雾港[1]。"


async def test_another_instance_and_the_same_question(agent: Agent) -> None:
    """LOP-09: who names another instance alone asks of it what was asked before, through turns that did the same."""
    talk = [
        ("海棠号的船东是谁？", "海棠号的船东是谁？", "听雨轮渡"),
        ("它的载重呢？", "海棠号的载重呢？", "60"),
        ("那云雀号呢？", "云雀号的载重呢？", "180"),
        ("船长是谁？", "关于云雀号，船长是谁？", "温若水"),
        ("长风号呢？", "关于长风号，船长是谁？", "杜衡之"),
        ("What about 海棠号?", "关于海棠号，船长是谁？", "海棠号 — 船长: "),
    ]
    await played(agent, talk)


@pytest.mark.parametrize("question", ["云雀号的票价是多少？", "幽灵号的船长是谁？", "杜衡之的妻子是谁？"])
async def test_what_the_network_does_not_hold_is_refused(agent: Agent, question: str) -> None:
    """S003-D08: neither another property nor another instance is an answer."""
    assert (await said(agent, question))["answer"] == NOT_FOUND


async def test_a_dead_network_is_no_not_found(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """S001-33 LOP-05 S000-34: where the look-ups failed the answer is the apology, never "not found"."""

    async def broken(*_: object, **__: object) -> None:
        raise KnowledgeFailed("broken", 503)

    await said(agent, "云雀号的载重是多少？")
    monkeypatch.setattr(LocalKnowledge, "instances", broken)
    record = await said(agent, "长风号的船长是谁？")
    assert record["answer"] == "抱歉，处理您的问题时出错，请重试。"
    assert [one["ok"] for one in record["tool_calls"] if one["args"].get("enable_keyword_context")] == [False]


async def test_relations_that_could_not_be_asked_are_no_not_found(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S001-32 LOP-05: where only the relations failed, properties are told and a relation is the apology."""

    async def broken(*_: object, **__: object) -> None:
        raise KnowledgeFailed("broken", 503)

    monkeypatch.setattr(LocalKnowledge, "neighbours", broken)
    record = await said(agent, "长风号的船长是谁？")
    assert record["answer"] == "抱歉，处理您的问题时出错，请重试。" and "船长" in record["warning"]
    assert (await said(agent, "云雀号的载重是多少？"))["answer"] == "云雀号的载重：180[1]。"


async def test_what_a_run_must_name(agent: Agent) -> None:
    """PLA-08: networks are named where they are asked, and nowhere else; an unknown one is the caller's error."""
    cases: list[tuple[dict[str, Any], str]] = [
        ({"toolkits": ["knowledge"]}, "kn_ids"),
        ({"kn_ids": ["harbor"]}, "knowledge"),
        ({**HARBOR, "mode": "rag"}, "rag"),
        ({**HARBOR, "kn_ids": ["atlantis"]}, "atlantis"),
    ]
    for context, told in cases:
        with pytest.raises(InputError, match=told):
            await agent.ask("云雀号的船长是谁？", **context)


async def test_how_sure_an_answer_is_depends_on_what_its_row_has_of_the_question(agent: Agent) -> None:
    asked = await said(agent, "云雀号的载重是多少？")
    vague = await said(agent, "云雀号去过哪里？")
    assert asked["confidence"] > 0.8 > 0.5 > vague["confidence"]
