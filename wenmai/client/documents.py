"""Documents on a running server."""

import asyncio
from pathlib import Path

from tools.wording import Names, Words
from wenmai.application.models.documents import RemovalReceipt, Stored
from wenmai.application.models.paging import EVERY
from wenmai.client.connection import path_of, set_fields
from wenmai.client.remote import Remote
from wenmai.documents.service import Progress, silent
from wenmai.inputs import NotFound, file_bytes

NOT_IN_SESSION = Words("会话 {session} 中没有：{names}", "conversation {session} has no {names}")
NOT_PRELOADED = Words("预置文档中没有：{names}", "there are no preloaded documents {names}")
UPLOAD_BYTES = 1 << 30  # the server has its own limit


class RemoteDocuments(Remote):
    """`DocumentOperations` of a running server."""

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

    async def remove(self, *names: str, thread_id: str | None = None, preloaded: bool = False) -> RemovalReceipt:
        """Remove documents by name or id; if one of them is unknown, none. Raises NotFound."""
        seen = await self.list(thread_id=thread_id, preloaded=preloaded, limit=EVERY)
        own = [one for one in seen.items if one.is_preloaded == preloaded]
        ids = {key: one.id for one in own for key in (one.filename, one.id)}
        if missing := [name for name in names if name not in ids]:
            words = NOT_PRELOADED if preloaded else NOT_IN_SESSION
            raise NotFound("document", words.of(session=thread_id, names=Names(missing)))
        owner = owner_fields(thread_id, preloaded)
        paths = dict.fromkeys(path_of("documents", ids[name]) for name in names)
        receipts = [
            RemovalReceipt.model_validate(await self.server.ask("DELETE", path, params=owner)) for path in paths
        ]
        documents = [document for one in receipts for document in one.documents]
        return RemovalReceipt(documents=documents, chunks=sum(one.chunks for one in receipts))


def owner_fields(thread_id: str | None, preloaded: bool) -> dict[str, str]:
    """Return the fields of a request that say whose documents are meant."""
    return set_fields({"thread_id": thread_id, "preloaded": "true" if preloaded else None})
