"""Settings of what a process does: limits of questions, documents, ingests, its server, its logs and traces."""

import json
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, IPvAnyNetwork, ValidationInfo, field_validator
from pydantic_settings import NoDecode

from nodes.policy import LONGEST_DEADLINE_S
from wenmai.access.keys import ApiKey
from wenmai.settings.group import AbsolutePath, HeaderKey, HttpAddress, Origins, SettingsGroup
from wenmai.settings.models import Temperature, Thinking

OTHER_TOOLS = ("enable_semantic_search_tool", "enable_keyword_search_tool")
RATE = r"^(0|\d+/(second|minute|hour|day)(;\d+/(second|minute|hour|day))*)$"


class LimitGroup(SettingsGroup):
    """Limits of a question."""

    max_attempts: int = Field(default=3, ge=1, le=10, description="Most graded drafts per question")
    max_function_calls: int = Field(default=5, ge=1, description="Most tool calls that are run in one attempt")
    search_limits: list[Annotated[int, Field(ge=1, le=20)]] | None = Field(
        default=None,
        min_length=1,
        description="Rows of search_memory in attempt 1, 2, 3, each 1 to 20, as a JSON list; the last one repeats; "
        "unset: [3, 3, 5] for a model, [10, 10, 10] for the offline mind, which pays nothing for rows",
    )
    tool_timeout_s: float = Field(default=30.0, gt=0, description="Seconds for one tool call")
    recall_timeout_s: float = Field(
        default=90.0, gt=0, description="Seconds for one recall of memories, which calls several tools"
    )
    model_timeout_s: float = Field(
        default=60.0,
        gt=0,
        description="Seconds that a model may be silent: until the first token of a reply, and between two; of a reply "
        "that comes whole, all of it",
    )
    deadline_s: float | None = Field(
        default=None,
        gt=0,
        le=LONGEST_DEADLINE_S,
        description="Seconds for a whole question; a run's own wins. Unset: 180, or three times MODEL_TIMEOUT_S where "
        "that is more. At its end the offline mind answers",
    )
    knowledge_session_s: float = Field(
        default=600.0, gt=0, description="Seconds that a session with a knowledge network lives after its last use"
    )
    max_question_chars: int = Field(default=4_000, ge=1, description="Longest question that is accepted, in characters")


class DocumentGroup(SettingsGroup):
    """Documents: how uploads are cut, searched and answered from."""

    chunk_size: int = Field(default=1_000, ge=50, le=20_000, description="Most characters of a document's chunk")
    chunk_overlap: int = Field(
        default=200,
        ge=0,
        description="Characters that a chunk repeats of the one before it; at most half of CHUNK_SIZE",
    )
    max_file_size_mb: int = Field(
        default=10, ge=1, le=64, description="Largest document that is accepted, in megabytes"
    )
    max_files_per_session: int = Field(default=5, ge=1, description="Most documents of one session")
    top_k_retrieval: int = Field(default=5, ge=1, le=20, description="Chunks that a search of documents returns")
    use_function_calling: bool = Field(
        default=False,
        description="For questions on documents alone: the model calls tools (agent mode); "
        "else one search and one model call (rag mode)",
    )
    enable_semantic_search_tool: bool = Field(default=True, description="Offer semantic_search in agent mode")
    enable_keyword_search_tool: bool = Field(default=True, description="Offer keyword_search in agent mode")
    enable_document_query_tool: bool = Field(
        default=True, description="Offer list_documents and query_table in agent mode"
    )
    fallback_to_rag: bool = Field(
        default=False,
        description="For questions on documents alone in agent mode: when the model fails, try rag mode before "
        "ON_MODEL_FAILURE",
    )

    @field_validator("chunk_overlap")
    @classmethod
    def within_its_chunk(cls, overlap: int, info: ValidationInfo) -> int:
        if overlap * 2 > info.data.get("chunk_size", 2 * overlap):
            raise ValueError("must be at most half of CHUNK_SIZE")
        return overlap

    @field_validator("enable_document_query_tool")
    @classmethod
    def some_tool(cls, enabled: bool, info: ValidationInfo) -> bool:
        """Refuse agent mode on documents without any tool: services refuse an empty list of tools."""
        others = [info.data.get(name, True) for name in OTHER_TOOLS]
        if info.data.get("use_function_calling") and not any([enabled, *others]):
            names = ", ".join(name.upper() for name in (*OTHER_TOOLS, "enable_document_query_tool"))
            raise ValueError(f"USE_FUNCTION_CALLING=true needs at least one tool, set one of {names} to true")
        return enabled

    @property
    def disabled_tools(self) -> tuple[str, ...]:
        """Names of the document tools that agent mode does not offer."""
        enabled = {
            "semantic_search": self.enable_semantic_search_tool,
            "keyword_search": self.enable_keyword_search_tool,
            "list_documents": self.enable_document_query_tool,
            "query_table": self.enable_document_query_tool,
        }
        return tuple(name for name, is_on in enabled.items() if not is_on)


