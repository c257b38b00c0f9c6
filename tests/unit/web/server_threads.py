"""Turns on the threads of a server that exists only as what its runtime would hold in memory."""

from collections.abc import MutableMapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple

from tests.graph.rig import Rig, ScriptedPlanner, run_context
from tests.graph.test_turns import ANSWER, planner
from wenmai.checkpoints.server import ServerSaver
from wenmai.checkpoints.sqlite import Saver
from wenmai.checkpoints.thread_records import ThreadRecords
from wenmai.web.langgraph.checkpointer import Restoring, RuntimeThreads

EARLIER = datetime.now(UTC) - timedelta(days=2)


def empty_store() -> dict[str, Any]:
    """Return what a runtime holds at its first start."""
    return {"threads": [], "runs": [], "crons": []}


@dataclass
class Threads:
    """A server's checkpointer over a saver, with the runtime's threads as a dictionary."""

    saver: Saver
    keep: int = 20
    store: MutableMapping[str, Any] = field(default_factory=empty_store)

    def __post_init__(self) -> None:
        self.records = ThreadRecords(self.saver)
        self.server = ServerSaver(self.saver, self.records, RuntimeThreads(self.store).find, self.keep)

    def thread(self, **metadata: str) -> str:
        """Make a thread as the runtime does and return its id."""
        id, now = uuid4(), datetime.now(UTC)
        times = dict.fromkeys(("created_at", "updated_at", "state_updated_at"), now)
        made = {"thread_id": id, "metadata": dict(metadata), "config": {}, "status": "idle", "values": None}
        self.store["threads"].append(made | times)
        return str(id)

    def run(self, thread: str, status: str = "running", *, temporary: bool = False) -> str:
        """Make a run as the runtime does and return its id."""
        made = {"run_id": uuid4(), "thread_id": UUID(thread), "status": status, "updated_at": EARLIER}
        self.store["runs"].append(made | {"kwargs": {"temporary": temporary}})
        return str(made["run_id"])

    async def turn(
        self, thread: str, question: str, run: str = "", asked: ScriptedPlanner | None = None, **more: Any
    ) -> None:
        """Ask on a thread as the server does, with what a client asks for beside the question."""
        rig = Rig(planner=asked or planner(ANSWER), saver=self.server)
        await rig.stock()
        own = {"langgraph_request_id": "r1", "langgraph_auth_user_id": "alice"}
        config: RunnableConfig = {
            "configurable": {"thread_id": UUID(thread), **own},
            "metadata": {"run_id": run or str(uuid4()), **own},
        }
        given: Any = {"messages": [{"role": "user", "content": question}]}
        await rig.graph.ainvoke(given, config, context=run_context(), **more)

    async def asked(self, thread: str) -> list[str]:
        """Return the questions that a thread remembers."""
        found = await self.server.aget_tuple({"configurable": {"thread_id": thread}})
        return [turn["question"] for turn in found.checkpoint["channel_values"]["session"]["turns"]] if found else []

    async def kept(self, thread: str) -> list[CheckpointTuple]:
        """Return the checkpoints of a thread."""
        return [one async for one in self.saver.alist({"configurable": {"thread_id": thread}})]

    async def restored(self, store: MutableMapping[str, Any]) -> "Threads":
        """Return the server that starts after a crash on what its runtime had written."""
        await Restoring(store, self.saver, self.records)()
        return Threads(self.saver, self.keep, store)

    def known(self, thread: str) -> dict[str, Any] | None:
        """Return what the runtime holds of a thread."""
        return next((one for one in self.store["threads"] if str(one["thread_id"]) == thread), None)
