"""Thought signatures: given with calls and texts, checked when they come back."""

import base64
import hashlib
import json
from dataclasses import dataclass, field
from typing import Literal

from tests.gemini.parts import Json, responses, texts
from tests.gemini.refusals import invalid

SKIP = "skip_thought_signature_validator"
Scope = Literal["off", "turn", "conversation"]


def plain(signature: str) -> str:
    """Return the one spelling of base64: bytes fields take the URL alphabet and missing padding too."""
    return signature.replace("-", "+").replace("_", "/").rstrip("=")


def print_of(part: Json) -> str:
    """Return what a signature belongs to: the call, or that it is a text."""
    called = part.get("functionCall")
    if called is None:
        return "text"
    args = json.dumps(called.get("args") or {}, sort_keys=True, default=str)
    return f"{called.get('name')}({json.dumps(_whole(json.loads(args)), sort_keys=True)})"


def _whole(value: object) -> object:
    """Return the value with 3.0 as 3: JSON does not tell them apart, and clients send either."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in value.items()}
    return [_whole(one) for one in value] if isinstance(value, list) else value


@dataclass(slots=True)
class Signatures:
    """Those of one space.

    Attributes:
        scope: Where a missing one is refused. The real service looks at the current turn only, that is after the
            last user text; `conversation` also finds what gets lost behind a late instruction.
        allow_skip: Accept the documented bypass string, which the LangChain client puts in place of lost ones.
    """

    scope: Scope = "conversation"
    allow_skip: bool = False
    issued: dict[str, str] = field(default_factory=dict)

    def sign(self, part: Json) -> Json:
        """Return a part with a signature."""
        given = part.get("thoughtSignature")
        if given is None:
            seed = f"{len(self.issued)}:{print_of(part)}".encode()
            given = base64.b64encode(b"wenmai" + hashlib.sha256(seed).digest()).decode()
        self.issued[plain(given)] = print_of(part)
        return {**part, "thoughtSignature": given}

    def check(self, contents: list[Json]) -> None:
        """Raise Refusal for a missing, altered or moved signature."""
        for part in (one for content in contents for one in content.get("parts") or []):
            self._check_given(part)
        start = 0 if self.scope == "conversation" else current_turn(contents)
        for position, content in enumerate(contents):
            if position >= start and self.scope != "off" and content.get("role") == "model":
                self._check_present(content, position)

    def _check_given(self, part: Json) -> None:
        given = part.get("thoughtSignature")
        if given is None or (given == SKIP and self.allow_skip):
            return
        if self.issued.get(plain(given)) != print_of(part):
            raise invalid("Corrupted thought signature.")

    def _check_present(self, content: Json, position: int) -> None:
        first = next((part for part in content.get("parts") or [] if "functionCall" in part), None)
        if first is not None and not first.get("thoughtSignature"):
            raise invalid(
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
                "work correctly, and missing thought_signature may lead to degraded model performance. Additional "
                f"data, function call `default_api:{first['functionCall'].get('name')}` , position {position + 1}. "
                "Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
            )


def current_turn(contents: list[Json]) -> int:
    """Return where the current turn begins: the last content of the user that is no function response."""
    starts = [
        position
        for position, content in enumerate(contents)
        if content.get("role") != "model" and texts(content) and not responses(content)
    ]
    return starts[-1] if starts else 0
