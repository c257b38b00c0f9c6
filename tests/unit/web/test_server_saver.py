"""The checkpointer of a LangGraph server, on SQLite, without a server."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver

from tests.graph.rig import ScriptedPlanner, search
from tests.graph.test_turns import Crash
from tests.unit.web.server_threads import Threads
from wenmai.checkpoints.server import ServerSaver
from wenmai.checkpoints.sqlite import PrunedSqliteSaver, open_checkpoints
from wenmai.checkpoints.thread_records import ThreadRecords
from wenmai.web.langgraph.checkpointer import RuntimeThreads

ASKED_FOR = (
    "aput",
    "aput_writes",
    "aget_tuple",
    "alist",
    "adelete_thread",
    "adelete_for_runs",
    "acopy_thread",
    "aprune",
)


@pytest.fixture
async def saver(tmp_path: Path) -> AsyncIterator[PrunedSqliteSaver]:
    async with open_checkpoints(tmp_path) as made:
        yield made


@pytest.fixture
async def threads(saver: PrunedSqliteSaver) -> Threads:
    made = Threads(saver)
    await made.records.setup()
    return made


def test_it_has_all_that_a_server_asks_for() -> None:
    """LangGraph's server looks at the class for what it may call; what is missing fails in use."""
    for name in ASKED_FOR:
        assert getattr(ServerSaver, name) is not getattr(BaseCheckpointSaver, name)


async def test_a_turn_keeps_its_thread(threads: Threads) -> None:
    """The record has metadata and time as the runtime does; nothing of a request gets into the checkpoints."""
    thread = threads.thread(owner="alice", title="雾港")
    await threads.turn(thread, "一？")
    (kept,) = await threads.records.all()
    known = threads.known(thread)
    assert known is not None and kept.thread_id == thread
    assert kept.record == {"metadata": known["metadata"], "created_at": known["created_at"].isoformat()}
    for point in await threads.kept(thread):
        assert "langgraph_request_id" not in point.metadata and "alice" not in json.dumps(point.metadata, default=str)


async def test_a_thread_is_pruned_as_it_grows(saver: PrunedSqliteSaver) -> None:
    """The ends of the newest KEPT_CHECKPOINTS turns, on this thread alone."""
    threads = Threads(saver, keep=2)
    await threads.records.setup()
    first, other = threads.thread(), threads.thread()
    await threads.turn(other, "别的？")
    for number, question in enumerate(("一？", "二？", "三？", "四？"), 1):
        await threads.turn(first, question, f"r{number}")
        points = await threads.kept(first)
        assert [point.metadata.get("run_id") for point in points] == [f"r{n}" for n in range(number, 0, -1)][:2]
    assert await threads.asked(first) == ["一？", "二？", "三？", "四？"] and len(await threads.kept(other)) == 1


async def test_a_turn_under_way_keeps_its_steps(threads: Threads) -> None:
    """Its last step is what a run goes on from; the turn before has its end alone."""
    thread = threads.thread()
    await threads.turn(thread, "一？", "r1")
    with pytest.raises(Crash):
        await threads.turn(thread, "二？", "r2", asked=ScriptedPlanner([search(), Crash()]))
    runs = [point.metadata.get("run_id") for point in await threads.kept(thread)]
    assert runs.count("r1") == 1 and runs.count("r2") > 1


async def test_a_run_that_saves_at_its_end_alone(saver: PrunedSqliteSaver) -> None:
    """`durability="exit"`: one checkpoint, which a step wrote. Its thread has a record, and is pruned as others are."""
    threads = Threads(saver, keep=2)
    await threads.records.setup()
    thread = threads.thread(owner="alice")
    for question in ("一？", "二？", "三？", "四？"):
        await threads.turn(thread, question, durability="exit")
    points = await threads.kept(thread)
    assert [point.metadata.get("source") for point in points] == ["loop"] * 2
    assert [one.thread_id for one in await threads.records.all()] == [thread]
    assert await threads.asked(thread) == ["一？", "二？", "三？", "四？"]


