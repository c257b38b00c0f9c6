"""Memories: what is kept of a user."""

import json
from typing import Any

from starlette.responses import Response

from tools.memory.interchange import HIDDEN, to_memory
from tools.memory.records import SENSITIVE_PERMISSION, MemoryFilter, MemoryQuery, StoryGuard
from tools.wording import Words
from wenmai.app.clock import now
from wenmai.errors import InputError
from wenmai.inputs import FieldError, query_from
from wenmai.memories.files import key_of
from wenmai.memories.importing import import_memories
from wenmai.web.api.access import horizon_for, services_of, viewer
from wenmai.web.rest.endpoints import Call, Resource
from wenmai.web.rest.memory_views import (
    ChangedMemory,
    ForgetReceipt,
    FoundPage,
    FoundView,
    ImportedMemories,
    MemoryDetail,
    MemoryListQuery,
    MemoryRows,
    MemoryView,
    NewMemory,
    OfStory,
    SearchQuery,
    masked,
    view_of,
)
from wenmai.web.rest.paging import Page, page
from wenmai.web.rest.problems import NotFound

NO_MEMORY = Words("未找到记忆：{key}", "there is no memory {key}")
NEEDS_LIBRARY = Words("as_of_chapter 需要与 library 一起使用", "as_of_chapter needs library")
MASKED = Words(
    "敏感记忆的内容在导出时被隐去：请用有 sensitive_memory 权限的密钥重新导出",
    "sensitive memories were exported without their text: export again with a key that has the permission "
    "sensitive_memory",
)
resource = Resource("memories")


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
        keywords=tuple(query.keyword),
        days=query.days,
        limit=query.limit,
        min_score=query.min_score,
        guard=await guard_for(call),
        sees_sensitive=SENSITIVE_PERMISSION in who.permissions,
    )
    found = await services.memory_ranking.find(who.user_id, asked.around() if query.mode == "recall" else asked)
    items = [FoundView(memory=view_of(one.memory, who), relevance=round(one.relevance, 4)) for one in found.found]
    return FoundPage(total=found.total, items=items)


@resource.get("/memories/export", "Export memories", media="application/jsonl")
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
        memory_key=new.key,
        memory_type=new.type,
        summary=new.summary,
        keywords=new.keywords,
        content_metadata={"sensitive": True} if new.is_sensitive else None,
    )
    return view_of(memory, who)


@resource.post("/memories/import", "Import memories")
async def import_rows(call: Call[None, MemoryRows]) -> ImportedMemories:
    """Keep memories as an export has them; one of the same key is replaced, what is stored already stays."""
    who, service, at = viewer(call), (await services_of(call)).memory_service, now()
    rows = [to_memory(row, who.user_id, key_of(row), at) for row in call.body.memories]
    if any(row.content == HIDDEN and row.sensitive for row in rows):
        raise FieldError("memories", MASKED)
    done = await import_memories(service, rows, lambda _done, _total: None, at)
    return ImportedMemories(total=done.total, written=done.written, doubles=done.doubles)


@resource.get("/memories/{key}", "Get a memory")
async def one(call: Call[OfStory, None]) -> MemoryDetail:
    """Return a memory with its history."""
    who, key, guard = viewer(call), call.part("key"), await guard_for(call)
    known = await (await services_of(call)).memory_service.history(who.user_id, key)
    rows = [row for row in known if guard is None or guard.shows(row)]
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
