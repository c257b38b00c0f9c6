"""read_passage: a passage with its neighbours."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.tools.world import LIBRARY, TEXTS, World, data_of, text_of
from tools.base import Scope
from tools.language import cost
from tools.records import Horizon

SCOPE = Scope(library=LIBRARY)


def orders(outcome: Any) -> list[int]:
    return [item["event_order"] for item in data_of(outcome)["items"]]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"names": ["恰斯卡", "卡齐娜"]}, [0, 1, 2]),
        ({"names": ["恰斯卡", "Kachina"], "around": 0}, [1]),
        ({"names": ["恰斯卡", "卡齐娜"], "which": "last", "around": 0}, [4]),
        ({"names": ["恰斯卡", "卡齐娜"], "count": 2, "around": 0}, [1, 4]),
        ({"names": ["玛薇卡"], "which": "last"}, [4, 5, 6]),
        ({"quote": "一见如故"}, [0, 1, 2]),
        ({"quote": "一同 跃下", "around": 2}, [1, 2, 3, 4, 5]),
        ({"names": ["阿尤", "纳塔"]}, []),
        ({"names": ["无此人"]}, []),
    ],
)
async def test_which_passage_is_read(arguments: dict[str, Any], found: list[int]) -> None:
    """STO-60: by words in it, or the first or last one that names everybody; with its neighbours, in story order."""
    outcome = await World().call("read_passage", **arguments)
    assert orders(outcome) == found
    assert all(TEXTS[order][2] in text_of(outcome) for order in found)
    assert found or "未找到相关信息" in text_of(outcome)


async def test_words_that_stand_nowhere() -> None:
    """STO-60: the nearest passage is shown, and it is said that it does not have them."""
    outcome = await World().call("read_passage", quote="圣火熄灭了，众人沉默", around=0)
    assert orders(outcome) == [2] and "没有一段含有这些字" in text_of(outcome)


async def test_nobody_behind_the_guard_is_read() -> None:
    """STO-19 STO-60: neither as the last passage nor as a neighbour."""
    guarded = replace(SCOPE, horizon=Horizon(1, 3))
    assert orders(await World().call("read_passage", guarded, names=["恰斯卡"], which="last")) == [0, 1, 2]
    assert orders(await World().call("read_passage", guarded, names=["基尼奇"], around=3)) == [0, 1, 2, 3]
    assert orders(await World().call("read_passage", guarded, quote="安慰了她", around=0)) != [4]


async def test_the_budget_leaves_out_the_furthest_neighbours() -> None:
    """STO-60: what is shown is whole."""
    outcome = await World().call("read_passage", replace(SCOPE, budget=130), quote="立下誓言", around=5)
    shown = orders(outcome)
    assert 2 in shown and 1 < len(shown) < 5 and cost(text_of(outcome)) <= 130
    assert "..." not in text_of(outcome)


async def test_something_must_be_named() -> None:
    """STO-60: without words and names the call is refused."""
    outcome = await World().call("read_passage", around=2)
    assert not outcome.ok and "quote 和 names" in (outcome.error or "")
