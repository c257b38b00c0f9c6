"""Settings that limit a question: attempts, calls, seconds, characters."""

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from wenmai.settings.group import SettingsGroup
from wenmai.settings.models import Temperature, Thinking


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
    model_timeout_s: float = Field(default=60.0, gt=0, description="Seconds for one model call")
    knowledge_session_s: float = Field(
        default=600.0, gt=0, description="Seconds that a session with a knowledge network lives after its last use"
    )
    max_question_chars: int = Field(default=4_000, ge=1, description="Longest question that is accepted, in characters")


OTHER_TOOLS = ("enable_semantic_search_tool", "enable_keyword_search_tool")


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
