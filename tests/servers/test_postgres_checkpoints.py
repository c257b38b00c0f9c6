"""Checkpoints on a real PostgreSQL: as SQLite's, for two processes, over restarts (platform.md §5)."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from psycopg import sql

from devservers.running import crash, start
from nodes.drafts import unpack
from tests.contracts.postgres import POSTGRES, emptied
from tests.graph.rig import Rig, ScriptedPlanner, config, run_context, search
from tests.graph.test_turns import ANSWER, Crash, planner
from tools.errors import InputError, StoreError, StoreLocked, StoreUnavailable
from wenmai.checkpoints.postgres import RELEASE_S, PrunedPostgresSaver, Turns, open_postgres_checkpoints
from wenmai.checkpoints.thread_records import ThreadRecords

ROOT = Path(__file__).parents[2]
DRIVER_S = 20  # it waits ten seconds for a statement that it has cancelled


@pytest.fixture
def uri() -> str:
    return emptied()


@pytest.fixture
async def saver(uri: str) -> AsyncIterator[PrunedPostgresSaver]:
    async with open_postgres_checkpoints(uri) as made:
        yield made


def rows(uri: str, table: str) -> int:
    with psycopg.connect(uri) as base:
        found = base.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))).fetchone()
        assert found is not None
        return int(found[0])


async def test_a_thread_goes_on(saver: PrunedPostgresSaver, uri: str) -> None:
    """PLA-12 PLA-16: turns follow each other on a thread, also for another process."""
    rig = Rig(planner=planner(ANSWER, ANSWER), saver=saver)
    await rig.ask("一？")
    await rig.ask("二？")
    async with open_postgres_checkpoints(uri) as other:
        again = Rig(planner=planner(ANSWER), saver=other)
        result = await again.ask("三？")
        assert result["passed"]
        assert [turn["question"] for turn in (await again.state())["session"]["turns"]] == ["一？", "二？", "三？"]


async def test_old_checkpoints_are_pruned(saver: PrunedPostgresSaver, uri: str) -> None:
    """PLA-21: a thread keeps its newest checkpoints, with no value that none of them has, and goes on."""
    rig = Rig(planner=planner(ANSWER, ANSWER, ANSWER), saver=saver)
    await rig.ask("一？")
    await rig.ask("二？")
    before = rows(uri, "checkpoint_blobs")
    await saver.aprune_thread("t1", 3)
    kept = [state async for state in rig.graph.aget_state_history(config())]
    assert len(kept) == rows(uri, "checkpoints") == 3
    assert rows(uri, "checkpoint_blobs") < before / 2
    assert (await rig.ask("三？"))["passed"]
    assert [turn["question"] for turn in (await rig.state())["session"]["turns"]] == ["一？", "二？", "三？"]


async def test_pruning_leaves_other_threads_alone(saver: PrunedPostgresSaver) -> None:
    """PLA-21: only the thread that is named."""
    rig = Rig(planner=planner(ANSWER, ANSWER), saver=saver)
    await rig.ask("一？")
    await rig.ask("二？", "t2")
    await saver.aprune_thread("t1", 1)
    assert len([one async for one in rig.graph.aget_state_history(config("t2"))]) > 5


async def test_the_transcript_survives_the_checkpoint(saver: PrunedPostgresSaver) -> None:
    """PLA-11 S004-D15: messages come back from strict checkpoints as they were written."""
    turn = search(text="先查")
    turn.additional_kwargs["signatures"] = {"c": "c2ln"}
    rig = Rig(planner=ScriptedPlanner([turn, Crash()]), saver=saver)
    with pytest.raises(Crash):
        await rig.ask()
    assert unpack((await rig.state())["transcript"])[1] == turn


VICTIM = """
import asyncio, os, signal, sys
from tests.graph.rig import Rig, ScriptedPlanner, ScriptedTool, config, search
from wenmai.checkpoints.postgres import open_postgres_checkpoints

async def main():
    async with open_postgres_checkpoints(sys.argv[1]) as saver:
        async def die(arguments, scope):
            while not (await saver.aget_tuple(config())).checkpoint["channel_values"].get("pending"):
                await asyncio.sleep(0.01)  # checkpoints are written beside the run
            os.kill(os.getpid(), signal.SIGKILL)
        async with saver.turn("t1"):
            tools = [ScriptedTool("search", [die])]
            await Rig(planner=ScriptedPlanner([search()]), tools=tools, saver=saver).ask("一？")

