"""Memories: what is kept of a user."""

import json
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field
from starlette.responses import Response

from tools.memory.records import SENSITIVE_PERMISSION, Memory, MemoryFilter, MemoryQuery, StoryGuard
from tools.wording import Words
from wenmai.errors import InputError
from wenmai.inputs import FieldError, query_from
from wenmai.web.api.access import horizon_for, services_of, viewer
from wenmai.web.rest.endpoints import Call, Resource
from wenmai.web.rest.paging import Guard, GuardedPaging, Page, Strict, page
from wenmai.web.rest.problems import NotFound
from wenmai.web.rest.viewers import Viewer

HIDDEN = Words("[敏感记忆]", "[sensitive memory]")
NO_MEMORY = Words("未找到记忆: {key}", "there is no memory {key}")
NEEDS_LIBRARY = Words("as_of_chapter 需要与 library 一起使用", "as_of_chapter needs library")
resource = Resource("memories")


class MemoryView(BaseModel):
    """A memory; of a sensitive one the text shows only with the permission sensitive_memory."""

    key: str
    type: str = Field(examples=["user_preference"])
    content: str
    summary: str | None
    keywords: list[str]
    is_sensitive: bool
    is_active: bool
    thread_id: str | None
    created_at: datetime
    valid_until: datetime | None = Field(description="Of one that a newer memory took the place of")
    superseded_by: str | None


class FoundView(BaseModel):
    """A memory with its relevance, 0..1."""

    memory: MemoryView
    relevance: float


class FoundPage(BaseModel):
    """The best memories for a question."""

    total: int
    items: list[FoundView]


class OfStory(Guard):
    """A spoiler guard for memories of conversations on a library."""

    library: str | None = Field(default=None, description="The library that as_of_chapter counts in")


class MemoryListQuery(OfStory, GuardedPaging):
    """Which memories are asked for."""

    type: str | None = None


class SearchQuery(OfStory):
    """What is looked for."""

    q: str = Field(min_length=1, examples=["数据库配置"])
    mode: Literal["recall", "semantic", "keyword", "hybrid"] = Field(
        default="recall", description="recall: as the agent recalls, with what was said before and after"
    )
    type: str | None = None
    days: int | None = Field(default=None, ge=1, le=365)
    limit: int = Field(default=5, ge=1, le=10)
    min_score: float = Field(default=0.5, ge=0, le=1)


class NewMemory(Strict):
    """Something to remember."""

    content: str = Field(min_length=1)
    type: str = "general"
    summary: str | None = None
    keywords: list[str] | None = Field(default=None, description="Default: extracted")
    is_sensitive: bool = False


class ChangedMemory(Strict):
    """What changes; what is left out stays."""

    content: str | None = Field(default=None, min_length=1)
    type: str | None = Field(default=None, min_length=1)
    summary: str | None = None
    keywords: list[str] | None = None


class MemoryDetail(BaseModel):
    """A memory, and what it took the place of, the newest first."""

    memory: MemoryView
    history: list[MemoryView]


class ForgetReceipt(BaseModel):
    """Where a memory was taken out."""

    memories: int = Field(description="Records, the history too")
    threads: int = Field(description="Conversations that had quoted it")
    traces: int
    caches: int


@resource.get("/memories", "List memories")
async def listed(call: Call[MemoryListQuery, None]) -> Page[MemoryView]:
    """List your active memories, the newest first."""
    services, who, query = await services_of(call), viewer(call), call.query
    guard = await guard_for(call)
    where = MemoryFilter(types=(query.type,) if query.type else ())
    if guard is None:
        total = await services.memories.count(who.user_id, where)
        rows = (await services.memories.scroll(who.user_id, where, query.offset + query.limit))[query.offset :]
        return page([view_of(one, who) for one in rows], total, query)
    shown = [one for one in await services.memories.scroll(who.user_id, where) if guard.shows(one)]
    rows = shown[query.offset : query.offset + query.limit]
    return page([view_of(one, who) for one in rows], len(shown), query)


@resource.get("/memories/search", "Search memories")
async def search(call: Call[SearchQuery, None]) -> FoundPage:
    """Search your memories."""
    services, who, query = await services_of(call), viewer(call), call.query
    asked = MemoryQuery(
        query=query_from(query.q, services.settings.max_question_chars),
        mode="hybrid" if query.mode == "recall" else query.mode,
        types=(query.type,) if query.type else (),
        days=query.days,
        limit=query.limit,
        min_score=query.min_score,
        guard=await guard_for(call),
        sees_sensitive=SENSITIVE_PERMISSION in who.permissions,
    )
    found = await services.memory_ranking.find(who.user_id, asked.around() if query.mode == "recall" else asked)
    items = [FoundView(memory=view_of(one.memory, who), relevance=round(one.relevance, 4)) for one in found.found]
    return FoundPage(total=found.total, items=items)


