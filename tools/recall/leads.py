"""What the talk around a search's results leads to: an answer rarely repeats the words of its question."""

from tools.memory.records import MemoryQuery
from tools.recall.context import MemoryContext
from tools.recall.inputs import FOUND_LIMIT, SearchInput
from tools.recall.outputs import MemoryItem
from tools.recall.search_memories import item


async def leads(arguments: SearchInput, call: MemoryContext) -> list[MemoryItem]:
    """Return the memories that a search's query leans on, best first; its filters hold. Raises StoreError, ModelError.

    A search by keywords alone asks for nothing beside them.
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
    )
    found = await call.store.around(call.user_id, query)
    return [item(one, call) for one in found.found]
