"""What operations return of the server: who asks, its limits, and whether it can answer now."""

from typing import Literal

from pydantic import BaseModel, Field

from state.context import Toolkit


class Limits(BaseModel):
    """What the server accepts."""

    question_characters: int
    document_mb: int
    documents_of_a_thread: int
    source_mb: int
    request_bytes: int
    rate: str = Field(description="Requests of a key", examples=["600/minute"])
    pending_turns: int = Field(description="Questions of a user that run or wait")


class PublicSettings(BaseModel):
    """What everybody may know."""

    version: str
    needs_key: bool = Field(description="Whether requests need `Authorization: Bearer …`")
    mind: Literal["model", "offline"] = Field(description="Who answers: a language model, or the offline mind")
    model: str | None = Field(description="The id of that model")
    reads: bool = Field(description="Whether the built-in reading model finds names and answers offline")
    toolkits: list[Toolkit]
    limits: Limits


class ModelTest(BaseModel):
    """What the model service answered to two short questions."""

    model: str | None = Field(description="null where no model is set: nothing was asked")
    ok: bool
    text: str = Field(description="What works, or why nothing does")
    seconds: float


class Health(BaseModel):
    """Whether questions can be answered now."""

    ready: bool
    stores: dict[str, Literal["ok", "down"]]


class Me(BaseModel):
    """Who asks, and what he may do; null stands for all."""

    user_id: str
    is_admin: bool
    permissions: list[str]
    libraries: list[str] | None
    networks: list[str] | None
