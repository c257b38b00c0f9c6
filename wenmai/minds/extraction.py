"""The model that reads sources, and the embedder of the Gemini API, as the settings name them."""

from dataclasses import replace

from langchain_core.rate_limiters import BaseRateLimiter, InMemoryRateLimiter

from tools.errors import ConfigError
from tools.wording import Words
from wenmai.minds.choice import endpoint_of, gemini_endpoint, role_model
from wenmai.minds.model.embedder import VARIABLE, GeminiEmbedder
from wenmai.minds.model.extractor import ModelExtractor
from wenmai.minds.model.patience import PATIENCE, Patience
from wenmai.minds.model.providers import provider_of
from wenmai.settings.settings import Settings

NEEDS_KEY = Words(
    "{variable}={model} 需要 GOOGLE_API_KEY（或 GEMINI_API_KEY）",
    "{variable}={model} needs GOOGLE_API_KEY (or GEMINI_API_KEY)",
)
NEEDS_SERVICE = Words(
    "让模型阅读需要 GOOGLE_API_KEY（或 GEMINI_API_KEY），或 OPENAI_API_KEY、OPENAI_BASE_URL；"
    "没有模型服务请用 --mind offline",
    "reading by a model needs GOOGLE_API_KEY (or GEMINI_API_KEY), or OPENAI_API_KEY or OPENAI_BASE_URL; without a "
    "model service use --mind offline",
)
MINUTE = 60


def extractor_of(settings: Settings) -> ModelExtractor:
    """Return the extractor with connections of its own: its calls may take longer than a question's.

    Raises ConfigError without a model service.
    """
    if settings.provider is None:
        raise ConfigError(NEEDS_SERVICE)
    endpoint = replace(endpoint_of(settings), timeout_s=settings.ingest_timeout_s)
    return ModelExtractor(provider_of(endpoint), role_model(settings, "extractor"), limiter=limiter_of(settings))


def embedder_of(settings: Settings, patience: Patience = PATIENCE) -> GeminiEmbedder:
    """Return the embedder of the Gemini API. Raises ConfigError without a key."""
    if not settings.has_key:
        raise ConfigError(NEEDS_KEY.of(variable=VARIABLE, model=settings.embedding_model))
    return GeminiEmbedder(
        gemini_endpoint(settings), settings.embedding_model, settings.dimension, patience, limiter_of(settings)
    )


def limiter_of(settings: Settings) -> BaseRateLimiter | None:
    return InMemoryRateLimiter(requests_per_second=settings.ingest_rpm / MINUTE) if settings.ingest_rpm else None
