"""Further searches stand in where the first two have found nothing in common."""

import pytest

from state.schema import CallRecord
from tests.unit.minds.test_retrieved import call
from tools.linking import NameTable
from tools.records import Name
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.further import further_searches

NAMES = ("卡齐娜", "Kachina")
TABLE = NameTable.build(Name(text=text, entity="卡齐娜", kind="Character", mentions=9) for text in NAMES)
ASKED = analyse("Kachina在比赛中为什么落败？", TABLE)
AGREED = [call("a", "b"), call("b", "c")]
DISAGREED = [call("a", "b", "c"), call("d", "e", "a")]


def test_searches_that_disagree_are_followed_by_two_more() -> None:
    """Canonical names and own words; the words alone among the passages about whom it is asked."""
    plain, among = further_searches(ASKED, DISAGREED)
    assert plain["query"].startswith("卡齐娜 ") and "Kachina" not in plain["query"] and "characters" not in plain
    assert among["characters"] == ["卡齐娜"] and "卡齐娜" not in among["query"]
    assert "比赛" in plain["query"] and "比赛" in among["query"]


@pytest.mark.parametrize(
    ("question", "calls"),
    [
        (ASKED.question, AGREED),
        (ASKED.question, DISAGREED[:1]),
        (ASKED.question, [*DISAGREED, call("f")]),
        (ASKED.question, [DISAGREED[0], call("d", ok=False)]),
        ("比赛为什么落败？", DISAGREED),
        ("卡齐娜？", DISAGREED),
    ],
    ids=["agreed", "one", "three", "failed", "of nobody", "nothing asked"],
)
def test_else_nothing_is_searched_for(question: str, calls: list[CallRecord]) -> None:
    assert further_searches(analyse(question, TABLE), calls) == []