@resource.get("/memories/export", "Export memories")
async def export(call: Call[None, None]) -> Response:
    """Return your memories with their history as JSON lines, the oldest first; `wenmai memory import` reads them."""
    who = viewer(call)
    rows = await (await services_of(call)).memory_service.export(who.user_id)
    lines = [json.dumps(masked(row, who), ensure_ascii=False) + "\n" for row in rows]
    headers = {"content-disposition": 'attachment; filename="memories.jsonl"'}
    return Response("".join(lines), media_type="application/jsonl; charset=utf-8", headers=headers)


@resource.post("/memories", "Remember", status=201)
async def add(call: Call[None, NewMemory]) -> MemoryView:
    """Remember one thing."""
    new, who = call.body, viewer(call)
    memory = await (await services_of(call)).memory_service.add(
        who.user_id,
        new.content,
        memory_type=new.type,
        summary=new.summary,
        keywords=new.keywords,
        content_metadata={"sensitive": True} if new.is_sensitive else None,
    )
    return view_of(memory, who)


@resource.get("/memories/{key}", "Get a memory")
async def one(call: Call[None, None]) -> MemoryDetail:
    """Return a memory with its history."""
    who, key = viewer(call), call.part("key")
    rows = await (await services_of(call)).memory_service.history(who.user_id, key)
    if not rows:
        raise NotFound("key", NO_MEMORY.of(key=key[:80]))
    views = [view_of(row, who) for row in rows]
    return MemoryDetail(memory=views[0], history=views[1:])


@resource.patch("/memories/{key}", "Change a memory")
async def change(call: Call[None, ChangedMemory]) -> MemoryView:
    """Change a memory; its older state stays as history."""
    who, key, body = viewer(call), call.part("key"), call.body
    changes: dict[str, Any] = body.model_dump(exclude_unset=True)
    if "type" in changes:
        changes["memory_type"] = changes.pop("type")
    service = (await services_of(call)).memory_service
    if not await service.history(who.user_id, key):
        raise NotFound("key", NO_MEMORY.of(key=key[:80]))
    return view_of(await service.update(who.user_id, key, **changes), who)


@resource.delete("/memories/{key}", "Forget a memory")
async def forget(call: Call[None, None]) -> ForgetReceipt:
    """Forget a memory with its history, wherever it went: store, conversations, traces, caches."""
    who, key = viewer(call), call.part("key")
    try:
        receipt = await (await services_of(call)).forget(who.user_id, [key])
    except InputError as error:
        raise NotFound("key", str(error)) from error
    return ForgetReceipt(
        memories=receipt.memories, threads=receipt.threads, traces=receipt.traces, caches=receipt.caches
    )


async def guard_for(call: Call[Any, None]) -> StoryGuard | None:
    """Return the guard of a request. Raises FieldError for a chapter of no library."""
    library: str | None = call.query.library
    if library is None:
        if call.query.as_of_chapter is not None or call.query.as_of_part is not None:
            raise FieldError("query.library", NEEDS_LIBRARY)
        return None
    horizon = await horizon_for(call, library)
    return None if horizon is None else StoryGuard(library, horizon)


def masked(row: dict[str, Any], who: Viewer) -> dict[str, Any]:
    """Return an exported memory; of a sensitive one no text without the permission."""
    is_sensitive = (row.get("content_metadata") or {}).get("sensitive") is True
    if not is_sensitive or "sensitive_memory" in who.permissions:
        return row
    return {**row, "content": HIDDEN.say(), "summary": None, "keywords": []}


def view_of(memory: Memory, who: Viewer) -> MemoryView:
    """Return what is shown of a memory."""
    is_readable = memory.readable(who.permissions)
    return MemoryView(
        key=memory.memory_key,
        type=memory.memory_type,
        content=memory.content if is_readable else HIDDEN.say(),
        summary=memory.summary if is_readable else None,
        keywords=[one.keyword for one in memory.keywords] if is_readable else [],
        is_sensitive=memory.sensitive,
        is_active=memory.is_active,
        thread_id=memory.thread_id,
        created_at=memory.created_at,
        valid_until=memory.valid_until,
        superseded_by=memory.superseded_by,
    )