asyncio.run(main())
"""


async def test_kill_9_in_mid_turn(uri: str) -> None:
    """PLA-14: a killed process lets its thread go, which another one goes on with."""
    command = [sys.executable, "-c", VICTIM, uri]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    died = await asyncio.to_thread(subprocess.run, command, env=environment, cwd=ROOT, capture_output=True, check=False)
    assert died.returncode == -9, died.stderr.decode()
    async with open_postgres_checkpoints(uri) as saver, saver.turn("t1"):
        rig = Rig(planner=planner(ANSWER), saver=saver)
        assert len((await rig.state())["pending"]) == 1
        result = await rig.ask("二？")
        assert result["passed"] and result["resolved_question"] == "二？"
        assert (await rig.state())["pending"] == []


ASKER = """
import asyncio, sys
from tests.graph.rig import Rig, ScriptedPlanner, ScriptedTool, ONE, search, says
from tests.graph.test_turns import ANSWER, planner
from wenmai.checkpoints.postgres import open_postgres_checkpoints

async def main():
    uri, name = sys.argv[1:]
    async with open_postgres_checkpoints(uri) as saver:
        rig = Rig(planner=planner(*[ANSWER] * 5), saver=saver)
        for n in range(5):
            async with saver.turn("t1"):
                await rig.ask(f"{name}{n}？")
                await saver.aprune_thread("t1", 20)

