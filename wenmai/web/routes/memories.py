"""Memories: what is kept of a user."""

import json
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from wenmai.application import memories as models
from wenmai.application.paging import USUAL, Days, Memories, Page, Score
from wenmai.web.dependencies import Limit, Offset, Operations, Reading, download, resource

JSON_LINES = "application/jsonl"
StoryLibrary = Annotated[str | None, Query(description="The library that as_of_chapter counts in")]
Keywords = Annotated[list[str], Query(description="A memory must contain one of these")]
SearchMode = Annotated[models.SearchWay, Query(description="recall: as the agent recalls, which is hybrid")]

router = resource("memories")


@router.get("/memories", summary="List memories")
async def listed(
    app: Operations,
    guard: Reading,
    library: StoryLibrary = None,
    type: str | None = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[models.MemoryView]:
    """List your active memories, the newest first."""
    return await app.memories.list(type=type, library=library, guard=guard, limit=limit, offset=offset)


@router.get("/memories/search", summary="Search memories")
async def search(
    app: Operations,
    guard: Reading,
    q: Annotated[str, Query(min_length=1, examples=["数据库配置"])],
    mode: SearchMode = "recall",
    type: str | None = None,
    days: Days = None,
    limit: Memories = 5,
    min_score: Score = 0.5,
    keyword: Keywords = [],  # noqa: B006  # FastAPI copies it
    library: StoryLibrary = None,
) -> models.FoundPage:
    """Search your memories."""
    return await app.memories.search(
        q,
        mode=mode,
        type=type,
        keyword=keyword,
        days=days,
        limit=limit,
        min_score=min_score,
        library=library,
        guard=guard,
    )


@router.get(
    "/memories/export",
    summary="Export memories",
    response_class=Response,
    responses={200: {"content": {JSON_LINES: {"schema": {"type": "string"}}}}},
)
async def export(app: Operations) -> Response:
    """Return your memories with their history as JSON lines, the oldest first; `wenmai memory import` reads them."""
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in await app.memories.export()]
    return download("".join(lines), JSON_LINES, "memories.jsonl")


@router.post("/memories", summary="Remember", status_code=201)
async def add(app: Operations, new: models.NewMemory) -> models.MemoryView:
    """Remember one thing."""
    return await app.memories.add(**new.model_dump())


@router.post("/memories/import", summary="Import memories")
async def import_rows(app: Operations, given: models.MemoryRows) -> models.ImportedMemories:
    """Keep memories as an export has them; one of the same key is replaced, what is stored already stays."""
    return await app.memories.load(given.memories, undated=given.undated)


@router.get("/memories/{key:path}", summary="Get a memory")
async def one(app: Operations, guard: Reading, key: str, library: StoryLibrary = None) -> models.MemoryDetail:
    """Return a memory with its history."""
    return await app.memories.get(key, library=library, guard=guard)


@router.patch("/memories/{key:path}", summary="Change a memory")
async def change(app: Operations, key: str, changes: models.ChangedMemory) -> models.MemoryView:
    """Change a memory; its older state stays as history."""
    return await app.memories.update(key, **changes.model_dump(exclude_unset=True))


@router.delete("/memories/{key:path}", summary="Forget a memory")
async def forget(app: Operations, key: str) -> models.ForgetReceipt:
    """Forget a memory with its history, wherever it went: store, conversations, traces, caches."""
    return await app.memories.forget(key)
