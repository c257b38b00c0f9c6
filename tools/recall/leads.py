"""Memories around a search's results: an answer rarely repeats the words of its question."""

from tools.memory.records import MemoryQuery
from tools.recall.context import MemoryContext
from tools.recall.inputs import FOUND_LIMIT, SearchInput
from tools.recall.outputs import MemoryItem
from tools.recall.search_memories import item


async def leads(arguments: SearchInput, call: MemoryContext) -> list[MemoryItem]:
    """Return the memories in conversations around a search's query, best first; its filters apply.

    A search by keywords alone has none. Raises StoreError, ModelError.
    """
    if arguments.search_mode == "keyword":
        return []
    query = MemoryQuery(
        query=arguments.query,
        keywords=tuple(arguments.keywords or ()),
        types=tuple(arguments.memory_types or ()),
        days=arguments.time_range_days,
        limit=FOUND_LIMIT,
        guard=call.guard,
        sees_sensitive=call.sees_sensitive,
    )
    return [item(one) for one in (await call.store.find(call.user_id, query.around())).found]
