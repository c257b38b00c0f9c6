"""Pages of other origins and the real server: every kind of route, uploads and WebSockets refuse them."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.integration.conftest import Guarded
from tests.integration.live_server import LiveServer, running
from tests.temporary import copied

pytestmark = pytest.mark.costly

EVIL, LISTED, STUDIO = "https://evil.example", "https://app.example", "https://smith.langchain.com"
REBOUND = "rebound.example"
ASKED: dict[str, Any] = {"input": {"messages": [{"role": "user", "content": "苏晚亭是谁？"}]}, "assistant_id": "agent"}
TEXT = {"content-type": "text/plain;charset=UTF-8"}  # a page may send it anywhere without asking
ANY = str(uuid4())
ROUTES = (
    ("POST", "/runs/wait"),
    ("POST", "/runs/stream"),
    ("POST", "/runs"),
    ("POST", "/runs/batch"),
    ("POST", "/threads"),
    ("POST", "/threads/search"),
    ("DELETE", f"/threads/{ANY}"),
    ("POST", f"/threads/{ANY}/runs/wait"),
    ("POST", f"/threads/{ANY}/commands"),
    ("POST", "/assistants"),
    ("POST", "/assistants/search"),
    ("PUT", "/store/items"),
    ("POST", "/store/items/search"),
    ("POST", "/mcp"),
    ("POST", f"/a2a/{ANY}"),
    ("POST", "/api/v1/documents"),
    ("DELETE", "/api/v1/documents"),
    ("GET", "/api/v1/documents"),
    ("GET", "/ok"),
    ("GET", "/info"),
    ("GET", "/metrics"),
    ("GET", "/docs"),
    ("GET", "/openapi.json"),
    ("GET", "/health"),
    ("GET", "/ready"),
    ("POST", "/internal/truncate"),
    ("GET", "/nowhere"),
    ("OPTIONS", "/runs/wait"),
)


@pytest.fixture(scope="module")
def listing(prepared: Path) -> Iterator[LiveServer]:
    """A running server that lists a page."""
    with running(copied(prepared, prepared.parent / "listing"), WENMAI_ORIGINS=f" {LISTED}/ ,") as live:
        yield live


@pytest.fixture
async def http(listing: LiveServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=listing.url, timeout=60) as made:
        yield made


def page(origin: str) -> dict[str, str]:
    return {"origin": origin}


@pytest.mark.parametrize("origin", [EVIL, "null"])
async def test_every_route_refuses_a_foreign_page(http: httpx.AsyncClient, origin: str) -> None:
    """LangGraph's routes, its protocols, ours and unknown ones; a preflight gets no leave either."""
    for method, path in ROUTES:
        asked = {"access-control-request-method": "POST"} if method == "OPTIONS" else {}
        reply = await http.request(method, path, headers=page(origin) | asked)
        assert reply.status_code == 403, (method, path)
        if path.startswith("/api/"):
            assert reply.headers["content-type"] == "application/problem+json"
        else:
            assert list(reply.json()) == ["detail"], (method, path)
        assert origin in reply.json()["detail"] and "WENMAI_ORIGINS" in reply.json()["detail"]
        assert "access-control-allow-origin" not in reply.headers


async def test_nothing_runs_for_a_foreign_page(http: httpx.AsyncClient, listing: LiveServer) -> None:
    """A simple request, which no browser asks leave for, starts no run and stores nothing; from a program it does."""
    for headers in (page(EVIL) | TEXT, page("null") | TEXT):
        before = set(listing.traces.glob("*.json"))
        assert (await http.post("/runs/wait", content=json.dumps(ASKED), headers=headers)).status_code == 403
        assert set(listing.traces.glob("*.json")) == before
        assert (await http.post("/threads", content="{}", headers=headers)).status_code == 403
    assert (await http.post("/threads/search", json={})).json() == []
    assert "守塔人" in (await http.post("/runs/wait", json=ASKED)).json()["result"]["answer"]


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "text/plain; application/json", "application/x-www-form-urlencoded", "multipart/form-data", ""],
)
async def test_json_routes_take_json_only(http: httpx.AsyncClient, listing: LiveServer, kind: str) -> None:
    """What a page may send anywhere without asking is no JSON, whoever sends it: 415, and nothing runs."""
    before = set(listing.traces.glob("*.json"))
    for path in ("/runs/wait", "/runs/batch", "/threads", "/threads/search", "/mcp", "/nowhere"):
        reply = await http.post(path, content=json.dumps(ASKED), headers={"content-type": kind} if kind else {})
        assert (reply.status_code, reply.json()["detail"][0]["field"]) == (415, "content-type"), path
    assert set(listing.traces.glob("*.json")) == before


