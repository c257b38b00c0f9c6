"""What the roles need of a model service: where it is, how a role uses a model of it, what it answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel

from nodes.roles import Listener

Thinking = Literal["minimal", "low", "medium", "high"]
ProviderName = Literal["gemini", "openai"]
MissingCapability = Literal["tools", "schema"]

Messages = Sequence[BaseMessage]
Tools = Sequence[dict[str, Any]]  # their declarations
# The client times out before the node does, so that a time-out differs from a cancelled question.
CLIENT_SHARE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEndpoint:
    """Address (None: the provider's own) and key of a service; seconds for one model call, as the node allows them.

    `extra_body`: fields of every request beside those of OpenAI's protocol.
    """

    key: str = field(repr=False)
    provider: ProviderName = "gemini"
    base_url: str | None = None
    timeout_s: float = 60.0
    extra_body: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def client_timeout_s(self) -> float:
        return self.timeout_s * CLIENT_SHARE


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """A model as a role uses it.

    Attributes:
        variable: the environment variable of the id, for error messages.
        prefix: of the variables of the role's other settings.
        temperature: None is the model's own, which Google advises from Gemini 3 on; so is None of `thinking`.
        context_tokens: that a request may have with its reply; None: the service says where there are too many.
        output_tokens: that a reply may have; None: the service's own limit.
    """

    id: str
    variable: str
    prefix: str = "GEMINI"
    temperature: float | None = None
    thinking: Thinking | None = None
    summaries: bool = False
    context_tokens: int | None = None
    output_tokens: int | None = None


class Provider(Protocol):
    """A service in its own protocol; every failure is a ModelError.

    Replies have one form: thoughts as blocks of type `thinking`, a `finish_reason` in Gemini's words, `refusal` in the
    metadata where the prompt itself was refused. A reply goes back to the provider that gave it, unchanged.
    """

    @property
    def name(self) -> ProviderName: ...

    async def turn(
        self,
        settings: ModelSettings,
        messages: Messages,
        tools: Tools = (),
        stream: Listener | None = None,
        *,
        may_call: bool = True,
    ) -> AIMessage:
        """Return one turn; `stream` takes it as it is written. Tools may be declared, not to be called."""
        ...

    async def structured(self, settings: ModelSettings, messages: Messages, schema: type[BaseModel]) -> AIMessage: ...

    async def count(self, settings: ModelSettings, text: str) -> int: ...

    async def context(self, settings: ModelSettings) -> int | None:
        """Return how many tokens the model takes with its reply; None where the service does not say."""
        ...

    def lacks(self, settings: ModelSettings) -> frozenset[MissingCapability]:
        """Return what the model's service was found not to do, so that the provider does it in another way."""
        ...

    async def close(self) -> None:
        """Close the connections; to be called on the loop that used them."""
        ...
