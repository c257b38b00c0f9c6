"""Settings of the HTTP server: its keys and what it accepts."""

import json
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_settings import NoDecode

from wenmai.access.keys import ApiKey
from wenmai.settings.group import AbsolutePath, HeaderKey, HttpAddress, Origins, SettingsGroup

RATE = r"^(0|\d+/(second|minute|hour|day)(;\d+/(second|minute|hour|day))*)$"


class ServerGroup(SettingsGroup):
    """Server: keys and limits of requests."""

    api_keys_file: AbsolutePath | None = Field(
        default=None, description="File with the server's API keys; unset: DATA_DIR/keys.json"
    )
    wenmai_api_keys: Annotated[list[ApiKey], NoDecode] = Field(
        default_factory=list,
        description="More API keys: a JSON list of the records that `wenmai keys add --print` prints",
    )
    wenmai_require_keys: bool = Field(
        default=False,
        description="Ask for a key even if none was ever made; set it behind a proxy on the same machine",
    )
    rate_limit: str = Field(
        default="600/minute",
        pattern=RATE,
        description="Most requests of one key, such as `10/second;600/minute`; 0: no limit",
    )
    model_call_limit: str = Field(
        default="0",
        pattern=RATE,
        description="Most calls of models by questions of one user, such as `60/minute;2000/day`; a question that has "
        "begun is finished; 0: no limit",
    )
    max_request_bytes: int = Field(
        default=1_048_576,
        ge=1,
        description="Largest request that the server reads, in bytes; uploads have MAX_FILE_SIZE_MB instead",
    )
    max_batch_runs: int = Field(
        default=20, ge=1, description="Most runs of one `POST /runs/batch`; each counts as a request of its key"
    )
    max_turns_at_once: int = Field(
        default=8, ge=1, description="Questions that `wenmai serve` answers at the same time; others wait"
    )
    max_pending_turns: int = Field(
        default=10, ge=1, description="Most questions of one user that run or wait on `wenmai serve`"
    )
    max_source_mb: int = Field(
        default=50, ge=1, le=1024, description="Largest text that is taken into a library over HTTP, in megabytes"
    )
    request_timeout_s: float = Field(
        default=30.0, gt=0, description="Seconds that the body of a request may take; an upload has ten times as many"
    )
    wenmai_origins: Origins = Field(
        default="",
        description="Web pages that may use the server, beside its own, those of this machine and Studio's: origins "
        "such as `https://app.example`, separated by commas",
    )

    @field_validator("wenmai_api_keys", mode="before")
    @classmethod
    def from_json(cls, given: object) -> object:
        if not isinstance(given, str):
            return given
        try:
            return json.loads(given)
        except ValueError as exc:
            raise ValueError("must be JSON: a list of the records that wenmai keys add --print prints") from exc


class ObservabilityGroup(SettingsGroup):
    """Observability: logs, traces, LangSmith."""

    trace_dir: AbsolutePath = Field(
        default=Path("logger/traces"), description="Folder of traces: one JSON file per question"
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="Level of the log; the command line shows warnings only, unless this is set"
    )
    log_format: Literal["auto", "json", "text"] = Field(
        default="auto", description="Lines of the log: JSON, or text for people; auto: text on a terminal, else JSON"
    )
    log_questions: bool = Field(
        default=False, description="Log questions: the turn's line has it, and the first 50 characters at its start"
    )
    otel_exporter_otlp_endpoint: HttpAddress | None = Field(
        default=None,
        description="Address of an OpenTelemetry collector (OTLP over HTTP) that gets a span for each question, model "
        "call and tool call; needs the extra `otel`",
    )
    otel_instrumentation_genai_capture_message_content: bool = Field(
        default=False, description="Put questions, answers, prompts and results of tools into the spans"
    )
    langsmith_api_key: HeaderKey | None = Field(
        default=None, description="Key of LangSmith, for traces and `wenmai experiment --upload`"
    )
    langsmith_tracing: bool = Field(default=False, description="Send the trace of every question to LangSmith")
    langsmith_endpoint: HttpAddress | None = Field(
        default=None, description="Address of LangSmith; unset: the service's own"
    )
    langsmith_project: str | None = Field(default=None, description="LangSmith project of the traces; unset: default")
    langsmith_hide_contents: bool = Field(
        default=False,
        description="Send no question, answer, evidence or error message to LangSmith, only structure and figures",
    )
