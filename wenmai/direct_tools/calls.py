"""What an offered tool takes and gives back, whatever carries it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel

from state.context import Language
from tools.declarations import declare
from tools.dispatch import failed
from tools.language import is_chinese
from tools.networks.records import Account

Arguments = Mapping[str, Any]
# Arguments that hold names, whatever language their caller speaks.
NAMES = frozenset(
    {"library", "kn_ids", "toolkits", "session_id", "thread", "memory_key", "object_type_id", "search_mode", "language"}
)
PART_OF_GUARD = "as_of_chapter 所在的部，不写即第 1 部；各部章节连续编号时即那一章所在的部"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who calls, by authentication alone: no argument of a call changes it. None are all libraries, all networks."""

    user_id: str | None = None
    permissions: frozenset[str] = frozenset()
    account: Account | None = None
    libraries: frozenset[str] | None = None
    networks: frozenset[str] | None = None

    def sees(self, library: str) -> bool:
        """Return True if a library exists for the caller."""
        return self.libraries is None or library in self.libraries

    def hidden(self, arguments: Arguments) -> str | None:
        """Return the name of the first library or network in arguments that does not exist for the caller."""
        library, networks = arguments.get("library"), arguments.get("kn_ids")
        if isinstance(library, str) and not self.sees(library):
            return library
        if self.networks is None or not isinstance(networks, list):
            return None
        return next((str(one) for one in networks if one not in self.networks), None)


@dataclass(frozen=True, slots=True)
class Declaration:
    """Name, purpose, and the JSON schemas of arguments and, where there is one form, of results."""

    name: str
    description: str
    arguments: dict[str, Any]
    results: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a call: an object for programs, a text for models."""

    structured: dict[str, Any]
    text: str
    ok: bool = True


class Offered(Protocol):
    """A tool that other agents may call."""

    @property
    def declaration(self) -> Declaration:
        """What a caller must know."""
        ...

    async def __call__(self, arguments: Arguments, identity: Identity) -> Reply:
        """Answer a call. Raises WenmaiError."""
        ...


def declared(
    name: str, description: str, *models: type[BaseModel], results: Mapping[str, Any] | None = None
) -> Declaration:
    """Return the declaration of a tool whose arguments are the fields of these models."""
    parameters = [declare(name, description, model)["parameters"] for model in models]
    arguments = {
        "type": "object",
        "properties": {key: value for one in parameters for key, value in one["properties"].items()},
        "required": [key for one in parameters for key in one["required"]],
        "additionalProperties": False,
    }
    return Declaration(name, description, arguments, None if results is None else dict(results))


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


def refusal(name: str, message: str) -> Reply:
    """Return the answer to a call that cannot be carried out."""
    content = failed(name, message).content
    return Reply(json.loads(content), content, ok=False)
