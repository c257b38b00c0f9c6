"""A server that was killed: what its runtime had written, against what the checkpoints hold."""

import asyncio
import copy
import logging
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.graph.rig import ScriptedPlanner, search
from tests.graph.test_turns import Crash
from tests.unit.web.server_threads import EARLIER, Threads, empty_store
from wenmai.checkpoints.sqlite import open_checkpoints
from wenmai.checkpoints.thread_records import ThreadRecords, as_text
from wenmai.web.langgraph.checkpointer import RuntimeThreads, forgetting


@pytest.fixture
async def threads(tmp_path: Path) -> AsyncIterator[Threads]:
    async with open_checkpoints(tmp_path) as saver:
        made = Threads(saver)
        await made.records.setup()
        yield made


async def test_a_thread_that_was_never_written(threads: Threads) -> None:
    """It is back with metadata, times, status and values, and its talk goes on; again after the next crash."""
    thread = threads.thread(owner="alice", title="雾港")
    await threads.turn(thread, "一？")
    again, before = threads, threads.known(thread)
    assert before is not None
    for _ in range(2):
        again = await threads.restored(empty_store())
        known = again.known(thread)
        assert known is not None and known["status"] == "idle"
        assert [known[name] for name in ("thread_id", "metadata", "created_at")] == [
            before[name] for name in ("thread_id", "metadata", "created_at")
        ]
        assert known["created_at"] < known["updated_at"] < datetime.now(UTC)
        assert [message.type for message in known["values"]["messages"]] == ["human", "ai"]
        assert known["values"]["result"]["answer"] and not any(name.startswith("__") for name in known["values"])
    await again.turn(thread, "二？")
    assert await again.asked(thread) == ["一？", "二？"]


async def test_a_turn_that_was_not_written(threads: Threads) -> None:
    """The thread was written before its last turn: status and values are those of the last one."""
    thread = threads.thread(owner="alice")
    await threads.turn(thread, "一？")
    written = copy.deepcopy(dict(threads.store))
    written["threads"][0]["status"] = "busy"
    await threads.turn(thread, "二？")
    known = (await threads.restored(written)).known(thread)
    assert known is not None and known["status"] == "idle" and len(known["values"]["messages"]) == 4


async def test_metadata_that_changed(threads: Threads) -> None:
    """What the runtime wrote before the turn lacks what the run added; what it wrote later is newer."""
    thread = threads.thread(owner="alice", title="旧名")
    written = copy.deepcopy(dict(threads.store))
    known = threads.known(thread)
    assert known is not None
    known["metadata"] |= {"graph_id": "agent", "title": "雾港"}
    await threads.turn(thread, "一？")
    late = copy.deepcopy(written)
    late["threads"][0].update(updated_at=datetime.now(UTC), metadata={"owner": "alice", "title": "新名"})
    for store, title in ((written, "雾港"), (late, "新名")):
        found = (await threads.restored(store)).known(thread)
        assert found is not None and found["values"]["result"]["answer"]
        assert found["metadata"] == {"owner": "alice", "graph_id": "agent", "title": title}


async def test_a_thread_of_another_under_the_same_id(threads: Threads) -> None:
    """A deleted thread that the runtime still had is not mixed with the one that was made under its id since."""
    thread = threads.thread(owner="alice", title="她的")
    threads.run(thread, "success")
    written = copy.deepcopy(dict(threads.store))
    await threads.turn(thread, "一？")
    await threads.server.adelete_thread(thread)
    known = threads.known(thread)
    assert known is not None
    known.update(created_at=datetime.now(UTC), metadata={"owner": "mallory"})
    await threads.turn(thread, "二？")
    again = await threads.restored(written)
    (found,) = again.store["threads"]
    assert found["metadata"] == {"owner": "mallory"} and again.store["runs"] == []
    assert await again.asked(thread) == ["二？"]


async def test_a_run_whose_turn_is_kept_is_not_repeated(threads: Threads) -> None:
    """Written while it ran, or while it waited: it is done, also where another turn came after it."""
    thread = threads.thread()
    runs = [threads.run(thread), threads.run(thread, "pending")]
    written = copy.deepcopy(dict(threads.store))
    for run, question in zip(runs, ("一？", "二？"), strict=True):
        await threads.turn(thread, question, run)
    again = await threads.restored(written)
    assert [run["status"] for run in again.store["runs"]] == ["success", "success"]
    known = again.known(thread)
    assert known is not None and known["status"] == "idle"


async def test_a_run_that_was_cut_is_left_to_the_runtime(threads: Threads) -> None:
    """It is not done; one that never began is not either, nor one of a thread without turns."""
    thread, other = threads.thread(), threads.thread()
    runs = [threads.run(thread), threads.run(thread, "pending"), threads.run(other, "pending")]
    written = copy.deepcopy(dict(threads.store))
    with pytest.raises(Crash):
        await threads.turn(thread, "一？", runs[0], ScriptedPlanner([search(), Crash()]))
    again = await threads.restored(written)
    assert [run["status"] for run in again.store["runs"]] == ["running", "pending", "pending"]
    known = again.known(thread)
    assert known is not None and known["status"] == "busy"


