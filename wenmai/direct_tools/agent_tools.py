"""The agent's tools for a direct caller, who names in arguments what the agent has from its run."""

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field, TypeAdapter
from pydantic_core import to_jsonable_python

from state.context import Context
from state.schema import Evidence
from tools.arguments import KINDS, Model, checked, core_type, must_be, parse
from tools.base import Scope, Tool
from tools.dispatch import Outcome, Toolbox
from tools.memory.days import zone_named
from tools.networks.context import compact
from tools.ports import KeywordExpander
from tools.recall.context import Iteration, MemoryContext, MemoryReader
from tools.recall.dispatch import dispatch
from tools.recall.schemas import START_WINDOW, plain
from tools.recall.tools import WINDOW_MOST, MemoryTool
from tools.records import Horizon
from wenmai.app.opening import Opening
from wenmai.application.caller import Caller, Sessions, with_library
from wenmai.application.passages import LastPlace
from wenmai.direct_tools.calls import (
    PART_OF_GUARD,
    Arguments,
    ToolReply,
    ToolView,
    language_of,
    require_open,
    split,
    tool_view,
)
from wenmai.inputs import context_from

Kind = Literal["story", "narrative", "documents", "knowledge"]


class OfLibrary(BaseModel):
    """What a tool on a story takes besides its own arguments."""

    library: str = Field(description="资料库的名称（见 list_libraries）")
    as_of_chapter: int | None = Field(default=None, ge=0, description="防剧透：只看到这一章为止")
    as_of_part: int | None = Field(default=None, ge=1, description=PART_OF_GUARD)


class OfSession(BaseModel):
    """What a tool on uploaded documents takes besides its own arguments."""

    session_id: str = Field(description="文档所在的会话：上传时的 session_id")


class OfNetworks(BaseModel):
    """What the tool on networks takes besides its own arguments: `kn_ids` is one of those."""

    session_id: str | None = Field(
        default=None, description="会话ID，保存召回的 schema；关键词召回时必须与召回 schema 时相同"
    )
    compact: bool = Field(default=False, description="精简结果：去掉空值，超过 200 个字符的值截断")


EVIDENCE = TypeAdapter(list[Evidence])


class Found(BaseModel):
    """The form of what tools on stories and documents find."""

    result: Any
    evidence: list[Evidence]
    as_of: LastPlace | None = None


BESIDE: Mapping[Kind, type[BaseModel]] = {
    "story": OfLibrary,
    "narrative": OfLibrary,
    "documents": OfSession,
    "knowledge": OfNetworks,
}
FOUND = TypeAdapter(Found).json_schema()


@dataclass(frozen=True, slots=True)
class AgentTool:
    kind: Kind
    tool: Tool
    toolbox: Toolbox
    opening: Opening
    sessions: Sessions | None = None

    @property
    def declaration(self) -> ToolView:
        """Its own arguments and those of its kind. Answers on networks have forms of their own (specification S001)."""
        results = None if self.kind == "knowledge" else FOUND
        return tool_view(self.tool.name, self.tool.description, self.tool.arguments, BESIDE[self.kind], results=results)

    async def __call__(self, arguments: Arguments, caller: Caller) -> ToolReply:
        beside, own = split(arguments, BESIDE[self.kind])
        given = given_beside(BESIDE[self.kind], beside).model_dump(exclude_none=True)
        session, is_compact = given.pop("session_id", None), given.pop("compact", False)
        thread = session
        if session is not None and self.kind == "documents" and self.sessions is not None:
            thread = await self.sessions(caller, session, with_documents=True)
        require_open(networks := networks_of(self.tool, own), caller.networks)
        context = context_from({"toolkits": [self.kind], **given}) if self.kind != "knowledge" else Context()
        # the tool of networks itself says what is wrong with one
        async with nullcontext() if self.kind == "knowledge" else self.opening.reading(context):
            horizon = await self.opening.horizon(context)
            scope = Scope(
                library=context.library,
                horizon=horizon,
                user_id=caller.user_id or None,
                thread_id=thread,
                language=language_of(arguments),
                permissions=caller.permissions,
                session_id=session,
                account=caller.account,
                kn_ids=networks,
            )
            reply = reply_of(self.kind, await self.toolbox.run(self.tool.name, own, scope, 1), horizon)
            return reply.model_copy(update={"structured": compact(reply.structured)}) if is_compact else reply


