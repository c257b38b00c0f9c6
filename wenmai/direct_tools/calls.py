"""What an offered tool takes and gives back, whatever carries it."""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from state.context import Language
from tools.arguments import declare
from tools.dispatch import failed, one_line
from tools.errors import InputError
from tools.formatting import dump
from tools.language import is_chinese
from tools.messages import Message
from tools.recall.dispatch import refused
from tools.recall.tools import REGISTRY
from wenmai.application.caller import Caller, allows


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

    model_config = ConfigDict(arbitrary_types_allowed=True)

    structured: dict[str, Any] = Field(description="What the tool gives, or `{error, …}` in the form of the tool")
    text: str
    ok: bool = True
    refusal: Exception | None = Field(default=None, exclude=True, description="Why the call was not made")


class ChapterAddress(BaseModel):
    """A line of a table of contents."""

    uri: str
    part: int
    chapter: int | None
    title: str


Arguments = Mapping[str, Any]
# Arguments that hold names, whatever language their caller speaks.
NAMES = frozenset(
    {"library", "kn_ids", "toolkits", "session_id", "thread", "memory_key", "object_type_id", "search_mode", "language"}
)
PART_OF_GUARD = "as_of_chapter 所在的部，不写即第 1 部；各部章节连续编号时即那一章所在的部"


def require_open(names: Iterable[str], opened: Collection[str] | None) -> None:
    """Raise InputError for the first of these libraries or networks that does not exist for a caller."""
    for name in names:
        if not allows(opened, name):
            raise InputError(Message("mcp.unknown_source", name=name))


class Offered(Protocol):
    @property
    def declaration(self) -> ToolView: ...

    async def __call__(self, arguments: Arguments, caller: Caller) -> ToolReply: ...


def tool_view(
    name: str, description: str, *models: type[BaseModel], results: Mapping[str, Any] | None = None
) -> ToolView:
    """Return the declaration of a tool whose arguments are the fields of these models."""
    parameters = [declare(name, description, model)["parameters"] for model in models]
    arguments = {
        "type": "object",
        "properties": {key: value for one in parameters for key, value in one["properties"].items()},
        "required": [key for one in parameters for key in one["required"]],
        "additionalProperties": False,
    }
    return ToolView(
        name=name, description=description, arguments=arguments, results=None if results is None else dict(results)
    )


def split(arguments: Arguments, model: type[BaseModel]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments that a model declares, and the others."""
    own = {name: value for name, value in arguments.items() if name in model.model_fields}
    return own, {name: value for name, value in arguments.items() if name not in own}


def language_of(arguments: Arguments) -> Language:
    """Return the language that a caller writes in; Chinese where it writes no text but names of things."""
    values = [value for name, value in arguments.items() if name not in NAMES]
    words = [word for value in values for word in (value if isinstance(value, list) else [value])]
    text = " ".join(word for word in words if isinstance(word, str))
    return "zh" if is_chinese(text) or not text.strip() else "en"


def refusal(name: str, error: Exception) -> ToolReply:
    """Return the reply to a call that was not made, in the form that the tool's errors have."""
    if name in REGISTRY:
        answer = refused(name, error)
        return ToolReply(structured=answer, text=dump(answer), ok=False, refusal=error)
    content = failed(name, one_line(str(error))).content
    return ToolReply(structured=json.loads(content), text=content, ok=False, refusal=error)
