"""Evidence in order for a question."""

import pytest

from state.schema import Evidence
from tests.fakes import DeadEmbedder, FakeEmbedder
from tests.graph.rig import piece
from tests.unit.minds.rooms import TABLE, Fetched, call_of, question_of
from tests.unit.tools.world import LIBRARY, TEXTS, World
from tools.ports import Embedder
from tools.story.linking import EntityLinker
from wenmai.minds.offline.questions.asked import Asked
from wenmai.minds.offline.ranker import ReadingRanker, found_high, named_share

QUESTION = "卡齐娜的古名怎么来的？"
EVERYTHING = ("search_memory", {"query": "卡齐娜 恰斯卡 玛薇卡 基尼奇", "top_k": 10})


def ranker(world: World, embedder: Embedder | None = None) -> ReadingRanker:
    return ReadingRanker(EntityLinker(world.graph), world.passages, embedder or FakeEmbedder())


async def test_the_piece_with_the_questions_names_and_words_comes_first() -> None:
    world = World()
    evidence = await Fetched(world)(EVERYTHING)

    found = await ranker(world).rank(QUESTION, evidence, [], LIBRARY, None)

    assert found[0]["text"] == TEXTS[6][2]
    assert sorted(one["id"] for one in found) == sorted(one["id"] for one in evidence)


async def test_the_order_does_not_depend_on_the_order_of_the_evidence() -> None:
    world = World()
    evidence = await Fetched(world)(EVERYTHING)

    one = await ranker(world).rank(QUESTION, evidence, [], LIBRARY, None)
    other = await ranker(world).rank(QUESTION, evidence[::-1], [], LIBRARY, None)

    assert one == other


async def test_where_the_embedder_fails_the_words_decide(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    evidence: list[Evidence] = [{**one, "score": None} for one in await Fetched(world)(EVERYTHING)]

    found = await ranker(world, DeadEmbedder()).rank(QUESTION, evidence, [], LIBRARY, None)

    assert found[0]["text"] == TEXTS[6][2] and "without cosines" in caplog.text


async def test_a_chapter_that_is_asked_for_comes_before_others() -> None:
    world = World()
    same = [piece("卡齐娜笑了。", number) for number in (1, 2, 3)]

    found = await ranker(await world.stock()).rank("第2章里卡齐娜做了什么？", same, [], LIBRARY, None)

    assert [one["chapter"] for one in found] == [2, 1, 3]


async def test_nothing_is_ranked_without_a_look_at_the_stores() -> None:
    world = World()

    assert await ranker(world).rank(QUESTION, [], [], LIBRARY, None) == []
    assert world.passages.history == []


def test_what_every_search_found_first_is_surest() -> None:
    found = found_high(
        [
            call_of("search_memory", {"query": "甲"}, ["a", "b"]),
            call_of("vector_search", {"query": "乙"}, ["a", "c"]),
        ]
    )

    assert found["a"] == pytest.approx(1.0)
    assert found["a"] > found["b"] == found["c"] > 0


def test_only_searches_by_relevance_that_were_made_count() -> None:
    found = found_high(
        [
            call_of("search_memory", {"query": "甲", "sort_by": "time"}, ["a"]),
            call_of("search_memory", {"query": "甲"}, ["b"], ok=False),
            call_of("search_memory", {"query": "甲"}, ["c"], executed=False),
            call_of("lookup_knowledge", {"entity": "甲"}, ["d"]),
        ]
    )

    assert found == {}


def test_names_count_by_any_spelling_and_by_tags() -> None:
    asked = Asked.of(question_of("恰斯卡在哪里安慰了卡齐娜？"), TABLE)

    shares = [
        named_share(asked, one)
        for one in (
            piece("Kachina和恰斯卡。"),
            piece("卡齐娜哭了。"),
            piece("她安慰了她。", entities=["恰斯卡", "卡齐娜"]),
            piece("别人的事。"),
        )
    ]

    assert shares == [1.0, 0.5, 1.0, 0.0]
    assert named_share(Asked.of(question_of("谁来了？"), TABLE), piece("别人的事。")) == 1.0


def test_of_a_chunk_the_questions_words_are_its_names() -> None:
    chunk: Evidence = {**piece("年假：员工每年享有十五天年假。"), "kind": "document", "source": "手册.txt"}

    shares = [named_share(Asked.of(question_of(text), TABLE), chunk) for text in ("年假有几天？", "保修期多长？")]

    assert shares[0] > shares[1]
