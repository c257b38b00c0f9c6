"""The hybrid search and its fusion."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from state.context import Language
from tests.fakes import DeadEmbedder
from tests.unit.tools.world import LIBRARY, World, passage
from tools.base import Scope
from tools.dispatch import Toolbox
from tools.records import Horizon, PassageFilter, Ranked, ScoredPassage
from tools.story.search import MAX_QUERY_CHARACTERS, Retriever, fuse


def ranked(*ids: str, orders: dict[str, int] | None = None) -> list[Ranked]:
    return [Ranked(id, 1.0 - i / 100, (orders or {}).get(id, 0)) for i, id in enumerate(ids)]


def test_fusion_is_the_sum_of_reciprocal_ranks() -> None:
    """S000-07 S000-D01: 1/(60 + rank), ranks from 1, summed over the rankings."""
    fused = fuse([ranked("a", "b", "c"), ranked("c", "d")])
    assert [row.id for row in fused] == ["c", "a", "b", "d"]
    assert fused[0].score == pytest.approx(1 / 63 + 1 / 61)
    assert fused[1].score == pytest.approx(1 / 61)


def test_ties_go_by_story_position_then_id() -> None:
    """S000-07: equal sums stand in story order, then by id."""
    orders = {"x": 9, "a": 9, "m": 2}
    fused = fuse([ranked("x", orders=orders), ranked("m", orders=orders), ranked("a", orders=orders)])
    assert [row.id for row in fused] == ["m", "a", "x"]


ORDERS = {letter: i for i, letter in enumerate("abcdef")}
RANKINGS = st.lists(st.permutations("abcdef").map(lambda ids: ranked(*ids, orders=ORDERS)), min_size=1, max_size=3)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(RANKINGS)
def test_fusion_does_not_depend_on_the_order_of_rankings(rankings: list[list[Ranked]]) -> None:
    """S000-03: the same rows fuse to the same order."""
    wanted, got = fuse(rankings), fuse(list(reversed(rankings)))
    assert {row.id for row in got} == set("abcdef")
    assert [row.score for row in got] == pytest.approx([row.score for row in wanted])


async def found_in(world: World, query: str, where: PassageFilter, top_k: int) -> list[ScoredPassage]:
    await world.stock()
    return await Retriever(world.passages, world.embedder).search(LIBRARY, query, where, top_k)


async def test_two_queries_with_the_filters_inside() -> None:
    """S000-07 S000-D17: dense and sparse, max(50, 5 * top_k) rows each, one embedding, one fetch."""
    world = World(rows=[passage(1, 1, 3, "火", ("甲",))])
    where = PassageFilter(chapters=(1, 5), entity="甲", any_entity=("甲", "乙"), horizon=Horizon(1, 9))
    await found_in(world, "火", where, 12)
    assert world.passages.asked == [("dense", where, 60), ("sparse", where, 60)]
    assert world.passages.history == ["upsert", "dense", "sparse", "fetch"]
    assert world.embedder.history == ["火"]
    await found_in(world, "火", where, 3)
    assert [limit for _, _, limit in world.passages.asked[2:]] == [50, 50]


async def test_score_is_the_cosine_for_rows_found_by_words_alone() -> None:
    """S000-07: every row is scored from its stored vector, 0..1, whichever ranking found it."""
    rows = [passage(i, 1, 1, f"{'火' * (i + 1)}圣", ()) for i in range(60)]
    found = await found_in(World(rows=rows), "火圣", PassageFilter(), 50)
    assert len(found) == 50
    assert all(one.score is not None and 0 <= one.score <= 1 for one in found)


async def test_one_match_among_a_thousand() -> None:
    """S000-07: the only passage that passes the filter is found, however far it is from the query."""
    rows = [passage(i, 1, 1, "圣火燃烧", ("玛薇卡",)) for i in range(1_000)]
    rows[777] = replace(rows[777], text="雨", entities=("阿尤",))
    found = await found_in(World(rows=rows), "圣火燃烧", PassageFilter(entity="阿尤"), 1)
    assert [one.passage.id for one in found] == [rows[777].id]


async def test_nothing_found_fetches_nothing() -> None:
    """S000-08: a filter that nothing passes gives an empty list."""
    world = World()
    assert await found_in(world, "火", PassageFilter(entity="无此人"), 5) == []
    assert "fetch" not in world.passages.history


async def test_a_very_long_query_is_cut_before_embedding() -> None:
    """S000-D17: 100,000 characters reach neither embedder nor store."""
    world = World()
    await found_in(world, "火" * 100_000, PassageFilter(), 5)
    assert [len(text) for text in world.embedder.history] == [MAX_QUERY_CHARACTERS]


@pytest.mark.parametrize(("language", "words"), [("zh", "只按词检索"), ("en", "by words alone")])
async def test_without_the_embedder_words_alone_are_searched(language: Language, words: str) -> None:
    """LOP-05: the call succeeds with what its words find, and the outcome tells the failure."""
    world = World(rows=[passage(1, 1, 3, "圣火燃烧", ())], embedder=DeadEmbedder())
    await world.stock()
    toolbox, scope = Toolbox(list(world.tools().values())), Scope(library=LIBRARY, language=language)
    outcome = await toolbox.run("search_memory", {"query": "圣火"}, scope, 1)
    assert outcome.ok and outcome.result and outcome.result.items == 1
    assert words in (outcome.warning or "") and "503" in (outcome.warning or "")
    other = await toolbox.run("lookup_knowledge", {"entity": "无此人"}, scope, 2)
    assert other.warning is None
