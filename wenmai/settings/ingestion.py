"""Settings of the reading of sources."""

from typing import Literal

from pydantic import Field

from wenmai.settings.group import Group
from wenmai.settings.models import Temperature, Thinking


class IngestGroup(Group):
    """Ingestion: how sources are read, and how fast."""

    ingest_mind: Literal["offline", "model", "gemini"] = Field(
        default="offline",
        description="What reads ingested texts: offline, patterns on this machine; model, which costs money and "
        "needs a model service (gemini is an older word for it)",
    )
    ingest_concurrency: int = Field(default=4, ge=1, le=64, description="Calls of an ingest at a time")
    ingest_call_characters: int = Field(
        default=8_000,
        ge=500,
        description="Characters of text in one model call of an ingest, of English twice as many: short chapters share "
        "it; fewer for a small or slow model",
    )
    ingest_rpm: float | None = Field(default=None, gt=0, description="Calls of an ingest per minute; unset: no limit")
    ingest_timeout_s: float = Field(
        default=300.0, gt=0, description="Seconds for one model call of an ingest; its answer is long"
    )
    extractor_model: str | None = Field(default=None, description="Model that reads ingested texts; unset: the agent's")
    extractor_temperature: Temperature | None = Field(
        default=None, description="Sampling temperature of the extractor; unset: the model's own"
    )
    extractor_thinking: Thinking | None = Field(default="low", description="How long the extractor thinks")
    ray_address: str | None = Field(
        default=None,
        description="Ray cluster of `wenmai ingest --engine ray` (extra ray); unset: one is started on this machine",
    )
