"""Whether another search could see something new: the parts of a question."""

from typing import Any

import pytest

from nodes.roles import RefineRequest
from tests.unit.minds.rooms import mind_of
from tests.unit.tools.world import LIBRARY
from tools.records import Name
from tools.story.names import NameTable
from wenmai.minds.offline.questions.parts import parts_of
from wenmai.minds.offline.questions.question import understood

NAMES = ("卡齐娜", "恰斯卡", "Ida", "Tom")
TABLE = NameTable.build([Name(text=name, entity=name, kind="Character") for name in NAMES])


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("谁救了卡齐娜，她后来去了哪里？", ["谁救了卡齐娜？", "卡齐娜后来去了哪里？"]),
        ("卡齐娜为什么发疯，后来是怎么好的？", ["卡齐娜为什么发疯？", "卡齐娜后来是怎么好的？"]),
        ("卡齐娜和恰斯卡各是多大年纪？", ["卡齐娜是多大年纪？", "恰斯卡是多大年纪？"]),
        ("What did Ida find and where did she bury it?", ["What did Ida find?", "where did Ida bury it?"]),
        ("How old are Ida and Tom each?", ["How old are Ida?", "How old are Tom?"]),
        ("卡齐娜走了吗，为什么？", ["卡齐娜走了吗，为什么？"]),
        ("几个月后，谁来了？", ["几个月后，谁来了？"]),
        ("When he came home, what did Tom do?", ["When he came home, what did Tom do?"]),
        ("“你是谁，从哪里来？”是谁问的？", ["“你是谁，从哪里来？”是谁问的？"]),
        ("卡齐娜和恰斯卡是什么关系？", ["卡齐娜和恰斯卡是什么关系？"]),
        ("卡齐娜、恰斯卡和Ida分别去了哪里？", ["卡齐娜去了哪里？", "恰斯卡去了哪里？", "Ida去了哪里？"]),
        ("Where did Ida, Tom, and 恰斯卡 each go?", ["Where did Ida go?", "Where did Tom go?", "Where did 恰斯卡 go?"]),
        ("卡齐娜的父亲和恰斯卡的母亲各是谁？", ["卡齐娜的父亲和恰斯卡的母亲各是谁？"]),
        ("卡齐娜和恰斯卡各自做什么，卡齐娜后来怎样？", ["卡齐娜和恰斯卡各自做什么？", "卡齐娜后来怎样？"]),
        ("卡齐娜、恰斯卡和卡齐娜各是谁？", ["卡齐娜是谁？", "恰斯卡是谁？"]),
        ("卡齐娜和恰斯卡在各个房间做什么？", ["卡齐娜和恰斯卡在各个房间做什么？"]),
        ("谁救了卡齐娜，她去了哪里？请引用原文。", ["谁救了卡齐娜？", "卡齐娜去了哪里，请引用原文？"]),
        (
            "谁救了卡齐娜？她去了哪里？恰斯卡是谁？她几岁？",
            ["谁救了卡齐娜？", "卡齐娜去了哪里？", "恰斯卡是谁？恰斯卡几岁？"],
        ),
        (
            "Who is Ida? Where is Tom? How old is he? What did he see?",
            ["Who is Ida?", "Where is Tom?", "How old is Tom? What did Tom see?"],
        ),
    ],
)
def test_the_parts_of_a_question(question: str, parts: list[str]) -> None:
    """LOP-09: those that ask by themselves; a bare "why?" asks nothing by itself, nor does a quotation.

    Nothing that is asked is lost: neither what stands between names nor what exceeds the most parts.
    """
    found = parts_of(understood(question, TABLE), TABLE)

    assert [part.text.strip() for part in found] == [part if len(parts) > 1 else question for part in parts]


async def refined(question: str, **fields: Any) -> list[str] | None:
    """Return the queries for another attempt."""
    mind = await mind_of()
    given: dict[str, Any] = {"suggestion": "", "queries_used": [question], "language": "zh", "library": LIBRARY}
    return await mind.refiner.refine(RefineRequest(question=question, **given | fields))


async def test_a_question_of_one_part_is_not_asked_again() -> None:
    """LOP-13: its searches have its own words already."""
    assert await refined("第一章里谁把铜灯挂在塔顶？") is None


async def test_the_parts_of_a_question_are_searched_for_once() -> None:
    """LOP-13 S003-19."""
    question, parts = "卡齐娜得到了什么，恰斯卡去了哪里？", ["卡齐娜得到了什么？", "恰斯卡去了哪里？"]

    assert await refined(question) == parts
    assert await refined(question, queries_used=[question, parts[0]]) == parts[1:]
    assert await refined(question, unanswered=parts[:1]) == parts[:1]
    assert await refined(question, unanswered=parts[:1], queries_used=[question, parts[0]]) is None
    assert await refined(question, queries_used=[question, *parts]) is None
    assert await refined(question, refused="unknown_name") is None
