"""What retrieval says of a piece takes part in its place among the evidence."""

from typing import Any

import pytest

from state.schema import CallRecord
from tests.graph.rig import piece
from tests.unit.tools.world import LIBRARY, World
from tools.story.linking import EntityLinker
from wenmai.minds.offline.ranker import OfflineRanker
from wenmai.minds.offline.retrieved import found_high, worded


def call(*found: str, tool: str = "search_memory", ok: bool = True, **args: Any) -> CallRecord:
    return CallRecord(
        call=1,
        attempt=1,
        round=1,
        tool=tool,
        args={"query": "灯", **args},
        limit=10,
        ok=ok,
        executed=True,
        items=len(found),
        evidence=list(found),
        result="",
        cut=False,
        started_at="2026-01-01T00:00:00+00:00",
        duration_ms=1,
        warning=None,
    )


def test_what_every_search_finds_first_is_found_highest() -> None:
    """Two searches that agree say more than one of them."""
    found = found_high([call("a", "b"), call("a", "c")])
    assert found["a"] == pytest.approx(1.0)
    assert found["a"] > 1.9 * found["b"] and found["b"] == found["c"]


@pytest.mark.parametrize(
    "silent",
    [call("b", sort_by="time"), call("b", tool="track_journey"), call("b", ok=False)],
    ids=["time", "graph", "failed"],
)
def test_an_order_that_is_none_of_relevance_says_nothing(silent: CallRecord) -> None:
    """Rows in story order, edges of the graph and failures are no finds."""
    assert found_high([call("a"), silent]) == found_high([call("a")])
    assert found_high([silent]) == {}


def test_rare_words_of_the_query_tell_more_than_common_ones() -> None:
    """The best piece has 1, one without any word 0."""
    pieces = [piece("灯火通明"), piece("灯下看见一把琴"), piece("山路漫长")]
    shares = worded("灯 琴", pieces)
    assert shares[1] == 1.0 and 0 < shares[0] < 1 and shares[2] == 0.0
    assert worded("灯", []) == [] and worded("雪", pieces[2:]) == [0.0]


async def test_of_two_that_say_the_same_the_one_found_higher_comes_first() -> None:
    """LOP-08: best first, whatever the order in which the searches brought them; the rankings that are kept differ."""
    world = World()
    await world.stock()
    ranker = OfflineRanker(EntityLinker(world.graph), world.passages, world.embedder)
    pieces = [piece("玛薇卡点燃圣火。", 1), piece("玛薇卡点燃圣火。", 2)]
    for leads in (["p1", "p2"], ["p2", "p1"]):
        ranked = await ranker.rank("谁点燃圣火？", pieces, [call(*leads), call(leads[0])], LIBRARY, None)
        assert [one["id"] for one in ranked] == leads
