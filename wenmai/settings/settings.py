"""Settings of the process, read from the environment and `.env` when they are built, never at import."""

import logging
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path

from pydantic import ValidationError
from pydantic_settings import SettingsError

from nodes.policy import LONGEST_DEADLINE_S, SEARCH_LIMITS, Policy
from state.context import Context
from tools.errors import ConfigError
from wenmai.access.keyring import FILE, MARK, USES_FILE
from wenmai.settings.group import problem
from wenmai.settings.models import EmbeddingGroup, ModelGroup
from wenmai.settings.process import DocumentGroup, IngestGroup, LimitGroup, ObservabilityGroup, ServerGroup
from wenmai.settings.stores import StoreGroup

OFFLINE_SEARCH_LIMITS = (10, 10, 10)  # rows cost the offline mind nothing
MODEL_TURNS = 3  # silences of a model that a question has room for
SIMILARITY = 0.5  # a guess is only a hint here
PRICES_FORM = '{"<model id>": {"input": 0.75, "output": 3.75, "cached": 0.075}}'
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
    def key_files(self) -> tuple[Path, Path, Path]:
        """The file of keys, the mark that there were any, and when they were used."""
        return self.api_keys_file or self.data_dir / FILE, self.data_dir / MARK, self.data_dir / USES_FILE

    @property
    def ingest_call_size(self) -> int:
        """Characters of text that share a call of an ingest; a small model gets one piece at a time."""
        return 1 if self.is_small else self.ingest_call_characters

    @property
    def writes_summaries(self) -> bool:
        """Whether the model that reads texts sums them up too, which a small one does badly."""
        return self.ingest_summaries and not self.is_small

    @property
    def question_s(self) -> float:
        """Seconds for a whole question: time for a model that is asked, and the offline mind behind it."""
        most = MODEL_TURNS * self.model_timeout_s
        return self.deadline_s or min(LONGEST_DEADLINE_S, max(Policy().deadline_s, most))

    def policy(self) -> Policy:
        """Return the limits of the loop; the rows of search_memory follow the mind that plans."""
        plans = self.asks_model and not self.is_small
        return Policy(
            max_attempts=self.max_attempts,
            max_calls=self.max_function_calls,
            search_limits=tuple(self.search_limits or (SEARCH_LIMITS if plans else OFFLINE_SEARCH_LIMITS)),
            deadline_s=self.question_s,
            model_timeout_s=self.model_timeout_s,
            tries_slow=not self.is_local,
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
            if name in {field.name for field in fields(Context)}:
                raise TypeError(f"{name!r} is no setting but a keyword of ask() and stream()")
            found = get_close_matches(name.lower(), Settings.model_fields, 1, SIMILARITY)
            hint = f"; did you mean {found[0]!r}?" if found else " (settings: docs/reference/settings.md)"
            raise TypeError(f"there is no setting {name!r}{hint}")
    try:
        return Settings(**overrides)  # type: ignore[arg-type]  # pydantic checks them
    except ValidationError as exc:
        raise ConfigError("; ".join(problem(error) for error in exc.errors())) from exc
    except SettingsError as exc:
        # It names the field that is no JSON, not the form that is expected.
        prices = f"MODEL_PRICES: must be JSON, USD per million tokens by model id, for instance {PRICES_FORM}"
        raise ConfigError(prices if '"model_prices"' in str(exc) else f"{exc}: expected JSON") from exc


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
