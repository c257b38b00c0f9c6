"""Documents: uploaded files that questions are answered from, of a conversation, of a collection, of everybody."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from tools.documents.records import PRELOADED, Chunk, DocumentOwner, DocumentScope, path_of
from tools.messages import LANGUAGE, Message
from wenmai.app.container import Services
from wenmai.application.caller import Caller, Sessions
from wenmai.application.paging import USUAL, FirstRow, Page, Rows, in_range
from wenmai.application.passages import FOUND
from wenmai.application.quotas import Quotas
from wenmai.documents.originals import KEPT as PDF
from wenmai.documents.service import NoOneDocument, Progress, folder_name, silent
from wenmai.inputs import FieldError, NotFound, file_bytes, query_from

if TYPE_CHECKING:
    from wenmai.application.conversations import Opener


class DocumentView(BaseModel):
    """An uploaded document."""

    id: str
    filename: str
    mime_type: str
    is_preloaded: bool = Field(description="Everybody sees it; administrators change it")
    folder: str | None = Field(
        default=None, description='Of the user\'s collection, `""` its top; null: of a thread, or preloaded'
    )
    uploaded_at: datetime
    chunks: int

    @property
    def path(self) -> str:
        """The file name behind its folder of the collection."""
        return path_of(self.folder, self.filename)


class Stored(BaseModel):
    """What an upload did."""

    document: DocumentView
    replaced: DocumentView | None = Field(description="The older version that it took the place of")
    message: str


class RemovalReceipt(BaseModel):
    """What a removal took."""

    documents: list[DocumentView]
    chunks: int


class DocumentPlace(BaseModel):
    """A piece of a document with what stands around it on its page, slide or sheet, or in its section."""

    document: DocumentView
    location: str = Field(description="As citations name it; empty where nothing is known")
    page: int | None = Field(description="Of a PDF, counted from 1")
    text: str
    start: int = Field(description="Where the piece begins in `text`")
    end: int


class MovedDocuments(BaseModel):
    """Documents as they are in their new folder."""

    documents: list[DocumentView]


@dataclass(frozen=True, slots=True)
class DocumentOperations:
    """What can be done with documents: of one of the caller's conversations, of his collection, or preloaded ones.

    All of a user's conversations see his collection, everybody's questions the preloaded ones; who changes these
    needs a key with the right to administer that opens everything. Every operation raises FieldError unless
    exactly one of `thread_id`, `preloaded` and `collection` is given; a `folder` means the collection.

    Attributes:
        sessions: gives the id of a conversation that is called by name; None where a name is itself the id.
        open: gives the conversations, which count in the share of a user.
    """

    services: Services
    caller: Caller
    sessions: Sessions | None = None
    open: "Opener | None" = None

    async def upload(
        self,
        file: str | Path,
        *,
        content: bytes | None = None,
        thread_id: str | None = None,
        preloaded: bool = False,
        collection: bool = False,
        folder: str | None = None,
        replaces: str | None = None,
        progress: Progress = silent,
    ) -> Stored:
        """Store a file; one of the same name is replaced. What is refused or fails stores nothing.

        Args:
            file: a path; with `content` only its name counts.
            content: what the file holds, where it is not on the disk.
            thread_id: the conversation whose questions see it.
            preloaded: in place of a conversation: everybody's questions see it.
            collection: in place of a conversation: all conversations of the caller see it.
            folder: of the collection; default: its top, or where the replaced document is.
            replaces: name, with its folder or without, or id of the document that this one is a newer version of, where
                its name is another.
            progress: called with (done, total) chunks.

        Raises:
            TooLarge, InputError: over a limit, a bad name, no such file.
            NotFound: what is to be replaced is not there.
            FieldError: the user has all that may be kept.
            IngestError: the file cannot be read.
        """
        await self.services.require_room()
        owner, everywhere = await self._owner(thread_id, preloaded, collection, folder, changes=True)
        service, quotas = self.services.document_service, Quotas(self.services, self.caller, self.open)
        old = None
        if replaces:
            with not_found():
                [old] = await service.named(owner, [replaces], everywhere=everywhere)
            owner = old.owner
        data = await asyncio.to_thread(file_bytes, Path(file), service.max_bytes, content)

        async def may_store() -> None:
            if preloaded:
                return
            if old is None and not await service.has(str(file), owner):
                await quotas.require_documents()
            await quotas.require_disk("file")

        async with quotas.alone():
            done = await service.upload(str(file), data, owner, progress, may_store, old)
        return Stored.model_validate(done, from_attributes=True)

    @in_range
    async def list(
        self,
        *,
        thread_id: str | None = None,
        preloaded: bool = False,
        collection: bool = False,
        folder: str | None = None,
        limit: Rows = USUAL,
        offset: FirstRow = 0,
    ) -> Page[DocumentView]:
        """Return what a conversation sees, preloaded documents first, then the newest first; or what a collection has.

        Args:
            thread_id: the conversation.
            preloaded: in its place: the preloaded documents.
            collection: in its place: the caller's collection.
            folder: only this folder of it.
            limit: rows at most.
            offset: rows that are left out at the beginning.
        """
        owner, everywhere = await self._owner(thread_id, preloaded, collection, folder)
        if owner.folder is not None:
            rows = await self.services.document_service.own(owner, everywhere=everywhere)
        else:
            rows = await self.services.document_service.documents(DocumentScope(owner.user_id, owner.session_id))
        return Page.of([DocumentView.model_validate(one, from_attributes=True) for one in rows], limit, offset)

    @in_range
    async def search(
        self,
        query: str,
        *,
        thread_id: str | None = None,
        preloaded: bool = False,
        collection: bool = False,
        folder: str | None = None,
        limit: Rows = FOUND,
    ) -> Page[Mapping[str, object]]:
        """Return the chunks of what a conversation sees that fit a question best, by its words and its meaning.

        With a `folder` the preloaded documents and those of this folder are searched. Raises FieldError for a blank or
        too long question.
        """
        from tools.base import Scope
        from tools.documents.search import DocumentSearch, chunk_evidence

        wanted, services = query_from(query, self.services.settings.max_question_chars), self.services
        owner, everywhere = await self._owner(thread_id, preloaded, collection, folder)
        folders = None if owner.folder is None or everywhere else (owner.folder,)
        await services.opening.open_embedder()
        scope = Scope(library="", user_id=owner.user_id, thread_id=owner.session_id, folders=folders)
        found = await DocumentSearch(services.documents, services.embedder).search(wanted, scope, limit)
        return Page.cut([chunk_evidence(chunk, score, scope.language) for chunk, score in found], len(found), 0)

    async def place(
        self,
        piece: str,
        *,
        thread_id: str | None = None,
        preloaded: bool = False,
        collection: bool = False,
    ) -> DocumentPlace:
        """Return where a citation is: its piece of a document with the text around it. Raises NotFound.

        Args:
            piece: `id` of the evidence that a citation names.
            thread_id: the conversation whose questions see the document.
            preloaded: in its place: a preloaded document.
            collection: in its place: a document of the collection.
        """
        owner, _ = await self._owner(thread_id, preloaded, collection, None)
        scope = DocumentScope(owner.user_id, owner.session_id)
        found = await self.services.document_service.piece(scope, piece)
        if found is None:
            raise NotFound("piece", Message("document.piece_gone"))
        return place_from(*found)

    async def picture(
        self,
        document: str,
        page: int,
        *,
        thread_id: str | None = None,
        preloaded: bool = False,
        collection: bool = False,
    ) -> bytes:
        """Return a page of a PDF as a JPEG.

        Args:
            document: its id.
            page: counted from 1.
            thread_id: the conversation whose questions see the document.
            preloaded: in its place: a preloaded document.
            collection: in its place: a document of the collection.

        Raises:
            NotFound: there is no such document or page, or its file is not kept here.
            IngestError: the page cannot be drawn.
        """
        owner, _ = await self._owner(thread_id, preloaded, collection, None)
        service = self.services.document_service
        seen = await service.documents(DocumentScope(owner.user_id, owner.session_id))
        known = next((one for one in seen if one.id == document), None)
        drawn = await service.picture(known, page) if known is not None else None
        if drawn is None:
            raise NotFound("page", Message("document.no_picture"))
        return drawn

    async def move(
        self,
        *names: str,
        to: str,
        thread_id: str | None = None,
        collection: bool = False,
        folder: str | None = None,
    ) -> MovedDocuments:
        """Move documents into a folder of the collection: from another folder, or from a conversation.

        Args:
            names: names, with their folder or without, or ids; none of them: all that are there.
            to: the folder, `""` for the top of the collection; it is there as soon as it has a document.
            thread_id: the conversation that they are in.
            collection: in its place: they are in the collection.
            folder: the folder of it that they are in.

        Raises:
            NotFound: one of them is unknown, then none is moved.
            InputError: the folder has one of its name.
        """
        owner, everywhere = await self._owner(thread_id, False, collection, folder, changes=True)
        target = DocumentOwner(self.caller.user_id, folder=folder_name(to))
        with not_found():
            moved = await self.services.document_service.move(owner, names, target, everywhere=everywhere)
        return MovedDocuments(documents=[DocumentView.model_validate(one, from_attributes=True) for one in moved])

    async def remove(
        self,
        *names: str,
        thread_id: str | None = None,
        preloaded: bool = False,
        collection: bool = False,
        folder: str | None = None,
    ) -> RemovalReceipt:
        """Remove documents by name, with its folder or without, or id; if one is unknown, none. Raises NotFound."""
        owner, everywhere = await self._owner(thread_id, preloaded, collection, folder, changes=True)
        with not_found():
            removed = await self.services.document_service.remove(owner, names, everywhere=everywhere)
        return RemovalReceipt.model_validate(removed, from_attributes=True)

    async def remove_all(
        self,
        *,
        thread_id: str | None = None,
        preloaded: bool = False,
        collection: bool = False,
        folder: str | None = None,
    ) -> RemovalReceipt:
        """Remove every document of a conversation, of the collection or a folder of it, or every preloaded one."""
        owner, everywhere = await self._owner(thread_id, preloaded, collection, folder, changes=True)
        removed = await self.services.document_service.remove_all(owner, everywhere=everywhere)
        return RemovalReceipt.model_validate(removed, from_attributes=True)

    async def _owner(
        self,
        thread_id: str | None,
        preloaded: bool,
        collection: bool,
        folder: str | None,
        *,
        changes: bool = False,
    ) -> tuple[DocumentOwner, bool]:
        """Return whose documents are meant, and whether those of all folders of the collection are."""
        is_named, collects = bool(thread_id and thread_id.strip()), collection or folder is not None
        chosen = [name for name, is_set in (("preloaded", preloaded), ("collection", collects)) if is_set]
        if len(chosen) + is_named > 1:
            raise FieldError(chosen[0], Message("conversation.thread_or_preloaded"))
        if not (chosen or is_named):
            raise FieldError("thread_id", Message("conversation.thread_needed"))
        if preloaded and changes:
            self.caller.require_everything()
        if preloaded:
            return PRELOADED, False
        if collects or thread_id is None:
            return DocumentOwner(self.caller.user_id, folder=folder_name(folder or "")), folder is None
        session = thread_id
        if self.sessions is not None:
            session = await self.sessions(self.caller, thread_id, with_documents=True)
        return DocumentOwner(self.caller.user_id, session), False


@contextmanager
def not_found() -> Iterator[None]:
    """Turn what a name of a document is refused with into NotFound."""
    try:
        yield
    except NoOneDocument as error:
        raise NotFound("document", str(error)) from error


def place_from(piece: Chunk, around: Sequence[Chunk]) -> DocumentPlace:
    """Return the text of chunks that follow and overlap each other, with where one of them is in it."""
    text, end = "", around[0].start
    for one in around:
        text += one.content[max(0, end - one.start) :]
        end = max(end, one.end)
    start = piece.start - around[0].start
    return DocumentPlace(
        document=DocumentView.model_validate(piece.document, from_attributes=True),
        location=piece.location.label(LANGUAGE.get()),
        page=piece.location.page if piece.document.mime_type == PDF else None,
        text=text,
        start=start,
        end=start + len(piece.content),
    )
