"""What a library holds before an ingest: the source's note, merges, and what other stores have lost."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from tools.errors import LibraryNotFound
from wenmai.ingestion.contracts import SourceNote, Stores
from wenmai.ingestion.library.decisions import Decisions, load_decisions
from wenmai.ingestion.library.losses import is_graph_lost, lost_chapters
from wenmai.ingestion.library.source_notes import load_note
from wenmai.ingestion.passages.layout import Key
from wenmai.ingestion.source_bundle import SourceBundle


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

    def given_title(self, source: str) -> str | None:
        """Return the title of an earlier ingest unless it is only the name of the file."""
        return self.note.title if self.note.title != source else None

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
