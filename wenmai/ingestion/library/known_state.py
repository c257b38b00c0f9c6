"""What a library holds before an ingest, and what it has lost: by a broken ingest, an emptied server, deleted files."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from tools.errors import LibraryNotFound, StoreGone
from tools.messages import Message
from tools.ports import PassageStore, StoryGraph
from tools.records import LibraryInfo, PassageFilter
from wenmai.ingestion.contracts import CatalogWriter, SourceNote, Stores
from wenmai.ingestion.library.decisions import Decisions, load_decisions
from wenmai.ingestion.library.notes import load_note
from wenmai.ingestion.passages import Key, chapter_key
from wenmai.ingestion.source_bundle import SourceBundle

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
    try:
        counts = await graph.counts(info.name)
    except LibraryNotFound:
        return info.counts["chapters"] > 0
    return not any(counts.values()) and any(info.counts.get(kind) for kind in counts)


async def lost_chapters(stores: Stores, info: LibraryInfo) -> frozenset[Key]:
    count, known = await _held(stores.passages, info.name), info.counts["passages"]
    if count == known:
        return frozenset()
    rows = await stores.passages.scroll(info.name, ANY) if count else []
    stored = {passage.id for passage in rows}
    keys = [chapter_key(chapter) for chapter in await stores.catalog.chapters(info.name)]
    held = {key: await stores.catalog.passage_ids(info.name, *key) for key in keys}
    return frozenset(key for key in keys if not stored.issuperset(held[key]))


async def lost_passages(passages: PassageStore, info: LibraryInfo) -> int:
    """Return how many passages of the catalog the store lacks. Raises StoreGone where it has none."""
    known, held = info.counts["passages"], await _held(passages, info.name)
    if known and not held:
        raise StoreGone(Message("library.vectors_gone", library=info.name, count=known))
    return max(0, known - held)


async def _held(passages: PassageStore, library: str) -> int:
    """Return how many passages are there; a library that was never begun there, or is gone, has none."""
    try:
        return await passages.count(library, ANY)
    except LibraryNotFound:
        return 0


@dataclass(frozen=True, slots=True)
class KnownState:
    """A library and one source of it.

    Attributes:
        graph_lost: whether the graph of the library is gone.
        lost: the chapters that have lost vectors.
    """

    note: SourceNote = field(default_factory=SourceNote)
    decisions: Decisions = field(default_factory=Decisions)
    graph_lost: bool = False
    lost: frozenset[Key] = frozenset()

    @property
    def is_whole(self) -> bool:
        """Whether every decision is applied and nothing of the source is lost."""
        return self.decisions.settled and not any(task in self.note.tasks for task, _, _ in self.lost)

    def is_current(self, fingerprint: str, title: str | None) -> bool:
        return self.note.fingerprint == fingerprint and title in (None, self.note.title) and self.is_whole

    def tasks_with_losses(self, tasks: Collection[str]) -> list[str]:
        """Return the other tasks that have lost vectors; an ingest of their own sources restores them."""
        return sorted({task for task, _, _ in self.lost} - set(tasks))

    def note_under_way(self, bundle: SourceBundle, title: str, reader: str | None) -> SourceNote:
        """Return the note of the source while it is incomplete: all that it held or will hold is named in it."""
        stems = [file.stem for file in bundle.graph_files]
        return replace(
            self.note,
            fingerprint=None,
            reader=reader,
            title=title,
            books={stem: (book.title, list(book.authors)) for stem, book in bundle.books.items()},
            tasks=list(dict.fromkeys([*self.note.tasks, *bundle.tasks])),
            imports=list(dict.fromkeys([*self.note.imports, *stems])),
        )


async def load_state(stores: Stores, library: str, source: str) -> KnownState:
    catalog = stores.catalog
    try:
        note, decisions = await load_note(catalog, library, source), await load_decisions(catalog, library)
        info = await catalog.info(library)
    except LibraryNotFound:
        return KnownState()
    graph_lost, lost = await is_graph_lost(stores.graph, info), await lost_chapters(stores, info)
    applied = decisions.settled and not graph_lost  # a merge is not applied in a graph that is gone
    return KnownState(note, replace(decisions, settled=applied), graph_lost, lost)
