"""Who owns a thread, an assistant or a cron job: the mark, the filter and the check, in one place."""

from collections.abc import Mapping
from typing import Any

from wenmai.application.caller import Caller
from wenmai.application.conversations import OWNER

MAKER = "created_by"  # LangGraph's mark of the assistants that it makes itself, one a graph,
SYSTEM = "system"  # and what stands there


def filter_of(user: str) -> dict[str, Any]:
    """Return the filter of what is a user's; signed with it, a thing is his."""
    return {OWNER: user}


def visible_to(user: str) -> dict[str, Any]:
    """Return the filter of the assistants that a user sees: the graphs' own, and his."""
    return {"$or": [filter_of(user), {MAKER: SYSTEM}]}


def owns(thing: Mapping[str, Any], caller: Caller) -> bool:
    """Return True if a thread or an assistant is a caller's."""
    return (thing.get("metadata") or {}).get(OWNER) == caller.user_id


def is_visible(assistant: Mapping[str, Any], caller: Caller | None) -> bool:
    """Return True if a caller may see an assistant: a graph's own, or the caller's. None is the server itself."""
    return caller is None or (assistant.get("metadata") or {}).get(MAKER) == SYSTEM or owns(assistant, caller)