async def test_what_a_foreign_page_embeds(http: httpx.AsyncClient) -> None:
    """Images, scripts and frames come without an Origin, but the browser names them; a link may be followed."""
    cross = {"sec-fetch-site": "cross-site"}
    for mode, dest in (("no-cors", "image"), ("no-cors", "script"), ("navigate", "iframe"), ("cors", "empty")):
        for path in ("/docs", "/openapi.json", f"/threads/{ANY}/history", f"/api/v1/documents?thread_id={ANY}"):
            asked = cross | {"sec-fetch-mode": mode, "sec-fetch-dest": dest}
            assert (await http.get(path, headers=asked)).status_code == 403, (path, dest)
    link = cross | {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert (await http.get("/docs", headers=link)).status_code == 200
    assert (await http.post("/threads", json={}, headers=link)).status_code == 403
    for site in ("same-origin", "same-site", "none"):
        assert (await http.get("/docs", headers={"sec-fetch-site": site})).status_code == 200


@pytest.mark.parametrize("origin", [LISTED, STUDIO, "http://localhost:3000", "http://[::1]:5173", "own"])
async def test_known_pages_are_answered(http: httpx.AsyncClient, listing: LiveServer, origin: str) -> None:
    """Listed ones, Studio, pages of this machine and of the server: preflight, run and MCP, with CORS headers."""
    headers = page(listing.url if origin == "own" else origin)
    asked = headers | {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    preflight = await http.options("/runs/wait", headers=asked)
    assert preflight.status_code == 200 and "access-control-allow-origin" in preflight.headers
    reply = await http.post("/runs/wait", json=ASKED, headers=headers)
    assert "守塔人" in reply.json()["result"]["answer"] and "access-control-allow-origin" in reply.headers
    call = {"name": "ask", "arguments": {"question": "苏晚亭是谁？", "library": "sample"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    reply = await http.post("/mcp", json=body, headers=headers | {"accept": "application/json, text/event-stream"})
    assert "守塔人" in reply.json()["result"]["content"][0]["text"]


async def test_uploads(http: httpx.AsyncClient) -> None:
    """A form is a simple request, too: a foreign page stores no file, a listed one and a program do."""
    fields, path = {"thread_id": ANY}, "/api/v1/documents"
    for headers, status in ((page(EVIL), 403), (page("null"), 403), (page(LISTED), 201), ({}, 201)):
        files = {"file": ("说明.txt", "雾港的灯塔建于一九〇二年。".encode())}
        assert (await http.post(path, data=fields, files=files, headers=headers)).status_code == status
        listed = (await http.get(path, params=fields)).json()["total"]
        assert listed == (0 if status == 403 else 1)


async def test_websockets(http: httpx.AsyncClient, listing: LiveServer) -> None:
    """A handshake of a foreign page is refused before it is accepted; a listed page's and a program's is accepted."""
    thread = (await http.post("/threads", json={})).json()["thread_id"]
    url = f"{listing.url.replace('http', 'ws')}/threads/{thread}/stream/events"
    for origin in (EVIL, "null", "file://"):
        with pytest.raises(InvalidStatus) as caught:
            async with connect(url, proxy=None, additional_headers=page(origin)):
                pass
        assert caught.value.response.status_code == 403
        assert "WENMAI_ORIGINS" in (caught.value.response.body or b"").decode()
    for headers in (page(LISTED), page(listing.url), page("http://localhost:1"), {}):
        async with connect(url, proxy=None, additional_headers=headers) as socket:
            await socket.send(json.dumps({"id": 1, "method": "nothing"}))
            assert json.loads(await socket.recv())["id"] == 1


async def test_a_site_whose_name_points_here(http: httpx.AsyncClient, listing: LiveServer) -> None:
    """DNS rebinding: host and origin agree, but without keys only a loopback host is answered."""
    port = listing.url.rpartition(":")[2]
    rebound = {"host": f"{REBOUND}:{port}", "origin": f"http://{REBOUND}:{port}"}
    for method, path in ROUTES[:18]:
        assert (await http.request(method, path, headers=rebound)).status_code == 401, (method, path)
    thread = (await http.post("/threads", json={})).json()["thread_id"]
    url = f"{listing.url.replace('http', 'ws')}/threads/{thread}/stream/events"
    with pytest.raises(InvalidStatus):
        async with connect(url.replace("127.0.0.1", REBOUND), host="127.0.0.1", port=int(port), proxy=None):
            pass


async def test_a_key_does_not_open_the_server_to_a_foreign_page(guarded: Guarded) -> None:
    """Origins are checked where keys are asked for, too; a page of the address that a proxy passes on is its own."""
    key = {"authorization": f"Bearer {guarded.tokens.victim}"}
    async with httpx.AsyncClient(base_url=guarded.server.url, timeout=60, headers=key) as http:
        assert (await http.post("/threads", json={}, headers=page(EVIL))).status_code == 403
        own = {"host": "wenmai.example", "origin": "https://wenmai.example"}
        assert (await http.post("/threads", json={}, headers=own)).status_code == 200
        assert (await http.post("/threads", json={}, headers=own | page("https://x.example"))).status_code == 403
