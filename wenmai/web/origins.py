"""The middleware in front of everything: a web page may use this server only if its origin is known.

A browser sends the origin of a page with every request that can change something, and pages cannot forge it. Without
this check any page that a user opens could drive the server on the user's machine, for some requests need no
permission by CORS (a POST of `text/plain`, a form with files, a WebSocket). Programs send no Origin and pass.

A browser sends no Origin with what a page only embeds (an image, a script, a frame), but says `Sec-Fetch-Site:
cross-site`: that is refused, too, unless a user follows a link to one of the server's pages.

A website that lets its own name point to this machine (DNS rebinding) does look like this server's own page. It is
stopped behind this check: without keys only requests for a loopback host are answered, and it knows no key.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from fastapi import FastAPI
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tools.wording import Words
from wenmai.app.container import process_services
from wenmai.settings.group import origin_parts
from wenmai.web.doors import is_loopback
from wenmai.web.openai.errors import error_from
from wenmai.web.own.headers import SecurityHeaders
from wenmai.web.problem_form import Form, ProblemForm
from wenmai.web.spoken import Spoken

REFUSED = Words(
    "拒绝网页 {page!r} 的请求：只接受本服务器、本机和 Studio 的网页，其他网页的来源请写进 WENMAI_ORIGINS",
    "a request of the page {page!r} is refused: only pages of this server, of this machine and of Studio may "
    "ask; name others in WENMAI_ORIGINS",
)
FORBIDDEN = 403
POLICY_VIOLATION = 1008  # RFC 6455, section 7.4.1
DENIAL = "websocket.http.response"  # the ASGI extension for refusing a handshake with a response
SHOWN_CHARS = 100
CHAT_ERRORS = {"/v1/": Form("application/json", error_from)}  # of OpenAI's protocol
EMBEDDED = "cross-site"  # W3C Fetch Metadata: what Sec-Fetch-Site says of a request of another site
# Where LangSmith serves Studio: the origins that the runtime of `langgraph dev` itself names.
STUDIO = (
    "https://smith.langchain.com",
    "https://eu.smith.langchain.com",
    "https://dev.smith.langchain.com",
    "https://staging.smith.langchain.com",
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port of a web page, in lower case, with the scheme's default port filled in."""

    scheme: str
    host: str
    port: int | None

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the origin that a text names, None for `null` and everything else that is none."""
        parts = origin_parts(text)
        return None if parts is None else cls(*parts)

    @property
    def is_loopback(self) -> bool:
        """Whether the page comes from a server on the same machine as its browser."""
        return self.scheme in ("http", "https") and is_loopback(self.host)

    def is_own(self, scope: Scope, host: str) -> bool:
        """Return True if this is the origin of the server that a request with this Host header is sent to.

        Behind a proxy that ends TLS the request looks unencrypted, so the page may be encrypted when the request is
        not, but not the reverse. A Host without a port has the default port of the page's scheme.
        """
        own = Origin.parse(f"{self.scheme}://{host}")
        is_encrypted = scope.get("scheme") in ("https", "wss")
        return own == self and self.scheme in (("https",) if is_encrypted else ("http", "https"))


class OriginGuardedApp(FastAPI):
    """An application with OriginGuard in front of every middleware and route, also those that a server adds.

    Every refusal of the API, the guard's own among them, gets the form of problem details.
    """

    def build_middleware_stack(self) -> ASGIApp:
        """Return the whole application behind the guard; its errors bear the headers, too, in the caller's language."""
        return Spoken(SecurityHeaders(ProblemForm(OriginGuard(super().build_middleware_stack()), CHAT_ERRORS)))


async def listed_origins() -> frozenset[Origin]:
    """Return Studio's origins and those of WENMAI_ORIGINS; the first call reads files."""
    return origins_of((await asyncio.to_thread(process_services)).settings.wenmai_origins)


def origins_of(setting: str) -> frozenset[Origin]:
    """Return Studio's origins and those that a setting lists."""
    return frozenset(origin for text in (*STUDIO, *setting.split(",")) if (origin := Origin.parse(text)))


@dataclass(frozen=True, slots=True)
class OriginGuard:
    """ASGI middleware that refuses requests and WebSockets of unknown origins before anything runs."""

    app: ASGIApp
    listed: Callable[[], Awaitable[frozenset[Origin]]] = listed_origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of an unknown origin with 403, hand on the others."""
        refused = await self.refused(scope) if scope["type"] in ("http", "websocket") else None
        if refused is None:
            await self.app(scope, receive, send)
        elif scope["type"] == "http" or DENIAL in (scope.get("extensions") or {}):
            await JSONResponse({"detail": refusal_of(refused)}, FORBIDDEN)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": "origin"})

    async def refused(self, scope: Scope) -> str | None:
        """Return where a request that is refused is from, None for a request that may pass."""
        given = header_values(scope, b"origin")
        if not given:
            return EMBEDDED if is_embedded(scope) else None
        origin = Origin.parse(given[0]) if len(given) == 1 else None  # RFC 6454, section 7.3: at most one
        if origin is None:
            return ", ".join(given)
        hosts = header_values(scope, b"host")
        if origin.is_loopback or (len(hosts) == 1 and origin.is_own(scope, hosts[0])):
            return None
        return None if origin in await self.listed() else given[0]


def header_values(scope: Mapping[str, Any], name: bytes) -> list[str]:
    """Return every value of a header; ASGI servers send names in lower case."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def is_embedded(scope: Mapping[str, Any]) -> bool:
    """Return True if a page of another site asks without an Origin, and no user follows a link."""
    if EMBEDDED not in header_values(scope, b"sec-fetch-site"):
        return False
    mode, place = header_values(scope, b"sec-fetch-mode"), header_values(scope, b"sec-fetch-dest")
    return not (scope.get("method") == "GET" and mode == ["navigate"] and place == ["document"])


def refusal_of(origin: str) -> str:
    """Say in one line why a page is refused and what to do."""
    shown = origin if len(origin) <= SHOWN_CHARS else f"{origin[:SHOWN_CHARS]}…"
    return REFUSED.say(page=shown)
