"""Settings of the models: which one plays which role, how it is reached, what happens when it fails."""

from datetime import UTC, date, datetime
from typing import Annotated, Literal

from pydantic import AliasChoices, Field, ValidationInfo, field_validator

from nodes.policy import ModelFailure, Price
from wenmai.settings.group import HeaderKey, HttpAddress, SettingsGroup

# Paid tier, standard calls, text, prompts up to 200,000 tokens, as published at
# https://ai.google.dev/gemini-api/docs/pricing and read there on 2026-10-07 (transcript: github.com/api-evangelist/
# deepmind, plans/deepmind-plans-pricing.yml). Cached input, which that transcript leaves out, costs a tenth; for 3.8
# Flash so stated in github.com/BerriAI/litellm/discussions/39357.
# A model that is not here costs an unknown sum until MODEL_PRICES names it.
KNOWN_PRICES = {
    "gemini-3.8-flash": Price(input=0.75, output=3.75, cached=0.075),
    "gemini-3.5-flash-lite": Price(input=0.3, output=2.5, cached=0.03),
    "gemini-3.5-flash": Price(input=1.5, output=9.0, cached=0.15),
    "gemini-3.1-flash-lite": Price(input=0.25, output=1.5, cached=0.025),
    "gemini-3.1-pro": Price(input=2.0, output=12.0, cached=0.2),
    "gemini-embedding-001": Price(input=0.15, output=0.0),
    "gemini-embedding-2": Price(input=0.2, output=0.0),
}
# The same page: half price "through December 31, 2026".
NEXT_PRICES = {"gemini-3.8-flash": Price(input=1.5, output=7.5, cached=0.15)}
NEXT_PRICES_FROM = date(2027, 1, 1)


def prices_on(day: date) -> dict[str, Price]:
    return KNOWN_PRICES | (NEXT_PRICES if day >= NEXT_PRICES_FROM else {})


Thinking = Literal["minimal", "low", "medium", "high"]
Temperature = Annotated[float, Field(ge=0, le=2)]
ProviderName = Literal["gemini", "openai"]

OPENAI_DEFAULT = "gpt-5-mini"
AS_ADVISED = "Sampling temperature of the {role}; unset: the model's own, which Google advises from Gemini 3 on"
THINKING = "How long the {role} thinks; low keeps a question's cost and time down"
SEARCHING = (
    "How long the agent thinks in a turn in which it may still search; a turn that only writes has the level above"
)


