"""In-memory double of the DocumentStore port: no engine, no files, same contract (tests/contracts)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from tests.fakes import bigrams, cosine
from tools.documents.records import (
    PRELOADED,
    Chunk,
    DocumentEntry,
    DocumentOwner,
    DocumentScope,
    Location,
    Matches,
    RankedChunk,
    Removed,
    listed_order,
    place_of,
)
from tools.documents.scores import matches, searched_text

Rows = list[tuple[Chunk, list[float]]]
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def document_of(
    *texts: str,
    id: str = "d1",
    filename: str = "a.txt",
    owner: DocumentOwner = PRELOADED,
    at: datetime = NOON,
    locations: Sequence[Location] = (),
) -> list[Chunk]:
    """Return the chunks of a document whose text is `texts`, one behind the other."""
    entry = DocumentEntry(
        id=id, filename=filename, mime_type="text/plain", uploaded_at=at, owner=owner, chunks=len(texts)
    )
    starts = [sum(map(len, texts[:n])) for n in range(len(texts))]
    places = [*locations, *[Location()] * len(texts)]
    return [
        Chunk(document=entry, chunk_index=n, content=text, start=start, end=start + len(text), location=places[n])
        for n, (text, start) in enumerate(zip(texts, starts, strict=True))
    ]


class FakeDocumentStore:
    """Documents in a dictionary. Every call raises `failure` when it is set; `history` keeps (method, argument)."""

    def __init__(self) -> None:
        self.failure: Exception | None = None
        self.history: list[tuple[str, DocumentScope | DocumentOwner]] = []
        self._rows: dict[str, Rows] = {}

    async def put(
        self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]], replaces: Sequence[str] = ()
    ) -> DocumentEntry | None:
        if not chunks:
            raise ValueError("a document without chunks")
        new = chunks[0].document
        self._called("put", new.owner)
        own = [entry for entry in self._entries() if entry.owner == new.owner]
        old = [entry for entry in own if entry.filename == new.filename or entry.id in replaces]
        for entry in old:
            del self._rows[entry.id]
        self._rows[new.id] = [(chunk, list(vector)) for chunk, vector in zip(chunks, vectors, strict=True)]
        return old[0] if old else None

    async def documents(self, scope: DocumentScope, *, include_preloaded: bool = True) -> list[DocumentEntry]:
        self._called("documents", scope)
        seen = [entry for entry in self._entries() if shows(scope, entry)]
        return sorted((one for one in seen if include_preloaded or not one.is_preloaded), key=listed_order)

    async def move(self, documents: Sequence[DocumentEntry], owner: DocumentOwner) -> None:
        self._called("move", owner)
        for one in documents:
            if one.id in self._rows and self._rows[one.id][0][0].document.owner == one.owner:
                moved = replace(one, owner=owner)
                self._rows[one.id] = [(replace(chunk, document=moved), v) for chunk, v in self._rows[one.id]]

    async def chunks(self, scope: DocumentScope, document_id: str) -> list[Chunk]:
        self._called("chunks", scope)
        own = [chunk for chunk, _ in self._visible(scope) if chunk.document.id == document_id]
        return [replace(chunk, windows="") for chunk in own]

    async def dense(self, scope: DocumentScope, vector: Sequence[float], limit: int) -> list[RankedChunk]:
        self._called("dense", scope)
        return _ranked([RankedChunk(chunk, cosine(vector, known)) for chunk, known in self._visible(scope)], limit)

    async def sparse(self, scope: DocumentScope, text: str, limit: int) -> list[RankedChunk]:
        self._called("sparse", scope)
        asked = set(bigrams(text))
        scored = [RankedChunk(c, float(len(asked & set(bigrams(searched_text(c)))))) for c, _ in self._visible(scope)]
        return _ranked([row for row in scored if row.score], limit)

    async def fetch(
        self, scope: DocumentScope, chunk_ids: Sequence[str], vector: Sequence[float] | None = None
    ) -> list[RankedChunk]:
        self._called("fetch", scope)
        known = {
            chunk.chunk_id: RankedChunk(chunk, cosine(vector, own) if vector else 0.0)
            for chunk, own in self._visible(scope)
        }
        return [known[id] for id in chunk_ids if id in known]

    async def matching(self, scope: DocumentScope, terms: Sequence[str], limit: int) -> Matches:
        self._called("matching", scope)
        return matches((chunk for chunk, _ in self._visible(scope)), terms, limit)

    async def remove(self, owner: DocumentOwner, document_id: str) -> Removed:
        self._called("remove", owner)
        return self._removed([one for one in self._entries() if (one.owner, one.id) == (owner, document_id)])

    async def remove_all(self, owner: DocumentOwner) -> Removed:
        self._called("remove_all", owner)
        return self._removed([entry for entry in self._entries() if entry.owner == owner])

    async def remove_session(self, session_id: str) -> Removed:
        self._called("remove_session", DocumentScope(session_id=session_id))
        gone = [entry for entry in self._entries() if not entry.is_preloaded and entry.owner.session_id == session_id]
        return self._removed(gone)

    async def remove_user(self, user_id: str) -> Removed:
        self._called("remove_user", DocumentScope(user_id=user_id))
        return self._removed(self._of_user(user_id))

    async def of_user(self, user_id: str) -> list[DocumentEntry]:
        self._called("of_user", DocumentScope(user_id=user_id))
        return self._of_user(user_id)

    def _of_user(self, user_id: str) -> list[DocumentEntry]:
        return [one for one in self._entries() if not one.is_preloaded and one.owner.user_id == user_id and user_id]

    async def close(self) -> None:
        return None

    def _called(self, method: str, who: DocumentScope | DocumentOwner) -> None:
        self.history.append((method, who))
        if self.failure is not None:
            raise self.failure

    def _entries(self) -> list[DocumentEntry]:
        return [rows[0][0].document for rows in self._rows.values()]

    def _visible(self, scope: DocumentScope) -> Rows:
        return [row for rows in self._rows.values() for row in rows if shows(scope, row[0].document)]

    def _removed(self, entries: list[DocumentEntry]) -> Removed:
        chunks = sum(len(self._rows.pop(entry.id)) for entry in entries)
        return Removed(tuple(sorted(entries, key=listed_order)), chunks)


def shows(scope: DocumentScope, document: DocumentEntry) -> bool:
    """Return True if a run sees a document."""
    own = DocumentOwner(scope.user_id, scope.session_id) if scope.owns else None
    is_collected = scope.collects and document.folder is not None and document.owner.user_id == scope.user_id
    in_folder = scope.folders is None or document.folder in scope.folders
    return document.is_preloaded or document.owner == own or (is_collected and in_folder)


def _ranked(rows: Sequence[RankedChunk], limit: int) -> list[RankedChunk]:
    return sorted(rows, key=lambda row: (-row.score, *place_of(row.chunk)))[:limit]
