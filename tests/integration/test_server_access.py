"""The server with keys: identity of a run, limits, health, metrics, MCP by its official client."""

import asyncio
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from benchmarks.server_house import SECRET, client_of
from tests.integration.conftest import RATE, Guarded
from tests.integration.live_server import ROOT

pytestmark = pytest.mark.costly

WHO = "苏晚亭是谁？"
PROGRAM_S = 300  # for a program of the page on a busy machine
ASKED: dict[str, Any] = {"messages": [{"role": "user", "content": WHO}]}


async def test_identity_is_that_of_the_key(guarded: Guarded) -> None:
    """PLA-01 PLA-02: the owner of a thread is the key's user, who may say so; anybody else is a 403 by field."""
    async with client_of(guarded.server.url, guarded.tokens.victim) as (http, sdk):
        thread = (await sdk.threads.create())["thread_id"]
        named: Any = {"user_id": "alice", "library": "sample"}
        output: Any = await sdk.runs.wait(thread, "agent", input=ASKED, context=named)
        assert "守塔人" in output["result"]["answer"]
        state: Any = await sdk.threads.get_state(thread)
        assert state["values"]["owner"] == "alice"
        body = {"assistant_id": "agent", "input": ASKED, "context": {"user_id": "mallory"}}
        reply = await http.post(f"/threads/{thread}/runs/wait", json=body)
        assert (reply.status_code, reply.json()["detail"][0]["field"]) == (403, "context.user_id")


async def test_too_many_requests(guarded: Guarded) -> None:
    """PLA-08: RATE_LIMIT is per key: the next request is a 429 that says when, another key goes on."""
    async with client_of(guarded.server.url, guarded.busy) as (http, _):
        replies = [reply for _ in range(RATE // 20 + 1) for reply in await many(http)]
        refused = [reply for reply in replies if reply.status_code == 429]
        assert len(replies) - len(refused) <= RATE and refused
        assert refused[0].json()["detail"][0]["field"] == "request" and int(refused[0].headers["retry-after"]) > 0
    async with client_of(guarded.server.url, guarded.tokens.victim) as (http, _):
        assert (await http.get("/info")).status_code == 200


async def many(http: httpx.AsyncClient) -> list[httpx.Response]:
    """Send twenty requests at once."""
    return list(await asyncio.gather(*(http.post("/threads/count", json={}) for _ in range(20))))


async def test_any_body_is_counted(guarded: Guarded) -> None:
    """DOC-03: MAX_REQUEST_BYTES holds for every route while the body is read, whatever its length is said to be."""

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(64):
            yield b" " * 65_536

    async with client_of(guarded.server.url, guarded.tokens.victim) as (http, _):
        big = {"namespace": ["n"], "key": "k", "value": {"text": "x" * 2**20}}
        for reply in (await http.put("/store/items", json=big), await http.post("/threads/search", content=endless())):
            assert (reply.status_code, reply.json()["detail"][0]["field"]) == (413, "body")
            assert "MAX_REQUEST_BYTES" in reply.json()["detail"][0]["message"]


async def test_health_and_readiness_without_a_key(guarded: Guarded) -> None:
    """PLA-25: a library that a stopped process left behind is no fault; each store is named."""
    async with httpx.AsyncClient(base_url=guarded.server.url, timeout=30) as http:
        assert (await http.get("/health")).json() == {"ok": True}
        reply = await http.get("/ready")
        stores = {"catalog", "memories", "documents", "passages", "story_graph", "disk", "checkpoints"}
        assert (reply.status_code, reply.json()["ready"]) == (200, True) and set(reply.json()["stores"]) == stores
        assert set(reply.json()["stores"].values()) == {"ok"}
        assert (await http.get("/api/v1/documents", params={"thread_id": "s"})).status_code == 401


async def test_metrics_count_without_contents(guarded: Guarded) -> None:
    """S003-24: questions, seconds, tokens and calls by mind and tool; no content, user or thread is a label."""
    async with client_of(guarded.server.url, guarded.tokens.victim) as (http, sdk):
        await sdk.runs.wait(None, "agent", input=ASKED)
        text = (await http.get("/metrics")).text
    own = [line for line in text.splitlines() if line.startswith("wenmai_")]
    labels = {name for line in own for name in re.findall(r"[{,](\w+)=", line)}
    assert labels <= {"graph", "mind", "outcome", "kind", "tool", "error", "le"}
    assert any(line.startswith('wenmai_turns_total{graph="agent",mind="offline",outcome="') for line in own)
    for name in ("wenmai_turn_seconds_sum", "wenmai_tokens_total", "wenmai_tool_calls_total"):
        assert any(line.startswith(name) for line in own)
    for secret in (SECRET, "苏晚亭", "alice", guarded.tokens.victim):
        assert secret not in text


def example(heading: str) -> str:
    """Return the Python of a section of the server's page."""
    section = (ROOT / "docs" / "guide" / "server.md").read_text(encoding="utf-8").split(f"\n## {heading}\n")[1]
    return section.split("```python\n")[1].split("```")[0]


async def test_the_example_of_mcp(guarded: Guarded) -> None:
    """S000-28 PLA-08: the page's program, as it stands there, asks the library that it names and no other."""
    answers = {}
    for library in ("sample", "nowhere"):
        given = {"URL": guarded.server.url, "KEY": guarded.tokens.victim, "LIBRARY": library, "QUESTION": WHO}
        lines = [f"{name} = {value!r}" for name, value in given.items()]
        program = "\n".join([*lines, example("MCP")])
        command = [sys.executable, "-c", program]
        answers[library] = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, encoding="utf-8", check=False, timeout=PROGRAM_S
        )
    assert answers["sample"].returncode == 0 and "守塔人" in answers["sample"].stdout, answers["sample"].stderr
    assert "没有名为 nowhere 的资料库" in answers["nowhere"].stdout, answers["nowhere"].stderr


def test_the_log_of_a_server_with_keys(guarded: Guarded) -> None:
    """PLA-01: no key is logged, nor that there are none."""
    assert "没有 API 密钥" not in guarded.server.log
    assert guarded.tokens.victim not in guarded.server.log and "Blocking call" not in guarded.server.log