class IngestGroup(SettingsGroup):
    """Ingestion: how sources are read, and how fast."""

    ingest_mind: Literal["offline", "model", "gemini"] = Field(
        default="offline",
        description="What reads ingested texts: offline, patterns on this machine; model, which costs money and "
        "needs a model service (gemini is an older word for it)",
    )
    ingest_summaries: bool = Field(
        default=True,
        description="A model that reads ingested texts also writes summaries of chapters, parts and books, and "
        "descriptions of people",
    )
    ingest_budget: str | None = Field(
        default=None,
        description="What the calls of one ingest may cost: 2.50 (USD), 300k (tokens) or 2.50,300k; unset: no limit",
    )
    ingest_concurrency: int = Field(default=4, ge=1, le=64, description="Calls of an ingest at a time")
    ingest_call_characters: int = Field(
        default=8_000,
        ge=500,
        description="Characters of text in one model call of an ingest, of English twice as many: short chapters share "
        "it; fewer for a small or slow model",
    )
    ingest_rpm: float | None = Field(default=None, gt=0, description="Calls of an ingest per minute; unset: no limit")
    ingest_timeout_s: float = Field(
        default=300.0, gt=0, description="Seconds for one model call of an ingest; its answer is long"
    )
    extractor_model: str | None = Field(default=None, description="Model that reads ingested texts; unset: the agent's")
    extractor_temperature: Temperature | None = Field(
        default=None, description="Sampling temperature of the extractor; unset: the model's own"
    )
    extractor_thinking: Thinking | None = Field(default="low", description="How long the extractor thinks")
    ray_address: str | None = Field(
        default=None,
        description="Ray cluster of `wenmai ingest --engine ray` (extra ray); unset: one is started on this machine",
    )


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
    user_questions: str = Field(
        default="0",
        pattern=RATE,
        description="Most questions of one user of a server, such as `60/hour;500/day`; 0: no limit",
    )
    user_documents: int = Field(
        default=1_000,
        ge=0,
        description="Most documents of one user, in all conversations and the collection; 0: no limit",
    )
    user_memories: int = Field(default=0, ge=0, description="Most memories of one user; 0: no limit")
    user_disk_mb: int = Field(
        default=0,
        ge=0,
        description="Most megabytes that documents, memories and conversations of one user take; 0: no limit",
    )
    audit: bool = Field(
        default=False,
        description="Log a line for each request of a key: user, key, route, library, thread, status, tokens; no text",
    )
    max_turns_at_once: int = Field(
        default=8, ge=1, description="Questions that `wenmai serve` answers at the same time; others wait"
    )
    max_pending_turns: int = Field(
        default=10, ge=1, description="Most questions of one user that run or wait on `wenmai serve`"
    )
    ingests_at_once: int = Field(
        default=2, ge=1, description="Texts that a server reads into libraries at the same time; others wait"
    )
    max_source_mb: int = Field(
        default=50, ge=1, le=1024, description="Largest text that is taken into a library over HTTP, in megabytes"
    )
    request_timeout_s: float = Field(
        default=30.0, gt=0, description="Seconds that the body of a request may take; an upload has ten times as many"
    )
    max_connections: int = Field(default=500, ge=1, description="Most connections to `wenmai serve`; more get a 503")
    max_connections_per_address: int = Field(
        default=100, ge=1, description="Most connections of one address, TRUSTED_PROXIES apart; more get a 429"
    )
    trusted_proxies: Annotated[list[IPvAnyNetwork], NoDecode] = Field(
        default_factory=list,
        description="Addresses or networks of proxies before the server, separated by commas: many people come "
        "from one of them",
    )
    wenmai_origins: Origins = Field(
        default="",
        description="Web pages that may use the server, beside its own, those of this machine and Studio's: origins "
        "such as `https://app.example`, separated by commas",
    )

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def from_list(cls, given: object) -> object:
        if not isinstance(given, str) or given.strip().startswith("["):
            return json.loads(given) if isinstance(given, str) else given
        return [one.strip() for one in given.split(",") if one.strip()]

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
