"""The calls of an attempt, by the kind of a question and the toolkits of a run."""

from typing import Any

import pytest

from tests.unit.minds.rooms import TABLE, planned, question_of
from wenmai.minds.offline.calls import Call
from wenmai.minds.offline.memories.earlier import asks_memories
from wenmai.minds.offline.planner import hinted_calls, memory_calls, story_calls

CHASCA, KACHINA = "恰斯卡", "卡齐娜"


def called(text: str, *toolkits: str) -> list[Call]:
    return story_calls(question_of(text), TABLE, toolkits)


def graph_of(text: str, toolkit: str) -> list[Call]:
    return [call for call in called(text, toolkit) if call[0] not in ("search_memory", "vector_search")]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("卡齐娜的古名怎么来的？", [("lookup_knowledge", {"entity": KACHINA})]),
        ("恰斯卡和卡齐娜是什么关系？", [("find_connection", {"entity1": CHASCA, "entity2": KACHINA})]),
        ("恰斯卡在哪里安慰了卡齐娜？", [("find_connection", {"entity1": CHASCA, "entity2": KACHINA})]),
        ("卡齐娜经历了什么？", [("get_character_events", {"entity": KACHINA})]),
        (
            "Kachina是谁？",
            [("lookup_knowledge", {"entity": KACHINA}), ("list_characters", {"names": [KACHINA]})],
        ),
        ("谁点燃了圣火？", []),
    ],
)
def test_the_graph_of_the_narrative_toolkit_is_asked_by_kind(text: str, calls: list[Call]) -> None:
    assert graph_of(text, "narrative") == calls


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("卡齐娜的古名怎么来的？", [("graph_search", {"entity": KACHINA})]),
        ("卡齐娜经历了什么？", [("track_entity", {"entity": KACHINA})]),
        ("第2到3章里卡齐娜经历了什么？", [("track_entity", {"entity": KACHINA, "chapter_range": [2, 3]})]),
        (
            "恰斯卡和卡齐娜的关系如何演变？",
            [("graph_search", {"entity": CHASCA}), ("track_entity", {"entity": CHASCA})],
        ),
        ("卡齐娜是谁？", [("graph_search", {"entity": KACHINA}), ("list_characters", {"names": [KACHINA]})]),
        ("谁点燃了圣火？", []),
    ],
)
def test_the_graph_of_the_story_toolkit_is_asked_by_kind(text: str, calls: list[Call]) -> None:
    assert graph_of(text, "story") == calls


def searches(text: str, toolkit: str) -> list[dict[str, Any]]:
    return [args for name, args in called(text, toolkit) if name in ("search_memory", "vector_search")]


def test_the_text_is_searched_in_several_wordings_and_among_passages_about_the_one_who_is_asked() -> None:
    question = "卡齐娜在哪里点燃了圣火？"
    first, about, worded, *_ = searches(question, "narrative")

    assert (first, about) == ({"query": question}, {"query": question, "characters": [KACHINA]})
    assert worded["query"].startswith("卡齐娜 Kachina") and "圣火" in worded["query"]


def test_no_search_is_made_twice() -> None:
    for text in ("卡齐娜的古名怎么来的？", "卡齐娜？", "圣火", "“铃响了没有？”是谁问的？"):
        for toolkit in ("narrative", "story"):
            made = searches(text, toolkit)
            assert [one for one in made if made.count(one) > 1] == []


def test_a_history_is_searched_in_the_order_of_the_story_too() -> None:
    assert any(args.get("sort_by") == "time" for args in searches("卡齐娜经历了什么？", "narrative"))
    assert not any("sort_by" in args for args in searches("卡齐娜的古名怎么来的？", "narrative"))


def test_the_chapters_of_a_question_bound_the_searches_for_it() -> None:
    bound = [args.get("chapter_filter") for args in searches("第3章里卡齐娜做了什么？", "story")]

    assert bound[:2] == [[3, 3], [3, 3]] and bound[-1] is None


def test_quoted_words_and_events_in_order_are_looked_for_by_themselves() -> None:
    assert searches("“铃响了没有”是谁问的？", "story")[0] == {"query": "铃响了没有"}
    first, second, *_ = searches("点燃圣火、卡齐娜落败，哪个在先？", "narrative")
    assert (first, second) == ({"query": "点燃圣火"}, {"query": "卡齐娜落败"})


def test_a_question_about_the_book_reads_its_chapters_alone() -> None:
    assert called("全书共几章？", "narrative") == called("全书共几章？", "story") == [("read_chapters", {})]


def test_without_a_story_nothing_of_one_is_called() -> None:
    assert called("卡齐娜是谁？", "documents", "memory") == []


def test_memories_are_asked_where_a_question_leans_on_earlier_talk_or_nothing_else_is_there() -> None:
    leaning, plain, kits = "上次我说喜欢谁？", "谁点燃了圣火？", ["narrative", "memory"]

    assert asks_memories(planned(leaning, toolkits=kits)) and not asks_memories(planned(plain, toolkits=kits))
    assert memory_calls(planned(plain, toolkits=kits)) == memory_calls(planned(leaning)) == []
    assert memory_calls(planned(leaning, toolkits=kits)) == [("recall_memories", {"query": leaning})]
    assert memory_calls(planned(plain, toolkits=["memory"])) == [("recall_memories", {"query": plain})]


@pytest.mark.parametrize(
    ("toolkit", "calls"),
    [
        ("narrative", [("search_memory", {"query": "权能"})]),
        ("story", [("vector_search", {"query": "权能"})]),
        ("documents", []),
    ],
)
def test_the_words_of_a_refiner_are_searched_in_the_story(toolkit: str, calls: list[Call]) -> None:
    assert hinted_calls(planned("谁？", toolkits=[toolkit], queries=["权能"])) == calls
