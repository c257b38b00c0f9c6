"""Settings of logs, traces and LangSmith."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from wenmai.settings.checks import AbsolutePath, HeaderKey, HttpAddress
from wenmai.settings.group import Group


class ObservabilityGroup(Group):
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
