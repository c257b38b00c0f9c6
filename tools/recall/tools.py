"""The five memory tools of a recall: functions, descriptions, arguments and outputs by name."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from state.context import Language
from state.recall import HandedOff
from tools.arguments import declare, shown
from tools.errors import ModelError
from tools.formatting import CUT_MARK, dump, fit_json
from tools.language import affordable, cost
from tools.memory.days import asks_past, told_text
from tools.memory.records import FoundMemory, MemoryQuery
from tools.messages import Message, say
from tools.recall.context import Iteration, MemoryContext
from tools.recall.schemas import (
    FOUND_LIMIT,
    DetailInput,
    DetailOutput,
    ErrorCode,
    ExpandInput,
    ExpandOutput,
    ExpandRequest,
    HandoffInput,
    HandoffOutput,
    KeywordsInput,
    KeywordsOutput,
    MemoryItem,
    Output,
    SearchInput,
    SearchOutput,
    TypedKeyword,
    plain,
)

# Every message names a remedy; a list of wrong fields is one.
REMEDIES: Mapping[ErrorCode, Message] = MappingProxyType(
    {
        "timeout": Message("recall.remedy_timeout"),
        "permission_denied": Message("recall.remedy_permission_denied"),
        "not_found": Message("recall.remedy_not_found"),
        "database_error": Message("recall.remedy_database_error"),
    }
)
# The beginning of each tool's failure message.
FAILURES: Mapping[str, Message] = MappingProxyType(
    {
        "search_memories": Message("recall.search_failed"),
        "get_memory_detail": Message("recall.detail_failed"),
        "extract_search_keywords": Message("recall.keywords_failed"),
        "expand_context_window": Message("recall.window_failed"),
        "handoff": Message("recall.handoff_failed"),
    }
)
AND = "; "


def failed_output(name: str, code: ErrorCode, error: str, at: Iteration) -> Output:
    """Return the output of a tool that failed: its own form, with success=false, code and message with a remedy.

    Args:
        name: of the tool.
        code: of the failure.
        error: one line without secrets.
        at: the iteration of the recall.
    """
    message, remedy = say(FAILURES[name].key, error=error), REMEDIES.get(code)
    message = say("recall.with_remedy", error=message, remedy=str(remedy)) if remedy else message
    if name == "expand_context_window":
        return refused_expansion(at, message, code)
    if name == "handoff":
        return HandoffOutput(success=False, task_completed=False, message=message, error_code=code)
    if name == "search_memories":
        return SearchOutput(success=False, message=message, error_code=code)
    output = DetailOutput if name == "get_memory_detail" else KeywordsOutput
    return output(success=False, message=message, error_code=code)


SEARCHES_ROW_MOST = 3
SEARCHES_MOST = 10
PREVIEW_CHARACTERS = 200
LEAST_SHARE = 0.4  # share of the best score; among the first ten of 187 questions no evidence was below it

logger = logging.getLogger(__name__)


async def search_memories(arguments: SearchInput, call: MemoryContext) -> SearchOutput:
    """Return the best memories, or a refusal beyond the limits. Raises StoreError, ModelError."""
    if call.searches >= SEARCHES_MOST:
        return SearchOutput(success=False, message=say("recall.searches_in_all", count=SEARCHES_MOST))
    if call.searches_in_row >= SEARCHES_ROW_MOST:
        return SearchOutput(success=False, message=say("recall.searches_in_row", count=SEARCHES_ROW_MOST))
    query = to_query(arguments, call)
    expanded = await expansion(arguments, query.keywords, call)
    more = tuple(word for word in expanded or () if word not in query.keywords)
    found = await call.store.find(call.user_id, replace(query, expanded=more))
    results = [memory_row(one, call) for one in found.found]
    message = say("recall.found", total=found.total, returned=len(results)) if results else say("recall.nothing_found")
    if expanded is None and call.expands and arguments.search_mode != "keyword":
        message = say("recall.not_expanded", message=message)
    return SearchOutput(
        total_found=found.total,
        returned=len(results),
        results=results,
        search_query_expanded=", ".join(expanded) if expanded else None,
        message=message,
    )


def to_query(arguments: SearchInput, call: MemoryContext) -> MemoryQuery:
    return MemoryQuery(
        query=arguments.query,
        mode=arguments.search_mode,
        keywords=tuple(arguments.keywords or ()),
        types=tuple(arguments.memory_types or ()),
        days=arguments.time_range_days,
        limit=arguments.limit,
        min_score=arguments.min_relevance_score,
        guard=call.guard,
        sees_sensitive=call.sees_sensitive,
        past=asks_past(arguments.query),
        zone=call.zone,
    )


async def expansion(arguments: SearchInput, given: tuple[str, ...], call: MemoryContext) -> tuple[str, ...] | None:
    """Return the given keywords with the model's, None without an answer of the model."""
    if not call.expands or arguments.search_mode == "keyword":
        return None
    request = ExpandRequest(query=arguments.query, given=given)
    try:
        found = await call.store.expand(call.user_id, call.model, request)
    except (ModelError, TimeoutError) as error:
        logger.warning("keywords were not expanded: %s", error)
        return None
    return tuple(dict.fromkeys([*given, *(one.keyword for one in found.keywords)]))


