"""`wenmai migrate` where the other side has another library of the same name (PLA-28)."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.migration.house import LIBRARY, House, embedder, silent
from tests.qdrant_service.server import LoopbackQdrant
from tools.errors import StoreForeign
from tools.records import PassageFilter
from wenmai.ingestion.library.changes import delete_source
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.migration import Moved, move_library

OTHER = "第一章 别的书\n\n韩冬把船卖了。“走吧。”韩冬说。\n\n第二章 完\n\n韩冬回家了。\n"


@pytest.fixture
def qdrant() -> Iterator[LoopbackQdrant]:
    with LoopbackQdrant() as server:
        yield server


@pytest.fixture
async def houses(tmp_path: Path, qdrant: LoopbackQdrant) -> AsyncIterator[list[House]]:
    """Two data folders, and the catalog that both copy to."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    made = [House(tmp_path / "one" / "data"), House(tmp_path / "two" / "data"), House(tmp_path / "shared", qdrant)]
    await made[0].build()
    await made[1].build(OTHER)
    yield made
    for house in made:
        await house.close()


async def copied(source: House, target: House, *, replacing: bool = False) -> list[Moved]:
    try:
        return await move_library(source.side(), target.side(), LIBRARY, silent, replacing=replacing)
    finally:
        await source.close()
        await target.close()


async def content(house: House) -> tuple[Any, ...]:
    """Return what a library holds, its graph by everybody's names and counts."""
    side = house.side()
    passages = await side.stores.passages.scroll(LIBRARY, PassageFilter())
    graph = side.stores.graph
    names, counts = await graph.names(LIBRARY, None), await graph.counts(LIBRARY)
    found = (passages, names, counts, await side.catalog.notes(LIBRARY), await side.catalog.info(LIBRARY))
    await house.close()
    return found


async def test_another_folders_library_is_not_replaced(houses: list[House]) -> None:
    """PLA-28: one line says what is there, whose it is and what to do; nothing is written; --replace is an answer."""
    one, two, shared = houses
    await copied(one, shared)
    before = await content(shared)
    with pytest.raises(StoreForeign, match=rf"{LIBRARY}《白石渡的灯》（3 章.*复制自 .*one/data.*--replace") as caught:
        await copied(two, shared)
    assert "\n" not in str(caught.value) and str(shared.folder) in str(caught.value)
    assert await content(shared) == before
    assert all(row.is_same for row in await copied(two, shared, replacing=True))
    here, there = await content(two), await content(shared)
    assert "韩冬" in there[0][0].text and here[:3] == there[:3]
    assert all(row.is_same for row in await copied(two, shared))
    with pytest.raises(StoreForeign, match="two/data"):
        await copied(one, shared)


async def test_what_was_ingested_over_there_is_not_replaced(houses: list[House]) -> None:
    """PLA-28: a library that was never copied is told as such; so is one that a copy back would replace."""
    one, two, _ = houses
    for source, target in ((one, two), (two, one)):
        before = await content(target)
        with pytest.raises(StoreForeign, match="在那一端导入"):
            await copied(source, target)
        assert await content(target) == before


async def test_a_library_goes_to_and_fro(houses: list[House]) -> None:
    """PLA-28: where one was copied from, and where it was copied to, it may be copied again after a change."""
    one, two, shared = houses
    shutil.rmtree(two.folder)
    await copied(one, shared)
    await copied(shared, two)
    await one.build(OTHER)
    for source, target in ((one, shared), (shared, one), (shared, two)):
        assert all(row.is_same for row in await copied(source, target))
    assert (await content(two))[0] == (await content(one))[0]
    await two.build(f"{OTHER}\n第三章 又\n\n韩冬来了。\n")
    with pytest.raises(StoreForeign, match="one/data"):
        await copied(two, shared)


async def test_a_copy_without_a_note(houses: list[House]) -> None:
    """PLA-28: what has nothing of its own may be replaced, wherever it comes from; a decision of its own counts."""
    one, _, shared = houses
    await copied(one, shared)
    side = shared.side()
    await side.catalog.put_note(LIBRARY, "origin", None)
    await shared.close()
    assert all(row.is_same for row in await copied(one, shared))
    side = shared.side()
    await side.catalog.put_note(LIBRARY, "origin", None)
    await side.catalog.put_note(LIBRARY, "own", 1)
    await shared.close()
    with pytest.raises(StoreForeign, match="在那一端导入"):
        await copied(one, shared)


async def test_a_source_that_was_deleted_leaves_the_other_graph(houses: list[House]) -> None:
    """PLA-28: relations of a source that is gone here go there, too, when the library is copied again."""
    one, _, shared = houses
    more = one.folder.parent / "续.txt"
    more.write_text("第一章 又\n\n陆青的哥哥是陆河。\n", encoding="utf-8")
    await ingest(IngestRequest(path=more, library=LIBRARY), stores=one.side().stores, embedder=embedder)
    await one.close()
    await copied(one, shared)
    assert (await content(shared))[4].sources == ("书", "续")
    await delete_source(LIBRARY, "续", one.side().stores)
    await one.close()
    assert all(row.is_same for row in await copied(one, shared))
    here, there = await content(one), await content(shared)
    assert here[:3] == there[:3]
