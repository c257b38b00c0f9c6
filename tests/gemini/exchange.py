"""One request of the history and what became of it."""

from dataclasses import dataclass, field
from typing import Any

from tests.gemini.parts import Json, responses, texts

SECRET_HEADERS = frozenset({"x-goog-api-key", "authorization"})


def public_headers(headers: dict[str, str]) -> dict[str, str]:
    """Return the headers without keys."""
    return {name.lower(): value for name, value in headers.items() if name.lower() not in SECRET_HEADERS}


@dataclass(slots=True)
class Request:
    """A request as it came, the key left out, and the outcome.

    Attributes:
        at: Seconds since the epoch.
        method: The method after the colon, such as `generateContent`.
        status: The HTTP status that was sent, 0 while it is being answered.
        refusal: The message of a refusal by the service's own rules, empty for a scripted answer.
        sent: The body that was answered.
        seconds: Time from request to the end of the answer.
    """

    number: int
    at: float
    method: str
    model: str
    body: Json
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 0
    refusal: str = ""
    sent: Any = None
    seconds: float = 0.0

    @property
    def seen(self) -> Json:
        """What a person or a program that plays the model reads, whatever the protocol."""
        names = ("system", "contents", "tools", "schema")
        return {name: getattr(self, name) for name in names}

    @property
    def contents(self) -> list[Json]:
        """The conversation."""
        return list(self.body.get("contents") or [])

    @property
    def system(self) -> str:
        """The text of the system instruction."""
        return texts(self.body.get("systemInstruction"))

    @property
    def tools(self) -> list[str]:
        """The names of the declared functions."""
        declared = [one for tool in self.body.get("tools") or [] for one in tool.get("functionDeclarations") or []]
        return [one["name"] for one in declared]

    @property
    def may_call(self) -> bool:
        """Whether the model may call the declared functions."""
        choice = (self.body.get("toolConfig") or {}).get("functionCallingConfig") or {}
        return bool(self.tools) and str(choice.get("mode", "AUTO")).upper() != "NONE"

    @property
    def responses(self) -> list[tuple[str, Json]]:
        """Name and result of each function response in the last turn."""
        last = self.contents[-1] if self.contents else {}
        return [(one["name"], one["response"]) for one in responses(last)]

    @property
    def prompt(self) -> str:
        """The text of the last turn."""
        return texts(self.contents[-1]) if self.contents else ""

    @property
    def config(self) -> Json:
        """The generation config."""
        return dict(self.body.get("generationConfig") or {})

    @property
    def schema(self) -> Json | None:
        """The schema of the structured output that was asked for, in either field."""
        wanted: Json | None = self.config.get("responseSchema") or self.config.get("responseJsonSchema")
        return wanted
