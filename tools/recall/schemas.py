"""What goes into the memory tools and what comes out: arguments, outputs, keywords that a model finds for a query."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, get_args

from pydantic import BaseModel, Field

from tools.memory.records import SearchMode

FOUND_LIMIT = 10  # results of one search
START_WINDOW = 5  # messages


class SearchInput(BaseModel):
    query: str = Field(description='搜索查询，可以是自然语言描述或关键词，例如"用户之前配置的数据库端口是多少"')
    search_mode: SearchMode = Field(
        default="hybrid", description="搜索模式，semantic-语义匹配，keyword-关键词匹配，hybrid-混合"
    )
    keywords: list[str] | None = Field(
        default=None, description='可选的精确关键词列表，用于精确过滤，例如 ["database", "config"]'
    )
    memory_types: list[str] | None = Field(
        default=None, description='按记忆类型过滤，如 ["user_preference", "command_output", "general"]'
    )
    time_range_days: int | None = Field(default=None, ge=1, le=365, description="时间范围过滤，最近 N 天内的记忆")
    limit: int = Field(default=5, ge=1, le=FOUND_LIMIT, description="返回结果数量限制")
    min_relevance_score: float = Field(
        default=0.5, ge=0, le=1, description="最小相关性分数阈值，低于此值的记忆将被过滤"
    )


class DetailInput(BaseModel):
    memory_key: str = Field(description="记忆的唯一标识符（从 search_memories 结果中获取）")
    offset: int = Field(default=0, ge=0, description="从内容的第几个字符开始读；接着读时取上次结果的 next_offset")


class KeywordsInput(BaseModel):
    query: str = Field(description="用户原始查询")
    context: str | None = Field(default=None, description="可选的上下文信息，帮助更准确地提取关键词")
    max_keywords: int = Field(default=5, ge=1, le=10, description="最多提取的关键词数量")


class ExpandInput(BaseModel):
    reason: str = Field(description='需要拓展的原因，例如"搜索结果不理想，需要查看更早的对话"')
    requested_size: int = Field(description="请求拓展到的消息数")


class HandoffInput(BaseModel):
    """Arguments of handoff: what only the recaller knows."""

    reason: str | None = Field(default=None, description="结束任务的原因")
    search_summary: str = Field(description="搜索结果的总结，包括找到的相关记忆和关键信息")
    confidence: float = Field(ge=0, le=1, description="对搜索结果相关性的信心度 0.0-1.0")
    relevant_memory_keys: list[str] = Field(default=[], description="相关记忆的 key 列表")
    needs_more_info: bool = Field(default=False, description="是否需要更多信息来精确定位记忆")
    follow_up_question: str | None = Field(default=None, description="如果需要更多信息，向用户提出的问题")


ErrorCode = Literal["timeout", "permission_denied", "not_found", "database_error", "invalid_input"]
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


def plain(output: Output) -> dict[str, Any]:
    """Return an output as the JSON object that a model sees; the message comes last."""
    data = output.model_dump(mode="json")
    last = {"message": data.pop("message"), "error_code": data.pop("error_code")}
    if last["error_code"] is None:
        del last["error_code"]
    elif isinstance(output, ExpandOutput):
        data = {"success": False, **data}
    if isinstance(output, SearchOutput) and not output.success:
        data = {key: data[key] for key in ("success", "total_found", "results")}
    return {**data, **last}


MOST_EXPANDED = 5  # keywords that expand a search, as the default of extract_search_keywords
FENCE = re.compile(r"^\s*```[a-zA-Z]*\s*|\s*```\s*$")
TYPES: Mapping[str, KeywordType] = MappingProxyType({kind: kind for kind in get_args(KeywordType)})


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpandedKeyword:
    keyword: str
    weight: float = 1.0
    type: KeywordType = "concept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """The keywords of a query, the heaviest first, and the query in more words."""

    keywords: tuple[ExpandedKeyword, ...]
    expanded_query: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpandRequest:
    """A query whose keywords are wanted; `given` ones are known already."""

    query: str
    context: str | None = None
    given: tuple[str, ...] = ()
    most: int = MOST_EXPANDED


def read_expansion(text: str, most: int) -> Expansion:
    """Return a model's JSON answer, cleaned. Raises ValueError for any other answer."""
    answer = json.loads(FENCE.sub("", text))
    if isinstance(answer, list):
        answer = {"keywords": answer}
    if not isinstance(answer, Mapping) or not isinstance(answer.get("keywords", []), list):
        raise ValueError("expected an object with the list keywords")
    query = answer.get("expanded_query")
    return Expansion(
        keywords=cleaned(answer.get("keywords", []), most), expanded_query=query if isinstance(query, str) else ""
    )


def cleaned(rows: Sequence[Any], most: int) -> tuple[ExpandedKeyword, ...]:
    """Return at most `most` usable keywords: no blanks, no duplicates, clamped weights, unknown types as concepts."""
    found: dict[str, ExpandedKeyword] = {}
    for row in rows:
        fields = row if isinstance(row, Mapping) else {"keyword": row}
        word = fields.get("keyword")
        if isinstance(word, str) and word.strip():
            one = ExpandedKeyword(
                keyword=word.strip(), weight=weight(fields.get("weight", 1.0)), type=kind_of(fields.get("type"))
            )
            found.setdefault(one.keyword.casefold(), one)
    return tuple(found.values())[:most]


def kind_of(value: object) -> KeywordType:
    return TYPES.get(str(value).strip().casefold(), "concept")


def weight(value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # any object may come
    except (TypeError, ValueError):
        return 1.0
    return 1.0 if math.isnan(number) else min(1.0, max(0.0, number))
