"""Which mind answers: Gemini where there is a key, with the offline mind behind it; else the offline mind alone."""

from dataclasses import replace
from typing import Literal

from wenmai.minds.model.breaker import Breaker
from wenmai.minds.model.client import Clients, Endpoint, ModelSettings
from wenmai.minds.model.mind import RoleModels
from wenmai.settings.settings import Settings

# What the variables of a role begin with; "gemini" is the agent.
ModelRole = Literal["gemini", "grader", "refiner", "resolver", "extractor", "judge", "strict_judge"]
PLAIN_ROLES: tuple[ModelRole, ...] = ("judge", "strict_judge")  # they have a model and no settings beside it


def endpoint_of(settings: Settings) -> Endpoint:
    """Return the service that the settings name. Only for settings with a key."""
    key = settings.google_api_key.get_secret_value().strip() if settings.google_api_key else ""
    return Endpoint(key=key, base_url=settings.gemini_base_url, timeout_s=settings.model_timeout_s)


def role_models(settings: Settings) -> RoleModels:
    """Return the model of each role that answers."""
    return RoleModels(
        agent=replace(role_model(settings, "gemini"), summaries=True),
        grader=role_model(settings, "grader"),
        refiner=role_model(settings, "refiner"),
        resolver=role_model(settings, "resolver"),
    )


def role_model(settings: Settings, role: ModelRole) -> ModelSettings:
    """Return the model of a role with its settings; the agent's model where none is named."""
    named = getattr(settings, f"{role}_model")
    variable = f"{role if named else 'gemini'}_model".upper()
    model = ModelSettings(id=named or settings.gemini_model, variable=variable)
    if role in PLAIN_ROLES:
        return model
    temperature, thinking = getattr(settings, f"{role}_temperature"), getattr(settings, f"{role}_thinking")
    return replace(model, prefix=role.upper(), temperature=temperature, thinking=thinking)


def clients_of(settings: Settings) -> Clients:
    """Return the chat models of a process."""
    return Clients(endpoint_of(settings))


def breaker_of(settings: Settings) -> Breaker:
    """Return the circuit breaker of a process and its endpoint."""
    return Breaker(settings.breaker_failures, settings.breaker_pause_s)
