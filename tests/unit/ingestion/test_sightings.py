"""Kept sightings: an ingest reads the texts of what changed, and leaves what one that reads everything leaves."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import FakeCatalog, FakeEmbedder, FakePassageStore, FakeStoryGraph
from tools.records import PassageFilter
from wenmai.ingestion.contracts import IngestReport, Stores
from wenmai.ingestion.library import sightings
from wenmai.ingestion.library.changes import delete_source, merge_entities
from wenmai.ingestion.pipeline import IngestRequest, ingest

LIBRARY = "lib"
ALIASES = '{"mention": {"周瑜": ["公瑾"], "曹操": ["孟德"], "诸葛亮": ["孔明", "卧龙"], "司马懿": ["仲达"]}}'
MORE = '{"mention": {"周瑜": ["公瑾", "都督"], "曹操": ["孟德"], "诸葛亮": ["孔明"], "鲁肃": ["子敬", "卧龙"]}}'
ONE = (
    "周瑜大战曹操于江上。周瑜曰：“破敌在此。”曹操败走。",
    "卧龙来见周瑜，卧龙笑道：“都督可好？”瑜曰：“不好。”",
    "卧龙者，诸葛亮也。司马懿闻之，谓左右曰：“诸葛亮真天下奇才也。”",
)
OTHER = ("子敬见诸葛亮。鲁肃曰：“公瑾何在？”", "孟德领兵，仲达随之。曹操曰：“善。”")


def story(*texts: str) -> str:
    return "\n".join(f"第{n}回 题{n}\n{text}" for n, text in enumerate(texts, 1))


@dataclass
class House:
    """A library on fakes; with `forgetful` its sightings are removed before each ingest."""

    folder: Path
    forgetful: bool

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self.passages, self.catalog = FakePassageStore(), FakeCatalog()
        self.stores = Stores(passages=self.passages, graph=FakeStoryGraph(), catalog=self.catalog)

    async def ingest(self, name: str, text: str, aliases: str = ALIASES, graph: str = "") -> IngestReport:
        source, names, records = (self.folder / one for one in (name, "a.json", "g.jsonl"))
        source.write_text(text, encoding="utf-8")
        names.write_text(aliases, encoding="utf-8")
        records.write_text(graph, encoding="utf-8")
        if self.forgetful and await self.catalog.libraries():
            await sightings.forget_sightings(self.catalog, LIBRARY)
        self.passages.history.clear()
        files = (records,) if graph else ()
        request = IngestRequest(path=source, library=LIBRARY, aliases=names, graph_files=files)
        return await ingest(request, stores=self.stores, embedder=FakeEmbedder())

    async def state(self) -> dict[str, Any]:
        graph = self.stores.graph
        names = await graph.names(LIBRARY, None)
        entities = sorted({name.entity for name in names})
        notes = await self.catalog.notes(LIBRARY)
        return {
            "passages": await self.passages.scroll(LIBRARY, PassageFilter()),
            "names": sorted(names, key=str),
            "entities": [await graph.entity(LIBRARY, name, None) for name in entities],
            "relations": [await graph.relations(LIBRARY, name, None) for name in entities],
            "events": [await graph.events(LIBRARY, name, None, None) for name in entities],
            "outline": await self.catalog.outline(LIBRARY),
            "notes": {key: value for key, value in notes.items() if key != sightings.NOTE},
        }


async def _first(house: House) -> None:
    await house.ingest("书.txt", story(*ONE))
    await house.ingest("续.txt", story(*OTHER))


async def _longer(house: House) -> None:
    await house.ingest("书.txt", story(ONE[0] * 60, *ONE[1:]))


async def _shorter(house: House) -> None:
    await house.ingest("书.txt", story(*ONE[:2]))


async def _other_names(house: House) -> None:
    await house.ingest("续.txt", story(*OTHER), MORE)


async def _records(house: House) -> None:
    await house.ingest("续.txt", story(*OTHER), graph='{"source": "鲁肃", "type": "FRIEND_OF", "target": "周瑜"}')


async def _merge(house: House) -> None:
    await merge_entities(house.stores, LIBRARY, "鲁肃", "周瑜")
    await house.ingest("三.txt", story("鲁肃与曹操饮酒。"), MORE)


async def _delete(house: House) -> None:
    await delete_source(LIBRARY, "书", house.stores)
    await house.ingest("三.txt", story("诸葛亮与曹操饮酒。"))


@pytest.mark.parametrize(
    "steps",
    [
        (_longer,),
        (_shorter, _longer),
        (_other_names, _longer),
        (_records, _shorter, _other_names),
        (_other_names, _merge, _longer),
        (_delete, _records),
    ],
)
async def test_kept_sightings_change_nothing(
    tmp_path: Path, steps: tuple[Callable[[House], Awaitable[None]], ...]
) -> None:
    """After each step the library is the same with sightings and without."""
    kept, forgetful = House(tmp_path / "kept", False), House(tmp_path / "forgetful", True)
    for step in (_first, *steps):
        await step(kept)
        await step(forgetful)
        assert await kept.state() == await forgetful.state()


async def test_another_source_is_not_read(tmp_path: Path) -> None:
    """An ingest into a settled library scrolls nothing and fetches its own passages alone."""
    house = House(tmp_path / "house", False)
    await house.ingest("书.txt", story(*ONE))
    assert "scroll" in house.passages.history
    report = await house.ingest("续.txt", story(*OTHER))
    assert report.written == 2 and "scroll" not in house.passages.history
    report = await house.ingest("续.txt", story(*OTHER, "曹操曰：“善。”"))
    assert report.written == 1 and "scroll" not in house.passages.history


async def test_an_interrupted_ingest_is_not_believed(tmp_path: Path) -> None:
    """Sightings count only while the notes of sources and merges are those of the run that kept them."""
    house = House(tmp_path / "house", False)
    await house.ingest("书.txt", story(*ONE))
    assert (await sightings.load_sightings(house.catalog, LIBRARY)).chapters
    note = await house.catalog.note(LIBRARY, "source:书")
    await house.catalog.put_note(LIBRARY, "source:书", {**dict(note), "fingerprint": None})
    assert not (await sightings.load_sightings(house.catalog, LIBRARY)).chapters


async def test_sightings_come_back_as_they_were_kept(tmp_path: Path) -> None:
    """What is read from the note is what was counted."""
    house = House(tmp_path / "house", False)
    await house.ingest("书.txt", story(*ONE))
    seen = await sightings.load_sightings(house.catalog, LIBRARY)
    stored = await house.passages.scroll(LIBRARY, PassageFilter())
    assert [(row.id, row.event_order, row.entities, row.guises) for row in sightings.in_order(seen.chapters)] == [
        (passage.id, passage.event_order, passage.entities, passage.guises) for passage in stored
    ]
    assert any(row.guises for row in sightings.in_order(seen.chapters))
    await sightings.save_sightings(house.catalog, LIBRARY, seen)
    assert await sightings.load_sightings(house.catalog, LIBRARY) == replace(seen)
