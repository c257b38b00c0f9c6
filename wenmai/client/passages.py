"""The text of the libraries of a running server."""

from dataclasses import dataclass
from urllib.parse import quote

from wenmai.application.models.paging import USUAL, Guard, Page
from wenmai.application.models.passages import (
    AROUND,
    Appearances,
    ChapterPlace,
    ChapterText,
    EvidenceView,
    LastPlace,
    NoteView,
    PassageView,
    QuoteView,
)
from wenmai.client.connection import Connection, given, library_path
from wenmai.ingestion.chapters.records import NoteKind


@dataclass(frozen=True, slots=True)
class RemotePassages:
    """`PassageOperations` of a running server."""

    server: Connection

    async def last_place(self, library: str, guard: Guard | None) -> LastPlace | None:
        """Return the last chapter that a guard shows, with the part that it means; None without a guard."""
        found = await self.server.ask("GET", library_path(library, "guard"), params=given({"guard": guard}))
        return None if found is None else LastPlace.model_validate(found)

    async def chapters(
        self, library: str, *, guard: Guard | None = None, limit: int = USUAL, offset: int = 0
    ) -> Page[ChapterPlace]:
        """Return the table of contents in reading order."""
        return await self.server.page(ChapterPlace, library_path(library, "chapters"), limit, offset, guard=guard)

    async def chapter(
        self,
        library: str,
        source: str,
        *,
        part: int = 1,
        chapter: int | None = None,
        copy_number: int = 0,
        guard: Guard | None = None,
    ) -> ChapterText:
        """Return the text of a chapter. Raises NotFound."""
        place = {"source": source, "part": part, "chapter": chapter, "copy_number": copy_number}
        return await self.server.get(ChapterText, library_path(library, "chapters/text"), guard=guard, **place)

    async def notes(
        self,
        library: str,
        *,
        kind: NoteKind | None = None,
        source: str | None = None,
        guard: Guard | None = None,
        limit: int = USUAL,
        offset: int = 0,
    ) -> Page[NoteView]:
        """Return what stood in the texts and is no story."""
        path = library_path(library, "notes")
        return await self.server.page(NoteView, path, limit, offset, kind=kind, source=source, guard=guard)

    async def list(
        self,
        library: str,
        *,
        source: str | None = None,
        entity: str | None = None,
        from_chapter: int | None = None,
        to_chapter: int | None = None,
        guard: Guard | None = None,
        limit: int = USUAL,
        offset: int = 0,
    ) -> Page[PassageView]:
        """Return passages in reading order."""
        where = {"source": source, "entity": entity, "from_chapter": from_chapter, "to_chapter": to_chapter}
        path = library_path(library, "passages")
        return await self.server.page(PassageView, path, limit, offset, guard=guard, **where)

    async def appearances(self, library: str, *, guard: Guard | None = None) -> Appearances:
        """Return how many passages of each chapter name each entity."""
        return await self.server.get(Appearances, library_path(library, "appearances"), guard=guard)

    async def quote(
        self,
        library: str,
        source: str,
        start: int,
        end: int,
        *,
        part: int = 1,
        chapter: int | None = None,
        copy_number: int = 0,
        context: int = AROUND,
        guard: Guard | None = None,
    ) -> QuoteView:
        """Return what stands at the place that a citation names, in its context. Raises NotFound."""
        place = {"source": source, "part": part, "chapter": chapter, "copy_number": copy_number}
        span = {"start": start, "end": end, "context": context}
        return await self.server.get(QuoteView, library_path(library, "quotes"), guard=guard, **place, **span)

    async def evidence(
        self, library: str, id: str, *, context: int = AROUND, guard: Guard | None = None
    ) -> EvidenceView:
        """Return a passage, a relation or an event by its id, in its context. Raises NotFound."""
        path = f"{library_path(library, 'evidence')}/{quote(id, safe='')}"
        return await self.server.get(EvidenceView, path, context=context, guard=guard)
