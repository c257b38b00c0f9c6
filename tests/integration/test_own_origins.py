"""Pages of other origins and `wenmai serve`: every kind of route refuses them, as do hosts that are not its own."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.integration.live_server import LiveServer
from tests.integration.own_server import API, serving
from tests.temporary import copied

EVIL, LISTED = "https://evil.example", "https://app.example"
REBOUND = "rebound.example"
ODD_HOSTS = ("localhost:1@evil.example", "[::1].evil.example", "localhost:evil.example", "localhost, evil.example")
ASKED: dict[str, Any] = {"question": "苏晚亭是谁？", "library": "sample"}
TEXT = {"content-type": "text/plain;charset=UTF-8"}  # a page may send it anywhere without asking
ANY = str(uuid4())
OPEN = ("/health", "/ready", "/metrics", f"{API}/health", f"{API}/settings", f"{API}/openapi.json", "/docs")
ROUTES = (
    ("POST", f"{API}/ask"),
    ("POST", f"{API}/threads/{ANY}/ask"),
    ("GET", f"{API}/threads"),
    ("GET", f"{API}/threads/{ANY}/export"),
    ("PATCH", f"{API}/threads/{ANY}"),
    ("DELETE", f"{API}/threads/{ANY}"),
    ("GET", f"{API}/libraries"),
    ("POST", f"{API}/libraries"),
    ("DELETE", f"{API}/libraries/sample"),
    ("POST", f"{API}/libraries/sample/sources"),
    ("POST", f"{API}/libraries/sample/merges"),
    ("GET", f"{API}/libraries/sample/chapters"),
    ("GET", f"{API}/jobs"),
    ("POST", f"{API}/documents"),
    ("DELETE", f"{API}/documents"),
    ("GET", f"{API}/memories"),
    ("GET", f"{API}/memories/export"),
    ("POST", f"{API}/memories"),
    ("DELETE", f"{API}/memories/m1"),
    ("POST", f"{API}/networks/n1"),
    ("GET", f"{API}/traces"),
    ("POST", f"{API}/tools/search_memories"),
    ("GET", f"{API}/me"),
    ("POST", "/mcp"),
    ("GET", "/nowhere"),
    ("OPTIONS", f"{API}/ask"),
    *(("GET", path) for path in OPEN),
)


@pytest.fixture(scope="module")
def own(prepared: Path) -> Iterator[LiveServer]:
    with serving(copied(prepared, prepared.parent / "own_listing"), WENMAI_ORIGINS=f" {LISTED}/ ,") as live:
        yield live


@pytest.fixture
async def http(own: LiveServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=own.url, timeout=60) as made:
        yield made


def is_problem(reply: httpx.Response, status: int) -> bool:
    """Return True for a refusal in the form of its route."""
    kind = "application/problem+json" if reply.request.url.path.startswith("/api/") else "application/json"
    return reply.status_code == status and reply.headers["content-type"] == kind and bool(reply.json()["detail"])


@pytest.mark.parametrize("origin", [EVIL, "null", "https://evil.example, null", "http://localhost.evil.example"])
async def test_every_route_refuses_a_foreign_page(http: httpx.AsyncClient, origin: str) -> None:
    for method, path in ROUTES:
        asked = {"access-control-request-method": "POST"} if method == "OPTIONS" else {}
        reply = await http.request(method, path, headers={"origin": origin} | asked)
        assert is_problem(reply, 403) and "WENMAI_ORIGINS" in reply.json()["detail"], (method, path)
        assert "access-control-allow-origin" not in reply.headers


async def test_nothing_runs_for_a_foreign_page(http: httpx.AsyncClient, own: LiveServer) -> None:
    """A simple request, which no browser asks leave for: no turn, no trace, no memory; from a program there are."""
    for origin in (EVIL, "null"):
        headers = {"origin": origin} | TEXT
        assert is_problem(await http.post(f"{API}/ask", content=json.dumps(ASKED), headers=headers), 403)
        memory = json.dumps({"content": "x"})
        assert is_problem(await http.post(f"{API}/memories", content=memory, headers=headers), 403)
        files = {"file": ("说明.txt", "雾港的灯塔建于一九〇二年。".encode())}
        page = {"origin": origin}
        reply = await http.post(f"{API}/documents", data={"thread_id": ANY}, files=files, headers=page)
        assert is_problem(reply, 403)
        reply = await http.post(f"{API}/libraries/sample/sources", files=files, headers=page)
        assert is_problem(reply, 403)
    assert not list(own.traces.glob("*.json"))
    for path in ("threads", "memories", "jobs", f"documents?thread_id={ANY}"):
        assert (await http.get(f"{API}/{path}")).json()["total"] == 0, path
    assert "守塔人" in (await http.post(f"{API}/ask", json=ASKED)).json()["answer"]


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "text/plain; application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
)
async def test_json_routes_take_json_only(http: httpx.AsyncClient, kind: str) -> None:
    for path in (
        "ask",
        f"threads/{ANY}/ask",
        "libraries",
        "libraries/sample/merges",
        "memories",
        "tools/ask",
        "nowhere",
    ):
        headers = {"content-type": kind} if kind else {}
        reply = await http.post(f"{API}/{path}", content=json.dumps(ASKED), headers=headers)
        assert is_problem(reply, 415) and reply.json()["errors"][0]["field"] == "content-type", path


@pytest.mark.parametrize(
    "host", [REBOUND, f"{REBOUND}:2024", "192.168.1.7", "localhost.evil.example", "[::2]", "", *ODD_HOSTS]
)
async def test_a_rebound_name(http: httpx.AsyncClient, host: str) -> None:
    """A page whose own name points here has an origin that agrees with its host: it gets no answer without a key."""
    for method, path in ROUTES:
        if path in OPEN or method == "OPTIONS":
            continue
        for headers in ({}, {"origin": f"http://{host}"} if host else {}):
            reply = await http.request(method, path, headers={"host": host} | headers)
            assert reply.status_code in (400, 401, 403), (method, path)


@pytest.mark.parametrize("forwarded", ["x-forwarded-for", "x-real-ip", "forwarded", "x-forwarded-host"])
async def test_what_others_send_through_a_tunnel(http: httpx.AsyncClient, forwarded: str) -> None:
    assert is_problem(await http.get(f"{API}/threads", headers={forwarded: "1.2.3.4"}), 401)


async def test_what_a_foreign_page_embeds(http: httpx.AsyncClient) -> None:
    """Images, scripts and frames come without an Origin, but the browser names them; a link may be followed."""
    cross = {"sec-fetch-site": "cross-site"}
    for mode, dest in (("no-cors", "image"), ("no-cors", "script"), ("navigate", "iframe"), ("cors", "empty")):
        for path in (f"{API}/openapi.json", f"{API}/threads", f"{API}/memories/export", "/metrics"):
            asked = cross | {"sec-fetch-mode": mode, "sec-fetch-dest": dest}
            assert is_problem(await http.get(path, headers=asked), 403), (path, dest)
    link = cross | {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert (await http.get(f"{API}/openapi.json", headers=link)).status_code == 200
    for site in ("same-origin", "same-site", "none"):
        assert (await http.get(f"{API}/threads", headers={"sec-fetch-site": site})).status_code == 200


@pytest.mark.parametrize("origin", [LISTED, "http://localhost:3000", "http://[::1]:5173", "own"])
async def test_known_pages_are_answered(http: httpx.AsyncClient, own: LiveServer, origin: str) -> None:
    """Preflight, question and stream, with the headers that let the page read them."""
    headers = {"origin": own.url if origin == "own" else origin}
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type"}
    preflight = await http.options(f"{API}/ask", headers=headers | asked)
    assert preflight.status_code == 200 and "access-control-allow-origin" in preflight.headers
    assert "authorization" in preflight.headers["access-control-allow-headers"]
    for accept in ("application/json", "text/event-stream"):
        reply = await http.post(f"{API}/ask", json=ASKED, headers=headers | {"accept": accept})
        assert "守塔人" in reply.text and "access-control-allow-origin" in reply.headers


async def test_what_browsers_are_told(http: httpx.AsyncClient) -> None:
    """No answer is a page, none is sniffed, framed, cached or embedded elsewhere."""
    for path in (f"{API}/settings", f"{API}/threads", f"{API}/nowhere", "/health"):
        headers = (await http.get(path)).headers
        assert headers["content-security-policy"].startswith("default-src 'none'"), path
        assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
        assert headers["cache-control"] == "no-store" and "server" not in headers


@pytest.mark.costly
async def test_bodies_have_bounds(prepared: Path, tmp_path: Path) -> None:
    """Too long, too slow, too many: 413, 408, 429; the others are answered meanwhile."""
    folder = copied(prepared, tmp_path / "bounds")
    limits = {"MAX_REQUEST_BYTES": "2000", "REQUEST_TIMEOUT_S": "1", "MAX_PENDING_TURNS": "1", "MAX_TURNS_AT_ONCE": "1"}
    with serving(folder, **limits) as live:
        async with httpx.AsyncClient(base_url=live.url + API, timeout=60) as http:
            assert is_problem(await http.post("/ask", json=ASKED | {"question": "长" * 3000}), 413)
            reply = await http.post("/ask", json=ASKED | {"question": "长" * 600}, timeout=60)
            assert reply.status_code == 200

            async def slowly() -> AsyncIterator[bytes]:
                yield b'{"question":'
                await asyncio.sleep(3)
                yield b'"x"}'

            reply = await http.post("/ask", content=slowly(), headers={"content-type": "application/json"})
            assert is_problem(reply, 408)
            for begun in (b"GET / HTTP/1.1\r\nx-slow: ", b""):
                reader, writer = await asyncio.open_connection("127.0.0.1", int(live.url.rpartition(":")[2]))
                writer.write(begun)
                assert await asyncio.wait_for(reader.read(), 120) == b""  # closed by the server
                writer.close()
            replies = await asyncio.gather(*(http.post("/ask", json=ASKED) for _ in range(4)))
            statuses = sorted(one.status_code for one in replies)
            assert statuses[0] == 200 and statuses[-1] == 429
            assert (await http.get("/me")).status_code == 200
            metrics = (await http.get(f"{live.url}/metrics")).text
            assert "wenmai_turn_wait_seconds_count" in metrics and "wenmai_turns_waiting 0.0" in metrics
