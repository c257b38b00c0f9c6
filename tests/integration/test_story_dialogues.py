"""The specification's dialogues about stories, literally, over files that were read in: offline, and with a model."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from state.context import Toolkit
from tests.gemini.fixtures import gemini_server
from tests.gemini.parts import call, text
from tests.gemini.space import LOOPBACK_MODEL, Space
from tests.graph.talk import GRADER, REFINER, grade
from tests.natlan import NATLAN, make_natlan, opened_on_natlan
from tests.openai_service.fixtures import openai_server, service
from tests.temporary import copied
from tools.records import PassageFilter

__all__ = ["gemini_server", "openai_server", "service"]

Called = tuple[str, dict[str, Any]]
STOP: Called = ("stop", {"reason": "sufficient"})
CHASCA, KACHINA, TRAVELLER, MAIDEN = "恰斯卡", "卡齐娜", "旅行者", "少女"
SESSION = {"entities": ["基尼奇", "阿尤"], "topic": "龙伙伴"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("natlan")
    asyncio.run(make_natlan(folder))
    return folder


@pytest.mark.parametrize(
    ("toolkit", "question", "calls", "told", "places"),
    [
        (  # S000-38
            "story",
            "恰斯卡和卡齐娜的关系如何演变？",
            [("graph_search", {"entity": CHASCA}), ("track_entity", {"entity": CHASCA})],
            ["一见如故", "在夜巡中吵了一架", "在山顶和解"],
            {("1601", 1), ("1602", 5), ("1602", 8)},
        ),
        (  # S000-39
            "story",
            "玛拉妮的性格是什么？",
            [("vector_search", {"query": "玛拉妮 性格", "entity_filter": "玛拉妮"})],
            ["性格开朗，待人热情"],
            {("1601", 1)},
        ),
        (  # S000-39
            "story",
            "恰斯卡和卡齐娜是什么关系？",
            [("graph_search", {"entity": CHASCA})],
            ["恰斯卡 → 卡齐娜：一见如故的朋友"],
            {("1601", 1)},
        ),
        (  # S000-39
            "story",
            "旅行者如何获得古名？",
            [("track_entity", {"entity": TRAVELLER}), ("vector_search", {"query": "旅行者如何获得古名？"})],
            ["旅行者由此获得了自己的古名“杜麦尼”"],
            {("1602", 5)},
        ),
        (  # S000-10
            "story",
            "第3章中基尼奇做了什么？",
            [("vector_search", {"query": "第3章中基尼奇做了什么？", "chapter_filter": [3, 3]})],
            ["接到了清理悬崖的任务", "割断了藤蔓"],
            {("1601", 3)},
        ),
        (  # S000-37: members
            "story",
            "巡林者的成员有谁？",
            [("graph_search", {"entity": "巡林者"})],
            ["恰斯卡 → 巡林者"],
            {("1601", 1)},
        ),
        (  # S000-37 STO-07: the whole book; an alias is asked by its canonical name
            "story",
            "火神在哪一章出现？",
            [("list_characters", {"names": ["玛薇卡"]})],
            ["归火圣夜"],
            {("1601", 1)},
        ),
        (  # S003-28 S003-11
            "narrative",
            "少女是如何重回世界的",
            [("get_character_events", {"entity": MAIDEN}), ("search_memory", {"query": "少女是如何重回世界的"})],
            ["少女献出身体，把三月的权能转交给大地，重回世界"],
            {("1608", 16)},
        ),
        (  # S003-20 S003-10
            "narrative",
            "努昂诺塔和少女是什么关系？",
            [
                ("find_connection", {"entity1": "努昂诺塔", "entity2": MAIDEN}),
                ("search_memory", {"query": "努昂诺塔和少女是什么关系？"}),
            ],
            ["努昂诺塔 → 少女：少女用灵魂创造的月灵"],
            {("1608", 16)},
        ),
        (  # S003-14
            "narrative",
            "恰斯卡是如何发展的？",
            [("track_journey", {"entity": CHASCA})],
            ["在山顶和解"],
            {("1602", 8)},
        ),
        (  # S003-14
            "narrative",
            "玛薇卡是谁？",
            [("lookup_knowledge", {"entity": "玛薇卡"}), ("search_memory", {"query": "玛薇卡是谁？"})],
            ["我是玛薇卡，大家都叫我火神。"],
            {("1601", 1)},
        ),
    ],
)
async def test_without_a_model(
    made: Path,
    tmp_path: Path,
    toolkit: Toolkit,
    question: str,
    calls: Sequence[Called],
    told: Sequence[str],
    places: set[tuple[str, int]],
) -> None:
    """LOP-09 S000-37 S003-09: the calls of the question's row, in one turn that ends with stop, and what they found."""
    async with opened_on_natlan(copied(made, tmp_path / "offline")) as agent:
        record = (await agent.ask(question, library=NATLAN, toolkits=[toolkit])).record
    made_calls = [(one["tool"], one["args"]) for one in record["tool_calls"]]
    in_order = [one for one in made_calls if one in calls]
    assert in_order == list(calls) and made_calls[-1] == STOP, made_calls
    assert record["status"] == "answer" and record["resolved_question"] == question
    at = [record["answer"].find(words) for words in told]
    assert -1 not in at and at == sorted(at), record["answer"]
    assert places <= {(one["source"], one["chapter"]) for one in record["citations"]}


