"""Which web pages may use the server: the guard of origins in front of a small application."""

from typing import Any

import pytest
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import Message as ASGIMessage
from starlette.types import Receive, Scope, Send

from tools.errors import ConfigError
from wenmai.settings.group import Origin, origin_of
from wenmai.settings.settings import validate_config
from wenmai.web.app import app as product
from wenmai.web.application import OriginGuardedApp
from wenmai.web.middleware import STUDIO, OriginGuard, origins_of

HERE = "127.0.0.1:2024"
DENIAL: dict[str, Any] = {"websocket.http.response": {}}
LISTED = "https://app.example,https://chat.example:8443"
FOREIGN = (
    "https://evil.example",
    "null",
    "",
    "NULL",
    "https://",
    "evil.example",
    "https://evil.example/path",
    "https://app.example.evil.example",
    "https://app.example:444",
    "http://app.example",
    "https://user@app.example",
    "https://app.example https://app.example",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "http://10.0.0.1:2024",
    "http://[::2]:2024",
    "file://localhost",
    "chrome-extension://abcdefgh",
    "https://evil.example,https://app.example",
)
NO_ORIGINS = (
    "*",
    "app.example",
    "https://app.example/path",
    "https://*.example",
    "https://a b",
    "https://a.example:https",
    "https://a.example:808080",
    "https://a.example:65536",
    "https://[a.example]",
)
KNOWN = (
    "https://app.example",
    "HTTPS://App.Example",
    "https://app.example:443",
    "https://chat.example:8443",
    "http://localhost:3000",
    "https://localhost",
    "http://127.0.0.1:5173",
    "http://127.8.9.1",
    "http://[::1]:3000",
    *STUDIO,
)


class Inner:
    """Counts what gets through."""

    def __init__(self) -> None:
        self.seen = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.seen += 1
        if scope["type"] == "http":
            await PlainTextResponse("in")(scope, receive, send)


def scope(kind: str = "http", *origins: str, host: str = HERE, **more: Any) -> Scope:
    headers = [(b"origin", origin.encode("latin-1")) for origin in origins]
    base = {"type": kind, "method": "POST", "path": "/runs/wait", "scheme": "http", "extensions": {}}
    return {**base, "headers": [(b"host", host.encode()), *headers], **more}


async def sent(given: Scope) -> tuple[list[ASGIMessage], int]:
    """Send a request through the guard; return what it answers, and how many requests got in."""
    inner, messages = Inner(), list[ASGIMessage]()

    async def receive() -> ASGIMessage:
        raise AssertionError("nothing of a request is read before its origin is known")

    async def send(message: ASGIMessage) -> None:
        messages.append(message)

    async def listed() -> frozenset[Origin]:
        return origins_of(LISTED)

    await OriginGuard(inner, listed)(given, receive, send)
    return messages, inner.seen


async def got_in(given: Scope) -> bool:
    messages, seen = await sent(given)
    assert (messages[0].get("status") == 403) is (seen == 0)
    return seen == 1


@pytest.mark.parametrize("origin", FOREIGN)
async def test_foreign_pages(origin: str) -> None:
    """A foreign page, a sandboxed one (`null`) and what is no origin: 403 with one line that says what to do."""
    messages, seen = await sent(scope("http", origin))
    assert (messages[0]["status"], seen) == (403, 0)
    text = messages[1]["body"].decode()
    assert "WENMAI_ORIGINS" in text and "\n" not in text and len(text) < 400


@pytest.mark.parametrize("origin", KNOWN)
async def test_known_pages(origin: str) -> None:
    """Listed ones, Studio's and this machine's, in any case and with or without a default port."""
    assert await got_in(scope("http", origin))


async def test_programs_send_no_origin() -> None:
    """curl and the SDKs go on as before, whatever they send."""
    assert await got_in(scope("http", host="anything.example"))
    assert await got_in(scope("http", method="OPTIONS"))


@pytest.mark.parametrize(
    "method, mode, place, passes",
    [
        ("GET", b"no-cors", b"image", False),
        ("GET", b"navigate", b"iframe", False),
        ("POST", b"navigate", b"document", False),
        ("HEAD", b"navigate", b"document", False),
        ("GET", b"navigate", b"document", True),
    ],
)
async def test_what_a_page_embeds(method: str, mode: bytes, place: bytes, passes: bool) -> None:
    """Without an Origin the browser still says that another site asks; only a link that is followed passes."""
    given = scope("http", method=method)
    given["headers"] += [(b"sec-fetch-site", b"cross-site"), (b"sec-fetch-mode", mode), (b"sec-fetch-dest", place)]
    assert await got_in(given) is passes
    given["headers"][1:1] = [(b"origin", b"https://app.example")]
    assert await got_in(given)  # a page that is listed is another site, too


