"""Settings of the process, read from the environment and `.env` when they are built, never at import."""

import logging
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Self

from pydantic import PrivateAttr, ValidationError
from pydantic_settings import SettingsError

from nodes.policy import LONGEST_DEADLINE_S, SEARCH_LIMITS, Policy
from state.context import Context
from tools.errors import ConfigError
from wenmai.access.keyring import FILE, MARK, USES_FILE
from wenmai.settings.group import problem, variables
from wenmai.settings.model_file import ModelService, read_service
from wenmai.settings.models import EmbeddingGroup, ModelGroup, ProviderName
from wenmai.settings.process import DocumentGroup, IngestGroup, LimitGroup, ObservabilityGroup, ServerGroup
from wenmai.settings.stores import StoreGroup

OFFLINE_SEARCH_LIMITS = (10, 10, 10)  # rows cost the offline mind nothing
MODEL_TURNS = 3  # silences of a model that a question has room for
SIMILARITY = 0.5  # a guess is only a hint here
PRICES_FORM = '{"<model id>": {"input": 0.75, "output": 3.75, "cached": 0.075}}'
SOURCES = ("_env_file",)  # keywords of pydantic-settings itself
SERVICE_FIELDS: dict[ProviderName, tuple[str, str, str]] = {
    "gemini": ("google_api_key", "gemini_base_url", "gemini_model"),
    "openai": ("openai_api_key", "openai_base_url", "openai_model"),
}
"""Key, address and model of each provider."""


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

    _environment: "Settings | None" = PrivateAttr(default=None)

    @property
    def environment(self) -> "Settings":
        """The same without a model service that was chosen: what the environment says."""
        return self._environment or self

    @property
    def service_variables(self) -> list[str]:
        """The variables by which the environment says which service answers; none: one may be chosen."""
        own = self.environment
        named = {"model_provider", *(field for fields in SERVICE_FIELDS.values() for field in fields[:2])}
        named &= own.model_fields_set
        return own.variables_of(named | ({"use_mock_llm"} if own.use_mock_llm else set()))

    def model_variables(self, provider: ProviderName) -> list[str]:
        """Return the variable by which the environment says which model of a provider answers, if it does."""
        own = self.environment
        return own.variables_of({SERVICE_FIELDS[provider][2]} & own.model_fields_set)

    def variables_of(self, fields: set[str]) -> list[str]:
        known = type(self).model_fields
        return sorted("/".join(variables(name, known[name])) for name in fields)

    def with_service(self, service: ModelService | None) -> Self:
        """Return these settings with a service that was chosen, or without one.

        The environment wins: where it names a service, of the chosen one only the model counts, and that only if it is
        of the same provider and no variable names one. So a key is never sent to an address that came from elsewhere.
        """
        own = self.environment
        values = {
            name: getattr(own, name) for fields in SERVICE_FIELDS.values() for name in ("model_provider", *fields)
        }
        if service is not None:
            key, address, model = SERVICE_FIELDS[service.provider]
            is_free = not own.service_variables
            if is_free:
                values |= {"model_provider": service.provider, key: service.key, address: service.base_url}
            if service.model and (is_free or own.provider == service.provider) and model not in own.model_fields_set:
                values[model] = service.model
        made = self.model_copy(update=values)
        made._environment = own
        return made

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

    A model service that was chosen without variables (`model_file`) comes last.

    Raises:
        ConfigError: names every wrong variable, its value and the rule; or the file of that service cannot be read.
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
        settings = Settings(**overrides)  # type: ignore[arg-type]  # pydantic checks them
    except ValidationError as exc:
        raise ConfigError("; ".join(problem(error) for error in exc.errors())) from exc
    except SettingsError as exc:
        # It names the field that is no JSON, not the form that is expected.
        prices = f"MODEL_PRICES: must be JSON, USD per million tokens by model id, for instance {PRICES_FORM}"
        raise ConfigError(prices if '"model_prices"' in str(exc) else f"{exc}: expected JSON") from exc
    if settings.model_by_admin is False or (service := read_service(settings.data_dir)) is None:
        return settings
    return settings.with_service(service)


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
