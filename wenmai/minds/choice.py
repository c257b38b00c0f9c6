"""Which mind answers: Gemini where there is a key, with the offline mind behind it; else the offline mind alone."""

from wenmai.minds.gemini.breaker import Breaker
from wenmai.minds.gemini.client import Clients, Endpoint, ModelSettings
from wenmai.minds.gemini.mind import RoleModels
from wenmai.settings import Settings


def endpoint_of(settings: Settings) -> Endpoint:
    """Return the service that the settings name. Only for settings with a key."""
    key = settings.google_api_key.get_secret_value().strip() if settings.google_api_key else ""
    return Endpoint(key=key, base_url=settings.gemini_base_url, timeout_s=settings.model_timeout_s)


def role_models(settings: Settings) -> RoleModels:
    """Return the model of each role; refiner and resolver use the agent's where none is named (S003-22)."""
    agent = ModelSettings(
        id=settings.gemini_model,
        variable="GEMINI_MODEL",
        temperature=settings.gemini_temperature,
        thinking=settings.gemini_thinking,
        summaries=True,
    )
    grader = ModelSettings(
        id=settings.grader_model,
        variable="GRADER_MODEL",
        prefix="GRADER",
        temperature=settings.grader_temperature,
        thinking=settings.grader_thinking,
    )
    refiner = ModelSettings(
        id=settings.refiner_model or settings.gemini_model,
        variable="REFINER_MODEL" if settings.refiner_model else "GEMINI_MODEL",
        prefix="REFINER",
        temperature=settings.refiner_temperature,
        thinking=settings.refiner_thinking,
    )
    resolver = ModelSettings(
        id=settings.resolver_model or settings.gemini_model,
        variable="RESOLVER_MODEL" if settings.resolver_model else "GEMINI_MODEL",
        prefix="RESOLVER",
        temperature=settings.resolver_temperature,
        thinking=settings.resolver_thinking,
    )
    return RoleModels(agent=agent, grader=grader, refiner=refiner, resolver=resolver)


def clients_of(settings: Settings) -> Clients:
    """Return the chat models of a process."""
    return Clients(endpoint_of(settings))


def breaker_of(settings: Settings) -> Breaker:
    """Return the circuit breaker of a process and its endpoint."""
    return Breaker(settings.breaker_failures, settings.breaker_pause_s)