async def test_one_origin_at_most() -> None:
    """A second header is no way around the first, also if both are known."""
    for pair in (("http://localhost", "https://evil.example"), ("https://app.example", "https://app.example")):
        assert not await got_in(scope("http", *pair))


@pytest.mark.parametrize(
    "origin, host, scheme, own",
    [
        ("http://192.168.1.5:2024", "192.168.1.5:2024", "http", True),
        ("http://wenmai.example", "wenmai.example", "http", True),
        ("http://wenmai.example", "WENMAI.example:80", "http", True),
        ("https://wenmai.example", "wenmai.example", "http", True),  # a proxy ends TLS
        ("https://wenmai.example", "wenmai.example:443", "https", True),
        ("wss://wenmai.example", "wenmai.example", "http", False),
        ("http://wenmai.example", "wenmai.example", "https", False),
        ("http://wenmai.example:80", "wenmai.example:443", "http", False),
        ("https://wenmai.example:8443", "wenmai.example", "http", False),
        ("https://evil.example", "wenmai.example", "http", False),
        ("https://wenmai.example", "evil.example", "http", False),
        ("https://wenmai.example", "", "http", False),
    ],
)
async def test_its_own_pages(origin: str, host: str, scheme: str, own: bool) -> None:
    """The origin that the Host header names, also behind a proxy; an unencrypted page is not an encrypted server's."""
    assert await got_in(scope("http", origin, host=host, scheme=scheme)) is own


async def test_two_hosts_are_none() -> None:
    """A second Host header makes no page the server's own."""
    given = scope("http", "https://evil.example")
    given["headers"].append((b"host", b"evil.example"))
    assert not await got_in(given)


async def test_websockets() -> None:
    """They are refused before they are accepted: with a response where the server can, else by closing."""
    denied, seen = await sent(scope("websocket", "https://evil.example", extensions=DENIAL))
    assert (denied[0]["type"], denied[0]["status"], seen) == ("websocket.http.response.start", 403, 0)
    closed, seen = await sent(scope("websocket", "null"))
    assert ([one["type"] for one in closed], closed[0]["code"], seen) == (["websocket.close"], 1008, 0)
    for origin in KNOWN:
        assert (await sent(scope("websocket", origin)))[1] == 1


async def test_a_long_origin_is_cut() -> None:
    """What a page sends is not repeated at length."""
    messages, _ = await sent(scope("http", "https://" + "a" * 5_000))
    assert len(messages[1]["body"]) < 600


async def test_it_stands_before_everything_that_a_server_adds() -> None:
    """LangGraph's server puts CORS and its routes into the application: a foreign preflight is refused, too."""
    added = Middleware(CORSMiddleware, allow_origins=["*"], allow_methods=["*"], allow_headers=["*"])
    app = OriginGuardedApp()
    app.user_middleware = [added]
    asked = (b"access-control-request-method", b"POST")
    for origin, status in (("https://evil.example", 403), ("http://localhost:3000", 200)):
        given = scope("http", origin, method="OPTIONS", http_version="1.1", query_string=b"", root_path="")
        given["headers"].append(asked)
        messages: list[ASGIMessage] = []

        async def send(message: ASGIMessage, into: list[ASGIMessage] = messages) -> None:
            into.append(message)

        async def receive() -> ASGIMessage:
            return {"type": "http.request"}

        await app(given, receive, send)
        assert messages[0]["status"] == status
    assert isinstance(product, OriginGuardedApp)


@pytest.mark.parametrize("text", NO_ORIGINS)
def test_a_setting_that_lists_no_origins(text: str) -> None:
    """A wildcard, a host alone or a path is refused at the start, by name; so is what the guard cannot read."""
    with pytest.raises(ConfigError, match=r"WENMAI_ORIGINS.*https://app\.example"):
        validate_config(wenmai_origins=f"https://app.example,{text}")
    assert origin_of(text) is None


def test_a_setting_that_lists_origins() -> None:
    """Blanks, an empty place and a slash at the end do no harm."""
    listed = origins_of(validate_config(wenmai_origins=" https://app.example/ ,, http://b.example:90 ").wenmai_origins)
    assert listed == origins_of("") | {Origin("https", "app.example", 443), Origin("http", "b.example", 90)}
