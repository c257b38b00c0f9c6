"""The checkpointer of a LangGraph server: the project's own savers, and what a server needs beside them."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)

from wenmai.checkpoints.sqlite import Saver
from wenmai.checkpoints.thread_records import ThreadRecords

REQUEST_KEYS = frozenset(
    {"langgraph_request_id", "langgraph_auth_user", "langgraph_auth_user_id", "langgraph_auth_permissions"}
)
KNOWN_RUNS = 10_000  # threads whose last run is known; one that is no longer is recorded and pruned once more
INNER = ("__", "branch:")  # channels that are no state; one that holds something is a step to come
DELETE = "delete_all"  # what the server calls the strategy `delete` of LangGraph's savers
# Returns what the server knows of a thread as plain data, {} where it does not say, None where there is no such thread.
FindThread = Callable[[str], Mapping[str, Any] | None]


class ServerSaver(BaseCheckpointSaver[str]):
    """A saver whose threads keep their records, are pruned at both ends of each turn, and stay deleted.

    A turn begins with a checkpoint that no step wrote (`input`, `update`, `fork`), or with the first one of a run: with
    `durability="exit"`, or resumed, a run has no other. A run that goes on when its thread was deleted writes nothing.
    """

    def __init__(self, saver: Saver, records: ThreadRecords, find: FindThread, keep: int, steps: int = 0) -> None:
        """Wrap a saver whose threads keep the ends of their newest `keep` turns, the steps of the newest `steps`."""
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._records = records
        self._find = find
        self._kept = (keep, steps)
        self._last_runs: dict[str, str] = {}

    def get_next_version(self, current: str | None, channel: None) -> str:
        return self._saver.get_next_version(current, channel)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self._saver.aget_tuple(as_texts(config))

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        config = config and as_texts(config)
        async for found in self._saver.alist(config, filter=filter, before=before, limit=limit):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint; with the first of a turn the record of its thread. The last one takes the others away."""
        config = as_texts(config)
        thread, record = thread_of(config), self._find(thread_of(config))
        if record is None:
            known = {"thread_id": thread, "checkpoint_ns": configurable(config).get("checkpoint_ns", "")}
            return {"configurable": {**known, "checkpoint_id": checkpoint["id"]}}  # as if it had been saved
        if configurable(config).get("checkpoint_ns"):
            return await self._saver.aput(config, checkpoint, metadata, new_versions)
        run = str(get_checkpoint_metadata(config, metadata).get("run_id") or "")
        if metadata.get("source") != "loop" or run not in ("", self._last_runs.get(thread)):
            await self._begin(thread, record, run)
        saved = await self._saver.aput(config, checkpoint, metadata, new_versions)
        if not has_next(checkpoint):
            await self._saver.aprune_thread(thread, *self._kept)
        return saved

    async def _begin(self, thread: str, record: Mapping[str, Any], run: str) -> None:
        """Write the record of a thread and prune it, before the first checkpoint of a turn."""
        if record:
            await self._records.put(thread, record)
        await self._saver.aprune_thread(thread, *self._kept)
        if run:  # none where a client writes the state itself
            self._last_runs.pop(thread, None)  # the newest stands last
            self._last_runs[thread] = run
        if len(self._last_runs) > KNOWN_RUNS:
            del self._last_runs[next(iter(self._last_runs))]

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        if self._find(thread_of(config)) is not None:
            await self._saver.aput_writes(as_texts(config), writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete every checkpoint of a thread, and remember that it was deleted."""
        await self._records.delete(thread_id)
        await self._saver.adelete_thread(thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await self._saver.adelete_for_runs(list(run_ids))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        if record := self._find(target_thread_id):
            await self._records.put(target_thread_id, record)
        await self._saver.acopy_thread(source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all but the newest checkpoint of threads (`keep_latest`), or threads as a whole (`delete_all`)."""
        if strategy in ("delete", DELETE):
            for thread in thread_ids:
                await self.adelete_thread(str(thread))
        else:
            await self._saver.aprune([str(thread) for thread in thread_ids], strategy=strategy)


def has_next(checkpoint: Checkpoint) -> bool:
    """Return True if a step is still to come after a checkpoint."""
    return any(name.startswith(INNER) for name in checkpoint["channel_values"])


def thread_of(config: RunnableConfig) -> str:
    return str(configurable(config)["thread_id"])


def configurable(config: RunnableConfig) -> dict[str, Any]:
    return config.get("configurable", {})


def as_texts(config: RunnableConfig) -> RunnableConfig:
    """Return a configuration with ids as texts and without what belongs to one request, which is not kept."""
    kept = without_request(configurable(config))
    ids = {key: str(kept[key]) for key in ("thread_id", "checkpoint_id") if kept.get(key)}
    return {**config, "configurable": {**kept, **ids}, "metadata": without_request(config.get("metadata") or {})}


def without_request(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in REQUEST_KEYS}
