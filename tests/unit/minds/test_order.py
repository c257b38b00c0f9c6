"""Events whose order is asked."""

from typing import Any

import pytest

from tests.graph.rig import piece
from wenmai.minds.offline.questions.order import events_asked, in_order
from wenmai.minds.offline.reading import Read


@pytest.mark.parametrize(
    ("question", "events"),
    [
        ("点燃圣火、比赛落败，哪个在先？", ["点燃圣火", "比赛落败"]),
        ("点燃圣火、比赛落败、获得古名的先后顺序是什么？", ["点燃圣火", "比赛落败", "获得古名"]),
        ("Which came first: the fire or the fall?", ["the fire", "the fall"]),
        ("点燃圣火、比赛落败的先后？", ["点燃圣火", "比赛落败"]),
        ("她什么时候点燃圣火？", []),
        ("卡齐娜、恰斯卡和基尼奇先后投奔了谁？", []),
        ("谁先后点燃了圣火、火把和灯？", []),
        ("这些事的先后顺序是什么？", []),
    ],
)
def test_the_events_of_a_question(question: str, events: list[str]) -> None:
    assert events_asked(question) == events


def found(event: str, text: str, number: int, score: float = 1.0, **more: Any) -> tuple[str, Read]:
    """Return an event as it was read in a piece."""
    start = text.index(event)
    return event, Read(number, {**piece(text, number), **more}, event, text, score, start)  # type: ignore[typeddict-item]


def test_they_are_told_in_the_order_of_the_story() -> None:
    rows = [found("落败", "她落败了。", 9), found("点燃圣火", "她点燃圣火。", 2)]

    assert in_order(rows, "zh") == "先是点燃圣火[E2]，然后是落败[E9]。"
    assert in_order(rows, "en") == "First 点燃圣火[E2], then 落败[E9]."


def test_those_of_one_passage_are_told_as_they_stand_in_it() -> None:
    text = "她先落败，后来点燃圣火。"

    assert in_order([found("点燃圣火", text, 1), found("落败", text, 1)], "zh") == "先是落败[E1]，然后是点燃圣火[E1]。"


@pytest.mark.parametrize(
    "second",
    [
        found("落败", "她落败了。", 9, score=-4.0),
        found("圣火", "圣火灭了。", 2),
        found("落败", "她落败了。", 9, event_order=None),
    ],
    ids=["unsure", "same place", "no story"],
)
def test_where_one_has_no_sure_place_of_its_own_there_is_no_order(second: tuple[str, Read]) -> None:
    assert in_order([found("圣火", "圣火亮了。", 2), second], "zh") == ""
