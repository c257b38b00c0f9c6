"""Summaries move with their library: those that differ are written, those that the source has not go."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.fakes import FakeEmbedder, FakePassageStore, FakeStoryGraph
from tools.records import Summary, SummaryFilter, SummarySentence
from wenmai.ingestion.contracts import Stores
from wenmai.migration import Side, move_summaries
from wenmai.stores.catalog.catalog import SqliteCatalog

LIBRARY = "书"


async def side(folder: Path) -> Side:
    catalog = SqliteCatalog(folder)
    await catalog.create(LIBRARY, "书", FakeEmbedder().name, 8, "zh")
    return Side(stores=Stores(passages=FakePassageStore(), graph=FakeStoryGraph(), catalog=catalog), catalog=catalog)


def row(chapter: int, text: str, **fields: Any) -> Summary:
    sentences = (SummarySentence(text, ("p",)),)
    return Summary(
        library=LIBRARY, task_id="书", part=1, chapter=chapter, first=(1, 1), sentences=sentences,
        **{"kind": "chapter", **fields},
    )  # fmt: skip


async def test_summaries_move(tmp_path: Path) -> None:
    """STO-97: what differs is copied, what is stale goes, and a second move writes nothing."""
    source, target = await side(tmp_path / "a"), await side(tmp_path / "b")
    assert await move_summaries(source, target, LIBRARY) is None
    rows = [row(1, "甲"), row(2, "乙"), row(2, "丙", kind="person", subject="刘福")]
    await source.catalog.put_summaries(LIBRARY, rows)
    await target.catalog.put_summaries(LIBRARY, [rows[0], replace(rows[1], digest="old"), row(9, "丁")])
    moved = await move_summaries(source, target, LIBRARY)
    assert moved and moved.is_same and moved.written == 2
    assert await target.catalog.summaries(LIBRARY, SummaryFilter()) == rows
    again = await move_summaries(source, target, LIBRARY)
    assert again and again.is_same and again.written == 0
    for one in (source, target):
        await one.catalog.close()
