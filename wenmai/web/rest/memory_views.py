"""What the API takes and shows of memories."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from tools.memory.interchange import HIDDEN
from tools.memory.records import SENSITIVE, SENSITIVE_PERMISSION, Memory
from wenmai.web.rest.paging import Guard, GuardedPaging, Strict
from wenmai.web.rest.viewers import Viewer

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


class OfStory(Guard):
    """A spoiler guard for memories of conversations on a library."""

    library: str | None = Field(default=None, description="The library that as_of_chapter counts in")


class MemoryListQuery(OfStory, GuardedPaging):
    """Which memories are asked for."""

    type: str | None = None


class SearchQuery(OfStory):
    """What is looked for."""

    q: str = Field(min_length=1, examples=["数据库配置"])
    mode: Literal["recall", "semantic", "keyword", "hybrid"] = Field(
        default="recall", description="recall: as the agent recalls, with what was said before and after"
    )
    type: str | None = None
    days: int | None = Field(default=None, ge=1, le=365)
    limit: int = Field(default=5, ge=1, le=10)
    min_score: float = Field(default=0.5, ge=0, le=1)
    keyword: list[str] = Field(default_factory=list, description="A memory must contain one of these")


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


def masked(row: dict[str, Any], who: Viewer) -> dict[str, Any]:
    """Return an exported memory; of a sensitive one no text without the permission."""
    is_sensitive = (row.get("content_metadata") or {}).get("sensitive") is True
    if not is_sensitive or SENSITIVE_PERMISSION in who.permissions:
        return row
    return {**row, "content": HIDDEN, "summary": None, "keywords": []}


def view_of(memory: Memory, who: Viewer) -> MemoryView:
    """Return what is shown of a memory."""
    is_readable = memory.readable(who.permissions)
    return MemoryView(
        key=memory.memory_key,
        type=memory.memory_type,
        content=memory.content if is_readable else HIDDEN,
        summary=memory.summary if is_readable else None,
        keywords=[one.keyword for one in memory.keywords] if is_readable else [],
        metadata={name: value for name, value in memory.content_metadata.items() if is_readable and name != SENSITIVE},
        is_sensitive=memory.sensitive,
        is_active=memory.is_active,
        thread_id=memory.thread_id,
        created_at=memory.created_at,
        valid_until=memory.valid_until,
        superseded_by=memory.superseded_by,
    )
