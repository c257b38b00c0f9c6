"""Chat models of the Gemini API, built once for each setting and closed together."""

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pydantic import SecretStr

from wenmai.minds.model.response_hooks import record_usage

if TYPE_CHECKING:
    from langchain_google_genai import ChatGoogleGenerativeAI

Thinking = Literal["minimal", "low", "medium", "high"]

# 1 is the first request alone; 0 would mean the SDK's own five retries.
REQUESTS = 1
# The client times out before the node does, so that a time-out differs from a cancelled question.
CLIENT_SHARE = 0.95
LIBRARIES = ("google_genai", "langchain_google_genai")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Address and key of the service.

    Attributes:
        base_url: a gateway that speaks the same REST API; None is Google's own endpoint.
        timeout_s: seconds for one model call, as the node allows them.
    """

    key: str = field(repr=False)
    base_url: str | None = None
    timeout_s: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """A model as a role uses it.

    Attributes:
        variable: the environment variable of the id, for error messages.
        prefix: of the variables of the role's other settings.
        temperature: None is the model's own, which Google advises from Gemini 3 on.
        thinking: None is the model's own.
        summaries: ask for summaries of the thinking.
    """

    id: str
    variable: str
    prefix: str = "GEMINI"
    temperature: float | None = None
    thinking: Thinking | None = None
    summaries: bool = False


@dataclass(slots=True)
class Clients:
    """The chat models of one endpoint: they share one HTTP client, and with it its open connections."""

    endpoint: Endpoint
    _base: "ChatGoogleGenerativeAI | None" = field(default=None, repr=False)
    _models: dict[tuple[ModelSettings, bool], "ChatGoogleGenerativeAI"] = field(default_factory=dict, repr=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    async def model(self, settings: ModelSettings, *, streaming: bool = False) -> "ChatGoogleGenerativeAI":
        """Return the model of these settings; the first use loads the library in a thread.

        Without `streaming` it never streams by itself: LangGraph's `messages` mode would turn each call into a stream.
        """
        key = (settings, streaming)
        if key not in self._models:
            base = await self.opened(settings)
            self._models[key] = base.model_copy(update=varied(settings) | {"disable_streaming": not streaming})
        return self._models[key]

    async def opened(self, settings: ModelSettings) -> "ChatGoogleGenerativeAI":
        """Return the model that the others are varied from."""
        async with self._lock:
            if self._base is None:
                self._base = await asyncio.to_thread(build, self.endpoint, settings)
            return self._base

    async def close(self) -> None:
        """Close the connections; to be called on the loop that used them."""
        base, self._base = self._base, None
        self._models.clear()
        if base is not None:
            await base.aclose()


def build(endpoint: Endpoint, settings: ModelSettings) -> "ChatGoogleGenerativeAI":
    """Return a chat model that makes one request a call."""
    from langchain_google_genai import ChatGoogleGenerativeAI

    quieten()
    return ChatGoogleGenerativeAI(
        **varied(settings),
        api_key=SecretStr(endpoint.key),
        base_url=endpoint.base_url,
        vertexai=False,
        max_retries=REQUESTS,
        timeout=endpoint.timeout_s * CLIENT_SHARE,
        client_args={"event_hooks": {"response": [record_usage]}},
    )


def quieten() -> None:
    """Keep the libraries' warnings on odd replies from the user's terminal; results have their own."""
    for name in LIBRARIES:
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.ERROR)


def varied(settings: ModelSettings) -> dict[str, Any]:
    """Return the fields in which the models of an endpoint differ."""
    return {
        "model": settings.id,
        "temperature": settings.temperature,
        "reasoning_effort": settings.thinking,
        "include_thoughts": True if settings.summaries else None,
    }