async def test_a_turn_is_pruned_once(saver: PrunedSqliteSaver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its later checkpoints write no record; of so many threads that the oldest is forgotten it is done again."""
    monkeypatch.setattr("wenmai.checkpoints.server.KNOWN_RUNS", 1)
    threads = Threads(saver)
    await threads.records.setup()
    thread, run = threads.thread(), "r1"
    await threads.turn(thread, "一？", run)
    (first,) = await threads.records.all()
    await put_by_a_step(threads, thread, run)
    assert await threads.records.all() == [first]
    await threads.turn(threads.thread(), "别的？")
    await put_by_a_step(threads, thread, run)
    assert first not in await threads.records.all()


async def put_by_a_step(threads: Threads, thread: str, run: str) -> None:
    """Save the newest checkpoint of a thread again, as a step of a run would."""
    last = (await threads.kept(thread))[0]
    config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}, "metadata": {"run_id": run}}
    await threads.server.aput(config, last.checkpoint, {"source": "loop"}, {})


async def test_a_deleted_thread_stays_deleted(threads: Threads) -> None:
    """Its checkpoints and record are gone; a run that was still at it writes nothing any more."""
    thread = threads.thread(owner="alice")
    await threads.turn(thread, "一？")
    await threads.server.adelete_thread(thread)
    threads.store["threads"].clear()
    assert await threads.kept(thread) == [] and [one.record for one in await threads.records.all()] == [None]
    with pytest.raises(Crash):
        await threads.turn(thread, "二？", asked=ScriptedPlanner([search(), Crash()]))
    assert await threads.kept(thread) == [] and [one.record for one in await threads.records.all()] == [None]
    assert await threads.saver.rows("SELECT count(*) FROM writes") == [(0,)]


async def test_threads_are_pruned_on_demand(threads: Threads) -> None:
    """`keep_latest` as the savers do; to delete everything takes the record along, under both names of the server."""
    kept, gone, too = (threads.thread() for _ in range(3))
    for thread in (kept, gone, too):
        await threads.turn(thread, "一？")
    await threads.server.aprune([kept])
    await threads.server.aprune([gone], strategy="delete")
    await threads.server.aprune([too], strategy="delete_all")
    assert [len(await threads.kept(thread)) for thread in (kept, gone, too)] == [1, 0, 0]
    assert {one.thread_id: one.record is None for one in await threads.records.all()} == {
        kept: False,
        gone: True,
        too: True,
    }


async def test_a_copy_has_a_record(threads: Threads) -> None:
    """A copied thread survives a crash before its first turn."""
    thread, copy = threads.thread(owner="alice"), threads.thread(owner="alice")
    await threads.turn(thread, "一？")
    await threads.server.acopy_thread(thread, copy)
    assert await threads.asked(copy) == ["一？"]
    assert {one.thread_id for one in await threads.records.all()} == {thread, copy}


async def test_a_runtime_that_keeps_its_threads_itself(saver: PrunedSqliteSaver) -> None:
    """LangGraph's server image: turns are kept, records are not needed."""
    records = ThreadRecords(saver)
    await records.setup()
    threads = Threads(saver)
    threads.server = ServerSaver(saver, records, RuntimeThreads(None).find, 20)
    thread = threads.thread()
    await threads.turn(thread, "一？")
    assert await threads.asked(thread) == ["一？"] and await records.all() == []


async def test_a_rolled_back_run(threads: Threads) -> None:
    """`multitask_strategy=rollback` takes the run's checkpoints away."""
    thread = threads.thread()
    await threads.turn(thread, "一？")
    run = threads.run(thread)
    await threads.turn(thread, "二？", run)
    await threads.server.adelete_for_runs(iter([run]))  # type: ignore[arg-type]  # the server gives any iterable
    assert await threads.asked(thread) == ["一？"]
    history: Any = [one async for one in threads.server.alist({"configurable": {"thread_id": thread}}, limit=3)]
    assert len(history) == 1
