"""The middleware in front of both servers' applications.

It stands around everything: the language of the caller, the headers for browsers, one form of refusals, and the guard
of origins, by which a web page may use this server only if its origin is known.

A browser sends the origin of a page with every request that can change something, and pages cannot forge it. Without
this check any page that a user opens could drive the server on the user's machine, for some requests need no
permission by CORS (a POST of `text/plain`, a form with files, a WebSocket). Programs send no Origin and pass.

A browser sends no Origin with what a page only embeds (an image, a script, a frame), but says `Sec-Fetch-Site:
cross-site`: that is refused, too, unless a user follows a link to one of the server's pages.

A website that lets its own name point to this machine (DNS rebinding) does look like this server's own page. It is
stopped behind this check: without keys only requests for a loopback host are answered, and it knows no key.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as ASGIMessage

from state.context import Language
from tools.holding import holding
from tools.messages import FOLLOWS_QUESTION, IS_REMOTE, say, speaking
from wenmai.app.container import services_in_thread
from wenmai.settings.group import Origin, is_loopback, origin_of
from wenmai.web.authentication import headers_of
from wenmai.web.openai.replies import error_from
from wenmai.web.problems import MEDIA_TYPE, problem_from

HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
REPLACED_HEADERS = (b"content-type", b"content-length")
POLICY_VIOLATION = 1008  # RFC 6455, section 7.4.1
DENIAL = "websocket.http.response"  # the ASGI extension for refusing a handshake with a response
SHOWN_CHARS = 100
EMBEDDED = "cross-site"  # W3C Fetch Metadata: what Sec-Fetch-Site says of a request of another site
# Where LangSmith serves Studio: the origins that the runtime of `langgraph dev` itself names.
STUDIO = (
    "https://smith.langchain.com",
    "https://eu.smith.langchain.com",
    "https://dev.smith.langchain.com",
    "https://staging.smith.langchain.com",
)


@dataclass(frozen=True, slots=True)
class CallerLanguage:
    """ASGI middleware that sets the language of every refusal and warning behind it, for readers who are not here."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on in the language of the caller, if the request names one; start and end are read on this machine."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        language = preferred_language(headers_of(scope).get("accept-language", ""))
        with holding(IS_REMOTE, True), speaking(language) if language else holding(FOLLOWS_QUESTION, True):
            await self.app(scope, receive, send)


def preferred_language(given: str) -> Language | None:
    """Return what a header prefers (RFC 9110, section 12.5.4): English for all but Chinese; None without a name."""
    ranges = [one.strip().lower() for one in given.split(",")]
    named = [one for one in ranges if one and not one.startswith("*") and quality(one) > 0]
    if not named:
        return None
    return "zh" if max(named, key=quality).startswith("zh") else "en"


def quality(given: str) -> float:
    """Return the weight of a language range, 1 where none is told, 0 for one that cannot be read."""
    weight = given.partition(";")[2].strip()
    try:
        return float(weight.removeprefix("q=")) if weight else 1.0
    except ValueError:
        return 0.0


