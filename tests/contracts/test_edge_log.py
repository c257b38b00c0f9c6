"""What a power cut may leave of Qdrant Edge's files: old segments, and the whole log."""

import shutil
from pathlib import Path

from tests.contracts.test_passage_store import ANY, LIBRARY, ids_by_meaning, ids_by_words, ids_in_order, passage, put
from tests.temporary import copied
from wenmai.stores.edge.passages import SCHEMA, EdgePassageStore
from wenmai.stores.edge.shards import LOG_FOLDER


async def test_the_log_restores_what_no_segment_holds_yet(tmp_path: Path) -> None:
    """Writes and deletions that only the log keeps are there again when the library is opened."""
    store = EdgePassageStore(tmp_path / "live")
    await put(store, [passage(n) for n in range(1, 6)])
    await store.optimize(LIBRARY)
    copied(tmp_path / "live", tmp_path / "old")
    await put(store, [passage(n) for n in range(6, 11)])
    await store.delete(LIBRARY, [passage(1).id])
    log, old = (tmp_path / name / LIBRARY / SCHEMA.folder / LOG_FOLDER for name in ("live", "old"))
    shutil.rmtree(old)
    copied(log, old)
    await store.close()
    found = EdgePassageStore(tmp_path / "old")
    expected = [passage(n).id for n in range(2, 11)]
    assert await ids_in_order(found, ANY) == expected
    assert set(await ids_by_words(found, ANY)) == set(await ids_by_meaning(found, ANY)) == set(expected)
    await found.close()