async def test_a_turn_that_was_cut_and_whose_run_is_lost(threads: Threads) -> None:
    """The thread is interrupted, as a server says of an open step, and takes the next question."""
    thread = threads.thread()
    with pytest.raises(Crash):
        await threads.turn(thread, "一？", asked=ScriptedPlanner([search(), Crash()]))
    again = await threads.restored(empty_store())
    known = again.known(thread)
    assert known is not None and known["status"] == "interrupted"
    await again.turn(thread, "二？")
    assert (await again.asked(thread))[-1] == "二？"


async def test_a_deletion_that_was_not_written(threads: Threads) -> None:
    """The thread does not come back, nor its runs; others do, and one that was made anew under its id stays."""
    gone, anew, other = (threads.thread() for _ in range(3))
    for thread in (gone, anew, other):
        threads.run(thread, "success")
        await threads.turn(thread, "一？")
    written = copy.deepcopy(dict(threads.store))
    for thread in (gone, anew):
        await threads.server.adelete_thread(thread)
    later = next(one for one in written["threads"] if str(one["thread_id"]) == anew)
    later["created_at"] = datetime.now(UTC) + timedelta(seconds=1)
    again = await threads.restored(written)
    assert {str(one["thread_id"]) for one in again.store["threads"]} == {anew, other}
    assert {str(one["thread_id"]) for one in again.store["runs"]} == {anew, other}
    assert await again.asked(other) == ["一？"]


async def test_a_deletion_that_was_cut(threads: Threads) -> None:
    """What was left of the thread's checkpoints goes at the next start."""
    thread = threads.thread()
    await threads.turn(thread, "一？")
    await threads.records.delete(thread)
    await threads.restored(empty_store())
    assert await threads.kept(thread) == []


async def test_a_deletion_is_known_until_a_server_runs(threads: Threads) -> None:
    """However long the server was down, and if it is killed again at once: only one that runs forgets it."""
    thread = threads.thread(owner="alice")
    await threads.turn(thread, "一？")
    threads.store["threads"][0]["created_at"] = EARLIER - timedelta(days=1)
    written = copy.deepcopy(dict(threads.store))
    await threads.server.adelete_thread(thread)
    await threads.saver.execute("UPDATE wenmai_server_threads SET changed_at = ?", as_text(EARLIER))
    for _ in range(2):
        again = await threads.restored(copy.deepcopy(written))
        assert again.store["threads"] == []


async def test_deletions_are_forgotten_while_the_server_runs(threads: Threads) -> None:
    """Of hundreds of threads, none of which is left behind; those that live keep their records."""
    lives, gone = threads.thread(), [threads.thread() for _ in range(300)]
    for thread in (lives, *gone):
        await threads.records.put(thread, {"metadata": {}, "created_at": datetime.now(UTC).isoformat()})
    written = copy.deepcopy(dict(threads.store))
    for thread in gone:
        await threads.records.delete(thread)
    again = await threads.restored(written)
    assert [str(one["thread_id"]) for one in again.store["threads"]] == [lives]
    assert len(await threads.records.all()) == 301
    async with asyncio.timeout(120), forgetting(threads.records, timedelta(milliseconds=10)):
        while len(await threads.records.all()) > 1:
            await asyncio.sleep(0.01)
    assert [one.thread_id for one in await threads.records.all()] == [lives]


async def test_a_database_that_fails_is_asked_again(threads: Threads, caplog: pytest.LogCaptureFixture) -> None:
    """One that is locked by another process says so in the log, and forgets later."""

    asked: list[datetime] = []

    class Locked(ThreadRecords):
        async def forget_deleted(self, before: datetime) -> None:
            asked.append(before)
            raise sqlite3.OperationalError("database is locked")

    with caplog.at_level(logging.WARNING):
        async with asyncio.timeout(120), forgetting(Locked(threads.saver), timedelta(milliseconds=1)):
            while len(asked) < 3:
                await asyncio.sleep(0.001)
    assert "database is locked" in caplog.text


async def test_a_thread_is_found_by_its_id(threads: Threads) -> None:
    """Its metadata and time; nothing of one that is not there, and {} where the runtime keeps threads itself."""
    thread, other = threads.thread(owner="alice"), threads.thread(owner="mallory")
    find = RuntimeThreads(threads.store).find
    assert [dict(find(one) or {})["metadata"] for one in (thread, other)] == [{"owner": "alice"}, {"owner": "mallory"}]
    threads.store["threads"].pop()
    assert find(other) is None and RuntimeThreads(None).find(other) == {}


async def test_a_clean_stop_changes_nothing(threads: Threads) -> None:
    """What the runtime wrote at its end is newer than any record, and stays as it is."""
    thread = threads.thread(owner="alice")
    await threads.turn(thread, "一？")
    known = threads.known(thread)
    assert known is not None
    known.update(metadata={"owner": "alice", "title": "新名"}, state_updated_at=datetime.now(UTC), values={"kept": 1})
    again = await threads.restored(copy.deepcopy(dict(threads.store)))
    assert again.known(thread) == known


async def test_a_run_without_a_thread_leaves_none(threads: Threads) -> None:
    """What the runtime made for one run goes, though the server was killed before it could take it away."""
    kept, own = threads.thread(), threads.thread()
    threads.run(own, temporary=True)
    again = await threads.restored(copy.deepcopy(dict(threads.store)))
    assert [str(one["thread_id"]) for one in again.store["threads"]] == [kept] and again.store["runs"] == []
