"""Events whose order is asked."""

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
        ("她什么时候点燃圣火？", []),
        ("这些事的先后顺序是什么？", []),
    ],
)
def test_the_events_of_a_question(question: str, events: list[str]) -> None:
    assert events_asked(question) == events


def test_they_are_told_in_the_order_of_the_story() -> None:
    late, early = piece("她落败了。", 9), piece("她点燃圣火。", 2)
    found = [("落败", Read(1, late, "", late["text"], 1.0)), ("点燃圣火", Read(2, early, "", early["text"], 1.0))]

    assert in_order(found, "zh") == "先是点燃圣火[E2]，然后是落败[E1]。"
    assert in_order(found, "en") == "First 点燃圣火[E2], then 落败[E1]."
