"""Who sends a request, and whose a thread is: the holder of a key; without any keys every user of this machine."""

import asyncio
import ipaddress
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from langgraph_sdk import Auth
from starlette.authentication import BaseUser
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from state.account import AccountType
from tools.networks.records import Account
from tools.wording import Words
from wenmai.access.keyring import KeyRing
from wenmai.application.caller import NOT_YOURS, Caller
from wenmai.application.conversations import OWNER
from wenmai.inputs import FieldError

# Load balancers and browsers ask these without a key; they tell nothing of anybody.
OPEN_PATHS = frozenset(
    {"/", "/health", "/ready", "/metrics", "/api/v1/health", "/api/v1/settings", "/api/v1/openapi.json", "/docs"}
)
OPEN_FOLDER = "/page/"  # the files of the page, which are the same for everybody
FORWARDED = frozenset({"forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::[0-9]*)?")  # RFC 9112, section 3.2
NO_KEY = Words(
    "缺少有效的 API 密钥：请求头写 Authorization: Bearer …（由 wenmai keys add 创建）",
    "a valid API key is missing: send Authorization: Bearer … (wenmai keys add makes one)",
)
CLOSED = Words(
    "服务器没有 API 密钥，只接受本机的请求：请先用 wenmai keys add 创建密钥",
    "the server has no API keys and takes requests of its own machine alone: make a key by wenmai keys add first",
)
# A blank identity belongs to nobody: no filter, no owner.
NOBODY = Auth.types.MinimalUserDict(identity="", is_authenticated=False, permissions=[])
SERVER = "langgraph_api.utils"
MAKER = "created_by"  # LangGraph's mark of the assistants that it makes itself, one a graph,
SYSTEM = "system"  # and what stands there


async def user_of_request(scope: Mapping[str, Any], ring: KeyRing) -> Auth.types.MinimalUserDict:
    """Return the user of a request. Raises HTTPException 401."""
    if scope["path"] in OPEN_PATHS or scope["path"].startswith(OPEN_FOLDER):
        return NOBODY
    headers = headers_of(scope)
    if not await ring.is_on():
        if is_at_home(scope, headers):
            return NOBODY
        raise Auth.exceptions.HTTPException(status_code=401, detail=CLOSED.say())
    scheme, _, token = headers.get("authorization", "").partition(" ")
    # langgraph-sdk sends its `api_key` in a header of its own.
    key = await ring.find((token if scheme.lower() == "bearer" else headers.get("x-api-key", "")).strip())
    if key is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail=NO_KEY.say())
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


def is_at_home(scope: Mapping[str, Any], headers: Mapping[str, str]) -> bool:
    """Return True if a request comes from this machine and is meant for it.

    A tunnel or a proxy here passes on what others send: it names another host, or says that it forwards. The same
    look at the host stops a website that has its own name point to this machine (DNS rebinding).
    """
    client, server = scope.get("client") or ("",), scope.get("server") or ("",)
    named = HOST.fullmatch(headers.get("host", ""))
    places = (str(client[0]), str(server[0]), (named[1] or named[2]) if named else "")
    return all(map(is_loopback, places)) and not FORWARDED.intersection(headers)


def is_loopback(host: str) -> bool:
    """Return True if a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def caller_of(scope: Scope) -> Caller | None:
    """Return who sends a request, None where nobody was authenticated.

    Requests that the server makes of itself on the way (A2A, `on_behalf`) carry him in a context variable of its own.
    """
    if (caller := caller_from(scope.get("user"))) or SERVER not in sys.modules:  # it may be installed and not run
        return caller
    from langgraph_api.utils import get_auth_ctx  # type: ignore[import-untyped]  # it has no types

    context = get_auth_ctx()
    return caller_from(context.user) if context else None


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


def identity_problems(payload: object, caller: Caller | None) -> list[FieldError]:
    """Return every field by which a request claims another identity or more permissions."""
    if caller is None:
        return []
    return [
        FieldError(f"{path}.{name}", NOT_YOURS, 403)
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


def owns(thing: Mapping[str, Any], caller: Caller) -> bool:
    return (thing.get("metadata") or {}).get(OWNER) == caller.user_id


def is_visible(assistant: Mapping[str, Any], caller: Caller | None) -> bool:
    """Return True if a caller may see an assistant: a graph's own, or the caller's. None is the server itself."""
    return caller is None or (assistant.get("metadata") or {}).get(MAKER) == SYSTEM or owns(assistant, caller)
