"""Who is let in: the holder of a key; without any keys every user of this machine."""

import ipaddress
import re
from collections.abc import Mapping
from typing import Any

from langgraph_sdk import Auth

from tools.wording import Words
from wenmai.access.keyring import KeyRing

# Load balancers and browsers ask these without a key; they tell nothing of anybody.
OPEN_PATHS = frozenset(
    {"/", "/health", "/ready", "/metrics", "/api/v1/health", "/api/v1/settings", "/api/v1/openapi.json", "/docs"}
)
OPEN_FOLDER = "/page/"  # the files of the page, which are the same for everybody
FORWARDED = frozenset({"forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
SCHEME = "bearer "
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


async def identified(scope: Mapping[str, Any], ring: KeyRing) -> Auth.types.MinimalUserDict:
    """Return the user of a request. Raises HTTPException 401."""
    if scope["path"] in OPEN_PATHS or scope["path"].startswith(OPEN_FOLDER):
        return NOBODY
    headers = headers_of(scope)
    if not await ring.is_on():
        if is_at_home(scope, headers):
            return NOBODY
        raise Auth.exceptions.HTTPException(status_code=401, detail=CLOSED.say())
    key = await ring.find(token_of(headers))
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


def token_of(headers: Mapping[str, str]) -> str:
    """Return the token of a request: as a bearer, or as langgraph-sdk sends its `api_key`."""
    given = headers.get("authorization", "")
    if given[: len(SCHEME)].lower() == SCHEME:
        return given[len(SCHEME) :].strip()
    return headers.get("x-api-key", "").strip()


def is_at_home(scope: Mapping[str, Any], headers: Mapping[str, str]) -> bool:
    """Return True if a request comes from this machine and is meant for it.

    A tunnel or a proxy here passes on what others send: it names another host, or says that it forwards. The same
    look at the host stops a website that has its own name point to this machine (DNS rebinding).
    """
    client, server = scope.get("client") or ("",), scope.get("server") or ("",)
    places = (str(client[0]), str(server[0]), host_of(headers.get("host", "")))
    return all(map(is_loopback, places)) and not FORWARDED.intersection(headers)


def host_of(given: str) -> str:
    """Return the host of a Host header without its port, an empty one where the header has another form."""
    found = HOST.fullmatch(given)
    return (found[1] or found[2]) if found else ""


def is_loopback(host: str) -> bool:
    """Return True if a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
