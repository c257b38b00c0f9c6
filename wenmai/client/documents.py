"""Documents on a running server."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tools.wording import Names, Words
from wenmai.application.models.documents import DocumentView, RemovalReceipt, Stored
from wenmai.application.models.paging import EVERY, USUAL, Page
from wenmai.client.connection import Connection, given
from wenmai.documents.files import file_bytes
from wenmai.documents.service import Progress, silent
from wenmai.inputs import NotFound

NOT_IN_SESSION = Words("会话 {session} 中没有：{names}", "conversation {session} has no {names}")
NOT_PRELOADED = Words("预置文档中没有：{names}", "there are no preloaded documents {names}")
UPLOAD_BYTES = 1 << 30  # the server has its own limit


@dataclass(frozen=True, slots=True)
class RemoteDocuments:
    """`DocumentOperations` of a running server."""

    server: Connection

    async def upload(
        self,
        file: str | Path,
        *,
        content: bytes | None = None,
        thread_id: str | None = None,
        preloaded: bool = False,
        progress: Progress = silent,
    ) -> Stored:
        """Store a file; one of the same name is replaced."""
        data = await asyncio.to_thread(file_bytes, Path(file), UPLOAD_BYTES) if content is None else content
        form = {"files": {"file": (Path(file).name, data)}, "data": owner_fields(thread_id, preloaded)}
        return Stored.model_validate(await self.server.ask("POST", "/documents", **form))

    async def list(
        self, *, thread_id: str | None = None, preloaded: bool = False, limit: int = USUAL, offset: int = 0
    ) -> Page[DocumentView]:
        """Return what a conversation sees: preloaded documents first, then its own, the newest first."""
        owner = owner_fields(thread_id, preloaded)
        return await self.server.page(DocumentView, "/documents", limit, offset, **owner)

    async def remove(self, *names: str, thread_id: str | None = None, preloaded: bool = False) -> RemovalReceipt:
        """Remove documents by name or id; if one of them is unknown, none. Raises NotFound."""
        seen = await self.list(thread_id=thread_id, preloaded=preloaded, limit=EVERY)
        own = [one for one in seen.items if one.is_preloaded == preloaded]
        ids = {key: one.id for one in own for key in (one.filename, one.id)}
        if missing := [name for name in names if name not in ids]:
            words = NOT_PRELOADED if preloaded else NOT_IN_SESSION
            raise NotFound("document", words.of(session=thread_id, names=Names(missing)))
        receipts = [
            await self._removed(f"/documents/{quote(id, safe='')}", thread_id, preloaded)
            for id in dict.fromkeys(ids[name] for name in names)
        ]
        documents = [document for one in receipts for document in one.documents]
        return RemovalReceipt(documents=documents, chunks=sum(one.chunks for one in receipts))

    async def remove_all(self, *, thread_id: str | None = None, preloaded: bool = False) -> RemovalReceipt:
        """Remove every document of a conversation, or every preloaded one."""
        return await self._removed("/documents", thread_id, preloaded)

    async def _removed(self, path: str, thread_id: str | None, preloaded: bool) -> RemovalReceipt:
        params = owner_fields(thread_id, preloaded)
        return RemovalReceipt.model_validate(await self.server.ask("DELETE", path, params=params))


def owner_fields(thread_id: str | None, preloaded: bool) -> dict[str, str]:
    """Return the fields of a request that say whose documents are meant."""
    return given({"thread_id": thread_id, "preloaded": "true" if preloaded else None})
