"""Forget a memory wherever it is kept: the store and its files, caches, threads, traces."""

import asyncio
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tools.errors import InputError
from tools.memory.service import MemoryService
from tools.wording import Names, Words
from wenmai.memories.quotes import Quotes
from wenmai.memories.threads import ThreadCounts

NO_MEMORIES = Words("未找到记忆：{keys}", "there is no memory {keys}")


ThreadCleaner = Callable[[str, Quotes], ThreadCounts]
"""Takes quotes out of the checkpoints of the threads that a user owns, wherever they are kept. Raises StoreError."""


class Rewritable(Protocol):
    """A store that can rewrite its files, so that nothing of a deleted record stays on the disk."""

    async def expect_rewrite(self) -> None:
        """Note that a rewrite is due, so that one that a crash prevents is made up for."""
        ...

    async def rewrite(self) -> None:
        """Write every remaining record into new files and remove the old ones."""
        ...


@dataclass(frozen=True, slots=True)
class Receipt:
    """How much was taken out where.

    Attributes:
        memories: records of the store, the history of a memory too.
        threads: conversations that had quoted it.
        traces: trace files that had.
        caches: what this process kept of the user's memories, to answer recalls faster.
    """

    memories: int
    threads: int
    traces: int
    caches: int = 0


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Forgets memories of a user; `cached` counts what caches keep of them."""

    service: MemoryService
    files: Rewritable
    threads: ThreadCleaner
    trace_dir: Path
    cached: Callable[[str], int]

    async def __call__(self, user_id: str, memory_keys: list[str]) -> Receipt:
        """Forget memories with their history. Raises InputError for an unknown key.

        The traces go first and the store last: a crash between the two leaves the memory findable, for another attempt.
        A crash behind the deletion leaves a note, and the next use of the store rewrites the files.
        """
        memories = [row for key in memory_keys for row in await self.service.history(user_id, key)]
        known = {row.memory_key for row in memories}
        if missing := [key for key in memory_keys if key not in known]:
            raise InputError(NO_MEMORIES.of(keys=Names(missing)))
        quotes = Quotes(tuple(memories))
        threads = await asyncio.to_thread(self.threads, user_id, quotes)
        traces = await asyncio.to_thread(clean_traces, self.trace_dir, user_id, threads, quotes)
        caches = self.cached(user_id)
        await self.files.expect_rewrite()
        count = await self.service.delete(user_id, sorted(known), history=False)
        await self.files.rewrite()
        return Receipt(memories=count, threads=len(threads.changed), traces=traces, caches=caches)


def clean_traces(folder: Path, user_id: str, threads: ThreadCounts, quotes: Quotes) -> int:
    """Clean the traces of the user's recalls and threads, and of deleted threads; return how many changed."""
    changed = 0
    for path in sorted(folder.glob("*.json")):
        try:
            text = path.read_text(encoding="utf-8")
            record = json.loads(text)
        except ValueError:
            continue  # no trace of ours
        if isinstance(record, dict) and _concerns(record, text, user_id, threads, quotes):
            clean = quotes.without(record)
            if clean is not record:
                _replace(path, clean)
                changed += 1
    return changed


def _concerns(record: dict[str, Any], text: str, user_id: str, threads: ThreadCounts, quotes: Quotes) -> bool:
    if "user_id" in record:  # of a recall
        return bool(record["user_id"] == user_id)
    thread = record.get("thread_id")
    if thread in threads.own:
        return True
    return thread not in threads.every and any(json.dumps(key, ensure_ascii=False)[1:-1] in text for key in quotes.keys)


def _replace(path: Path, record: dict[str, Any]) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
        file.write(json.dumps(record, ensure_ascii=False, indent=2))
    Path(name).replace(path)
