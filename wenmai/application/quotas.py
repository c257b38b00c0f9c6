"""What one user may keep: USER_DOCUMENTS, USER_MEMORIES and USER_DISK_MB. What would be more is refused with 507."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from tools.memory.records import MemoryFilter
from tools.messages import Message
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.inputs import FieldError

if TYPE_CHECKING:
    from wenmai.application.conversations import Opener

MEMORY_BYTES = 5_000  # what a memory counts as, with its vector and its index
INDEX_BYTES = 2_000  # of a chunk of a document, beside its text
LONGEST_CHARACTER = 3  # bytes of a Chinese one in UTF-8
MEGABYTE = 2**20


@dataclass(frozen=True, slots=True)
class Quotas:
    """Looks at what a user keeps already. A limit of 0 is none, and then nothing is counted.

    Attributes:
        open: gives the conversations, whose checkpoints count; None: they are not known here.
    """

    services: Services
    caller: Caller
    open: "Opener | None" = None

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Let a user's writes stand one behind another where they are counted: of two only one takes the last place."""
        known = self.services.settings
        if not (known.user_documents or known.user_memories or known.user_disk_mb):
            yield
            return
        async with self.services.share_of(self.caller.user_id):
            yield

    async def require_documents(self) -> None:
        """Raise FieldError (507) where a user has as many documents as may be kept."""
        most = self.services.settings.user_documents
        if most and (count := len(await self.services.documents.of_user(self.caller.user_id))) >= most:
            raise self._refusal("file", Message("user.too_many_documents", **self._counts(count, most)))

    async def require_memories(self, more: int) -> None:
        """Raise FieldError (507) where a user would have more memories than may be kept."""
        most = self.services.settings.user_memories
        if most and (count := await self.services.memories.count(self.caller.user_id, MemoryFilter())) + more > most:
            raise self._refusal("content", Message("user.too_many_memories", **self._counts(count, most)))

    async def require_disk(self, field: str) -> None:
        """Raise FieldError (507) where what a user keeps takes as much of the disk as it may.

        A memory and a chunk of a document count as what they take at most by and large; of conversations the
        checkpoints are measured. Traces do not count.
        """
        most, user = self.services.settings.user_disk_mb, self.caller.user_id
        if not most:
            return
        documents = await self.services.documents.of_user(user)
        chunks = sum(one.chunks for one in documents)
        memories = await self.services.memories.count(user, MemoryFilter(active=None))
        taken = chunks * (LONGEST_CHARACTER * self.services.settings.chunk_size + INDEX_BYTES) + memories * MEMORY_BYTES
        taken += await self.services.document_service.kept_bytes(documents)
        if self.open is not None:
            taken += await (await self.open()).kept_bytes(self.caller)
        if taken >= most * MEGABYTE:
            raise self._refusal(field, Message("user.disk_full", **self._counts(taken // MEGABYTE, most)))

    def _counts(self, count: int, most: int) -> dict[str, object]:
        return {"user": self.caller.user_id, "count": count, "most": most}

    def _refusal(self, field: str, message: Message) -> FieldError:
        return FieldError(field, message, HTTPStatus.INSUFFICIENT_STORAGE)
