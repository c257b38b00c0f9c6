"""The fields of a run's context that a question may come with, for every protocol that takes questions."""

from typing import Any

from pydantic import Field

from state.context import LanguageChoice, Mode, Toolkit
from wenmai.application.models.paging import Guard
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