def memory_row(found: FoundMemory, call: MemoryContext) -> MemoryItem:
    memory = found.memory
    return MemoryItem(
        memory_key=memory.memory_key,
        summary=memory.summary or "",
        content_preview=preview(told_text(memory, call.zone)),
        memory_type=memory.memory_type,
        relevance_score=round(found.relevance, 4),
        created_at=memory.created_at.isoformat(),
        keywords=[one.keyword for one in memory.keywords],
    )


def preview(content: str) -> str:
    """Return the first 200 characters, with "..." only if there are more."""
    return content if len(content) <= PREVIEW_CHARACTERS else content[:PREVIEW_CHARACTERS] + CUT_MARK


async def leads(arguments: SearchInput, call: MemoryContext) -> list[MemoryItem]:
    """Return what was said in the conversations of a search's results, best first; its filters apply.

    A search by keywords alone has none. Raises StoreError, ModelError.
    """
    if arguments.search_mode == "keyword":
        return []
    query = replace(to_query(arguments, call), mode="hybrid", limit=FOUND_LIMIT, min_score=0.0)
    found = (await call.store.find(call.user_id, query)).found
    least = LEAST_SHARE * max((one.score for one in found), default=0.0)
    talks = {one.memory.thread_id for one in found if one.relevance >= arguments.min_relevance_score} - {None}
    return [memory_row(one, call) for one in found if one.memory.thread_id in talks and one.score >= least]


CONTENT_BYTES = 102_400


async def get_memory_detail(arguments: DetailInput, call: MemoryContext) -> Output:
    """Return a memory from the offset on. Unknown, inactive and foreign keys get one refusal. Raises StoreError."""
    key = arguments.memory_key
    memory = await call.store.get(call.user_id, key, past=key in call.seen or key in call.leads)
    if memory is None or not (call.guard is None or call.guard.shows(memory)):
        error = say("recall.unknown_memory", key=shown(key))
        message = say("recall.with_remedy", error=error, remedy=str(REMEDIES["not_found"]))
        return DetailOutput(success=False, message=message, error_code="not_found")
    if not memory.readable(call.permissions):
        return failed_output(
            "get_memory_detail", "permission_denied", say("recall.sensitive_forbidden"), call.iteration
        )
    told = told_text(memory, call.zone)
    content, size = cut(told)
    truncated = content != told
    return DetailOutput(
        memory_key=memory.memory_key,
        summary=memory.summary or "",
        content=content[arguments.offset :],
        memory_type=memory.memory_type,
        created_at=memory.created_at.isoformat(),
        metadata=dict(memory.content_metadata),
        truncated=truncated,
        original_size=size,
        message=say("recall.detail_cut", size=size) if truncated else say("recall.detail"),
    )


def cut(content: str) -> tuple[str, int]:
    """Return at most 100 KB of a text, cut between two characters, and the size of the whole text in bytes."""
    raw = content.encode("utf-8", "surrogatepass")
    if len(raw) <= CONTENT_BYTES:
        return content, len(raw)
    return raw[:CONTENT_BYTES].decode("utf-8", "ignore"), len(raw)


