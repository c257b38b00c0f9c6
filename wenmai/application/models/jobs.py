"""What operations return of jobs."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

JobState = Literal["running", "done", "failed", "cancelled"]


class JobView(BaseModel):
    """A job. It is kept as long as the server runs."""

    id: str
    kind: str = Field(examples=["ingest"])
    subject: str = Field(description="What it changes: the library")
    state: JobState
    progress: dict[str, Any] | None = Field(
        description="The last step: done, total, unit, chapter, seconds, remaining",
        examples=[
            {"done": 12, "total": 64, "unit": "passages", "chapter": "第三回", "seconds": 4.2, "remaining": 18.2}
        ],
    )
    result: dict[str, Any] | None = Field(description="What it did, once it is done")
    error: str | None = Field(description="Why it failed")
    started_at: datetime
    ended_at: datetime | None
