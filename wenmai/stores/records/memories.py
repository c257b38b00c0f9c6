"""Memories as every vector engine stores them, and which of them a search may find."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from tools.errors import InputError
from tools.memory.keywords import searched_text
from tools.memory.records import Keyword, Memory, MemoryFilter, RankedMemory
from tools.wording import Words
from wenmai.stores.records.conditions import Condition, Dated, Equals, Filter, all_of, one_of
from wenmai.stores.records.points import NewPoint, ScoredPoint, StoredPoint


def owned_by(user_id: str, *more: Condition) -> Filter:
    """Return the condition that every query holds. Raises InputError for a blank user."""
    return all_of(Equals("user_id", require_user(user_id)), *more)


def memory_filter(user_id: str, where: MemoryFilter) -> Filter:
    """Return the user and the conditions of `where`. Raises InputError for a blank user."""
    must: list[Condition] = []
    if where.active is not None:
        must.append(Equals("state", STATES[where.active]))
    if where.types:
        must.append(one_of("memory_type", where.types))
    if where.since is not None or where.until is not None:
        must.append(Dated("created_at", where.since, where.until))
    if where.thread_id is not None:
        must.append(Equals("thread_id", where.thread_id))
    if where.superseded_by is not None:
        must.append(Equals("superseded_by", where.superseded_by))
    return owned_by(user_id, *must)


NO_USER = Words("缺少 user_id：记忆只能按用户读写", "user_id is missing: memories are of a user")
# The engine compares a truth value as a number and finds none: a state is a word.
STATES = {True: "active", False: "inactive"}


def require_user(user_id: str) -> str:
    """Return a user_id that is not blank. Raises InputError."""
    if not user_id.strip():
        raise InputError(NO_USER)
    return user_id


def to_payload(memory: Memory) -> dict[str, Any]:
    """Return a memory as the engine stores it.

    Its metadata is one text: no query filters by it, and numbers and nested values come back as they were.
    """
    return {
        "user_id": require_user(memory.user_id),
        "memory_key": memory.memory_key,
        "memory_type": memory.memory_type,
        "summary": memory.summary,
        "content": memory.content,
        "content_metadata": json.dumps(dict(memory.content_metadata), ensure_ascii=False),
        "keywords": [[one.keyword, one.weight] for one in memory.keywords],
        "created_at": memory.created_at.isoformat(),
        "agent_id": memory.agent_id,
        "thread_id": memory.thread_id,
        "state": STATES[memory.is_active],
        "superseded_by": memory.superseded_by,
        "valid_until": None if memory.valid_until is None else memory.valid_until.isoformat(),
    }


def to_point(memory: Memory, vector: Sequence[float]) -> NewPoint:
    """Return a memory with its vector as a point to write."""
    return NewPoint(memory.id, vector, searched_text(memory), to_payload(memory))


def to_memory(record: StoredPoint) -> Memory:
    """Return a stored point as a memory."""
    payload = dict(record.payload or {})
    payload["content_metadata"] = json.loads(payload["content_metadata"])
    payload["keywords"] = tuple(Keyword(word, weight) for word, weight in payload["keywords"])
    payload["created_at"] = datetime.fromisoformat(payload["created_at"])
    payload["is_active"] = payload.pop("state") == STATES[True]
    until = payload["valid_until"]
    payload["valid_until"] = datetime.fromisoformat(until) if until else None
    return Memory(**payload)


def ranked(rows: Iterable[ScoredPoint], limit: int) -> list[RankedMemory]:
    """Return the best memories, of equal ones the newest."""
    known = [RankedMemory(to_memory(row), row.score) for row in rows]
    return sorted(known, key=lambda row: (-row.score, *newest_first(row.memory)))[:limit]


def newest_first(memory: Memory) -> tuple[float, str]:
    """Return the sort key of a memory by its date."""
    return -memory.created_at.timestamp(), memory.memory_key
