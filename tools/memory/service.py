"""The service that stores, updates, deletes and exports memories; models cannot call it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Unpack

from tools.errors import InputError
from tools.memory.interchange import MemoryFields, checked_row, keyword_records, to_memory, to_row
from tools.memory.keywords import Segment, embedded_text, extract_keywords
from tools.memory.ranking import turn_order
from tools.memory.records import Memory, MemoryFilter
from tools.messages import Message, Names
from tools.ports import Embedder, MemoryStore

CHANGEABLE = ("content", "memory_type", "summary", "content_metadata", "keywords")


@dataclass(frozen=True, slots=True)
class MemoryService:
    """Changes the memories of a user. `changed` is called with the user after every write, for caches."""

    store: MemoryStore
    embedder: Embedder
    segment: Segment
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    changed: Callable[[str], None]

    async def add(self, user_id: str, content: str, **fields: Unpack[MemoryFields]) -> Memory:
        """Store one memory; keywords are extracted if none are given. Raises as `new`."""
        [stored] = await self.put([await self.new(user_id, content, **fields)])
        return stored

    async def new(self, user_id: str, content: str, **fields: Unpack[MemoryFields]) -> Memory:
        """Return a memory that may be stored.

        Raises:
            InputError: a field is wrong, or the key is taken.
            TypeError: there is no such field.
        """
        if unknown := fields.keys() - MemoryFields.__annotations__.keys():
            raise TypeError(f"a memory has no field {', '.join(sorted(unknown))}")
        given = {name: value for name, value in fields.items() if value is not None}
        memory = to_memory({**given, "content": content}, user_id, self.new_id(), self.clock())
        if await self.store.get(user_id, [memory.memory_key]):
            raise InputError(Message("memory.key_taken", key=memory.memory_key))
        return memory

    async def put(self, memories: Sequence[Memory]) -> list[Memory]:
        """Store memories unchanged, but for missing keywords, which are extracted; the same key is replaced."""
        ready = [self._with_keywords(memory) for memory in memories]
        await self._write(ready, await self.embedder.embed_passages([embedded_text(memory) for memory in ready]))
        return ready

    async def update(self, user_id: str, memory_key: str, **changes: Any) -> Memory:
        """Change a memory; it keeps its key and gets a new date, and its older state stays as history.

        Takes content, memory_type, summary, content_metadata, keywords. Raises InputError for an unknown key.
        """
        known = await self._active(user_id, memory_key)
        newer = self._changed(known, changes)
        older = _outdated(replace(known, memory_key=self.new_id()), newer)
        vectors = await self.store.vectors(user_id, [memory_key])
        [vector] = await self.embedder.embed_passages([embedded_text(newer)])
        await self._write([older, newer], [vectors[memory_key], vector])
        return newer

    async def supersede(self, user_id: str, memory_key: str, newer: Memory) -> Memory:
        """Replace a memory by a newer one; the older one becomes inactive and keeps its dates."""
        known = await self._active(user_id, memory_key)
        if (newer.user_id, newer.memory_key != memory_key) != (user_id, True):
            raise InputError(Message("memory.not_a_successor", key=memory_key))
        vectors = await self.store.vectors(user_id, [memory_key])
        ready = self._with_keywords(newer)
        [vector] = await self.embedder.embed_passages([embedded_text(ready)])
        await self._write([ready, _outdated(known, ready)], [vector, vectors[memory_key]])
        return ready

    async def delete(self, user_id: str, memory_keys: Sequence[str], *, history: bool = True) -> int:
        """Delete memories, by default with their older states; return the number of deleted records."""
        older = [row for key in memory_keys for row in await self.history(user_id, key)] if history else []
        keys = list(dict.fromkeys((*memory_keys, *(row.memory_key for row in older))))
        count = await self.store.delete(user_id, keys)
        self.changed(user_id)
        return count

    async def history(self, user_id: str, memory_key: str) -> list[Memory]:
        """Return a memory and what it superseded, the newest first; [] for an unknown key."""
        chain = await self.store.get(user_id, [memory_key])
        for memory in chain:  # grows while it is read
            where = MemoryFilter(active=None, superseded_by=memory.memory_key)
            known = {row.memory_key for row in chain}
            chain += [row for row in await self.store.scroll(user_id, where) if row.memory_key not in known]
        return chain

    async def export(self, user_id: str) -> list[dict[str, Any]]:
        """Return every memory of a user as plain data, the oldest first."""
        rows = await self.store.scroll(user_id, MemoryFilter(active=None))
        return [to_row(memory) for memory in sorted(rows, key=turn_order)]

    async def _active(self, user_id: str, memory_key: str) -> Memory:
        found = [row for row in await self.store.get(user_id, [memory_key]) if row.is_active]
        if not found:
            raise InputError(Message("memory.not_found", key=memory_key))
        return found[0]

    def _with_keywords(self, memory: Memory) -> Memory:
        if memory.keywords:
            return memory
        text = "\n".join(part for part in (memory.summary, memory.content) if part)
        return replace(memory, keywords=extract_keywords(text, self.segment))

    def _changed(self, memory: Memory, changes: Mapping[str, Any]) -> Memory:
        """Return a memory with its changes checked; with a new content its keywords are extracted anew."""
        if unknown := changes.keys() - set(CHANGEABLE):
            raise InputError(Message("memory.not_changeable", names=Names(sorted(unknown)), known=Names(CHANGEABLE)))
        row = checked_row({"content": memory.content, **changes})
        stale = "content" in changes and not row.keywords
        keywords = () if stale else keyword_records(row.keywords) or memory.keywords
        plain = {name: getattr(row, name) for name in changes if name != "keywords"}
        return self._with_keywords(replace(memory, **plain, keywords=keywords, created_at=self.clock()))

    async def _write(self, memories: Sequence[Memory], vectors: Sequence[Sequence[float]]) -> None:
        await self.store.put(memories, vectors)
        for user in {memory.user_id for memory in memories}:
            self.changed(user)


def _outdated(memory: Memory, newer: Memory) -> Memory:
    return replace(memory, is_active=False, superseded_by=newer.memory_key, valid_until=newer.created_at)
