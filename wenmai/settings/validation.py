"""The configuration of a process, checked as a whole when it starts, never on import."""

import logging

from wenmai.settings.settings import Settings, load_settings

log = logging.getLogger("wenmai.settings.validation")


def validate_config(**overrides: object) -> Settings:
    """Read the settings and warn of those that do not go together.

    Raises:
        ConfigError: names every wrong variable.
        TypeError: a keyword is no setting.
    """
    settings = load_settings(**overrides)
    for warning in contradictions(settings):
        log.warning(warning)
    return settings


def contradictions(settings: Settings) -> list[str]:
    """Return what is set to no effect."""
    found = []
    if settings.langsmith_tracing and not (settings.langsmith_api_key or settings.langsmith_endpoint):
        found.append("LANGSMITH_TRACING=true: no trace is sent without LANGSMITH_API_KEY")
    if settings.model_provider and not settings.provider:
        variable = "GOOGLE_API_KEY" if settings.model_provider == "gemini" else "OPENAI_API_KEY or OPENAI_BASE_URL"
        found.append(f"MODEL_PROVIDER={settings.model_provider}: the offline mind answers without {variable}")
    if not settings.use_mock_llm:
        return found
    if settings.provider:
        key = "GOOGLE_API_KEY" if settings.provider == "gemini" else "OPENAI_API_KEY"
        found.append(f"USE_MOCK_LLM=true: the offline mind answers, {key} is not used for answers")
    if settings.use_function_calling:
        found.append("USE_MOCK_LLM=true: the offline mind answers in agent mode, no model calls functions")
    return found
