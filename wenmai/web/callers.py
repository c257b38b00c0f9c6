"""Who sends a request, as authentication knows him."""

import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.authentication import BaseUser
from starlette.types import Scope

from state.account import AccountType
from tools.networks.records import Account
from wenmai.application.caller import NOT_YOURS, Caller
from wenmai.inputs import FieldError

FORBIDDEN = 403
SERVER = "langgraph_api.utils"


def caller_of(scope: Scope) -> Caller | None:
    """Return who sends a request, None where nobody was authenticated.

    Requests that the server makes of itself on the way (A2A, `on_behalf`) carry him in a context variable of its own.
    """
    return caller_from(scope.get("user")) or caller_from(inner_user())


def inner_user() -> object:
    """Return the user on whose behalf the server is at work, None outside of it."""
    if SERVER not in sys.modules:  # not on a LangGraph server, though it may be installed
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


def caller_from(user: Any) -> Caller | None:
    """Return an authenticated user as a caller."""
    if not isinstance(user, BaseUser) or not user.is_authenticated or not user.identity:
        return None
    as_dict = getattr(user, "dict", dict)  # what the server makes of a user has it
    known: Mapping[str, Any] = as_dict()
    kind: AccountType = known.get("account_type") or "user"  # a key's kind was checked when it was made
    return Caller(
        user_id=user.identity,
        key=str(known.get("key") or ""),
        permissions=frozenset(known.get("permissions") or ()),
        account=Account(known.get("account") or user.identity, kind),
        libraries=names_of(known.get("libraries")),
        networks=names_of(known.get("networks")),
        is_admin=known.get("is_admin") is True,
    )


def viewer_of(scope: Scope) -> Caller:
    """Return who sends a request; without keys it is the user of this machine, who may do everything."""
    return caller_of(scope) or Caller.local()


def names_of(given: Any) -> frozenset[str] | None:
    """Return the names that a key is limited to, None without a limit."""
    return None if given is None else frozenset(map(str, given))


def identity_problems(payload: object, caller: Caller | None) -> list[FieldError]:
    """Return every field by which a request claims another identity or more permissions."""
    if caller is None:
        return []
    return [
        FieldError(f"{path}.{name}", NOT_YOURS, FORBIDDEN)
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
