"""Settings of the process, read from the environment and `.env` when they are built, never at import."""

import logging
from pathlib import Path

from pydantic import ValidationError
from pydantic_settings import SettingsError

from nodes.policy import SEARCH_LIMITS, Policy
from wenmai.access.key_file import FILE
from wenmai.errors import ConfigError
from wenmai.settings.embedding import EmbeddingGroup
from wenmai.settings.group import problem, unknown_setting, unreadable
from wenmai.settings.limits import DocumentGroup, IngestGroup, LimitGroup
from wenmai.settings.models import ModelGroup
from wenmai.settings.server import ObservabilityGroup, ServerGroup
from wenmai.settings.stores import StoreGroup

OFFLINE_SEARCH_LIMITS = (10, 10, 10)  # rows cost the offline mind nothing
SOURCES = ("_env_file",)  # keywords of pydantic-settings itself


class Settings(
    ModelGroup,
    EmbeddingGroup,
    IngestGroup,
    StoreGroup,
    DocumentGroup,
    ServerGroup,
    ObservabilityGroup,
    LimitGroup,
):
    """Everything that a deployment may set; every field is an environment variable of the same name."""

    @property
    def kept_turns(self) -> tuple[int, int]:
        """The turns of a thread whose ends are kept, and those whose steps are."""
        return self.kept_checkpoints, min(self.kept_steps, self.kept_checkpoints)

    @property
    def keys_path(self) -> Path:
        """File with the server's API keys."""
        return self.api_keys_file or self.data_dir / FILE

    def policy(self) -> Policy:
        """Return the limits of the loop; the rows of search_memory follow the mind."""
        return Policy(
            max_attempts=self.max_attempts,
            max_calls=self.max_function_calls,
            search_limits=tuple(self.search_limits or (SEARCH_LIMITS if self.asks_model else OFFLINE_SEARCH_LIMITS)),
            model_timeout_s=self.model_timeout_s,
            tool_timeout_s=self.tool_timeout_s,
            recall_timeout_s=self.recall_timeout_s,
            on_model_failure=self.on_model_failure,
            prices=self.prices,
            use_function_calling=self.use_function_calling,
            document_rows=self.top_k_retrieval,
            fallback_to_rag=self.fallback_to_rag,
            log_questions=self.log_questions,
        )


def load_settings(**overrides: object) -> Settings:
    """Read the settings; keywords win over the environment, the environment over `.env`.

    Raises:
        ConfigError: names every wrong variable, its value and the rule.
        TypeError: a keyword is no setting.
    """
    for name in overrides:
        if name not in Settings.model_fields and name not in SOURCES:
            raise TypeError(unknown_setting(name, Settings.model_fields))
    try:
        return Settings(**overrides)  # type: ignore[arg-type]  # pydantic checks them
    except ValidationError as exc:
        raise ConfigError("; ".join(problem(error) for error in exc.errors())) from exc
    except SettingsError as exc:
        raise ConfigError(unreadable(exc)) from exc


log = logging.getLogger("wenmai.settings.settings")


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
