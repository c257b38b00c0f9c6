"""Tools as other agents and programs see them."""

from typing import Any

from pydantic import BaseModel, Field


class ToolView(BaseModel):
    """A tool as a model declares it."""

    name: str
    description: str
    arguments: dict[str, Any] = Field(description="JSON schema of the arguments")
    results: dict[str, Any] | None = Field(default=None, description="JSON schema of the result, where it has one form")


class ToolList(BaseModel):
    """The tools."""

    items: list[ToolView]


class ToolReply(BaseModel):
    """The answer to a call: an object for programs, a text for models."""

    structured: dict[str, Any] = Field(description="What the tool gives, or `{error, …}` in the form of the tool")
    text: str
    ok: bool = True


class Place(BaseModel):
    """A line of a table of contents."""

    uri: str
    part: int
    chapter: int | None
    title: str
