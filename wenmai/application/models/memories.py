"""What operations take and return of memories."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from wenmai.application.models.paging import Strict

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
"""recall: as the agent recalls, with what was said before and after."""


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
