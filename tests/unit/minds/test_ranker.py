"""Evidence in order for a question."""

import pytest

from state.schema import CallRecord, Evidence
from tests.fakes import DeadEmbedder
from tests.graph.rig import piece
from tests.unit.minds.rooms import Fetched, call_of, mind_of
from tests.unit.tools.world import LIBRARY, TEXTS, World

QUESTION = "卡齐娜的古名怎么来的？"
EVERYTHING = ("search_memory", {"query": "卡齐娜 恰斯卡 玛薇卡 基尼奇", "top_k": 10})


async def test_the_piece_with_the_questions_names_and_words_comes_first() -> None:
    world = World()
    evidence = await Fetched(world)(EVERYTHING)

    found = await (await mind_of(world=world)).ranker.rank(QUESTION, evidence, [], LIBRARY, None)

    assert found[0]["text"] == TEXTS[6][2]
    assert sorted(one["id"] for one in found) == sorted(one["id"] for one in evidence)


async def test_the_order_does_not_depend_on_the_order_of_the_evidence() -> None:
    world = World()
    evidence = await Fetched(world)(EVERYTHING)

    one = await (await mind_of(world=world)).ranker.rank(QUESTION, evidence, [], LIBRARY, None)
    other = await (await mind_of(world=world)).ranker.rank(QUESTION, evidence[::-1], [], LIBRARY, None)

    assert one == other


async def test_where_the_embedder_fails_the_words_decide(caplog: pytest.LogCaptureFixture) -> None:
    evidence: list[Evidence] = [{**one, "score": None} for one in await Fetched(World())(EVERYTHING)]

    found = await (await mind_of(world=World(embedder=DeadEmbedder()))).ranker.rank(
        QUESTION, evidence, [], LIBRARY, None
    )

    assert found[0]["text"] == TEXTS[6][2] and "without cosines" in caplog.text


async def test_a_chapter_that_is_asked_for_comes_before_others() -> None:
    world = World()
    same = [piece("卡齐娜笑了。", number) for number in (1, 2, 3)]

    found = await (await mind_of(world=world)).ranker.rank("第2章里卡齐娜做了什么？", same, [], LIBRARY, None)

    assert [one["chapter"] for one in found] == [2, 1, 3]


async def test_nothing_is_ranked_without_a_look_at_the_stores() -> None:
    world = World()

    assert await (await mind_of(world=world)).ranker.rank(QUESTION, [], [], LIBRARY, None) == []
    assert world.passages.history == ["upsert"]


async def ranked(question: str, evidence: list[Evidence], *calls: CallRecord) -> list[str]:
    """Return the ids of evidence, the best first."""
    found = await (await mind_of()).ranker.rank(question, evidence, calls, LIBRARY, None)
    return [one["id"] for one in found]


SAME = [piece("别人的事。", number) for number in range(1, 5)]
ONE, TWO, THREE, FOUR = (one["id"] for one in SAME)


async def test_what_every_search_found_first_is_surest() -> None:
    calls = [
        call_of("search_memory", {"query": "甲"}, [THREE, ONE]),
        call_of("vector_search", {"query": "乙"}, [THREE, FOUR]),
    ]
    assert await ranked("谁来了？", SAME, *calls) == [THREE, ONE, FOUR, TWO]


async def test_only_searches_by_relevance_that_were_made_count() -> None:
    calls = [
        call_of("search_memory", {"query": "甲", "sort_by": "time"}, [FOUR]),
        call_of("search_memory", {"query": "甲"}, [THREE], ok=False),
        call_of("search_memory", {"query": "甲"}, [THREE], executed=False),
        call_of("lookup_knowledge", {"entity": "甲"}, [TWO]),
    ]
    assert await ranked("谁来了？", SAME, *calls) == [ONE, TWO, THREE, FOUR]


async def test_names_count_by_any_spelling_and_by_tags() -> None:
    rows = [
        piece("她安慰了她。", 1),
        piece("她安慰了她。", 2, entities=["恰斯卡"]),
        piece("她安慰了她。", 3, entities=["恰斯卡", "卡齐娜"]),
        piece("Kachina安慰了她。", 4, entities=["恰斯卡"]),
    ]
    found = await ranked("恰斯卡在哪里安慰了卡齐娜？", rows)
    assert found[2:] == [rows[1]["id"], rows[0]["id"]]


async def test_of_a_chunk_the_questions_words_are_its_names() -> None:
    rows: list[Evidence] = [
        {**piece(text, number), "kind": "document", "source": "手册.txt", "score": None}
        for number, text in enumerate(("天气：今天享有很好的太阳。", "年假：员工每年享有很多的假期。"), 1)
    ]
    assert await ranked("年假有几天？", rows) == [rows[1]["id"], rows[0]["id"]]
