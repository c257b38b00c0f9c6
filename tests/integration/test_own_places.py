"""Places of `wenmai serve`: a user with many questions does not hold up another, who asks at the same time."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from benchmarks.server_isolation import keys_in
from tests.integration.live_server import LiveServer
from tests.integration.own_server import API, serving
from tests.temporary import copied

pytestmark = pytest.mark.costly

ASKED = {"question": "陆沉舟与苏晚照是什么关系？", "library": "sample"}
MANY, PLACES, FEW = 60, 4, 3
LEFT = 20  # of his questions, behind which another would have to wait
LIMITS = {"MAX_TURNS_AT_ONCE": str(PLACES), "MAX_PENDING_TURNS": str(MANY + 1)}
STREAM = {"accept": "text/event-stream"}


def client(server: LiveServer, key: str = "") -> httpx.AsyncClient:
    """Return a client, as the user of a key."""
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return httpx.AsyncClient(base_url=f"{server.url}{API}", headers=headers, timeout=120)


async def ask(http: httpx.AsyncClient, ended: list[str]) -> None:
    """Ask on a thread of its own."""
    reply = await http.post("/ask", json=ASKED)
    assert reply.status_code == 200, reply.text
    ended.append(reply.json()["thread_id"])


async def begun(http: httpx.AsyncClient) -> None:
    """Ask, and return when the question runs."""
    async with http.stream("POST", "/ask", json=ASKED, headers=STREAM) as reply:
        async for line in reply.aiter_lines():
            if line == "event: node":
                return
    raise AssertionError("no step")


async def most_running(live: LiveServer, http: httpx.AsyncClient, enough: Callable[[], bool]) -> float:
    """Return how many questions ran at a time until there was enough."""
    most = 0.0
    while not enough():
        lines = (await http.get(f"{live.url}/metrics")).text.splitlines()
        most = max(most, *(float(line.split()[1]) for line in lines if line.startswith("wenmai_turns_running ")))
    return most


async def test_a_second_user_starts_at_once(prepared: Path, tmp_path: Path) -> None:
    """Half of the places is the most that one user holds; the rest of his questions waits for these."""
    folder, ended = copied(prepared, tmp_path / "places"), list[str]()
    tokens = keys_in(folder)
    with serving(folder, **LIMITS) as live:
        async with client(live, tokens.victim) as alice, client(live, tokens.thief) as mallory:
            await ask(mallory, [])  # what is loaded once is loaded
            asking = asyncio.gather(*(ask(alice, ended) for _ in range(MANY)))
            assert await most_running(live, alice, lambda: len(ended) >= FEW) == PLACES // 2
            await begun(mallory)
            assert len(ended) < MANY - LEFT
            await asking


async def test_the_only_user_has_every_place(prepared: Path, tmp_path: Path) -> None:
    """Without keys there is nobody else."""
    folder, ended = copied(prepared, tmp_path / "alone"), list[str]()
    with serving(folder, **LIMITS) as live:
        async with client(live) as http:
            asking = asyncio.gather(*(ask(http, ended) for _ in range(MANY)))
            assert await most_running(live, http, asking.done) == PLACES
            await asking
