"""What a LangGraph server asks of its checkpointer beside turns, on SQLite and PostgreSQL; records of threads, too."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple

from tests.contracts.postgres import POSTGRES, emptied
from tests.engines import engines
from tests.graph.rig import Rig, run_context
from tests.graph.test_turns import ANSWER, planner
from wenmai.checkpoints.postgres import open_postgres_checkpoints
from wenmai.checkpoints.sqlite import PrunedSqliteSaver, Saver, open_checkpoints
from wenmai.checkpoints.thread_records import ThreadRecords


@pytest.fixture(params=engines(__name__, "sqlite", servers=(POSTGRES,)))
async def saver(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Saver]:
    opened: Any = open_postgres_checkpoints(emptied()) if request.param == POSTGRES else open_checkpoints(tmp_path)
    async with opened as made:
        yield made


class Server:
    """Runs turns as a server does: each with an id, which stands in the metadata of its checkpoints."""

    def __init__(self, saver: Saver) -> None:
        self.saver = saver
        self.rig = Rig(planner=planner(*[ANSWER] * 9), saver=saver)

    async def turn(self, question: str, thread: str = "t1") -> str:
        """Ask on a thread and return the id of the run."""
        await self.rig.stock()
        run = str(uuid.uuid4())
        config: RunnableConfig = {"configurable": {"thread_id": thread}, "metadata": {"run_id": run}}
        given: Any = {"messages": [{"role": "user", "content": question}]}
        await self.rig.graph.ainvoke(given, config, context=run_context())
        return run

    async def kept(self, thread: str = "t1") -> list[CheckpointTuple]:
        """Return the checkpoints of a thread, the newest first."""
        return [one async for one in self.saver.alist({"configurable": {"thread_id": thread}})]

    async def asked(self, thread: str = "t1") -> list[str]:
        """Return the questions that a thread remembers."""
        return [turn["question"] for turn in (await self.rig.state(thread))["session"]["turns"]]


async def test_a_run_is_rolled_back(saver: Saver) -> None:
    """What a run wrote is gone, the turn before it is the last again, and the thread goes on from there."""
    server = Server(saver)
    first = await server.turn("一？")
    before = [one.config for one in await server.kept()]
    gone = await server.turn("二？")
    other = await server.turn("别的？", "t2")
    await saver.adelete_for_runs([gone, str(uuid.uuid4())])
    assert [one.config for one in await server.kept()] == before and await server.asked() == ["一？"]
    await server.turn("三？")
    assert await server.asked() == ["一？", "三？"] and await server.asked("t2") == ["别的？"]
    await saver.adelete_for_runs([first, other])
    assert await server.kept("t2") == [] and await server.asked() == ["一？", "三？"]


async def test_runs_are_found_by_their_id(saver: Saver) -> None:
    """The last checkpoint of a run is found by the filter that a restart uses."""
    server = Server(saver)
    runs = [await server.turn(question) for question in ("一？", "二？")]
    for run, questions in zip(runs, (["一？"], ["一？", "二？"]), strict=True):
        config: Any = {"configurable": {"thread_id": "t1", "checkpoint_ns": ""}}
        (last,) = [one async for one in saver.alist(config, filter={"run_id": run}, limit=1)]
        session = last.checkpoint["channel_values"]["session"]
        assert [turn["question"] for turn in session["turns"]] == questions


async def test_a_thread_is_copied(saver: Saver) -> None:
    """The copy has every checkpoint under its own id, in what a server adds to them too; both go on by themselves."""
    server = Server(saver)
    await server.turn("一？")
    for one in await server.kept():
        named: Any = {**one.metadata, "thread_id": "t1"}
        await saver.aput(
            one.parent_config or {"configurable": {"thread_id": "t1", "checkpoint_ns": ""}}, one.checkpoint, named, {}
        )
    await saver.acopy_thread("t1", "copy")
    original, copy = await server.kept(), await server.kept("copy")
    assert [one.checkpoint for one in copy] == [one.checkpoint for one in original]
    assert [one.pending_writes for one in copy] == [one.pending_writes for one in original]
    assert {one.metadata.get("thread_id") for one in copy} == {"copy"}
    await server.turn("二？", "copy")
    assert (await server.asked(), await server.asked("copy")) == (["一？"], ["一？", "二？"])


async def test_pruning_and_deleting(saver: Saver) -> None:
    """keep_latest leaves one checkpoint that the thread goes on from, delete none; other threads stay as they are."""
    server = Server(saver)
    for thread in ("t1", "t2", "t3"):
        await server.turn("一？", thread)
    await saver.aprune(["t1"], strategy="keep_latest")
    await saver.aprune(["t2"], strategy="delete")
    assert [len(await server.kept(thread)) for thread in ("t1", "t2")] == [1, 0]
    assert len(await server.kept("t3")) > 5
    await server.turn("二？")
    assert await server.asked() == ["一？", "二？"]
    with pytest.raises(ValueError, match="newest"):
        await saver.aprune(["t1"], strategy="newest")


async def test_threads_are_deleted_at_once(saver: Saver) -> None:
    """Every table loses the threads that are named, also those that have nothing; others stay as they are."""
    server, gone = Server(saver), [f"nothing {number}" for number in range(2_000)]
    for thread in ("t1", "t2", "t3"):
        await server.turn("一？", thread)
    before = await server.kept("t3")
    records = ThreadRecords(saver)
    sizes = [await records.size([thread]) for thread in ("t1", "t2", "t3")]
    assert min(sizes) > 0 and await records.size(["t1", "t3", "nothing"]) == sizes[0] + sizes[2]
    assert await records.size([]) == 0
    await saver.adelete_threads([*gone, "t1", "t2"])
    await saver.sync()
    for table in ("checkpoints", "writes" if isinstance(saver, PrunedSqliteSaver) else "checkpoint_writes"):
        assert {thread for (thread,) in await saver.rows(f"SELECT DISTINCT thread_id FROM {table}")} == {"t3"}
    assert await server.kept("t3") == before and await server.asked("t3") == ["一？"]


async def test_records_of_threads(saver: Saver) -> None:
    """They are written over, a deletion is remembered for threads that had one, and forgotten after a while."""
    records, started = ThreadRecords(saver), datetime.now(UTC)
    await records.setup()
    await records.setup()
    await records.put("t1", {"metadata": {"owner": "甲"}})
    await asyncio.sleep(0.01)
    await records.put("t1", {"metadata": {"owner": "甲", "title": "零\0字符"}})
    await records.put("t2", {"metadata": {}})
    await records.delete("t2")
    await records.delete("nobody")
    known = {one.thread_id: one for one in await records.all()}
    assert {thread: one.record for thread, one in known.items()} == {
        "t1": {"metadata": {"owner": "甲", "title": "零\0字符"}},
        "t2": None,
    }
    assert all(started < one.changed_at < datetime.now(UTC) for one in known.values())
    await records.forget_deleted(started)
    assert len(await records.all()) == 2
    await records.forget_deleted(datetime.now(UTC) + timedelta(seconds=1))
    assert [one.thread_id for one in await records.all()] == ["t1"]
