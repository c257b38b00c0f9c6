"""`langgraph dev` killed with kill -9: every finished turn is kept, its thread, its owner and what was deleted too."""

import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from benchmarks.server_isolation import keys_in
from tests.integration.live_server import LiveServer, running
from tests.temporary import copied
from wenmai.checkpoints import CHECKPOINTS_FILE

pytestmark = pytest.mark.costly

WHO, AFTERWARDS = "苏晚亭是谁？", "他后来认出了什么？"
FLUSH_S = 10  # the runtime writes its threads and runs so often
FLUSHES = 30


def killed(server: LiveServer) -> None:
    """Kill the whole process tree of a server at once."""
    os.killpg(server.pid, signal.SIGKILL)
    while alive(server.pid):
        time.sleep(0.05)


def alive(pid: int) -> bool:
    """Return True if a process still runs; a killed child that nobody waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def ask(sdk: LangGraphClient, thread: str | None, question: str, **more: Any) -> dict[str, Any]:
    """Ask on a thread, or on none, and return what the graph put out."""
    given: Any = {"messages": [{"role": "user", "content": question}]}
    output: Any = await sdk.runs.wait(thread, "agent", input=given, **more)
    return dict(output)


async def new_thread(sdk: LangGraphClient, **metadata: str) -> str:
    """Return the id of a fresh thread."""
    return (await sdk.threads.create(metadata=metadata))["thread_id"]


def held(server: LiveServer, thread: str) -> int:
    """Return how many checkpoints and records the database has of a thread."""
    with closing(sqlite3.connect(server.data / CHECKPOINTS_FILE)) as base:
        counts = (
            "SELECT count(*) FROM checkpoints WHERE thread_id = ?",
            "SELECT count(*) FROM writes WHERE thread_id = ?",
            "SELECT count(*) FROM wenmai_server_threads WHERE thread_id = ? AND record IS NOT NULL",
        )
        return sum(int(base.execute(query, (thread,)).fetchone()[0]) for query in counts)


def records(server: LiveServer) -> list[str]:
    """Return the threads that have checkpoints or a record, or had one when they were deleted."""
    with closing(sqlite3.connect(server.data / CHECKPOINTS_FILE)) as base:
        query = "SELECT thread_id FROM wenmai_server_threads UNION SELECT thread_id FROM checkpoints"
        return [thread for (thread,) in base.execute(query)]


async def test_a_killed_server_goes_on(prepared: Path, tmp_path: Path) -> None:
    """Killed behind an answer and in the middle of another: two users, a deleted thread, follow-ups."""
    folder = copied(prepared, tmp_path / "killed")
    tokens = keys_in(folder)
    with running(folder) as live:
        async with (
            get_client(url=live.url, api_key=tokens.victim) as alice,
            get_client(url=live.url, api_key=tokens.thief) as mallory,
        ):
            thread, cut, gone = [await new_thread(alice, title=title) for title in ("雾港", "断了", "删了")]
            other = await new_thread(mallory)
            brief = await new_thread(alice, title="只存一次")
            await ask(alice, None, WHO)
            assert records(live) == []  # the server gives a run without a thread no checkpointer
            await ask(alice, brief, WHO, durability="exit")
            assert records(live) == [brief]
            await ask(alice, gone, WHO)
            await alice.threads.delete(gone)
            await ask(mallory, other, "陆沉舟是谁？")
            await ask(alice, cut, WHO)
            first = await ask(alice, thread, WHO)
            before: Any = await alice.threads.get(thread)
            await begin(alice, cut, "陆沉舟与苏晚照是什么关系？")
        killed(live)
    with running(folder) as live:
        async with (
            get_client(url=live.url, api_key=tokens.victim) as alice,
            get_client(url=live.url, api_key=tokens.thief) as mallory,
        ):
            assert {one["thread_id"] for one in await alice.threads.search()} == {thread, cut, brief}
            assert {one["thread_id"] for one in await mallory.threads.search()} == {other}
            known: Any = await alice.threads.get(thread)
            for name in ("metadata", "created_at", "status", "values"):
                assert known[name] == before[name], name
            state: Any = await alice.threads.get_state(thread)
            assert state["values"]["result"]["answer"] == first["result"]["answer"] and state["next"] == []
            state = await alice.threads.get_state(brief)
            assert state["values"]["result"]["answer"] == first["result"]["answer"]
            await refused(mallory, brief)
            await refused(mallory, thread)
            await refused(alice, gone)
            second = await ask(alice, thread, AFTERWARDS)
            assert "苏晚亭" in second["result"]["resolved_question"] and "航海图" in second["result"]["answer"]
            assert [one["type"] for one in second["messages"]] == ["human", "ai"] * 2
            assert "航海图" in (await ask(alice, cut, "苏晚亭后来认出了什么？"))["result"]["answer"]
            state = await alice.threads.get_state(cut)
            assert state["next"] == [] and state["values"]["session"]["turns"][0]["question"] == WHO
            await alice.threads.delete(thread)
            await refused(alice, thread)
        assert (held(live, thread), held(live, gone)) == (0, 0) and held(live, other) > 0
        assert "Traceback" not in live.log and "Blocking call" not in live.log


async def begin(sdk: LangGraphClient, thread: str, question: str) -> None:
    """Ask on a thread and return as soon as the graph has taken its first step."""
    given: Any = {"messages": [{"role": "user", "content": question}]}
    async for chunk in sdk.runs.stream(thread, "agent", input=given, stream_mode="updates"):
        if chunk.event == "updates":
            return


async def refused(sdk: LangGraphClient, thread: str) -> None:
    """Expect that a thread does not exist for a user: not to read, not to ask, not to delete, not to make again."""
    given: Any = {"messages": [{"role": "user", "content": WHO}]}
    for call in (
        sdk.threads.get(thread),
        sdk.threads.get_state(thread),
        sdk.threads.get_history(thread),
        sdk.runs.wait(thread, "agent", input=given),
        sdk.threads.delete(thread),
    ):
        try:
            found = await call
        except httpx.HTTPStatusError as error:
            assert error.response.status_code == 404
        else:
            raise AssertionError(found)


async def test_a_turn_is_not_repeated(prepared: Path, tmp_path: Path) -> None:
    """Killed when the runtime had written a run as unfinished whose turn was done since: it is not asked again."""
    folder = copied(prepared, tmp_path / "repeated")
    written = folder / ".langgraph_api" / ".langgraph_ops.pckl"
    asked = 0
    with running(folder) as live:
        async with get_client(url=live.url) as sdk:
            thread = await new_thread(sdk)
            end = time.monotonic() + FLUSHES * FLUSH_S
            within = False
            while not within:
                assert time.monotonic() < end, "the runtime wrote nothing while a question ran"
                before = written.stat().st_mtime_ns if written.exists() else 0
                await ask(sdk, thread, WHO if not asked else AFTERWARDS)
                asked += 1
                within = written.exists() and written.stat().st_mtime_ns != before
        killed(live)
    with running(folder) as live:
        async with get_client(url=live.url) as sdk:
            last = await ask(sdk, thread, AFTERWARDS)
            assert [one["type"] for one in last["messages"]] == ["human", "ai"] * (asked + 1)
            runs = await sdk.runs.list(thread, limit=100)
            assert {run["status"] for run in runs} == {"success"}
