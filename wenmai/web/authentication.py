"""Who sends a request: the holder of a key; without any keys every user of this machine."""

import asyncio
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Any

from langgraph_sdk import Auth
from starlette.authentication import BaseUser
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from state.account import AccountType
from tools.messages import say
from tools.networks.records import Account
from wenmai.access.keyring import KeyRing
from wenmai.application.caller import Caller
from wenmai.settings.group import is_loopback
from wenmai.web.langgraph.identity import user_in_progress

# Load balancers and browsers ask these without a key; they tell nothing of anybody.
OPEN_PATHS = frozenset(
    {"/", "/health", "/ready", "/metrics", "/api/v1/health", "/api/v1/settings", "/api/v1/openapi.json", "/docs"}
)
OPEN_FOLDER = "/page/"  # the files of the page, which are the same for everybody
FORWARDED = frozenset({"forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::[0-9]*)?")  # RFC 9112, section 3.2
# A blank identity belongs to nobody: no filter, no owner.
NOBODY = Auth.types.MinimalUserDict(identity="", is_authenticated=False, permissions=[])


async def user_of_request(scope: Mapping[str, Any], ring: KeyRing) -> Auth.types.MinimalUserDict:
    """Return the user of a request. Raises HTTPException 401."""
    if scope["path"] in OPEN_PATHS or scope["path"].startswith(OPEN_FOLDER):
        return NOBODY
    headers = headers_of(scope)
    if not await ring.is_on():
        if is_at_home(scope, headers):
            return NOBODY
        raise Auth.exceptions.HTTPException(status_code=401, detail=say("server.no_keys_only_local"))
    scheme, _, token = headers.get("authorization", "").partition(" ")
    # langgraph-sdk sends its `api_key` in a header of its own.
    key = await ring.find((token if scheme.lower() == "bearer" else headers.get("x-api-key", "")).strip())
    if key is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail=say("server.key_needed"))
    rights = {"libraries": key.libraries, "networks": key.networks, "is_admin": key.is_admin}
    known = {"key": key.id, "account": key.account, "account_type": key.account_type, **rights}
    user = Auth.types.MinimalUserDict(identity=key.user, is_authenticated=True, permissions=list(key.permissions))
    return {**user, **known}  # type: ignore[typeddict-item]  # the server keeps further keys


def headers_of(scope: Mapping[str, Any]) -> dict[str, str]:
    """Return a request's headers, names in lower case; the values of one that comes again are joined (RFC 9110)."""
    found: dict[str, str] = {}
    for name, value in scope.get("headers", ()):
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def address_of(scope: Mapping[str, Any], proxies: Collection[IPv4Network | IPv6Network]) -> str:
    """Return the address that a request is from; of one that a trusted proxy hands on what it says of that."""
    hops = [hop.strip() for hop in reversed(headers_of(scope).get("x-forwarded-for", "").split(","))]
    address = str((scope.get("client") or ("",))[0])
    for hop in hops:
        try:
            ip_address(hop)  # what is none was not written by a proxy
            if not any(ip_address(address) in proxy for proxy in proxies):
                break
        except ValueError:
            break
        address = hop
    return address


def is_at_home(scope: Mapping[str, Any], headers: Mapping[str, str]) -> bool:
    """Return True if a request comes from this machine and is meant for it.

    A tunnel or a proxy here passes on what others send: it names another host, or says that it forwards. The same
    look at the host stops a website that has its own name point to this machine (DNS rebinding).
    """
    client, server = scope.get("client") or ("",), scope.get("server") or ("",)
    named = HOST.fullmatch(headers.get("host", ""))
    places = (str(client[0]), str(server[0]), (named[1] or named[2]) if named else "")
    return all(map(is_loopback, places)) and not FORWARDED.intersection(headers)


def caller_of(scope: Scope) -> Caller | None:
    """Return who sends a request, also one that LangGraph's server makes of itself; None for nobody authenticated."""
    return caller_from(scope.get("user")) or caller_from(user_in_progress())


def caller_from(user: Any) -> Caller | None:
    """Return what `user_of_request` gave as a caller, also as LangGraph's server has it; None for nobody."""
    known: Mapping[str, Any] = user if isinstance(user, Mapping) else {}
    if isinstance(user, BaseUser):
        own = {"identity": user.identity, "is_authenticated": user.is_authenticated}
        known = {**getattr(user, "dict", dict)(), **own}
    identity = str(known.get("identity") or "")
    if not known.get("is_authenticated") or not identity:
        return None
    kind: AccountType = known.get("account_type") or "user"  # a key's kind was checked when it was made
    libraries, networks = known.get("libraries"), known.get("networks")
    return Caller(
        user_id=identity,
        key=str(known.get("key") or ""),
        permissions=frozenset(known.get("permissions") or ()),
        account=Account(known.get("account") or identity, kind),
        libraries=None if libraries is None else frozenset(libraries),
        networks=None if networks is None else frozenset(networks),
        is_admin=known.get("is_admin") is True,
    )


def viewer_of(scope: Scope) -> Caller:
    """Return who sends a request; without keys it is the user of this machine, who may do everything."""
    return caller_of(scope) or Caller.local()


@dataclass(frozen=True, slots=True)
class Authentication:
    """ASGI middleware that lets in who has a key, without any keys who is on this machine."""

    app: ASGIApp
    keys: Callable[[], KeyRing]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        try:
            known = await user_of_request(scope, await asyncio.to_thread(self.keys))
        except Auth.exceptions.HTTPException as error:
            challenge = {"www-authenticate": "Bearer"}
            await JSONResponse({"detail": error.detail}, error.status_code, challenge)(scope, receive, send)
            return
        await self.app({**scope, "user": known}, receive, send)
