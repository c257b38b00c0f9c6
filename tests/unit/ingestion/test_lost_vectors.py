"""Vectors that are gone while their catalog is whole."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.cli_story import STORY
from tests.migration.house import LIBRARY, House, embedder
from tests.qdrant_service.server import LoopbackQdrant
from tools.records import PassageFilter
from wenmai.ingestion.contracts import IngestReport
from wenmai.ingestion.library.changes import merge_entities
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.stores.edge.passages import SCHEMA
from wenmai.stores.graph.ladybug import GRAPH_FILE

ANY = PassageFilter()
DIGITS = 4  # a server makes vectors unit ones each time that they are written


@pytest.fixture(params=["edge", "qdrant"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    if request.param == "edge":
        yield House(tmp_path / "home")
        return
    with LoopbackQdrant() as server:
        yield House(tmp_path / "home", server)


async def lose(house: House) -> None:
    """Delete what holds the vectors, as a person or a broken disk does while nobody has it open."""
    if house.qdrant is None:
        shutil.rmtree(house.folder / LIBRARY / SCHEMA.folder)
    else:
        await house.qdrant.service.drop("stories_fake", b"")


async def again(house: House, name: str) -> IngestReport:
    """Ingest a source, as another process does."""
    folder = house.folder.parent
    stores = house.side().stores
    files = [folder / "relations.jsonl"] if name == "书" else []
    request = IngestRequest(path=folder / f"{name}.txt", library=LIBRARY, graph_files=tuple(files))
    report = await ingest(request, stores=stores, embedder=embedder)
    await house.close()
    return report


async def told(house: House) -> dict[str, Any]:
    """Return what the library says of itself."""
    stores = house.side().stores
    passages = await stores.passages.scroll(LIBRARY, ANY)
    vectors = await stores.passages.vectors(LIBRARY, passages)
    found = {
        "passages": passages,
        "vectors": {id: [round(one, DIGITS) for one in vector] for id, vector in vectors.items()},
        "names": await stores.graph.names(LIBRARY, None),
        "relations": await stores.graph.relations(LIBRARY, "沈青", None),
        "events": await stores.graph.events(LIBRARY, "陆青", None, None),
        "counts": await stores.graph.counts(LIBRARY),
    }
    await house.close()
    return found


async def test_an_ingest_writes_lost_vectors_again(house: House) -> None:
    """PLA-28: the same text, the same settings: embedded again and told, with the merges; once is enough."""
    await house.build()
    before = await told(house)
    assert before["passages"] and before["relations"]
    await lose(house)
    report = await again(house, "书")
    assert report.written == report.vectors_restored == len(before["passages"])
    assert await told(house) == before
    report = await again(house, "书")
    assert (report.written, report.vectors_restored, report.unchanged) == (0, 0, len(before["passages"]))


async def test_each_source_brings_its_own_vectors_back(house: House) -> None:
    """PLA-28: what other sources have lost is told until they were ingested, and then all is as it was."""
    await house.build()
    (house.folder.parent / "续.txt").write_text(STORY.replace("沈", "陆"), encoding="utf-8")
    await again(house, "续")
    before = await told(house)
    await lose(house)
    first = await again(house, "书")
    assert first.vectors_restored and first.vectors_lost == ["续"]
    assert (await again(house, "书")).vectors_lost == ["续"]
    second = await again(house, "续")
    assert (second.vectors_lost, first.written + second.written) == ([], len(before["passages"]))
    assert await told(house) == before


async def test_a_part_of_the_vectors_is_lost(house: House) -> None:
    """PLA-28: only the passages that are gone are embedded."""
    await house.build()
    before = await told(house)
    stores = house.side().stores
    await stores.passages.delete(LIBRARY, [before["passages"][0].id])
    await house.close()
    embedder.history.clear()
    assert (await again(house, "书")).vectors_restored
    assert embedder.history == [before["passages"][0].text]
    assert await told(house) == before


async def test_vectors_and_graph_are_lost(house: House) -> None:
    """PLA-28: both come back by one ingest, and a merge goes on from there."""
    await house.build()
    before = await told(house)
    await lose(house)
    for file in (house.folder / LIBRARY).glob(f"{GRAPH_FILE}*"):
        file.unlink()
    report = await again(house, "书")
    assert report.vectors_restored == len(before["passages"])
    assert await told(house) == before
    stores = house.side().stores
    assert (await merge_entities(stores, LIBRARY, "沈河", "沈青")).change.relations
    await house.close()
