"""A graph that is gone while its catalog is whole."""

from pathlib import Path

from tests.migration.house import LIBRARY, House, embedder
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.stores.graph.ladybug import GRAPH_FILE


async def test_an_ingest_writes_a_lost_graph_again(tmp_path: Path) -> None:
    """PLA-28: from the catalog's records, merges and imports with them; nothing is embedded; once is enough."""
    house = House(tmp_path / "home")
    await house.build()

    async def told() -> tuple[object, object]:
        graph = house.side().stores.graph
        found = await graph.names(LIBRARY, None), await graph.relations(LIBRARY, "沈青", None)
        await house.close()
        return found

    async def again() -> tuple[int, bool]:
        source, imported = tmp_path / "书.txt", [tmp_path / "relations.jsonl"]
        request = IngestRequest(path=source, library=LIBRARY, graph_files=tuple(imported))
        report = await ingest(request, stores=house.side().stores, embedder=embedder)
        await house.close()
        return report.written, report.graph_restored

    before = await told()
    assert before[1]
    for file in (house.folder / LIBRARY).glob(f"{GRAPH_FILE}*"):
        file.unlink()
    assert await again() == (0, True)
    assert await told() == before
    assert await again() == (0, False)
