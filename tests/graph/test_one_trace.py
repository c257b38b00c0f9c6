"""A question has one trace, also where its run is cancelled while the answer's own is being written."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.runnables import RunnableConfig

from graph.builder import build_graph
from graph.recovery import InterruptedTurnTracer, TraceOnce
from state.schema import Evidence
from tests.graph.rig import Rig, ScriptedPlanner, ScriptedRanker, Traces, config, run_context, says, search
from tools.errors import LibraryNotFound
from wenmai.observability.traces import TraceFiles, read_trace

ANSWER = "卡齐娜获得了古名。[E1]"
PATIENCE = 120.0
ASKED = {"messages": [("user", "古名？")]}


@dataclass
class SlowDisk(Traces):
    """Writes in a thread, as files are: the thread goes on when whoever waits for it is cancelled."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    goes_on: threading.Event = field(default_factory=threading.Event)

    async def write(self, record: dict[str, Any]) -> str | None:
        self.begun.set()
        await asyncio.to_thread(self.finish, record)
        return self.path

    def finish(self, record: dict[str, Any]) -> None:
        assert self.goes_on.wait(PATIENCE)
        self.records.append(record)


class HangingRanker(ScriptedRanker):
    """Hangs for ever, and tells when somebody waits."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()

    async def rank(self, *_: object, **__: object) -> list[Evidence]:
        self.reached.set()
        await asyncio.Event().wait()
        return []


@dataclass(eq=False)
class Releases(AsyncCallbackHandler):
    """Lets the disk go on once the cancellation has reached a step."""

    disk: SlowDisk

    async def on_chain_error(self, error: BaseException, **kwargs: Any) -> None:
        self.disk.goes_on.set()


def answering(questions: int = 1, **parts: Any) -> Rig:
    """Return a rig that answers so many questions."""
    return Rig(planner=ScriptedPlanner([search(), says(ANSWER)] * questions), **parts)


async def cancelled(task: "asyncio.Task[Any]") -> None:
    """Cancel a run and wait until it is over."""
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def cancelled_while_writing(rig: Rig, disk: SlowDisk, thread: str = "t1") -> None:
    """Ask, and cancel the run when the answer's trace is being written."""
    await rig.stock()
    given: RunnableConfig = {**config(thread), "callbacks": [Releases(disk)]}
    task = asyncio.create_task(rig.graph.ainvoke(ASKED, given, context=run_context()))
    async with asyncio.timeout(PATIENCE):
        await disk.begun.wait()
        await cancelled(task)


async def test_cancelled_while_the_trace_is_written() -> None:
    """S003-D12 S003-D18: the answer's trace is finished, and no other is written beside it."""
    disk = SlowDisk()
    await cancelled_while_writing(answering(traces=disk), disk)
    (trace,) = disk.records
    assert (trace["status"], trace["final_response"]) == ("finished", "卡齐娜获得了古名。[1]")


async def test_cancelled_before_the_trace_is_written() -> None:
    """S003-D12 S003-D18: an answer that was cut short before its trace leaves that of the run."""
    ranker = HangingRanker()
    rig = answering()
    rig.graph = build_graph(replace(rig.parts(), mind=replace(rig.parts().mind, ranker=ranker)), rig.saver)
    task = asyncio.create_task(rig.ask())
    async with asyncio.timeout(PATIENCE):
        await ranker.reached.wait()
        await cancelled(task)
    assert [trace["status"] for trace in rig.traces.records] == ["cancelled"]


async def test_a_full_queue_loses_nothing(tmp_path: Path) -> None:
    """S003-D12: files that wait for a thread are written, though whoever waits for them is cancelled."""
    traces, record = TraceOnce(TraceFiles(tmp_path)), {"trace_id": "one", "thread_id": "t1", "started_at": "now"}
    goes_on, loop = threading.Event(), asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(1))
    busy = asyncio.create_task(asyncio.to_thread(goes_on.wait, PATIENCE))
    task = asyncio.create_task(traces.write(record))
    await asyncio.sleep(0)
    await cancelled(task)
    goes_on.set()
    assert await busy and await traces.ended(record) and not await traces.ended(record)
    assert [path.name for path in tmp_path.iterdir()] == ["one.json"]


async def test_the_next_question_has_its_own(tmp_path: Path) -> None:
    """S003-24 S003-D12: the same question again in one second has a second file, under the id that its answer tells."""
    rig = answering(3, traces=TraceFiles(tmp_path))
    turns = [*await asyncio.gather(rig.ask("古名？", "t1"), rig.ask("古名？", "t2")), await rig.ask("古名？", "t1")]
    told = [turn["trace_id"] for turn in turns]
    traces = [read_trace(tmp_path / f"{id}.json") for id in told]
    assert [trace["thread_id"] for trace in traces] == ["t1", "t2", "t1"] and len(set(told)) == 3
    assert [trace["trace_id"] for trace in traces] == told


async def test_a_broken_writer_leaves_the_failure() -> None:
    """S003-D12: a trace whose writing broke off is none; that of the failed run takes its place."""

    class Broken(Traces):
        async def write(self, record: dict[str, Any]) -> str | None:
            if record["status"] == "finished":
                raise RuntimeError("bug")
            return await super().write(record)

    rig = answering(traces=Broken())
    with pytest.raises(RuntimeError, match="bug"):
        await rig.ask()
    assert [trace["status"] for trace in rig.traces.records] == ["failed"]


async def test_nothing_is_kept_of_a_run_that_is_over() -> None:
    """S003-D18: however it ended."""
    disk = SlowDisk()
    rig = answering(2, traces=disk)
    await cancelled_while_writing(rig, disk)
    await rig.ask()
    with pytest.raises(LibraryNotFound):
        await rig.ask(library="nowhere")
    (cut_short,) = cast("list[InterruptedTurnTracer]", (rig.graph.config or {}).get("callbacks"))
    assert not cut_short.questions and not cut_short.nodes and not cut_short.traces.begun
