"""Conversations: what a question may hold, and what is shown of threads and their turns."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from state.context import LanguageChoice, Mode, Toolkit
from state.result import TurnResult
from wenmai.application.models.paging import Guard, Strict
from wenmai.inputs import FIELDS


class RunFields(Guard):
    """Sources and limits of a question; what is left out has the usual value."""

    toolkits: list[Toolkit] | None = Field(
        default=None, min_length=1, description="Tool sets; default: narrative", examples=[["narrative"]]
    )
    mode: Mode | None = None
    language: LanguageChoice | None = Field(default=None, description="Of the answer; auto follows the question")
    kn_ids: list[str] | None = Field(default=None, description="Networks that toolkit knowledge asks")
    remember: bool | None = Field(default=None, description="Keep what the turn teaches of the user")
    max_attempts: int | None = Field(default=None, ge=1, le=100)
    deadline_s: float | None = Field(default=None, gt=0, le=3600)

    def context(self) -> dict[str, Any]:
        """Return the declared fields of a context that the client has set."""
        known = (name for name in FIELDS if name in type(self).model_fields)
        return {name: value for name in known if (value := getattr(self, name)) is not None}


class SessionBody(BaseModel):
    """What was talked about elsewhere: entities in order of mention, the last is the newest."""

    entities: list[str]
    topic: str | None = None


class Question(RunFields):
    """A question with its sources and limits; what is left out has the usual value."""

    question: str = Field(min_length=1, examples=["他后来怎么样了？"])
    library: str | None = Field(
        default=None, examples=["sample"], description="The library; needed for stories, unless there is only one"
    )
    stream_drafts: bool | None = Field(
        default=None, description="Stream thoughts, and drafts as they are written; default: true for an event stream"
    )
    session_context: SessionBody | None = None


class KeptTurn(TurnResult):
    """A turn of a thread. Of older turns only question and answer are kept: the other fields are null then."""

    number: int | None = Field(
        default=None, description="Counts the questions of a thread from 1; null in the answer to a question"
    )
    answered_at: str | None = None


class ThreadView(BaseModel):
    """A conversation."""

    id: str
    title: str = Field(description="At first the beginning of its first question")
    library: str | None = Field(description="The library of its first question")
    created_at: datetime
    updated_at: datetime


class TurnRecord(BaseModel):
    """The result record of a turn, {} where it is no longer kept."""

    record: dict[str, Any]


class NewTitle(Strict):
    """Another title."""

    title: str = Field(min_length=1, max_length=200)


class ThreadExport(ThreadView):
    """A whole conversation."""

    turns: Sequence[KeptTurn]