asyncio.run(main())
"""


async def test_two_processes_at_one_thread(uri: str) -> None:
    """PLA-21 PLA-12: a thread that two processes use at once stays whole: no turn is lost, none mixed with another."""

    async def asker(name: str) -> int | None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", ASKER, uri, name]
        process = await asyncio.create_subprocess_exec(*command, env=environment, cwd=ROOT)
        return await process.wait()

    assert [*await asyncio.gather(asker("甲"), asker("乙"))] == [0, 0]
    async with open_postgres_checkpoints(uri) as saver:
        state = await Rig(saver=saver).state()
    said = [(type(message), message.text) for message in state["messages"]]
    asked = [text for kind, text in said if kind is HumanMessage]
    assert sorted(asked) == sorted(f"{name}{n}？" for name in "甲乙" for n in range(5))
    assert [kind for kind, _ in said] == [HumanMessage, AIMessage] * 10
    for name in "甲乙":
        assert [text for text in asked if text.startswith(name)] == [f"{name}{n}？" for n in range(5)]


async def test_who_waits_too_long_is_told(uri: str) -> None:
    """PLA-12: a thread that stays taken is one clear line, and a free one is had at once."""
    one, other = Turns(uri), Turns(uri, wait_s=0.3)
    async with one.alone("t1"):
        with pytest.raises(StoreLocked, match="t1"):
            async with other.alone("t1"):
                pytest.fail("two at one thread")
        async with other.alone("t2"):
            pass
    async with other.alone("t1"):
        pass
    await one.close()
    await other.close()


async def test_replicas_that_start_at_once(uri: str) -> None:
    """PLA-12: each makes the table of the server's threads unless it is there, and none fails over another's."""
    async with AsyncExitStack() as stack:
        savers = [await stack.enter_async_context(open_postgres_checkpoints(uri)) for _ in range(8)]
        for _ in range(5):
            await asyncio.gather(*(ThreadRecords(saver).setup() for saver in savers))
            assert rows(uri, "wenmai_server_threads") == 0
            await savers[0].execute("DROP TABLE wenmai_server_threads")


def backend(uri: str) -> int:
    """Return the server's process that holds the one advisory lock of the database."""
    ask = (
        "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
    with psycopg.connect(uri) as base:
        [[pid]] = base.execute(ask).fetchall()
        return int(pid)


async def test_a_silent_server_keeps_no_turn_that_is_given_up(uri: str) -> None:
    """S003-D18 PLA-12: a turn that is cancelled ends although the server says nothing; the thread is free again."""
    turns, inside = Turns(uri), asyncio.Event()

    async def turn() -> None:
        async with turns.alone("t1"):
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(turn())
    await inside.wait()
    silent = await asyncio.to_thread(backend, uri)
    os.kill(silent, signal.SIGSTOP)
    try:
        task.cancel()
        done, _ = await asyncio.wait({task}, timeout=RELEASE_S + DRIVER_S)
        assert done and task.cancelled()
    finally:
        os.kill(silent, signal.SIGCONT)
    async with turns.alone("t1"):
        assert await asyncio.to_thread(backend, uri) != silent
    await turns.close()


async def test_a_restart_of_the_server_is_survived(saver: PrunedPostgresSaver) -> None:
    """PLA-14: kill -9 of the server loses no turn; while it is away an error says what to do."""
    rig = Rig(planner=planner(ANSWER, ANSWER, ANSWER), saver=saver)
    async with saver.turn("t1"):
        await rig.ask("一？")
    await asyncio.to_thread(crash, POSTGRES)
    with pytest.raises(StoreUnavailable, match="POSTGRES_URI"):
        async with saver.turn("t1"):
            await rig.ask("二？")
    await asyncio.to_thread(start, POSTGRES)
    async with saver.turn("t1"):
        result = await rig.ask("三？")
    assert result["passed"]
    assert [turn["question"] for turn in (await rig.state())["session"]["turns"]] == ["一？", "三？"]


async def test_a_server_that_is_not_there() -> None:
    """PLA-28: one line says what to do and holds no password."""
    with pytest.raises(StoreUnavailable, match="POSTGRES_URI") as caught:
        async with open_postgres_checkpoints("postgresql://wenmai:geheim@127.0.0.1:9/wenmai"):
            pytest.fail("nobody listens there")
    assert "geheim" not in str(caught.value) and "\n" not in str(caught.value)


async def test_a_wrong_password(uri: str) -> None:
    """PLA-28: a server that refuses is told apart from one that is down."""
    head, _, tail = uri.rpartition("@")
    with pytest.raises(StoreError, match="密码") as caught:
        async with open_postgres_checkpoints(f"{head}x@{tail}"):
            pytest.fail("a wrong password")
    assert not isinstance(caught.value, StoreUnavailable)
    assert head.rpartition(":")[2] not in str(caught.value)


@pytest.mark.parametrize("thread", ["a\0b", "\ud800"])
async def test_a_thread_id_that_is_no_text(saver: PrunedPostgresSaver, thread: str) -> None:
    """PLA-16: what the server cannot hold is the caller's error."""
    with pytest.raises(InputError):
        await saver.aget_tuple({"configurable": {"thread_id": thread}})


async def test_a_question_with_every_kind_of_sign(saver: PrunedPostgresSaver) -> None:
    """PLA-11: what SQLite keeps, PostgreSQL keeps too."""
    question = "古名\0？\\u0000 \x1a \x1a0\x1a1 ' \" 😀 \U00020000"
    rig = Rig(planner=planner(ANSWER), saver=saver)
    await rig.ask(question)
    state: Any = await rig.state()
    assert state["messages"][0].text == state["question"] == question


async def test_a_try_that_is_cancelled_takes_nothing(uri: str) -> None:
    """PLA-12 S003-D18: a turn that is given up while the server grants it leaves the thread to the next one."""

    class Cut(Turns):
        async def _tried(self, thread_id: str) -> bool:
            assert await super()._tried(thread_id)
            raise asyncio.CancelledError

    one, other = Cut(uri), Turns(uri, wait_s=5)
    with pytest.raises(asyncio.CancelledError):
        async with one.alone("t1"):
            pytest.fail("the turn was given up")
    async with other.alone("t1"):
        pass
    await one.close()
    await other.close()


async def settled() -> None:
    """Let every task that can go on go on."""
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.parametrize("times", [2, 3])
async def test_a_release_that_is_cancelled_is_done_all_the_same(uri: str, times: int) -> None:
    """PLA-12 S003-D18: however often a turn is cancelled at its end, the next one here has the thread alone.

    The connection is busy meanwhile, as it is when the release waits for the server.
    """
    here, elsewhere, leave = Turns(uri, wait_s=20), Turns(uri, wait_s=0.3), asyncio.Event()
    entered = [asyncio.Event(), asyncio.Event()]

    async def turn(number: int) -> None:
        async with here.alone("t1"):
            entered[number].set()
            await leave.wait()

    first = asyncio.create_task(turn(0))
    await entered[0].wait()
    assert here._connection is not None
    async with here._connection.lock:
        for _ in range(times):  # the first time ends the turn, every other one is in the midst of its release
            first.cancel()
            await settled()
        second = asyncio.create_task(turn(1))
        await settled()
        assert not entered[1].is_set()
    with pytest.raises(asyncio.CancelledError):
        await first
    await asyncio.wait_for(entered[1].wait(), 20)
    with pytest.raises(StoreLocked):
        async with elsewhere.alone("t1"):
            pytest.fail("two at one thread")
    leave.set()
    await second
    async with elsewhere.alone("t1"):
        pass
    for turns in (here, elsewhere):
        await turns.close()


async def test_turns_of_a_server_keep_their_ends(saver: PrunedPostgresSaver, uri: str) -> None:
    """PLA-35: a run's steps go, the ends of the newest turns stay."""
    rig = Rig(planner=planner(ANSWER, ANSWER, ANSWER), saver=saver)
    for number in range(3):
        asked: Any = {"configurable": {"thread_id": "t1"}, "metadata": {"run_id": f"r{number}"}}
        await rig.stock()
        given: Any = {"messages": [{"role": "user", "content": f"{number}？"}]}
        await rig.graph.ainvoke(given, asked, context=run_context())
    await saver.aprune_thread("t1", 2)
    kept = [one async for one in saver.alist({"configurable": {"thread_id": "t1"}})]
    assert [one.metadata.get("run_id") for one in kept] == ["r2", "r1"] and rows(uri, "checkpoint_writes") == 0
    assert [turn["question"] for turn in (await rig.state())["session"]["turns"]] == ["0？", "1？", "2？"]


async def test_a_record_is_found(saver: PrunedPostgresSaver) -> None:
    records = ThreadRecords(saver)
    await records.setup()
    await records.put("t1", {"metadata": {"title": "雾港"}})
    found = await records.find("t1")
    assert found is not None and found.record == {"metadata": {"title": "雾港"}} and await records.find("t2") is None
