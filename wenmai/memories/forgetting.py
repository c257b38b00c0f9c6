"""Forget a memory wherever it is kept: the store and its files, caches, threads, traces."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from state.account import may_go_on
from tools.errors import InputError
from tools.language import HAN
from tools.memory.days import told_text
from tools.memory.records import Memory
from tools.memory.service import MemoryService
from tools.messages import Message, Names
from wenmai.observability.traces import replace_trace, stored_traces
from wenmai.stores.vectors.points import Collection

REMOVED = "[已删除]"
HAN_WEIGHT = 2.5  # a Han character says as much as two or three letters
WHOLE = 5  # weight of a whole text that is removed wherever it stands: 2 Han characters, 5 letters
SHORTEST = 20  # weight of a shared run that is a quote: 8 Han characters, 20 letters
SEED = 6  # characters that a run begins with
LONG_KEY = 8  # a shorter key may be an ordinary word: it is removed only where it is the whole text


@dataclass(frozen=True)
class Quotes:
    """The texts and keys of forgotten memories of one user."""

    memories: tuple[Memory, ...]

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys that name nothing any more."""
        return frozenset(memory.memory_key for memory in self.memories)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Whole texts, the longest first, also in the form that they have inside JSON."""
        said = [text for one in self.memories for text in (told_text(one), one.content, one.summary)]
        plain = [text for text in said if text and text.strip()]
        long = [text for text in plain if _weight(text) >= WHOLE]
        both = {form for text in long for form in (text, text.strip(), json.dumps(text, ensure_ascii=False)[1:-1])}
        return tuple(sorted(both, key=lambda text: (-len(text), text)))

    @cached_property
    def short_texts(self) -> frozenset[str]:
        """Texts of one short word: it may stand anywhere, and is removed only where it is the whole text."""
        said = (text for one in self.memories for text in (told_text(one), one.content, one.summary))
        return frozenset(text.strip() for text in said if text and 0 < _weight(text) < WHOLE)

    @cached_property
    def _seeds(self) -> dict[str, list[tuple[str, int]]]:
        seeds: dict[str, list[tuple[str, int]]] = {}
        for text in self.texts:
            for at in range(len(text) - SEED + 1):
                seeds.setdefault(text[at : at + SEED], []).append((text, at))
        return seeds

    def without(self, value: Any) -> Any:
        """Return plain data and messages without the evidence and the quotes; the same object where nothing was."""
        if isinstance(value, str):
            return self.without_quotes(value)
        if isinstance(value, dict):
            pairs = {key: self._field(value, key, one) for key, one in value.items()}
            return value if all(pairs[key] is value[key] for key in value) else pairs
        if isinstance(value, list | tuple):
            kept = [self.without(one) for one in value if not self._forgotten(one)]
            same = len(kept) == len(value) and all(new is old for new, old in zip(kept, value, strict=True))
            return value if same else type(value)(kept)
        return value if value is None or isinstance(value, int | float) else self._without_in_message(value)

    def _without_in_message(self, value: Any) -> Any:
        from langchain_core.messages import BaseMessage

        if not isinstance(value, BaseMessage):
            return value
        fields = {"content": value.content, "additional_kwargs": value.additional_kwargs}
        clean = self.without(fields)
        return value if clean is fields else value.model_copy(update=clean)

    def without_quotes(self, text: str) -> str:
        """Return a text with every quote replaced."""
        if text in self.keys:
            return REMOVED
        if text.strip() in self.short_texts:
            return REMOVED
        clean = text
        for whole in (*self.texts, *(key for key in self.keys if len(key) >= LONG_KEY)):
            clean = clean.replace(whole, REMOVED)
        clean = self._without_runs(clean)
        return text if clean == text else clean

    def _field(self, row: dict[Any, Any], name: Any, value: Any) -> Any:
        cites = row.get("evidence") in self.keys if isinstance(row.get("evidence"), str) else False
        return REMOVED if cites and name in ("quote", "location") and value else self.without(value)

    def _forgotten(self, row: Any) -> bool:
        """Return True if a row of a list is a forgotten memory: a piece of evidence, or a memory of a recall."""
        if not isinstance(row, dict):
            return False
        evidence = row.get("kind") == "memory" and row.get("id") in self.keys
        return evidence or ("memory_key" in row and row["memory_key"] in self.keys)

    def _without_runs(self, text: str) -> str:
        parts: list[str] = []
        at = kept = 0
        while at <= len(text) - SEED:
            end = self._run(text, at)
            if end:
                parts += [text[kept:at], REMOVED]
                at = kept = end
            else:
                at += 1
        return "".join([*parts, text[kept:]]) if parts else text

    def _run(self, text: str, at: int) -> int:
        """Return the end of the longest run that begins here and is part of a forgotten text, 0 if it is no quote."""
        best = 0
        for source, begin in self._seeds.get(text[at : at + SEED], ()):
            most = min(len(text) - at, len(source) - begin)
            length = next((n for n in range(most) if text[at + n] != source[begin + n]), most)
            if _weight(text[at : at + length]) >= SHORTEST:
                best = max(best, at + length)
        return best


def _weight(text: str) -> float:
    han = len(HAN.findall(text))
    return HAN_WEIGHT * han + sum(char.isalnum() for char in text) - han


@dataclass(frozen=True, slots=True)
class ThreadCounts:
    """The user's threads, those among all threads, and how many of the user's were changed."""

    own: frozenset[str]
    every: frozenset[str]
    changed: frozenset[str]


ThreadCleaner = Callable[[str, Quotes], ThreadCounts]
"""Takes quotes out of the checkpoints of the threads that a user owns, wherever they are kept. Raises StoreError."""


@dataclass(frozen=True, slots=True)
class ForgottenCounts:
    """How much was taken out where.

    Attributes:
        memories: records of the store, the history of a memory too.
        threads: conversations that had quoted it.
        traces: trace files that had.
        caches: what this process kept of the user's memories, to answer recalls faster.
        in_files: records whose words stay in files until the disk has room to rewrite them.
    """

    memories: int
    threads: int
    traces: int
    caches: int = 0
    in_files: int = 0


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Forgets memories of a user; `cached` counts what caches keep of them."""

    service: MemoryService
    files: Collection
    threads: ThreadCleaner
    trace_dir: Path
    cached: Callable[[str], int]

    async def __call__(self, user_id: str, memory_keys: list[str]) -> ForgottenCounts:
        """Forget memories with their history. Raises InputError for an unknown key.

        The traces go first and the store last: a crash between the two leaves the memory findable, for another attempt.
        Behind the deletion the files are rewritten; where a crash or a full disk prevents that, later.
        """
        memories = [row for key in memory_keys for row in await self.service.history(user_id, key)]
        known = {row.memory_key for row in memories}
        if missing := [key for key in memory_keys if key not in known]:
            raise InputError(Message("memory.none_of_keys", keys=Names(missing)))
        quotes = Quotes(tuple(memories))
        threads = await asyncio.to_thread(self.threads, user_id, quotes)
        traces = await asyncio.to_thread(clean_traces, self.trace_dir, user_id, threads, quotes)
        caches = self.cached(user_id)
        count = await self.service.delete(user_id, sorted(known), history=False)
        in_files = 0 if await self.files.clean() else count
        return ForgottenCounts(
            memories=count, threads=len(threads.changed), traces=traces, caches=caches, in_files=in_files
        )


def clean_traces(folder: Path, user_id: str, threads: ThreadCounts, quotes: Quotes) -> int:
    """Clean the traces of the user's recalls and threads, and of deleted threads; return how many changed."""
    changed = 0
    for path, record in stored_traces(folder):
        if _concerns(record, user_id, threads, quotes):
            clean = quotes.without(record)
            if clean is not record:
                replace_trace(path, clean)
                changed += 1
    return changed


def _concerns(record: dict[str, Any], user_id: str, threads: ThreadCounts, quotes: Quotes) -> bool:
    if "user_id" in record:
        return may_go_on(record["user_id"], user_id)
    thread = record.get("thread_id")  # a question of an older version
    if thread in threads.own:
        return True
    text = json.dumps(record, ensure_ascii=False)
    return thread not in threads.every and any(json.dumps(key, ensure_ascii=False)[1:-1] in text for key in quotes.keys)
