"""The model that reads sources, and the embedder of the Gemini API, as the settings name them."""

from dataclasses import replace

from langchain_core.rate_limiters import BaseRateLimiter, InMemoryRateLimiter

from tools.errors import ConfigError
from tools.messages import Message
from wenmai.minds.choice import endpoint_of, gemini_endpoint, role_model
from wenmai.minds.model.embedder import VARIABLE, GeminiEmbedder
from wenmai.minds.model.extractor import ModelExtractor
from wenmai.minds.model.patience import PATIENCE, Patience
from wenmai.minds.model.providers import provider_of
from wenmai.settings.settings import Settings

MINUTE = 60


def extractor_of(settings: Settings) -> ModelExtractor:
    """Return the extractor with connections of its own: its calls may take longer than a question's.

    Raises ConfigError without a model service.
    """
    if settings.provider is None:
        raise ConfigError(Message("model.needs_service"))
    endpoint = replace(endpoint_of(settings), timeout_s=settings.ingest_timeout_s)
    return ModelExtractor(
        provider_of(endpoint),
        role_model(settings, "extractor"),
        limiter=limiter_of(settings),
        names_only=settings.is_small,
        is_bounded=settings.is_small or settings.is_local,
    )


def embedder_of(settings: Settings, patience: Patience = PATIENCE) -> GeminiEmbedder:
    """Return the embedder of the Gemini API. Raises ConfigError without a key."""
    if not settings.has_key:
        raise ConfigError(Message("model.needs_key", variable=VARIABLE, model=settings.embedding_model))
    return GeminiEmbedder(
        gemini_endpoint(settings), settings.embedding_model, settings.dimension, patience, limiter_of(settings)
    )


def limiter_of(settings: Settings) -> BaseRateLimiter | None:
    return InMemoryRateLimiter(requests_per_second=settings.ingest_rpm / MINUTE) if settings.ingest_rpm else None
