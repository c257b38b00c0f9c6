"""Documents of a conversation: uploaded files that its questions are answered from."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from tools.documents.records import PRELOADED, DocumentOwner, DocumentScope
from tools.errors import InputError
from tools.messages import Message
from wenmai.app.container import Services
from wenmai.application.caller import Caller, Sessions
from wenmai.application.paging import USUAL, FirstRow, Page, Rows, in_range
from wenmai.application.passages import FOUND
from wenmai.application.quotas import Quotas
from wenmai.documents.service import Progress, silent
from wenmai.inputs import FieldError, NotFound, file_bytes, query_from

if TYPE_CHECKING:
    from wenmai.application.conversations import Opener


class DocumentView(BaseModel):
    """An uploaded document."""

    id: str
    filename: str
    mime_type: str
    is_preloaded: bool = Field(description="Everybody sees it; administrators change it")
    uploaded_at: datetime
    chunks: int


class Stored(BaseModel):
    """What an upload did."""

    document: DocumentView
    replaced: DocumentView | None = Field(description="The one of its name that it took the place of")
    message: str


class RemovalReceipt(BaseModel):
    """What a removal took."""

    documents: list[DocumentView]
    chunks: int


@dataclass(frozen=True, slots=True)
class DocumentOperations:
    """What can be done with documents: those of one of the caller's conversations, or the preloaded ones.

    Everybody's questions see the preloaded ones; who changes them needs a key with the right to administer
    that opens every library. Every operation raises
    FieldError unless exactly one of `thread_id` and `preloaded` is given.

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
        progress: Progress = silent,
    ) -> Stored:
        """Store a file; one of the same name is replaced. What is refused or fails stores nothing.

        Args:
            file: a path; with `content` only its name counts.
            content: what the file holds, where it is not on the disk.
            thread_id: the conversation whose questions see it.
            preloaded: in place of a conversation: everybody's questions see it.
            progress: called with (done, total) chunks.

        Raises:
            TooLarge, InputError: over a limit, a bad name, no such file.
            FieldError: the user has all that may be kept.
            IngestError: the file cannot be read.
        """
        await self.services.require_room()
        owner = await self._owner(thread_id, preloaded, changes=True)
        service, quotas = self.services.document_service, Quotas(self.services, self.caller, self.open)
        data = await asyncio.to_thread(file_bytes, Path(file), service.max_bytes, content)

        async def may_store() -> None:
            if not preloaded and not await service.has(str(file), owner):
                await quotas.require_documents()
                await quotas.require_disk("file")

        async with quotas.alone():
            done = await service.upload(str(file), data, owner, progress, may_store)
        return Stored.model_validate(done, from_attributes=True)

    @in_range
    async def list(
        self, *, thread_id: str | None = None, preloaded: bool = False, limit: Rows = USUAL, offset: FirstRow = 0
    ) -> Page[DocumentView]:
        """Return what a conversation sees: preloaded documents first, then its own, the newest first."""
        owner = await self._owner(thread_id, preloaded)
        rows = await self.services.document_service.documents(DocumentScope(owner.user_id, owner.session_id))
        return Page.of([DocumentView.model_validate(one, from_attributes=True) for one in rows], limit, offset)

    @in_range
    async def search(
        self, query: str, *, thread_id: str | None = None, preloaded: bool = False, limit: Rows = FOUND
    ) -> Page[Mapping[str, object]]:
        """Return the chunks of what a conversation sees that fit a question best, by its words and its meaning.

        Raises FieldError for a blank or too long question.
        """
        from tools.base import Scope
        from tools.documents.search import DocumentSearch, chunk_evidence

        wanted, services = query_from(query, self.services.settings.max_question_chars), self.services
        owner = await self._owner(thread_id, preloaded)
        await services.opening.open_embedder()
        scope = Scope(library="", user_id=owner.user_id, thread_id=owner.session_id)
        found = await DocumentSearch(services.documents, services.embedder).search(wanted, scope, limit)
        return Page.cut([chunk_evidence(chunk, score, scope.language) for chunk, score in found], len(found), 0)

    async def remove(self, *names: str, thread_id: str | None = None, preloaded: bool = False) -> RemovalReceipt:
        """Remove documents by name or id; if one of them is unknown, none. Raises NotFound."""
        owner = await self._owner(thread_id, preloaded, changes=True)
        try:
            removed = await self.services.document_service.remove(owner, names)
        except InputError as error:
            raise NotFound("document", str(error)) from error
        return RemovalReceipt.model_validate(removed, from_attributes=True)

    async def remove_all(self, *, thread_id: str | None = None, preloaded: bool = False) -> RemovalReceipt:
        """Remove every document of a conversation, or every preloaded one."""
        owner = await self._owner(thread_id, preloaded, changes=True)
        removed = await self.services.document_service.remove_all(owner)
        return RemovalReceipt.model_validate(removed, from_attributes=True)

    async def _owner(self, thread_id: str | None, preloaded: bool, *, changes: bool = False) -> DocumentOwner:
        is_named = bool(thread_id and thread_id.strip())
        if preloaded and is_named:
            raise FieldError("preloaded", Message("conversation.thread_or_preloaded"))
        if not (preloaded or is_named):
            raise FieldError("thread_id", Message("conversation.thread_needed"))
        if preloaded and changes:
            self.caller.require_admin_of_all()
        if preloaded or thread_id is None:
            return PRELOADED
        session = thread_id
        if self.sessions is not None:
            session = await self.sessions(self.caller, thread_id, with_documents=True)
        return DocumentOwner(self.caller.user_id, session)
