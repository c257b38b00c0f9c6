"""The PassageStore port: what the fake and every engine must keep (PLA-28)."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest

from tests.contracts.postgres import POSTGRES, postgres
from tests.contracts.qdrant import LOCAL_MODE, QDRANT, QDRANT_LOCAL, qdrant
from tests.engines import engines
from tests.fakes import FakeEmbedder, FakePassageStore, somebody, unknown
from tools.errors import LibraryNotFound
from tools.records import Horizon, Passage, PassageFilter, VisibleName
from wenmai.stores.edge.passages import EdgePassageStore
from wenmai.stores.postgres.stores import postgres_passages
from wenmai.stores.qdrant.stores import qdrant_passages
from wenmai.stores.vectors.passages import ServerPassageStore

pytestmark = LOCAL_MODE

ANY = PassageFilter()
LIBRARY = "三国"
embedder = FakeEmbedder()
Store = FakePassageStore | EdgePassageStore | ServerPassageStore


@pytest.fixture(params=engines(__name__, "fake", "edge", QDRANT_LOCAL, servers=(QDRANT, POSTGRES)))
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    if request.param in (QDRANT_LOCAL, QDRANT):
        async with qdrant(request.param) as server:
            yield qdrant_passages(server, "wenmai_test", "fake", unknown, somebody)
        return
    if request.param == POSTGRES:
        async with postgres() as server:
            yield postgres_passages(server, "wenmai_test", "fake", unknown)
        return
    made: Store = FakePassageStore() if request.param == "fake" else EdgePassageStore(tmp_path)
    yield made
    await made.close()


def passage(n: int, text: str = "", **fields: object) -> Passage:
    base = Passage(
        id=str(uuid5(NAMESPACE_URL, f"passage-{n}")),
        library=LIBRARY,
        text=text or f"第{n}段 曹操煮酒论英雄",
        part=1,
        chapter=n,
        event_order=n,
        start=0,
        end=10,
        task_id="三国演义",
    )
    return replace(base, **fields)  # type: ignore[arg-type]  # the tests name real fields


async def put(store: Store, rows: Sequence[Passage]) -> None:
    await store.upsert(LIBRARY, rows, await embedder.embed_passages([row.text for row in rows]))


async def ids_by_words(store: Store, where: PassageFilter, limit: int = 50) -> list[str]:
    return [row.id for row in await store.sparse(LIBRARY, "曹操 煮酒 英雄", where, limit)]


async def ids_by_meaning(store: Store, where: PassageFilter, limit: int = 50) -> list[str]:
    vector = await embedder.embed_query("曹操煮酒论英雄")
    return [row.id for row in await store.dense(LIBRARY, vector, where, limit)]


async def ids_in_order(store: Store, where: PassageFilter) -> list[str]:
    return [row.id for row in await store.scroll(LIBRARY, where)]


async def every_way(store: Store, where: PassageFilter) -> list[set[str]]:
    return [
        set(await ids_by_words(store, where)),
        set(await ids_by_meaning(store, where)),
        set(await ids_in_order(store, where)),
    ]


async def test_unknown_library(store: Store) -> None:
    """PLA-28: a library that nobody made is an error of the caller, in every method that reads."""
    vector = await embedder.embed_query("曹操")
    for call in (
        store.dense("无此库", vector, ANY, 5),
        store.sparse("无此库", "曹操", ANY, 5),
        store.sparse("无此库", "，。", ANY, 5),
        store.fetch("无此库", ["x"]),
        store.scroll("无此库", ANY),
        store.count("无此库", ANY),
        store.vectors("无此库", [passage(1)]),
        store.delete("无此库", ["x"]),
    ):
        with pytest.raises(LibraryNotFound, match="无此库"):
            await call


async def test_round_trip_keeps_every_field(store: Store) -> None:
    """S000-41 S000-D03: a passage comes back as it went in, quotes and all."""
    row = passage(
        3,
        text='他说："O\'Brien\\n; DROP" 😀𠀀\n第二行',
        chapter=None,
        task_name="三国",
        chapter_title='第三回 "议温明"',
        series_name="四大名著",
        scene_title="夜",
        scene_order=2,
        chunk_order=4,
        has_choice=True,
        source_file="a b.txt",
        entities=("曹操", "O'Brien"),
        characters=("曹操",),
    )
    await put(store, [row])
    [found] = await store.fetch(LIBRARY, [row.id])
    assert found.passage == row
    assert found.score is None
    assert await store.scroll(LIBRARY, ANY) == [row]


async def test_one_match_among_a_thousand(store: Store) -> None:
    """S000-07 S000-D01: the filter stands inside the query, so a single far match is always found."""
    rows = [passage(n, entities=("曹操",)) for n in range(1000)]
    rows[617] = passage(617, text="毫不相干的文字 煮酒", entities=("貂蝉",), chapter=5000)
    await put(store, rows)
    for where in (PassageFilter(entity="貂蝉"), PassageFilter(chapters=(5000, 5000))):
        assert await every_way(store, where) == [{rows[617].id}] * 3
        assert await store.count(LIBRARY, where) == 1


async def test_filters(store: Store) -> None:
    """S000-09 S000-D02: conditions join with AND; an entity is an exact member; bounds are inclusive."""
    rows = [
        passage(0, entities=("曹操", "刘备")),
        passage(1, entities=("曹操仁",)),
        passage(2, entities=("刘备",), task_id="外传"),
        passage(3, entities=("曹操",), chapter=None),
        passage(4, entities=()),
    ]
    await put(store, rows)
    cases = [
        (ANY, {0, 1, 2, 3, 4}),
        (PassageFilter(entity="曹操"), {0, 3}),
        (PassageFilter(any_entity=("曹操仁", "刘备", "无此人")), {0, 1, 2}),
        (PassageFilter(chapters=(0, 2)), {0, 1, 2}),
        (PassageFilter(chapters=(1, 1)), {1}),
        (PassageFilter(task_id="外传"), {2}),
        (PassageFilter(part=1), {0, 1, 2, 3, 4}),
        (PassageFilter(part=2, chapters=(0, 9)), set()),
        (PassageFilter(entity="刘备", chapters=(0, 1), task_id="三国演义"), {0}),
        (PassageFilter(entity="*"), set()),
        (PassageFilter(entity="曹操' OR 1=1 --"), set()),
    ]
    for where, expected in cases:
        assert await every_way(store, where) == [{rows[n].id for n in expected}] * 3, where
        assert await store.count(LIBRARY, where) == len(expected)


async def test_horizon(store: Store) -> None:
    """STO-19: an earlier part whole, this part up to the chapter, nothing that has no chapter."""
    rows = [
        passage(0, part=1, chapter=9),
        passage(1, part=1, chapter=None),
        passage(2, part=2, chapter=1),
        passage(3, part=2, chapter=2),
        passage(4, part=2, chapter=None),
        passage(5, part=3, chapter=1),
    ]
    await put(store, rows)
    for horizon, expected in (
        (Horizon(2, 1), {0, 2}),
        (Horizon(1, 9), {0}),
        (Horizon(1, 8), set()),
        (Horizon(3, 0), {0, 2, 3}),
    ):
        where = PassageFilter(horizon=horizon)
        assert await every_way(store, where) == [{rows[n].id for n in expected}] * 3
        assert await store.count(LIBRARY, where) == len(expected)


async def test_ties_stand_in_story_order(store: Store) -> None:
    """S000-03: equal scores are ordered by event_order, also where the limit cuts through them."""
    rows = [passage(n, text="曹操煮酒论英雄") for n in range(40)]
    await put(store, rows[::-1])
    for ranking in (ids_by_words, ids_by_meaning):
        assert await ranking(store, ANY, 7) == [row.id for row in rows[:7]]


async def test_rankings_are_best_first_and_repeatable(store: Store) -> None:
    """S000-03: equal store and arguments give an equal result in equal order."""
    await put(store, [passage(n, text=f"{'曹操 煮酒 英雄 ' * (n % 3)}赤壁之战") for n in range(30)])
    first = await store.sparse(LIBRARY, "曹操 煮酒", ANY, 10)
    assert [row.score for row in first] == sorted((row.score for row in first), reverse=True)
    assert len(first) == 10
    for _ in range(5):
        assert await store.sparse(LIBRARY, "曹操 煮酒", ANY, 10) == first


async def test_words_that_nobody_has(store: Store) -> None:
    """S000-08: nothing found is an empty result."""
    await put(store, [passage(0)])
    for text in ("zebra", "", "，。！？", "\0", "玛薇卡"):
        assert await store.sparse(LIBRARY, text, ANY, 5) == []


async def test_english_words(store: Store) -> None:
    """S000-07: the sparse half works in English too."""
    rows = [passage(0, text="The king rode to the castle"), passage(1, text="A quiet village by the sea")]
    await put(store, rows)
    assert [row.id for row in await store.sparse(LIBRARY, "castle", ANY, 5)] == [rows[0].id]


async def test_fetch_keeps_the_order_asked_for(store: Store) -> None:
    """S000-07: rows come in the order of the ids, unknown ones left out, scored by cosine in 0..1."""
    rows = [passage(n) for n in range(5)]
    await put(store, rows)
    wanted = [rows[3].id, str(uuid5(NAMESPACE_URL, "nobody")), "not an id", rows[0].id]
    vector = [3 * x for x in await embedder.embed_query(rows[3].text)]
    found = await store.fetch(LIBRARY, wanted, vector)
    assert [row.passage.id for row in found] == [rows[3].id, rows[0].id]
    assert found[0].score == pytest.approx(1.0, abs=1e-5)
    [opposite] = await store.fetch(LIBRARY, [rows[3].id], [-x for x in vector])
    assert opposite.score == 0.0
    assert await store.fetch(LIBRARY, []) == []


async def test_scroll_pages_in_story_order(store: Store) -> None:
    """S000-16 S000-17: every row once, in ascending event_order, across page borders and with equal positions."""
    rows = [passage(n, event_order=n // 3) for n in range(2500)]
    await put(store, rows[::-1])
    found = await store.scroll(LIBRARY, ANY)
    assert [row.id for row in found] == [row.id for row in sorted(rows, key=lambda row: (row.event_order, row.id))]
    assert await store.scroll(LIBRARY, ANY, 1234) == found[:1234]
    assert await store.scroll(LIBRARY, PassageFilter(chapters=(10, 12)), 2) == found_in(found, {10, 11, 12})[:2]


def found_in(rows: Sequence[Passage], chapters: set[int]) -> list[Passage]:
    return [row for row in rows if row.chapter in chapters]


async def test_scroll_without_texts(store: Store) -> None:
    """STO-20 STO-21: every other field is there, names as of the horizon too."""
    guise = VisibleName(entity="曹操", known_as="黑衣人", since=(1, 1), until=(1, 9))
    rows = [passage(1, chapter=None), passage(2, entities=("曹操",), guises=(guise,))]
    await put(store, rows)
    assert await store.scroll(LIBRARY, ANY, texts=False) == [replace(row, text="") for row in rows]
    where = PassageFilter(horizon=Horizon(1, 5))
    [found] = await store.scroll(LIBRARY, where, texts=False)
    assert (found.text, found.entities) == ("", ("黑衣人",))


async def test_scroll_with_a_page_of_one_position(store: Store) -> None:
    """S000-17: a position that more rows share than a page holds does not stop the scroll."""
    rows = [passage(n, event_order=0 if n < 2200 else n) for n in range(2210)]
    await put(store, rows)
    assert {row.id for row in await store.scroll(LIBRARY, ANY)} == {row.id for row in rows}


async def test_upsert_replaces(store: Store) -> None:
    """S000-41: writing an id again replaces the row and its vectors."""
    await put(store, [passage(0, text="曹操煮酒", entities=("曹操",))])
    await put(store, [passage(0, text="貂蝉拜月", entities=("貂蝉",))])
    assert await store.count(LIBRARY, ANY) == 1
    assert await store.sparse(LIBRARY, "煮酒", ANY, 5) == []
    assert await ids_in_order(store, PassageFilter(entity="曹操")) == []
    assert len(await ids_in_order(store, PassageFilter(entity="貂蝉"))) == 1


async def test_vectors_of_unchanged_texts(store: Store) -> None:
    """S000-41: the vector of a text that is stored as it is, none for a changed or an unknown passage."""
    same, changed, unknown = (passage(n) for n in (1, 2, 3))
    await put(store, [same, changed])
    found = await store.vectors(LIBRARY, [same, replace(changed, text="别的文字"), unknown])
    (wanted,) = await embedder.embed_passages([same.text])
    assert list(found) == [same.id]
    assert found[same.id] == pytest.approx(wanted, abs=1e-5)


async def test_reorder_changes_nothing_else(store: Store) -> None:
    """S000-D03: a later record gets a new event_order and keeps all else; unknown ids are ignored."""
    rows = [passage(n, entities=("曹操",)) for n in range(3)]
    await put(store, rows)
    before = await store.fetch(LIBRARY, [rows[1].id], await embedder.embed_query("曹操"))
    searched = await store.sparse(LIBRARY, "曹操", PassageFilter(chapters=(1, 1)), 5)
    assert [row.event_order for row in searched] == [rows[1].event_order]
    await store.reorder(LIBRARY, {rows[1].id: 77, str(uuid5(NAMESPACE_URL, "nobody")): 1})
    after = await store.fetch(LIBRARY, [rows[1].id], await embedder.embed_query("曹操"))
    assert after[0].passage == replace(before[0].passage, event_order=77)
    assert after[0].score == before[0].score
    assert await ids_in_order(store, ANY) == [rows[0].id, rows[2].id, rows[1].id]
    assert await store.count(LIBRARY, ANY) == 3
    [ranked] = await store.sparse(LIBRARY, "曹操", PassageFilter(chapters=(1, 1)), 5)
    assert ranked.event_order == 77
    await put(store, [replace(rows[1], event_order=78)])
    [ranked] = await store.sparse(LIBRARY, "曹操", PassageFilter(chapters=(1, 1)), 5)
    assert ranked.event_order == 78


async def test_delete(store: Store) -> None:
    """PLA-28: deleted rows are gone from every access; the count tells how many there were."""
    rows = [passage(n) for n in range(4)]
    await put(store, rows)
    assert await store.delete(LIBRARY, [rows[0].id, rows[0].id, rows[2].id, "not an id"]) == 2
    assert await every_way(store, ANY) == [{rows[1].id, rows[3].id}] * 3
    assert await store.delete(LIBRARY, []) == 0
    assert [row.passage.id for row in await store.fetch(LIBRARY, [row.id for row in rows])] == [rows[1].id, rows[3].id]


async def test_libraries_are_apart(store: Store) -> None:
    """PLA-03: a library sees its own rows only."""
    await put(store, [passage(0)])
    other = passage(1, library="红楼")
    await store.upsert("红楼", [other], await embedder.embed_passages([other.text]))
    assert await ids_in_order(store, ANY) == [passage(0).id]
    assert [row.id for row in await store.scroll("红楼", ANY)] == [other.id]


async def test_fifty_readers_at_once(store: Store) -> None:
    """PLA-28: concurrent reads answer as single ones do."""
    await put(store, [passage(n, entities=(f"N{n % 7}",)) for n in range(300)])
    alone = [await ids_by_words(store, PassageFilter(entity=f"N{n}")) for n in range(7)]
    together = await asyncio.gather(*(ids_by_words(store, PassageFilter(entity=f"N{n % 7}")) for n in range(50)))
    assert together == [alone[n % 7] for n in range(50)]


GUISES = (
    VisibleName(entity="乌三娘", known_as="潮生", since=(1, 3), until=(2, 1)),
    VisibleName(entity="陆怀远", known_as="", since=(1, 3), until=(1, 6)),
)
VEILED = [
    passage(3, entities=("乌三娘", "陆怀远", "陆听雪"), characters=("乌三娘",), guises=GUISES),
    passage(4, entities=("乌三娘",)),
]


@pytest.mark.parametrize(
    ("name", "horizon", "expected"),
    [
        ("乌三娘", Horizon(1, 5), {4}),
        ("潮生", Horizon(1, 5), {3}),
        ("陆怀远", Horizon(1, 5), set()),
        ("陆怀远", Horizon(1, 6), {3}),
        ("陆听雪", Horizon(1, 5), {3}),
        ("乌三娘", Horizon(2, 1), {3, 4}),
        ("潮生", Horizon(2, 1), set()),
        ("潮生", None, set()),
        ("乌三娘", None, {3, 4}),
    ],
)
async def test_a_guise_hides_who_it_is(store: Store, name: str, horizon: Horizon | None, expected: set[int]) -> None:
    """STO-19: until the reveal a filter finds the passage under the name that the reader knows."""
    await put(store, VEILED)
    for where in (PassageFilter(entity=name, horizon=horizon), PassageFilter(any_entity=(name,), horizon=horizon)):
        assert await every_way(store, where) == [{row.id for row in VEILED if row.chapter in expected}] * 3, where


async def test_a_guise_shows_the_name_that_the_reader_knows(store: Store) -> None:
    """STO-19: in whatever way a passage is read under the guard; without it, it is as it was written."""
    await put(store, VEILED)
    ids = [row.id for row in VEILED]
    assert [row.passage for row in await store.fetch(LIBRARY, ids)] == VEILED
    either = PassageFilter(any_entity=("乌三娘", "陆听雪"), horizon=Horizon(1, 5))
    assert await store.count(LIBRARY, either) == 2
    scrolled = await store.scroll(LIBRARY, PassageFilter(horizon=Horizon(1, 5)))
    fetched = [row.passage for row in await store.fetch(LIBRARY, ids, None, Horizon(1, 5))]
    for shown in (scrolled, fetched):
        assert [(row.entities, row.characters, row.guises) for row in shown] == [
            (("潮生", "陆听雪"), ("潮生",), ()),
            (("乌三娘",), (), ()),
        ]


async def test_a_guise_may_come_after_another(store: Store) -> None:
    """STO-19: between two reveals the passage bears the name that the reader then knows."""
    guises = (
        VisibleName(entity="X", known_as="b", since=(1, 2), until=(1, 4)),
        VisibleName(entity="X", known_as="a", since=(1, 4), until=(1, 6)),
    )
    await put(store, [passage(2, entities=("X",), guises=guises)])
    for chapter, known in ((3, "b"), (4, "a"), (5, "a"), (6, "X")):
        wheres = [PassageFilter(entity=name, horizon=Horizon(1, chapter)) for name in ("X", "a", "b")]
        assert [await store.count(LIBRARY, where) for where in wheres] == [name == known for name in ("X", "a", "b")]
