"""What a library lacks: an ingest was broken off, a server was emptied, or files were deleted."""

from tools.errors import LibraryNotFound, StoreGone
from tools.messages import Message
from tools.ports import PassageStore, StoryGraph
from tools.records import LibraryInfo, PassageFilter
from wenmai.ingestion.contracts import CatalogWriter, Stores
from wenmai.ingestion.library.decisions import load_decisions
from wenmai.ingestion.passages.layout import Key, chapter_key

ANY = PassageFilter()

UNFINISHED_COPY = "unfinished_copy"  # a note of the catalog, as long as a migration has not copied all of the library


async def is_unfinished(catalog: CatalogWriter, info: LibraryInfo) -> bool:
    """Return True if no chapter is there, or a change was broken off, or goes on."""
    return not info.counts.get("chapters") or await is_half_made(catalog, info.name)


async def is_half_made(catalog: CatalogWriter, library: str) -> bool:
    """Return True if an ingest, a merge or a copy was broken off, or goes on: its end is not noted."""
    settled = (await load_decisions(catalog, library)).settled
    return not settled or bool(await catalog.note(library, UNFINISHED_COPY))


async def is_graph_lost(graph: StoryGraph, info: LibraryInfo) -> bool:
    """Return True if the graph of a library that the catalog knows is gone."""
    try:
        counts = await graph.counts(info.name)
    except LibraryNotFound:
        return info.counts["chapters"] > 0
    return not any(counts.values()) and any(info.counts.get(kind) for kind in counts)


async def lost_chapters(stores: Stores, info: LibraryInfo) -> frozenset[Key]:
    """Return the chapters that have lost the vectors of a passage."""
    count, known = await _held(stores.passages, info.name), info.counts["passages"]
    if count == known:
        return frozenset()
    rows = await stores.passages.scroll(info.name, ANY) if count else []
    stored = {passage.id for passage in rows}
    keys = [chapter_key(chapter) for chapter in await stores.catalog.chapters(info.name)]
    held = {key: await stores.catalog.passage_ids(info.name, *key) for key in keys}
    return frozenset(key for key in keys if not stored.issuperset(held[key]))


async def require_vectors(passages: PassageStore, info: LibraryInfo) -> None:
    """Raise StoreGone where the vectors of a library are elsewhere or lost."""
    known = info.counts["passages"]
    if known and not await _held(passages, info.name):
        raise StoreGone(Message("library.vectors_gone", library=info.name, count=known))


async def _held(passages: PassageStore, library: str) -> int:
    """Return how many passages are there; a library that was never begun there, or is gone, has none."""
    try:
        return await passages.count(library, ANY)
    except LibraryNotFound:
        return 0
