"""Memories as plain data, for exports, imports and callers."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, TypedDict

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from tools.errors import InputError
from tools.memory.records import GENERAL, Memory, MemoryKeyword, utc
from tools.messages import Message, say
from tools.reasons import reasons_of

Text = Annotated[str, Field(min_length=1)]
HIDDEN = "[敏感记忆]"  # stands for a sensitive text where it is not told; pages put it into their own words
NESTED_MOST = 32  # below the depth at which JSON parsers give up


def plain_json(value: dict[str, Any]) -> dict[str, Any]:
    """Return metadata that can be stored and read back; NaN, lone surrogates and deep nesting cannot."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise PydanticCustomError("plain_json", "{reason}", {"reason": say("memory.not_plain_json")}) from error
    if not is_flat(value, NESTED_MOST):
        raise PydanticCustomError("plain_json", "{reason}", {"reason": say("memory.not_plain_json")})
    return value


def is_flat(value: Any, most: int) -> bool:
    """Return True if lists and objects are nested at most so deep."""
    if not isinstance(value, dict | list):
        return True
    return most > 0 and all(is_flat(one, most - 1) for one in (value.values() if isinstance(value, dict) else value))


def keyword_object(value: Any) -> Any:
    return {"keyword": value} if isinstance(value, str) else value


class KeywordRow(BaseModel):
    keyword: Text
    weight: float = Field(default=1.0, ge=0, le=1)


class MemoryRow(BaseModel):
    """One memory in a JSONL file, or as a caller gives it; a date without offset is UTC."""

    model_config = ConfigDict(extra="ignore")

    memory_key: Text | None = None
    user_id: str | None = None
    content: Annotated[str, Field(min_length=1, pattern=r"\S")]
    memory_type: Text = GENERAL
    summary: str | None = None
    content_metadata: Annotated[dict[str, Any], AfterValidator(plain_json)] = Field(default_factory=dict)
    keywords: list[Annotated[KeywordRow, BeforeValidator(keyword_object)]] = Field(default_factory=list)
    agent_id: str | None = None
    thread_id: str | None = None
    created_at: datetime | None = None
    is_active: bool = True
    superseded_by: str | None = None
    valid_until: datetime | None = None


class MemoryFields(TypedDict, total=False):
    """Optional fields of a new memory, as a caller gives them; None counts as not given."""

    memory_key: str | None
    memory_type: str | None
    summary: str | None
    content_metadata: Mapping[str, Any] | None
    keywords: Sequence[str | Mapping[str, Any]] | None
    agent_id: str | None
    thread_id: str | None
    created_at: datetime | str | None


def to_memory(row: Mapping[str, Any], user_id: str, new_id: str, now: datetime) -> Memory:
    """Return a checked memory of this user. Raises InputError, naming every wrong field."""
    known = checked_row(row)
    if known.user_id not in (None, user_id):
        raise InputError(Message("memory.other_owner", owner=known.user_id, user=user_id))
    return Memory(
        memory_key=known.memory_key or new_id,
        user_id=user_id,
        content=known.content,
        created_at=utc(known.created_at or now),
        memory_type=known.memory_type,
        summary=known.summary,
        content_metadata=known.content_metadata,
        keywords=keyword_records(known.keywords),
        agent_id=known.agent_id,
        thread_id=known.thread_id,
        is_active=known.is_active,
        superseded_by=known.superseded_by,
        valid_until=known.valid_until and utc(known.valid_until),
    )


def checked_row(row: Mapping[str, Any]) -> MemoryRow:
    """Return a row with every field checked. Raises InputError."""
    try:
        return MemoryRow.model_validate(row)
    except ValidationError as error:
        raise InputError(Message("memory.wrong_fields", reasons=reasons_of(error))) from error


def keyword_records(rows: Sequence[KeywordRow]) -> tuple[MemoryKeyword, ...]:
    records = [MemoryKeyword(row.keyword, row.weight) for row in rows]
    return tuple({record.keyword: record for record in reversed(records)}.values())[::-1]


def to_row(memory: Memory) -> dict[str, Any]:
    """Return a memory as plain JSON; the inverse of `to_memory`."""
    return {
        "memory_key": memory.memory_key,
        "user_id": memory.user_id,
        "memory_type": memory.memory_type,
        "summary": memory.summary,
        "content": memory.content,
        "content_metadata": dict(memory.content_metadata),
        "keywords": [{"keyword": one.keyword, "weight": one.weight} for one in memory.keywords],
        "agent_id": memory.agent_id,
        "thread_id": memory.thread_id,
        "created_at": memory.created_at.isoformat(),
        "is_active": memory.is_active,
        "superseded_by": memory.superseded_by,
        "valid_until": memory.valid_until and memory.valid_until.isoformat(),
    }
