"""Whose things are on a LangGraph server, who makes the requests that it sends itself, and what others claim to be."""

import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from langgraph_sdk import Auth
from starlette.types import Scope

from tools.holding import holding
from tools.messages import Message
from wenmai.application.caller import Caller
from wenmai.application.conversations import OWNER
from wenmai.inputs import FieldError

SERVER = "langgraph_api.utils"
MAKER = "created_by"  # LangGraph's mark of the assistants that it makes itself, one a graph,
SYSTEM = "system"  # and what stands there


def user_in_progress() -> Any:
    """Return the user of a request that the server makes of itself (A2A, `on_behalf`), None without a server."""
    if SERVER not in sys.modules:  # it may be installed and not run
        return None
    from langgraph_api.utils import get_auth_ctx  # type: ignore[import-untyped]  # it has no types

    context = get_auth_ctx()
    return context.user if context else None


@asynccontextmanager
async def on_behalf(scope: Scope) -> AsyncIterator[None]:
    """Let requests that the server makes of itself in the block carry the user of this request."""
    if SERVER not in sys.modules:
        yield
        return
    from langgraph_api.utils import with_user

    async with with_user(scope.get("user"), scope.get("auth")):
        yield


@asynccontextmanager
async def in_place_of_user(caller: Caller) -> AsyncIterator[None]:
    """Let requests that the server makes of itself in the block carry a caller who is not the user of this request.

    It shows threads to their owner alone; one who removes another's may administer, which is checked before.
    """
    user = user_in_progress()
    if user is None or not user.is_authenticated or user.identity == caller.user_id:
        yield
        return
    from langgraph_api.auth.custom import SimpleUser  # type: ignore[import-untyped]  # as above
    from langgraph_api.utils import AuthContext

    own: Any = SimpleUser(caller.user_id)  # less of a mapping than the SDK says
    with holding(AuthContext, Auth.types.BaseAuthContext(permissions=[], user=own)):
        yield


def identity_problems(payload: object, caller: Caller | None) -> list[FieldError]:
    """Return every field by which a request claims another identity or more permissions."""
    if caller is None:
        return []
    return [
        FieldError(f"{path}.{name}", Message("access.identity_by_key"), 403)
        for path, context in contexts(payload)
        for name in claims(context, caller)
    ]


def claims(context: Mapping[str, Any], caller: Caller) -> Iterator[str]:
    """Yield the names of fields that are not the caller's; null and an empty list claim nothing."""
    own = {"user_id": caller.user_id, "account": caller.account.id, "account_type": caller.account.type}
    for name, value in own.items():
        if context.get(name) not in (None, value):
            yield name
    wanted = context.get("permissions")
    if isinstance(wanted, list) and not caller.permissions.issuperset(map(str, wanted)):
        yield "permissions"


def contexts(payload: object, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every context in a request: of a run, of each run of a batch, of a command."""
    if isinstance(payload, list):
        for at, one in enumerate(payload):
            yield from contexts(one, f"[{at}].")
    if not isinstance(payload, Mapping):
        return
    config = payload.get("config")
    holders = {"context": payload.get("context")}
    if isinstance(config, Mapping):
        holders["config.configurable"] = config.get("configurable")
    for name, value in holders.items():
        if isinstance(value, Mapping):
            yield f"{path}{name}", value
    if isinstance(payload.get("params"), Mapping):
        yield from contexts(payload["params"], f"{path}params.")


def owns(thing: Mapping[str, Any], caller: Caller) -> bool:
    return (thing.get("metadata") or {}).get(OWNER) == caller.user_id


def is_visible(assistant: Mapping[str, Any], caller: Caller | None) -> bool:
    """Return True if a caller may see an assistant: a graph's own, or the caller's. None is the server itself."""
    return caller is None or (assistant.get("metadata") or {}).get(MAKER) == SYSTEM or owns(assistant, caller)
