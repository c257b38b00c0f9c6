"""Threads that a server kept in files of `.langgraph_api` before it had a checkpointer of its own."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver, PersistentDict
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from tests.graph.rig import Rig, ScriptedPlanner, search
from tests.graph.test_turns import ANSWER, Crash, planner
from tests.unit.web.server_threads import Threads
from wenmai.checkpoints.sqlite import open_checkpoints
from wenmai.web.langgraph.old_checkpoints import FILES, aside, take_over

TURN = 9  # a turn has at least that many checkpoints


@pytest.fixture
async def threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Threads]:
    monkeypatch.chdir(tmp_path)
    async with open_checkpoints(tmp_path / "data") as saver:
        made = Threads(saver)
        await made.records.setup()
        yield made


class Old:
    """The saver of an older server, in files."""

    def __init__(self) -> None:
        FILES[0].parent.mkdir(exist_ok=True)
        names = iter(FILES)

        def factory(*given: Callable[[], Any]) -> PersistentDict:
            return PersistentDict(*given, filename=str(next(names)))

        serde = JsonPlusSerializer(allowed_msgpack_modules=None)
        self.saver = InMemorySaver(serde=serde, factory=factory)  # type: ignore[arg-type]  # what the runtime passes

    async def turn(self, thread: str, question: str, asked: ScriptedPlanner | None = None) -> None:
        rig = Rig(planner=asked or planner(ANSWER), saver=self.saver)
        await rig.ask(question, thread)

    def write(self) -> None:
        parts: Any = (self.saver.storage, self.saver.writes, self.saver.blobs)
        for part in parts:
            part.sync()


async def test_threads_of_before_go_on(threads: Threads) -> None:
    """Their newest checkpoints are taken over once, with open steps; deleted threads are not."""
    old, thread, cut, gone = Old(), threads.thread(owner="alice"), threads.thread(), threads.thread()
    for one in (thread, gone):
        await old.turn(one, "一？")
        await old.turn(one, "二？")
    with pytest.raises(Crash):
        await old.turn(cut, "一？", ScriptedPlanner([search(), Crash()]))
    old.write()
    threads.store["threads"].pop()
    await take_over(threads.store, threads.saver, threads.records, TURN)
    assert await threads.asked(thread) == ["一？", "二？"] and len(await threads.kept(thread)) == TURN
    before = list(old.saver.list({"configurable": {"thread_id": cut}}))
    after = await threads.kept(cut)
    assert any(name.startswith("branch:") for name in after[0].checkpoint["channel_values"])
    assert [one.checkpoint for one in after] == [one.checkpoint for one in before]
    assert [one.pending_writes for one in after] == [one.pending_writes for one in before]
    assert any(one.pending_writes for one in after)
    assert await threads.kept(gone) == [] and left() == []
    assert {one.thread_id for one in await threads.records.all()} == {thread, cut}
    await threads.turn(thread, "三？")
    assert await threads.asked(thread) == ["一？", "二？", "三？"]
    await take_over(threads.store, threads.saver, threads.records, TURN)
    assert await threads.asked(thread) == ["一？", "二？", "三？"]


async def test_a_thread_that_cannot_be_read(threads: Threads, caplog: pytest.LogCaptureFixture) -> None:
    """It is named in the log and left out; the others are taken over, the server starts, and the files stay aside."""
    old, broken, thread = Old(), threads.thread(), threads.thread()
    for one in (broken, thread):
        await old.turn(one, "一？")
    points = old.saver.storage[broken][""]
    for id, (point, _, parent) in list(points.items()):
        points[id] = (point, ("pickle", b"x"), parent)
    old.write()
    await take_over(threads.store, threads.saver, threads.records, TURN)
    assert broken in caplog.text and ".taken" in caplog.text and await threads.kept(broken) == []
    assert await threads.asked(thread) == ["一？"]
    assert left() == sorted(aside(file) for file in FILES)
    kept = [file.read_bytes() for file in left()]
    Old().write()
    await take_over(threads.store, threads.saver, threads.records, TURN)
    assert [file.read_bytes() for file in left() if file not in FILES] == kept


async def test_empty_files_are_left_alone(threads: Threads) -> None:
    """A server writes them when it stops: what was taken over before stays."""
    old, thread = Old(), threads.thread()
    await old.turn(thread, "一？")
    old.write()
    await take_over(threads.store, threads.saver, threads.records, TURN)
    Old().write()
    await take_over(threads.store, threads.saver, threads.records, TURN)
    assert left() == sorted(FILES) and await threads.asked(thread) == ["一？"]


async def test_a_removal_that_was_cut(threads: Threads) -> None:
    """A process that is killed while it deletes the files leaves no conversation in them beyond the next start."""
    old, thread = Old(), threads.thread()
    await old.turn(thread, "一？")
    old.write()
    FILES[0].unlink()
    await take_over(threads.store, threads.saver, threads.records, TURN)
    assert left() == []


def left() -> list[Path]:
    """Return the files that are left of the older server."""
    return sorted(FILES[0].parent.iterdir())