def detail_within(output: DetailOutput, offset: int, budget: int) -> str:
    """Return a memory, from `offset` on, as JSON text within a budget: what fits, and where to go on."""
    about = {"summary": output.summary, "metadata": output.metadata}
    if cost(dump(about)) > budget // 2:
        about = json.loads(fit_json(about, budget // 2))
    output = output.model_copy(update=about)
    whole = cut_to(output, len(output.content), offset)
    bare = plain(whole.model_copy(update={"content": ""}))
    quoted = dump(output.content)[1:-1]
    escaped = accumulate(len(dump(letter)) - len('""') for letter in output.content)
    room = affordable(quoted, max(0, budget - cost(dump(bare))))
    count = sum(1 for _ in takewhile(lambda width: width <= room, escaped))
    is_all = count == len(output.content)  # then nothing need be said of a rest
    return dump(plain(output.model_copy(update={"truncated": True}) if is_all else cut_to(output, count, offset)))


def cut_to(output: DetailOutput, count: int, offset: int) -> DetailOutput:
    """Return a memory with the first `count` characters of its content alone."""
    end = offset + count
    message = say("recall.detail_part", size=output.original_size, offset=offset, shown=count, next=end)
    part = {"content": output.content[:count], "truncated": True, "next_offset": end, "message": message}
    return output.model_copy(update=part)


async def extract_search_keywords(arguments: KeywordsInput, call: MemoryContext) -> KeywordsOutput:
    request = ExpandRequest(query=arguments.query, context=arguments.context, most=arguments.max_keywords)
    found = await call.store.expand(call.user_id, call.model, request)
    words = [TypedKeyword(keyword=one.keyword, weight=one.weight, type=one.type) for one in found.keywords]
    kept = words[: arguments.max_keywords]
    return KeywordsOutput(
        keywords=kept, expanded_query=found.expanded_query, message=say("recall.keywords_extracted", count=len(kept))
    )


WINDOW_MOST = 50


async def expand_context_window(arguments: ExpandInput, call: MemoryContext) -> ExpandOutput:
    """Approve a larger window if there are more messages, or refuse; the real window counts."""
    at = call.iteration
    if at.number >= at.most:
        return refused_expansion(at, say("recall.window_last_iteration", most=at.most))
    if arguments.requested_size <= at.window:
        return refused_expansion(at, say("recall.window_not_larger", size=at.window))
    size = min(arguments.requested_size, at.available, WINDOW_MOST)
    if size <= at.window:
        return refused_expansion(at, say("recall.no_older_messages"))
    number = at.number + 1
    message = say("recall.window_expanded", size=size, iteration=number)
    return ExpandOutput(approved=True, new_size=size, iteration=number, max_iterations=at.most, message=message)


def refused_expansion(at: Iteration, message: str, code: ErrorCode | None = None) -> ExpandOutput:
    return ExpandOutput(
        approved=False,
        new_size=at.window,
        iteration=at.number,
        max_iterations=at.most,
        message=message,
        error_code=code,
    )


async def handoff(arguments: HandoffInput, call: MemoryContext) -> HandoffOutput:
    settled = checked_handoff(arguments, call)
    return HandoffOutput(message=handoff_message(settled), dropped_keys=[shown(key) for key in settled["dropped"]])


def checked_handoff(arguments: HandoffInput, call: MemoryContext) -> HandedOff:
    """Return the checked handoff: without unseen keys, with reason and question."""
    wanted = list(dict.fromkeys(arguments.relevant_memory_keys or ()))
    known = call.seen.keys() | call.leads
    keys = [key for key in wanted if key in known]
    question = arguments.follow_up_question if arguments.needs_more_info else None
    return HandedOff(
        reason=arguments.reason or say("recall.reason_found" if keys else "recall.nothing_found"),
        search_summary=arguments.search_summary,
        confidence=arguments.confidence,
        keys=keys,
        dropped=[key for key in wanted if key not in known],
        needs_more_info=arguments.needs_more_info,
        follow_up_question=(question or say("recall.follow_up")) if arguments.needs_more_info else None,
    )


def automatic(seen: Mapping[str, float], text: str = "") -> HandedOff:
    """Return the handoff of a recall without one: the memories found so far."""
    keys = sorted(seen, key=lambda key: -seen[key])
    summary = text.strip() or (say("recall.summary_found", count=len(keys)) if keys else say("recall.nothing_found"))
    return HandedOff(
        reason=say("recall.reason_cap"),
        search_summary=summary,
        confidence=max(seen.values(), default=0.0),
        keys=keys,
        dropped=[],
        needs_more_info=False,
        follow_up_question=None,
    )


def handoff_message(ended: HandedOff) -> str:
    """Return the message for the calling agent; parts without content are left out."""
    parts = [
        say("recall.handoff", confidence=ended["confidence"]),
        say("recall.handoff_summary", text=ended["search_summary"]),
        say("recall.handoff_reason", text=ended["reason"]),
        *([say("recall.handoff_keys", count=len(ended["keys"]))] if ended["keys"] else []),
        *(f"- {key}" for key in ended["keys"]),
    ]
    if ended["needs_more_info"] and ended["follow_up_question"]:
        parts.append(say("recall.handoff_question", text=ended["follow_up_question"]))
    return "\n".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTool:
    """One entry: `func` takes an `input_model` and the context, and returns an `output_model`."""

    name: str
    description: str
    input_model: type[BaseModel]
    output_model: type[BaseModel]
    func: Callable[[Any, MemoryContext], Awaitable[Output]]
    is_expansion: bool = False
    is_handoff: bool = False


ENTRIES = (
    MemoryTool(
        name="search_memories",
        description="搜索用户的历史记忆。使用场景: 1. 用户提到之前讨论过的话题时 2. 需要了解用户偏好或历史操作时 "
        "3. 需要验证或引用之前的结论时 4. 上下文出现不明确的引用时（如"
        '"按照之前的配置"）。搜索策略: 模糊查询用 semantic，有明确关键词用 keyword，不确定用默认 hybrid。'
        '示例: "我之前的数据库配置" -> keywords=["数据库", "配置"]; '
        '"上次的方案" -> search_mode="semantic", query="上次讨论的方案"',
        input_model=SearchInput,
        output_model=SearchOutput,
        func=search_memories,
    ),
    MemoryTool(
        name="get_memory_detail",
        description="获取特定记忆的完整内容。使用场景: 1. 返回的记忆摘要不完整 2. 需要查看具体内容细节 "
        "3. 需要确认具体元数据。必须通过 search_memories 获取 memory_key 后再调用此工具",
        input_model=DetailInput,
        output_model=DetailOutput,
        func=get_memory_detail,
    ),
    MemoryTool(
        name="extract_search_keywords",
        description="从复杂查询中提取关键词（辅助工具）。使用场景: 1. 用户查询很长很复杂 2. 不确定应该搜索哪些关键词 "
        "3. 需要系统性地分析用户意图。通常不需要直接调用，search_memories 会自动处理关键词提取",
        input_model=KeywordsInput,
        output_model=KeywordsOutput,
        func=extract_search_keywords,
    ),
    MemoryTool(
        name="expand_context_window",
        description="请求拓展上下文窗口大小。使用场景: 1. 搜索结果不理想，需要更多历史消息 2. 涉及久远的对话 "
        "3. 当前上下文不足以理解用户意图。重要: 调用此工具后会立即结束当前迭代，系统将重新发起调用并提供更多消息！"
        '此工具只能在未达到最大迭代次数时使用。示例: reason="搜索结果太少，需要查看更早的对话来找到相关记忆", '
        "requested_size=10",
        input_model=ExpandInput,
        output_model=ExpandOutput,
        func=expand_context_window,
        is_expansion=True,
    ),
    MemoryTool(
        name="handoff",
        description="完成记忆搜索任务并结束 Agent。使用场景: 1. 已整理出结果 2. 无法找到相关记忆，需要报告完成情况 "
        "3. 已达到最大迭代次数，必须结束。重要: 调用此工具后回忆会立即结束！这是唯一的正常退出方式。"
        '示例: reason="已找到3个相关记忆，搜索完成" 或 "达到最大迭代次数，返回当前最佳结果"',
        input_model=HandoffInput,
        output_model=HandoffOutput,
        func=handoff,
        is_handoff=True,
    ),
)
REGISTRY: Mapping[str, MemoryTool] = MappingProxyType({tool.name: tool for tool in ENTRIES})


def declarations(language: Language = "zh") -> list[dict[str, Any]]:
    return [declare(tool.name, tool.description, tool.input_model, language) for tool in ENTRIES]