def given_beside(model: type[Model], arguments: Arguments) -> Model:
    """Return what stands beside a tool's own arguments: only those are coerced, here a text is no number.

    Raises ArgumentError.
    """
    for name, value in arguments.items():
        kind = core_type(model.model_fields[name].annotation)
        is_wrong = isinstance(value, str) if kind is int else kind is bool and not isinstance(value, bool | None)
        if is_wrong:
            raise must_be(KINDS[kind], name, value)
    return parse(model, arguments)


def networks_of(tool: Tool, arguments: Arguments) -> Sequence[str]:
    """Return the networks that a call names: a direct caller has no run that limits them."""
    parsed, _ = checked(tool.arguments, arguments)
    return getattr(parsed, "kn_ids", None) or ()


def reply_of(kind: Kind, outcome: Outcome, horizon: Horizon | None) -> ToolReply:
    """Return what a tool gave as an object: of networks its own, else its data with the evidence and the guard."""
    result = outcome.result
    if result is None or (not outcome.ok and kind != "knowledge"):
        return ToolReply(structured=json.loads(outcome.content), text=outcome.content, ok=False)
    data = to_jsonable_python(result.data)
    guard = {"as_of": {"part": horizon.part, "chapter": horizon.chapter}} if horizon else {}
    structured = (
        data if kind == "knowledge" else {"result": data, "evidence": EVIDENCE.dump_python(result.evidence), **guard}
    )
    return ToolReply(structured=structured, text=outcome.content, ok=outcome.ok)


class Guarded(BaseModel):
    """The spoiler guard: memories that tell more of a story than its reader knows are not seen."""

    library: str | None = Field(default=None, description="防剧透所指的资料库，只与 as_of_chapter 一起使用")
    as_of_chapter: int | None = Field(default=None, ge=0, description="防剧透：不出现透露这一章之后内容的记忆")
    as_of_part: int | None = Field(default=None, ge=1, description=PART_OF_GUARD)


class OfWindow(Guarded):
    """What expand_context_window takes besides: a direct caller holds the messages, no run knows their number."""

    current_size: int = Field(default=START_WINDOW, ge=1, le=WINDOW_MOST, description="当前使用的消息数")


class OfEnd(Guarded):
    """What handoff takes besides; its answer has no place for them, a run knows its own."""

    iteration_used: int = Field(default=1, ge=1, description="完成时使用的迭代轮数")
    context_window_used: int = Field(default=START_WINDOW, ge=1, description="最终使用的上下文窗口大小（消息数）")


BESIDE_MEMORIES: Mapping[str, type[Guarded]] = {"expand_context_window": OfWindow, "handoff": OfEnd}


@dataclass(frozen=True, slots=True)
class OwnMemoryTool:
    entry: MemoryTool
    reader: MemoryReader
    expander: KeywordExpander
    opening: Opening
    seconds: float

    @property
    def declaration(self) -> ToolView:
        """Its arguments with the guard; the user is none of them."""
        results, entry = self.entry.output_model.model_json_schema(), self.entry
        return tool_view(entry.name, entry.description, entry.input_model, self.beside, results=results)

    @property
    def beside(self) -> type[Guarded]:
        return BESIDE_MEMORIES.get(self.entry.name, Guarded)

    async def __call__(self, arguments: Arguments, caller: Caller) -> ToolReply:
        beside, own = split(arguments, self.beside)
        given = given_beside(self.beside, beside)
        fields = {"toolkits": ["memory"], **given.model_dump(include=set(Guarded.model_fields), exclude_none=True)}
        size = given.current_size if isinstance(given, OfWindow) else START_WINDOW
        _, context = await with_library(fields, self.opening.services.catalog, caller)
        if caller.user_id:
            await self.opening.open(context)
        call = MemoryContext(
            user_id=caller.user_id,
            store=self.reader,
            model=self.expander,
            iteration=Iteration(window=size, available=WINDOW_MOST),
            permissions=caller.permissions,
            seen=await self.known(own, caller),
            library=context.library,
            horizon=await self.opening.horizon(context),
            language=language_of(arguments),
            zone=zone_named(context.time_zone),
        )
        done = await dispatch(self.entry.name, own, call, self.seconds)
        structured = plain(done.output) if done.output else {}
        return ToolReply(structured=structured, text=done.content, ok=done.ok)

    async def known(self, arguments: Arguments, caller: Caller) -> Mapping[str, float]:
        keys = arguments.get("relevant_memory_keys")
        if not caller.user_id or not self.entry.is_handoff or not isinstance(keys, list):
            return {}
        named = [key for key in keys if isinstance(key, str)]
        return {key: 1.0 for key in named if await self.reader.get(caller.user_id, key) is not None}
