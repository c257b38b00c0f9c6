"""Memories: what is kept of a user. Every operation is for the caller's own."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field

from tools.errors import InputError
from tools.memory.interchange import HIDDEN, to_memory
from tools.memory.records import SENSITIVE, SENSITIVE_PERMISSION, Memory, MemoryFilter, MemoryQuery
from tools.messages import Message
from wenmai.app.clock import now
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.paging import (
    USUAL,
    Days,
    FirstRow,
    Guard,
    Memories,
    Page,
    Rows,
    Score,
    Strict,
    in_range,
    story_guard_of,
)
from wenmai.application.quotas import Quotas
from wenmai.inputs import FieldError, NotFound, query_from
from wenmai.memories.files import import_memories, key_of

if TYPE_CHECKING:
    from wenmai.application.conversations import Opener

MOST_ROWS = 500


class MemoryView(BaseModel):
    """A memory; of a sensitive one the text shows only with the permission sensitive_memory."""

    key: str
    type: str = Field(examples=["user_preference"])
    content: str
    summary: str | None
    keywords: list[str]
    metadata: dict[str, Any] = Field(description="What else was kept with it")
    is_sensitive: bool
    is_active: bool
    thread_id: str | None
    created_at: datetime
    valid_until: datetime | None = Field(description="Of one that a newer memory took the place of")
    superseded_by: str | None


class FoundView(BaseModel):
    """A memory with its relevance, 0..1."""

    memory: MemoryView
    relevance: float


class FoundPage(BaseModel):
    """The best memories for a question."""

    total: int
    items: list[FoundView]


SearchWay = Literal["recall", "semantic", "keyword", "hybrid"]
"""recall is hybrid, as the agent recalls; all but keyword count the turns beside a memory, too."""


class NewMemory(Strict):
    """Something to remember."""

    content: str = Field(min_length=1)
    type: str = "general"
    summary: str | None = None
    keywords: list[str] | None = Field(default=None, description="Default: extracted")
    is_sensitive: bool = False
    key: str | None = Field(default=None, min_length=1, description="Default: a new UUID")


class MemoryRows(Strict):
    """Memories as `GET /memories/export` has them, one object for each."""

    memories: list[dict[str, Any]] = Field(
        max_length=MOST_ROWS, examples=[[{"memory_key": "7f0c", "content": "用户的书房在二楼"}]]
    )
    undated: datetime | None = Field(
        default=None, description="The date of those that have none of their own; default: now"
    )


class ImportedMemories(BaseModel):
    """What an import did."""

    total: int
    written: int = Field(description="Those that were new or not the same")
    doubles: int = Field(description="Those that a later one of the same key took the place of")


class ChangedMemory(Strict):
    """What changes; what is left out stays."""

    content: str | None = Field(default=None, min_length=1)
    type: str | None = Field(default=None, min_length=1)
    summary: str | None = None
    keywords: list[str] | None = None


class MemoryDetail(BaseModel):
    """A memory, and what it took the place of, the newest first."""

    memory: MemoryView
    history: list[MemoryView]


class ForgetReceipt(BaseModel):
    """Where a memory was taken out."""

    memories: int = Field(description="Records, the history too")
    threads: int = Field(description="Conversations that had quoted it")
    traces: int
    caches: int
    in_files: int = Field(default=0, description="Records whose words stay in files until the disk has room")


Row = dict[str, Any]  # a memory as plain data
LONGEST = 8_000  # characters of a memory


def check_length(content: str) -> None:
    """Raise FieldError for a memory that is too long."""
    if len(content) > LONGEST:
        raise FieldError("content", Message("memory.too_long", most=LONGEST, count=len(content)))


@dataclass(frozen=True, slots=True)
class MemoryOperations:
    """What can be done with a user's memories. A sensitive one shows its text only with `sensitive_memory`."""

    services: Services
    caller: Caller
    open: "Opener | None" = None

    @in_range
    async def list(
        self,
        *,
        type: str | None = None,
        library: str | None = None,
        guard: Guard | None = None,
        limit: Rows = USUAL,
        offset: FirstRow = 0,
    ) -> Page[MemoryView]:
        """Return active memories, the newest first.

        Args:
            library: the library that the guard counts in.
            guard: leaves out what was said of later chapters.

        Raises:
            FieldError: a guard without a library.
        """
        store, user, where = self.services.memories, self.caller.user_id, MemoryFilter(types=(type,) if type else ())
        hidden_after = await story_guard_of(self.services.catalog, library, guard)
        if hidden_after is None:
            total, rows = await store.count(user, where), await store.scroll(user, where, offset + limit)
        else:
            rows = [one for one in await store.scroll(user, where) if hidden_after.shows(one)]
            total = len(rows)
        return Page.cut([self._view(one) for one in rows[offset : offset + limit]], total, offset)

    async def get(self, key: str, *, library: str | None = None, guard: Guard | None = None) -> MemoryDetail:
        """Return a memory with its history. Raises NotFound."""
        hidden_after = await story_guard_of(self.services.catalog, library, guard)
        known = await self.services.memory_service.history(self.caller.user_id, key)
        views = [self._view(row) for row in known if hidden_after is None or hidden_after.shows(row)]
        if not views:
            raise NotFound("key", Message("memory.not_found", key=key[:80]))
        return MemoryDetail(memory=views[0], history=views[1:])

    @in_range
    async def search(
        self,
        query: str,
        *,
        mode: SearchWay = "recall",
        type: str | None = None,
        keyword: Sequence[str] = (),
        days: Days = None,
        limit: Memories = 5,
        min_score: Score = 0.5,
        library: str | None = None,
        guard: Guard | None = None,
    ) -> FoundPage:
        """Search memories.

        Args:
            mode: how; `recall`, as the agent recalls, is hybrid.
            keyword: a memory must contain one of these.
            min_score: least relevance of each, 0..1.
            library: the library that the guard counts in.
            guard: leaves out what was said of later chapters.

        Raises:
            FieldError: a blank or too long query, a guard without a library.
        """
        wanted = MemoryQuery(
            query=query_from(query, self.services.settings.max_question_chars),
            mode="hybrid" if mode == "recall" else mode,
            types=(type,) if type else (),
            keywords=tuple(keyword),
            days=days,
            limit=limit,
            min_score=min_score,
            guard=await story_guard_of(self.services.catalog, library, guard),
            sees_sensitive=SENSITIVE_PERMISSION in self.caller.permissions,
        )
        found = await self.services.memory_ranking.find(self.caller.user_id, wanted)
        items = [FoundView(memory=self._view(one.memory), relevance=round(one.relevance, 4)) for one in found.found]
        return FoundPage(total=found.total, items=items)

    async def add(
        self,
        content: str,
        *,
        type: str = "general",
        summary: str | None = None,
        keywords: Sequence[str] | None = None,
        is_sensitive: bool = False,
        key: str | None = None,
    ) -> MemoryView:
        """Remember one thing; keywords are extracted and the key is a new UUID where none is given.

        Raises FieldError where it is too long, or the user has all that may be kept.
        """
        await self.services.require_room()
        check_length(content)
        service = self.services.memory_service
        async with self._quota() as require:
            memory = await service.new(
                self.caller.user_id,
                content,
                memory_key=key,
                memory_type=type,
                summary=summary,
                keywords=None if keywords is None else [*keywords],
                content_metadata={SENSITIVE: True} if is_sensitive else None,
            )
            await require(1)
            [stored] = await service.put([memory])
        return self._view(stored)

    async def update(self, key: str, **changes: Any) -> MemoryView:
        """Change content, type, summary or keywords; the older state stays as history. Raises NotFound."""
        service, user = self.services.memory_service, self.caller.user_id
        if "type" in changes:
            changes["memory_type"] = changes.pop("type")
        if not await service.history(user, key):
            raise NotFound("key", Message("memory.not_found", key=key[:80]))
        await self.services.require_room()
        check_length(changes.get("content") or "")
        return self._view(await service.update(user, key, **changes))

    async def forget(self, *keys: str) -> ForgetReceipt:
        """Forget memories with their history, wherever they went: store, conversations, traces, caches.

        Raises NotFound.
        """
        try:
            receipt = await self.services.forget(self.caller.user_id, list(keys))
        except InputError as error:
            raise NotFound("key", str(error)) from error
        return ForgetReceipt.model_validate(receipt, from_attributes=True)

    async def export(self) -> Sequence[Row]:
        """Return every memory with its history as plain data, the oldest first; `load` reads it back."""
        rows = await self.services.memory_service.export(self.caller.user_id)
        if SENSITIVE_PERMISSION in self.caller.permissions:
            return rows
        hidden: Row = {"content": HIDDEN, "summary": None, "keywords": []}
        return [row | hidden if (row.get("content_metadata") or {}).get(SENSITIVE) is True else row for row in rows]

    async def load(
        self,
        rows: Sequence[Row],
        *,
        undated: datetime | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ImportedMemories:
        """Keep memories as an export has them; one of the same key is replaced, what is stored already stays.

        Args:
            undated: the date of those that have none of their own; default: now.
            progress: called with (done, total).

        Raises:
            FieldError: a row whose text an export has hidden.
        """
        await self.services.require_room()
        for row in rows:
            check_length(str(row.get("content") or ""))
        at = undated or now()
        memories = [to_memory(row, self.caller.user_id, key_of(row), at) for row in rows]
        if any(one.content == HIDDEN and one.sensitive for one in memories):
            raise FieldError("memories", Message("memory.exported_without_text"))
        async with self._quota() as require:
            known = await self.services.memories.get(self.caller.user_id, [one.memory_key for one in memories])
            new = {one.memory_key for one in memories if one.is_active} - {one.memory_key for one in known}
            await require(len(new))
            done = await import_memories(
                self.services.memory_service, memories, progress or (lambda _done, _total: None), at
            )
        return ImportedMemories.model_validate(done, from_attributes=True)

    @asynccontextmanager
    async def _quota(self) -> AsyncIterator[Callable[[int], Awaitable[None]]]:
        """Look for keys and keep memories alone; give what raises FieldError (507) where so many may not be."""
        quotas = Quotas(self.services, self.caller, self.open)

        async def require(more: int) -> None:
            await quotas.require_memories(more)
            await quotas.require_disk("content")

        async with self.services.share_of(self.caller.user_id):
            yield require

    def _view(self, memory: Memory) -> MemoryView:
        is_readable = memory.readable(self.caller.permissions)
        metadata = memory.content_metadata.items() if is_readable else ()
        return MemoryView(
            key=memory.memory_key,
            type=memory.memory_type,
            content=memory.content if is_readable else HIDDEN,
            summary=memory.summary if is_readable else None,
            keywords=[one.keyword for one in memory.keywords] if is_readable else [],
            metadata={name: value for name, value in metadata if name != SENSITIVE},
            is_sensitive=memory.sensitive,
            is_active=memory.is_active,
            thread_id=memory.thread_id,
            created_at=memory.created_at,
            valid_until=memory.valid_until,
            superseded_by=memory.superseded_by,
        )