@dataclass(frozen=True, slots=True)
class SecurityHeaders:
    """ASGI middleware: pages may load what this server has and nothing else; answers are data and nothing else."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: ASGIMessage) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                is_page = headers.get("content-type", "").startswith("text/html")
                headers.setdefault("content-security-policy", PAGE_POLICY if is_page else DATA_POLICY)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if not is_page:
                    headers.setdefault("cache-control", "no-store")
            await send(message)

        await self.app(scope, receive, guarded)


def problem_body(status: int, body: bytes) -> bytes | None:
    found = problem_from(status, body)
    return found.model_dump_json().encode() if found else None


# By the prefix of a path: the media type of errors, and what makes a refusal's body one, None where it has the form.
FORMS: Mapping[str, tuple[str, Callable[[int, bytes], bytes | None]]] = {
    "/api/": (MEDIA_TYPE, problem_body),
    "/v1/": ("application/json", error_from),
}


@dataclass(frozen=True, slots=True)
class ProblemForm:
    """ASGI middleware that gives refusals of an API its form, also those of guards and of a server around it."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand everything on; hold an error back until its body is known."""
        path = scope["path"] if scope["type"] == "http" else ""
        found = next((form for prefix, form in FORMS.items() if path.startswith(prefix)), None)
        if found is None:
            await self.app(scope, receive, send)
            return
        media_type, form = found
        start: ASGIMessage | None = None
        body = bytearray()

        async def formed(message: ASGIMessage) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and message["status"] >= 400:
                kind = dict(message.get("headers", ())).get(b"content-type", b"")
                start = None if kind.startswith(MEDIA_TYPE.encode()) else message
            if start is None:
                await send(message)
            elif message["type"] == "http.response.body":
                body.extend(message.get("body", b""))
                if not message.get("more_body"):
                    data = form(start["status"], bytes(body))
                    await send(start if data is None else with_data(start, media_type, data))
                    await send({"type": "http.response.body", "body": bytes(body) if data is None else data})

        await self.app(scope, receive, formed)


def with_data(start: ASGIMessage, media_type: str, data: bytes) -> ASGIMessage:
    """Return the beginning of a response whose body is other data."""
    others = [(name, value) for name, value in start.get("headers", ()) if name.lower() not in REPLACED_HEADERS]
    own = [(b"content-type", media_type.encode()), (b"content-length", str(len(data)).encode())]
    return {**start, "headers": [*others, *own]}


def is_own(origin: Origin, scope: Scope, host: str) -> bool:
    """Return True if this is the origin of the server that a request with this Host header is sent to.

    Behind a proxy that ends TLS the request looks unencrypted, so the page may be encrypted when the request is not,
    but not the reverse. A Host without a port has the default port of the page's scheme.
    """
    schemes = ("https",) if scope.get("scheme") in ("https", "wss") else ("http", "https")
    return origin_of(f"{origin.scheme}://{host}") == origin and origin.scheme in schemes


async def listed_origins() -> frozenset[Origin]:
    return origins_of((await services_in_thread()).settings.wenmai_origins)


def origins_of(setting: str) -> frozenset[Origin]:
    return frozenset(origin for text in (*STUDIO, *setting.split(",")) if (origin := origin_of(text)))


@dataclass(frozen=True, slots=True)
class OriginGuard:
    """ASGI middleware that refuses requests and WebSockets of unknown origins before anything runs."""

    app: ASGIApp
    listed: Callable[[], Awaitable[frozenset[Origin]]] = listed_origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of an unknown origin with 403, hand on the others."""
        refused = await self.refused_origin(scope) if scope["type"] in ("http", "websocket") else None
        if refused is None:
            await self.app(scope, receive, send)
        elif scope["type"] == "http" or DENIAL in (scope.get("extensions") or {}):
            page = refused if len(refused) <= SHOWN_CHARS else f"{refused[:SHOWN_CHARS]}…"
            await JSONResponse({"detail": say("server.page_refused", page=page)}, 403)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": "origin"})

    async def refused_origin(self, scope: Scope) -> str | None:
        """Return where a request that is refused is from, None for a request that may pass."""
        headers = Headers(scope=scope)
        given = headers.getlist("origin")
        if not given:
            mode, place = headers.getlist("sec-fetch-mode"), headers.getlist("sec-fetch-dest")
            is_link = scope.get("method") == "GET" and mode == ["navigate"] and place == ["document"]
            return EMBEDDED if EMBEDDED in headers.getlist("sec-fetch-site") and not is_link else None
        origin = origin_of(given[0]) if len(given) == 1 else None  # RFC 6454, section 7.3: at most one
        if origin is None:
            return ", ".join(given)
        hosts = headers.getlist("host")
        is_local = origin.scheme in ("http", "https") and is_loopback(origin.host)
        if is_local or (len(hosts) == 1 and is_own(origin, scope, hosts[0])):
            return None
        return None if origin in await self.listed() else given[0]
