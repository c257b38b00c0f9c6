"""Which memories of a user a search may find."""

from tools.memory.records import MemoryFilter
from wenmai.stores.records.conditions import Condition, Dated, Equals, Filter, all_of, one_of
from wenmai.stores.records.memory_payload import STATES, require_user


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
