"""search_memories: the memories of the run's user by meaning, by keywords, or both."""

import logging

from tools.errors import ModelError
from tools.formatting import CUT_MARK
from tools.memory.records import FoundMemory, MemoryQuery
from tools.messages import say
from tools.recall.context import MemoryContext
from tools.recall.inputs import SearchInput
from tools.recall.keywords import ExpandRequest
from tools.recall.outputs import MemoryItem, SearchOutput

SEARCHES_ROW_MOST = 3
SEARCHES_MOST = 10
PREVIEW_CHARACTERS = 200

logger = logging.getLogger(__name__)


async def search_memories(arguments: SearchInput, call: MemoryContext) -> SearchOutput:
    """Return the best memories, or a refusal beyond the limits. Raises StoreError, ModelError."""
    if refusal := refused(call):
        return SearchOutput(success=False, message=refusal)
    given = tuple(arguments.keywords or ())
    expanded = await expansion(arguments, given, call)
    query = MemoryQuery(
        query=arguments.query,
        mode=arguments.search_mode,
        keywords=given,
        expanded=tuple(word for word in expanded or () if word not in given),
        types=tuple(arguments.memory_types or ()),
        days=arguments.time_range_days,
        limit=arguments.limit,
        min_score=arguments.min_relevance_score,
        guard=call.guard,
        sees_sensitive=call.sees_sensitive,
    )
    found = await call.store.find(call.user_id, query)
    results = [item(one) for one in found.found]
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


def refused(call: MemoryContext) -> str | None:
    """Return the reason against a further search now, None if one may be made."""
    if call.searches >= SEARCHES_MOST:
        return say("recall.searches_in_all", count=SEARCHES_MOST)
    if call.searches_in_row >= SEARCHES_ROW_MOST:
        return say("recall.searches_in_row", count=SEARCHES_ROW_MOST)
    return None


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


def item(found: FoundMemory) -> MemoryItem:
    """Return a memory as a row."""
    memory = found.memory
    return MemoryItem(
        memory_key=memory.memory_key,
        summary=memory.summary or "",
        content_preview=preview(memory.content),
        memory_type=memory.memory_type,
        relevance_score=round(found.relevance, 4),
        created_at=memory.created_at.isoformat(),
        keywords=[one.keyword for one in memory.keywords],
    )


def preview(content: str) -> str:
    """Return the first 200 characters, with "..." only if there are more."""
    return content if len(content) <= PREVIEW_CHARACTERS else content[:PREVIEW_CHARACTERS] + CUT_MARK