async def test_a_reference_without_a_model(made: Path, tmp_path: Path) -> None:
    """S000-39: 它 of [基尼奇, 阿尤] is 阿尤; vector_search is asked with entity_filter 阿尤."""
    async with opened_on_natlan(copied(made, tmp_path / "offline")) as agent:
        answer = await agent.ask(
            "它在任务中做了什么？", library=NATLAN, toolkits=["story"], session_context=SESSION, thread_id="t"
        )
    record = answer.record
    assert record["resolved_question"] == "阿尤在任务中做了什么？"
    assert record["resolutions"] == [{"mention": "它", "entity": "阿尤"}]
    filters = [one["args"].get("entity_filter") for one in record["tool_calls"] if one["tool"] == "vector_search"]
    assert "阿尤" in filters and "点亮了洞穴里的火把" in record["answer"]


async def test_with_a_model(made: Path, tmp_path: Path, service: Space) -> None:
    """S000-01 S000-39 S000-23: it sees exactly six tools, and the names of the session with their glosses."""
    service.know(GRADER, REFINER)
    service.play(
        call("vector_search", {"query": "任务", "entity_filter": "阿尤"}),
        call("stop", {"reason": "sufficient"}),
        text("阿尤跟着基尼奇跳下悬崖，在任务中点亮了洞穴里的火把[E1]。"),
        model=LOOPBACK_MODEL,
    )
    service.play(grade(), model=GRADER)
    roles = {"grader_model": GRADER, "refiner_model": REFINER, f"{service.provider}_model": LOOPBACK_MODEL}
    words = service.words
    address = {words.key.lower(): service.key, words.address.lower(): service.url}
    async with opened_on_natlan(copied(made, tmp_path / "model"), **roles, **address) as agent:
        answer = await agent.ask(
            "阿尤在任务中做了什么？",
            library=NATLAN,
            toolkits=["story"],
            session_context=SESSION,
            opening_search=False,
            grade="always",
        )
    service.assert_clean()
    turns = [one for one in service.history if one.model == LOOPBACK_MODEL]
    expected = [
        "vector_search",
        "graph_search",
        "track_entity",
        "list_characters",
        "read_chapters",
        "read_passage",
        "stop",
    ]
    assert [one.tools for one in turns] == [expected] * len(turns)
    assert "- 最近提到的实体: 基尼奇, 阿尤(基尼奇的龙伙伴)\n- 最近话题: 龙伙伴\n" in turns[0].prompt
    assert answer.record["passed"] and answer.record["citations"][0]["source"] == "1601"


async def test_names_are_tagged_throughout(made: Path, tmp_path: Path) -> None:
    """S000-41 S003-D15: speakers and names of the graph file stand in every passage that has them; tasks are kept."""
    async with opened_on_natlan(copied(made, tmp_path / "tags")) as agent:
        stores = agent.services.stores
        passages = await stores.passages.scroll(NATLAN, PassageFilter())
        events = await stores.graph.events(NATLAN, MAIDEN, None, None)
        relations = await stores.graph.relations(NATLAN, "基尼奇", None, other="阿尤")
    for name in (TRAVELLER, "派蒙", KACHINA, CHASCA, "努昂诺塔", MAIDEN, "玛拉妮", "基尼奇"):
        tagged = [one.id for one in passages if name in one.entities]
        assert tagged == [one.id for one in passages if name in one.text], name
        speaks = [one.id for one in passages if f"\n{name}：" in f"\n{one.text}"]
        assert [one.id for one in passages if name in one.characters] == speaks, name
    sacrifice = next(event for event in events if event.event_type == "sacrifice")
    assert (sacrifice.task_id, sacrifice.part, sacrifice.chapter) == ("1608", 3, 16) and sacrifice.start is not None
    assert {(one.task_id, one.part) for one in relations if one.type == "PARTNER_OF"} == {("1601", 1)}
