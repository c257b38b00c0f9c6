"""The HTTP API on the LangGraph server: the same threads by either, questions as runs, users kept apart."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client

from benchmarks.server_isolation import said
from tests.integration.conftest import Guarded
from tests.integration.live_server import LiveServer
from tests.integration.own_server import API
from wenmai.access.keyring import REFRESH_S

pytestmark = pytest.mark.costly

WHO, AFTERWARDS = "苏晚亭是谁？", "他后来认出了什么？"
ASKED = {"question": WHO, "library": "sample"}


def client(server: LiveServer, key: str = "") -> httpx.AsyncClient:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return httpx.AsyncClient(base_url=f"{server.url}{API}", headers=headers, timeout=120)


async def test_a_conversation(server: LiveServer) -> None:
    """Begun over the API, seen and gone on with by the SDK, and the other way round; deleted for both."""
    async with client(server) as http, get_client(url=server.url) as sdk:
        first = (await http.post("/ask", json=ASKED)).json()
        thread = first["thread_id"]
        assert "守塔人" in first["answer"] and first["citations"]
        asked: Any = {"messages": [{"role": "user", "content": AFTERWARDS}]}
        context: Any = {"library": "sample", "user_id": "local"}
        output: Any = await sdk.runs.wait(thread, "agent", input=asked, context=context)
        assert "航海图" in output["result"]["answer"]
        turns = (await http.get(f"/threads/{thread}/turns")).json()["items"]
        assert [one["question"] for one in turns] == [WHO, AFTERWARDS] and all(one["citations"] for one in turns)
        assert (await http.patch(f"/threads/{thread}", json={"title": "雾港"})).json()["title"] == "雾港"
        listed = (await http.get("/threads")).json()["items"]
        assert ("雾港", "sample") in [(one["title"], one["library"]) for one in listed]
        assert (await http.get("/traces", params={"thread": thread})).json()["total"] == 2
        wrong = await http.post("/ask", json=ASKED | {"library": "nope"})
        assert wrong.status_code == 422 and wrong.headers["content-type"] == "application/problem+json"
        assert (await http.delete(f"/threads/{thread}")).json() == {"documents": 0, "traces": 2}
        assert (await http.get(f"/traces/{first['trace_id']}")).status_code == 404
        assert (await http.get(f"/threads/{thread}")).status_code == 404


async def test_a_stream(server: LiveServer) -> None:
    """The same events as on the own server, the turn last."""
    names, last = [], ""
    async with (
        client(server) as http,
        http.stream("POST", "/ask", json=ASKED, headers={"accept": "text/event-stream"}) as reply,
    ):
        async for line in reply.aiter_lines():
            name, _, data = line.partition(": ")
            names += [data] if name == "event" else []
            last = data if name == "data" else last
    assert names[0] == "thread" and names[-1] == "answer" and {"node", "tool", "text"} <= set(names)
    assert "守塔人" in json.loads(last)["answer"]


async def test_what_browsers_are_told(server: LiveServer) -> None:
    """As on the own server, and its reference of the API in place of one that loads a viewer from elsewhere."""
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        for path in (f"{API}/threads", f"{API}/nowhere", "/docs", "/assistants/nowhere"):
            headers = (await http.get(path)).headers
            assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY", path
            assert headers["content-security-policy"].startswith("default-src 'none'"), path
            assert "http" not in headers["content-security-policy"]


async def test_users(guarded: Guarded) -> None:
    """Another user's thread does not exist; nor does a library change without the right."""
    server, tokens = guarded.server, guarded.tokens
    async with (
        client(server, tokens.victim) as alice,
        client(server, tokens.thief) as mallory,
        client(server) as nobody,
    ):
        assert (await nobody.get("/threads")).status_code == 401
        assert (await nobody.get("/settings")).json()["needs_key"] is True
        thread = (await alice.post("/ask", json=ASKED)).json()["thread_id"]
        assert (await alice.get(f"/threads/{thread}/turns")).json()["total"] == 1
        assert thread not in [one["id"] for one in (await mallory.get("/threads")).json()["items"]]
        for reply in (
            await mallory.get(f"/threads/{thread}"),
            await mallory.get(f"/threads/{thread}/turns"),
            await mallory.patch(f"/threads/{thread}", json={"title": "x"}),
            await mallory.post(f"/threads/{thread}/ask", json=ASKED),
            await mallory.delete(f"/threads/{thread}"),
        ):
            assert reply.status_code in (404, 409), (reply.request.url, reply.text)
        assert (await alice.get(f"/threads/{thread}")).status_code == 200
        assert (await alice.get("/me")).json()["is_admin"] is False
        assert (await alice.delete("/libraries/sample")).status_code == 403
        assert (await alice.get("/libraries/sample/entities")).json()["total"] > 0


async def test_a_user_is_removed_with_the_threads(guarded: Guarded) -> None:
    """PLA-67: the server shows threads to their owner alone; who removes a user is another."""
    made = [said(guarded.server.folder, "keys", "add", "--user", *one) for one in (("dora",), ("root", "--admin"))]
    await asyncio.sleep(REFRESH_S)
    async with client(guarded.server, made[0]) as dora, client(guarded.server, made[1]) as root:
        thread = (await dora.post("/ask", json=ASKED)).json()["thread_id"]
        own = (await root.post("/ask", json=ASKED)).json()["thread_id"]
        receipt = (await root.delete("/users/dora")).json()
        assert receipt == {"threads": 1, "documents": 0, "memories": 0, "traces": 1, "places": 0, "keys": 1}
        assert (await root.get(f"/threads/{own}")).status_code == 200
        if (reply := await dora.get(f"/threads/{thread}")).status_code != 401:
            assert reply.status_code == 404
