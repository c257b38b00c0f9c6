"""The outputs of the memory tools."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from tools.recall.wording import ErrorCode

KeywordType = Literal["entity", "action", "concept", "time"]


class Failing(BaseModel):
    """Fields of every output for a failure."""

    message: str = ""
    error_code: ErrorCode | None = None


class MemoryItem(BaseModel):
    """One row of a search."""

    memory_key: str
    summary: str = ""
    content_preview: str
    memory_type: str
    relevance_score: float
    created_at: str
    keywords: list[str] = Field(default_factory=list)


class SearchOutput(Failing):
    """Result of search_memories; a failure has five keys alone."""

    success: bool = True
    total_found: int = 0
    returned: int = 0
    results: list[MemoryItem] = Field(default_factory=list)
    search_query_expanded: str | None = None


class DetailOutput(Failing):
    """Result of get_memory_detail: the part of the content that begins at the offset asked for.

    Attributes:
        truncated: something of the content is behind this part; `next_offset` says where it begins, if it can be read.
        original_size: bytes of the whole content.
    """

    success: bool = True
    memory_key: str = ""
    summary: str = ""
    content: str = ""
    memory_type: str | None = None
    created_at: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    truncated: bool = False
    original_size: int = 0
    next_offset: int | None = None


class TypedKeyword(BaseModel):
    """A keyword of a query with its weight, 0..1, and its type."""

    keyword: str
    weight: float
    type: KeywordType = "concept"


class KeywordsOutput(Failing):
    """Result of extract_search_keywords."""

    success: bool = True
    keywords: list[TypedKeyword] = Field(default_factory=list)
    expanded_query: str = ""


class ExpandOutput(Failing):
    """Result of expand_context_window; a failure has success=false, a refusal is none."""

    approved: bool
    new_size: int
    iteration: int
    max_iterations: int


class HandoffOutput(Failing):
    """Result of handoff."""

    success: bool = True
    task_completed: bool = True
    dropped_keys: list[str] = Field(default_factory=list)


Output = SearchOutput | DetailOutput | KeywordsOutput | ExpandOutput | HandoffOutput
FAILED_SEARCH = ("success", "total_found", "results", "message", "error_code")


def plain(output: Output) -> dict[str, Any]:
    """Return an output as the JSON object that a model sees."""
    data = output.model_dump(mode="json")
    if isinstance(output, ExpandOutput) and output.error_code:
        data = {"success": False, **data}
    if output.error_code is None:
        del data["error_code"]
    if isinstance(output, SearchOutput) and not output.success:
        return {key: data[key] for key in FAILED_SEARCH if key in data}
    # The message comes last.
    return {**{key: value for key, value in data.items() if key not in ("message", "error_code")}, **tail(data)}


def tail(data: dict[str, Any]) -> dict[str, Any]:
    """Return message and error code."""
    return {key: data[key] for key in ("message", "error_code") if key in data}