class ModelGroup(SettingsGroup):
    """Models: roles, keys, failures, prices."""

    model_provider: ProviderName | None = Field(
        default=None,
        description="Protocol of the model service: gemini, or openai for every service and local server that speaks "
        "OpenAI's API; unset: the one whose variables are set, gemini where both are",
    )
    google_api_key: HeaderKey | None = Field(
        default=None,
        validation_alias=AliasChoices("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        description="Key of the Gemini API; with no key and no OPENAI_BASE_URL the offline mind answers",
    )
    gemini_base_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices("GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"),
        description="Address of a gateway that speaks the Gemini API; unset: Google's own endpoint",
    )
    use_mock_llm: bool = Field(default=False, description="The offline mind answers, even if there is a key")
    use_reader: bool = Field(
        default=True,
        description="The trained encoder reads: it finds names in ingested texts and answers without a model",
    )
    gemini_model: str = Field(
        default="gemini-3.8-flash",
        min_length=1,
        validation_alias=AliasChoices("GEMINI_MODEL", "LLM_MODEL"),
        description="Model of the agent: it chooses tools and writes answers",
    )
    gemini_temperature: Temperature | None = Field(default=None, description=AS_ADVISED.format(role="agent"))
    gemini_thinking: Thinking | None = Field(
        default=None, description="How long the agent thinks; unset: the model's own"
    )
    gemini_search_thinking: Thinking | None = Field(default="low", description=SEARCHING)
    grader_model: str = Field(
        default="gemini-3.5-flash-lite",
        min_length=1,
        description="Model that grades drafts; a small one, because it reads every draft with its evidence",
    )
    grader_temperature: Temperature | None = Field(default=None, description=AS_ADVISED.format(role="grader"))
    grader_thinking: Thinking | None = Field(default="low", description=THINKING.format(role="grader"))
    refiner_model: str | None = Field(
        default=None, description="Model that finds new search words after a failed draft; unset: the agent's"
    )
    refiner_temperature: Temperature | None = Field(default=None, description=AS_ADVISED.format(role="refiner"))
    refiner_thinking: Thinking | None = Field(default="low", description=THINKING.format(role="refiner"))
    resolver_model: str | None = Field(default=None, description="Model that resolves pronouns; unset: the agent's")
    resolver_temperature: Temperature | None = Field(default=None, description=AS_ADVISED.format(role="resolver"))
    resolver_thinking: Thinking | None = Field(default="low", description=THINKING.format(role="resolver"))
    openai_api_key: HeaderKey | None = Field(
        default=None, description="Key of OpenAI, or of the service at OPENAI_BASE_URL; local servers need none"
    )
    openai_base_url: HttpAddress | None = Field(
        default=None,
        description="Address of a service that speaks OpenAI's API, mostly one that ends in /v1; unset: OpenAI's own",
    )
    openai_model: str | None = Field(
        default=None,
        description="Model of the agent at that service, and of every role that has none of its own; must be set with "
        f"OPENAI_BASE_URL; unset: {OPENAI_DEFAULT}",
    )
    openai_temperature: Temperature | None = Field(
        default=None, description="Sampling temperature of the agent at that service; unset: the model's own"
    )
    openai_thinking: Thinking | None = Field(
        default=None, description="How long the agent thinks at that service (reasoning_effort); unset: not sent"
    )
    openai_search_thinking: Thinking | None = Field(default="low", description=SEARCHING)
    judge_model: str | None = Field(
        default=None, description="Model that judges answers in experiments; unset: the agent's"
    )
    on_model_failure: ModelFailure = Field(
        default="offline",
        description="What ends a question whose model failed: offline, the offline mind answers; message, an apology",
    )
    breaker_failures: int = Field(
        default=3, ge=1, description="Outages in a row after which the model service is left alone for a while"
    )
    breaker_pause_s: float = Field(
        default=30.0, gt=0, description="Seconds for which it is left alone before one call tries again"
    )
    model_prices: dict[str, Price] = Field(
        default_factory=dict,
        description=(
            "Prices beside the known ones, as JSON: USD per million tokens by model id, "
            '`{"id": {"input": 1.5, "output": 9, "cached": 0.15}}`; a model without a price costs an unknown sum'
        ),
    )

    @property
    def has_key(self) -> bool:
        return self.google_api_key is not None and bool(self.google_api_key.get_secret_value().strip())

    @field_validator("openai_model")
    @classmethod
    def named_with_its_address(cls, name: str | None, info: ValidationInfo) -> str | None:
        """Refuse an address without a model: only OpenAI's own has a default."""
        if name is None and info.data.get("openai_base_url"):
            raise ValueError("must name a model of the service at OPENAI_BASE_URL")
        return name

    @property
    def speaks_openai(self) -> bool:
        """Whether there is a key, or an address, of a service that speaks OpenAI's API."""
        key = self.openai_api_key
        return self.openai_base_url is not None or (key is not None and bool(key.get_secret_value().strip()))

    @property
    def provider(self) -> ProviderName | None:
        """The protocol of the service that answers, None without one. MODEL_PROVIDER alone is not enough."""
        reachable: dict[ProviderName, bool] = {"gemini": self.has_key, "openai": self.speaks_openai}
        wanted: list[ProviderName] = [self.model_provider] if self.model_provider else list(reachable)
        return next((name for name in wanted if reachable[name]), None)

    @property
    def asks_model(self) -> bool:
        """Whether a model answers questions: a service is set, and there is no wish for the offline mind."""
        return self.provider is not None and not self.use_mock_llm

    @property
    def prices(self) -> dict[str, Price]:
        """Prices of today by model id; those of MODEL_PRICES win."""
        return {**prices_on(datetime.now(UTC).date()), **self.model_prices}
