"""Which mind answers: a model where a service is set, with the offline mind behind it; else the offline mind alone."""

from dataclasses import replace
from typing import Any, Literal

from wenmai.minds.model.client import ModelEndpoint, ModelSettings
from wenmai.minds.model.mind import RoleModels
from wenmai.settings.models import OPENAI_DEFAULT
from wenmai.settings.settings import Settings

# What the variables of a role begin with; the agent's begin with the provider.
ModelRole = Literal["agent", "grader", "refiner", "resolver", "extractor", "judge"]


OF_SMALL_MODEL: tuple[ModelRole, ...] = ("grader", "resolver")
STEADY = 0.2
"""The temperature of a model on one's own machine: a small one begins to invent above it."""
REPLY_TOKENS: dict[ModelRole, int] = {"agent": 400, "grader": 400, "refiner": 150, "resolver": 150}
"""Most tokens of a reply of a small model, which may find no end by itself."""
LOCAL_TOKENS = 4_000
"""The same for any model on one's own machine, its thoughts with them."""


def endpoint_of(settings: Settings) -> ModelEndpoint:
    """Return the service that answers. Only for settings that name one."""
    if settings.provider == "openai":
        key, address = settings.openai_api_key, settings.openai_base_url
        secret = key.get_secret_value().strip() if key else ""
        return ModelEndpoint(
            provider="openai",
            key=secret,
            base_url=address,
            timeout_s=settings.model_timeout_s,
            extra_body=settings.extra_body,
        )
    return gemini_endpoint(settings)


def gemini_endpoint(settings: Settings) -> ModelEndpoint:
    """Return the Gemini API, which may embed where another service answers."""
    key = settings.google_api_key.get_secret_value().strip() if settings.google_api_key else ""
    return ModelEndpoint(key=key, base_url=settings.gemini_base_url, timeout_s=settings.model_timeout_s)


def role_models(settings: Settings) -> RoleModels:
    agent = replace(role_model(settings, "agent"), summaries=True)
    prefix = f"{settings.provider or 'gemini'}_search"
    return RoleModels(
        agent=agent,
        searcher=replace(agent, prefix=prefix.upper(), thinking=getattr(settings, f"{prefix}_thinking")),
        grader=role_model(settings, "grader"),
        refiner=role_model(settings, "refiner"),
        resolver=role_model(settings, "resolver"),
    )


def role_model(settings: Settings, role: ModelRole) -> ModelSettings:
    """Return the model of a role with its settings; the agent's model where none is named.

    Default models and temperatures are Gemini's: another service gets what is set. Thinking levels are for both.
    """
    provider = settings.provider or "gemini"
    prefix = provider if role == "agent" else role
    named = value_of(settings, f"{prefix}_model")
    variable = f"{prefix if named else provider}_model".upper()
    if role in OF_SMALL_MODEL and settings.small_model and f"{prefix}_model" not in settings.model_fields_set:
        named, variable = settings.small_model, "SMALL_MODEL"
    own = settings.openai_model or OPENAI_DEFAULT if provider == "openai" else settings.gemini_model
    model = ModelSettings(
        id=named or own,
        variable=variable,
        prefix=provider.upper(),
        context_tokens=settings.context_tokens,
        output_tokens=settings.output_tokens,
    )
    if role == "judge":  # it has a model and no settings beside it
        return model
    temperature = value_of(settings, f"{prefix}_temperature")
    thinking = getattr(settings, f"{prefix}_thinking")
    if settings.is_small:
        temperature = STEADY if temperature is None else min(temperature, STEADY)
        model = replace(model, output_tokens=settings.output_tokens or REPLY_TOKENS.get(role))
    elif settings.is_local:
        temperature = STEADY if temperature is None else temperature
        model = replace(model, output_tokens=settings.output_tokens or LOCAL_TOKENS)
    return replace(model, prefix=prefix.upper(), temperature=temperature, thinking=thinking)


def value_of(settings: Settings, field: str) -> Any:
    """Return a setting, for services other than Gemini only where it is set."""
    given = settings.provider != "openai" or field in settings.model_fields_set
    return getattr(settings, field) if given else None
