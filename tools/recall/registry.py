"""The registry of memory tools: descriptions, arguments, outputs and functions by name."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from state.context import Language
from tools.declarations import declare
from tools.recall.context import MemoryContext
from tools.recall.expand_context_window import expand_context_window
from tools.recall.extract_search_keywords import extract_search_keywords
from tools.recall.get_memory_detail import get_memory_detail
from tools.recall.handoff import handoff
from tools.recall.inputs import DetailInput, ExpandInput, HandoffInput, KeywordsInput, SearchInput
from tools.recall.outputs import (
    DetailOutput,
    ExpandOutput,
    HandoffOutput,
    KeywordsOutput,
    Output,
    SearchOutput,
)
from tools.recall.search_memories import search_memories


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
    """Return the declarations as `bind_tools` takes them; the set is fixed."""
    return [declare(tool.name, tool.description, tool.input_model, language) for tool in ENTRIES]
