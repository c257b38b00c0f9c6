"""A server for a team: what belongs to a user, a thread or a library stays there, and goes with it."""

import stat
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from benchmarks.server_isolation import said
from tests.integration.live_server import LiveServer
from tests.integration.own_server import API, serving
from tests.temporary import copied

WHO = {"question": "苏晚亭是谁？", "library": "sample"}


@dataclass(frozen=True, slots=True)
class Team:
    """A server with the keys of two users, and one of the first user's for another library alone."""

    live: LiveServer
    folder: Path
    alice: str
    bob: str
    elsewhere: str


@pytest.fixture(scope="module")
def team(prepared: Path) -> Iterator[Team]:
    folder = copied(prepared, prepared.parent / "team")
    alice, bob = (said(folder, "keys", "add", "--user", user, "--admin") for user in ("alice", "bob"))
    elsewhere = said(folder, "keys", "add", "--user", "alice", "--library", "elsewhere", "--admin")
    with serving(folder) as live:
        yield Team(live, folder, alice, bob, elsewhere)


@pytest.fixture
async def alice(team: Team) -> AsyncIterator[httpx.AsyncClient]:
    async with client(team, team.alice) as http:
        yield http


def client(team: Team, key: str) -> httpx.AsyncClient:
    headers = {"authorization": f"Bearer {key}"}
    return httpx.AsyncClient(base_url=f"{team.live.url}{API}", headers=headers, timeout=120)


def trace_files(team: Team) -> int:
    return len(list((team.live.folder / "traces").glob("*.json")))


async def test_a_trace_goes_with_its_thread_and_opens_to_nobody_else(team: Team, alice: httpx.AsyncClient) -> None:
    """PLA-61: also not to who makes a thread of the same id."""
    thread, before = str(uuid4()), trace_files(team)
    first = (await alice.post(f"/threads/{thread}/ask", json=WHO)).json()
    assert trace_files(team) == before + 1
    assert (await alice.get(f"/traces/{first['trace_id']}")).json()["trace"]["user_id"] == "alice"
    receipt = (await alice.delete(f"/threads/{thread}")).json()
    assert receipt == {"documents": 0, "traces": 1} and trace_files(team) == before
    kept = (await alice.post(f"/threads/{thread}/ask", json=WHO)).json()["trace_id"]
    async with client(team, team.bob) as bob:
        assert (await bob.post(f"/threads/{thread}/ask", json=WHO)).status_code == 404
        assert (await bob.get(f"/traces/{kept}")).status_code == 404
        assert (await bob.get("/traces")).json()["total"] == 0


async def test_what_is_not_kept_leaves_no_trace(team: Team, alice: httpx.AsyncClient) -> None:
    """PLA-61: a chat client's question without a thread, and an agent's over MCP's tool."""
    before = trace_files(team)
    asked = {"model": "sample", "messages": [{"role": "user", "content": WHO["question"]}]}
    reply = await alice.post(f"{team.live.url}/v1/chat/completions", json=asked)
    assert "守塔人" in reply.json()["choices"][0]["message"]["content"]
    assert (await alice.post("/tools/ask", json=WHO)).status_code == 200
    assert trace_files(team) == before


async def test_a_key_of_one_library_sees_nothing_of_the_others(team: Team, alice: httpx.AsyncClient) -> None:
    """PLA-34: not by its user's threads, evidence, exports and traces either, nor may it remove what is everybody's."""
    turn = (await alice.post("/ask", json=WHO)).json()
    thread, trace = turn["thread_id"], turn["trace_id"]
    stored = await alice.post("/documents", data={"preloaded": "true"}, files={"file": ("all.txt", b"for everybody")})
    assert stored.status_code == 201, stored.text
    async with client(team, team.elsewhere) as narrow:
        assert (await narrow.get("/threads")).json()["total"] == 0
        assert (await narrow.get("/traces")).json()["total"] == 0
        for method, path in (
            ("GET", f"/threads/{thread}"),
            ("GET", f"/threads/{thread}/turns"),
            ("GET", f"/threads/{thread}/turns/1/record"),
            ("GET", f"/threads/{thread}/turns/1/evidence"),
            ("GET", f"/threads/{thread}/export"),
            ("DELETE", f"/threads/{thread}"),
            ("GET", f"/traces/{trace}"),
        ):
            assert (await narrow.request(method, path)).status_code == 404, path
        asked = {"question": "她后来呢？", "toolkits": ["documents"]}
        assert (await narrow.post(f"/threads/{thread}/ask", json=asked)).status_code == 404
        removed = await narrow.delete("/documents", params={"preloaded": "true"})
        assert removed.status_code == 403
    assert (await alice.get(f"/threads/{thread}/turns")).json()["total"] == 1
    assert (await alice.get("/documents", params={"preloaded": "true"})).json()["total"] == 1


def test_files_are_their_owners_alone(team: Team) -> None:
    """PLA-60: also those that were there before, and what a command makes."""
    data = team.live.data
    assert said(team.folder, "keys", "list")
    open_to_others = [
        str(path.relative_to(data)) for path in (data, *data.rglob("*")) if stat.S_IMODE(path.lstat().st_mode) & 0o077
    ]
    assert open_to_others == []
