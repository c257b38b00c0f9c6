"""The entry file of `auth`: who a request is from, and whose resources it may touch.

`langgraph.json` sets `disable_studio_auth`: else a header that Studio sends would let anybody in under `langgraph dev`.
Nothing is read when this file is loaded.
"""

import hashlib
from collections.abc import MutableMapping
from typing import Any

from langgraph_sdk import Auth

from wenmai.app.container import services_in_thread
from wenmai.application.conversations import OWNER
from wenmai.web.authentication import user_of_request
from wenmai.web.langgraph.identity import MAKER, SYSTEM

CHANGES = ("create", "create_run", "update")

auth = Auth()
Context = Auth.types.AuthContext
Value = MutableMapping[str, Any]


@auth.authenticate
async def authenticate(scope: dict[str, Any]) -> Auth.types.MinimalUserDict:
    """Return the user of a request's key."""
    return await user_of_request(scope, (await services_in_thread()).keys)


@auth.on
async def nothing_else(ctx: Context, value: Value) -> bool:
    """Refuse what no handler below knows."""
    return not ctx.user.is_authenticated


@auth.on.threads
async def own_threads(ctx: Context, value: Value) -> Any:
    """Show threads and their runs to their owner alone; for another they do not exist."""
    return sign_and_filter(ctx, value)


@auth.on.crons
async def own_crons(ctx: Context, value: Value) -> Any:
    """Show cron jobs to their owner alone."""
    return sign_and_filter(ctx, value)


@auth.on.assistants
async def own_assistants(ctx: Context, value: Value) -> Any:
    """Show the graphs' own assistants to everybody, others to their owner; only he changes them."""
    if not ctx.user.is_authenticated:
        return None
    if ctx.action in ("read", "search"):
        return {"$or": [{OWNER: ctx.user.identity}, {MAKER: SYSTEM}]}
    if ctx.action in CHANGES:
        value.setdefault("metadata", {}).pop(MAKER, None)
    return sign_and_filter(ctx, value)


@auth.on.store
async def own_items(ctx: Context, value: Value) -> None:
    """Keep the items of each user below a namespace of his own."""
    if ctx.user.is_authenticated:
        label, given = label_of(ctx.user.identity), tuple(value.get("namespace") or ())
        value["namespace"] = given if given[:1] == (label,) else (label, *given)


def sign_and_filter(ctx: Context, value: Value) -> dict[str, Any] | None:
    """Sign what is made or changed with its owner, and return the filter of what is his."""
    if not ctx.user.is_authenticated:
        return None
    if ctx.action in CHANGES:
        value.setdefault("metadata", {})[OWNER] = ctx.user.identity
    return {OWNER: ctx.user.identity}


def label_of(user: str) -> str:
    """Return a user's label: hashed, for a store may match by prefix and by pattern, and a label has no periods."""
    return f"user-{hashlib.sha256(user.encode()).hexdigest()}"
