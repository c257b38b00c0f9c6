"""Further searches stand in where the first two have found nothing in common."""

from dataclasses import replace

import pytest

from state.schema import CallRecord
from tests.unit.minds.test_planning import request
from tests.unit.minds.test_retrieved import call
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.further import further_searches
from wenmai.minds.offline.planner import last_searches

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


def test_they_are_made_once_and_in_the_attempt_whose_searches_disagree() -> None:
    """Only with the narrative toolkit, whose searches these are, and not for a history, which has a third search."""
    asked = request(1, DISAGREED)
    searches = last_searches(asked, ASKED)
    assert [name for name, _ in searches] == ["search_memory", "search_memory"]
    plain = CallRecord({**call("g", ok=False), "args": searches[0][1]})
    assert last_searches(replace(asked, calls=[*DISAGREED, plain]), ASKED) == searches[1:]
    assert last_searches(replace(asked, attempt=2), ASKED) == []
    assert last_searches(replace(asked, toolkits=["story"]), ASKED) == []
    assert last_searches(asked, analyse("卡齐娜的经历如何？比赛落败之后呢？", TABLE)) == []
