"""What operations return of traces."""

from typing import Any

from pydantic import BaseModel


class TraceLine(BaseModel):
    """A question of yours, and how it ended."""

    id: str
    query: str
    thread_id: str | None
    status: str
    outcome: str | None
    passed: bool | None
    started_at: str
    total_duration_ms: int


class TraceRecord(BaseModel):
    """A whole trace, as it is stored: attempts with their calls, drafts and grades."""

    trace: dict[str, Any]
