"""Checkpoints that the runtime of `langgraph dev` kept in files before the server had a checkpointer of its own."""

import asyncio
import logging
from collections import defaultdict
from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver, PersistentDict
from langgraph.checkpoint.serde.base import SerializerProtocol

from wenmai.checkpoints.sqlite import Saver
from wenmai.checkpoints.thread_records import ThreadRecords
from wenmai.web.langgraph.runtime_threads import Store, record_of

FOLDER = Path(".langgraph_api")
FILES = tuple(FOLDER / f".langgraph_checkpoint.{number}.pckl" for number in (1, 2, 3))
TAKEN = ".taken"  # appended to the names of files that have a thread which could not be read

log = logging.getLogger("wenmai.web")


async def take_over(store: Store, saver: Saver, records: ThreadRecords, keep: int) -> None:
    """Copy the newest `keep` checkpoints of each thread to the server's checkpointer, once, and delete the files.

    A process that is killed meanwhile begins anew: ids stay as they are. Files that have a thread which cannot be read
    are set aside instead.
    """
    await asyncio.to_thread(finish_removal)
    old = await asyncio.to_thread(saver_of_files, saver.serde)
    if old is None or not old.storage:  # a server writes empty files when it stops
        return
    unread = 0
    threads = [thread for thread in store["threads"] if str(thread["thread_id"]) in old.storage]
    for thread in threads:
        await records.put(str(thread["thread_id"]), record_of(thread))
        try:
            await copy_thread(old, saver, str(thread["thread_id"]), keep)
        except (ValueError, TypeError, NotImplementedError) as error:  # what the serializer does not read
            unread += 1
            log.warning(
                "the checkpoints of thread %s cannot be read and are not taken over: %s", thread["thread_id"], error
            )
    await saver.sync()
    await asyncio.to_thread(set_aside if unread else remove)
    log.info("took over the checkpoints of %d threads from %s", len(threads) - unread, FOLDER)
    if unread:
        log.warning("the old files stay in %s and end in %s: delete them when they are no longer needed", FOLDER, TAKEN)


def saver_of_files(serde: SerializerProtocol) -> InMemorySaver | None:
    """Return what the files hold, None where there are none. The runtime wrote them as the project's savers write."""
    if not all(file.is_file() for file in FILES):
        return None
    saver = InMemorySaver(serde=serde)
    parts: tuple[dict[Any, Any], ...] = (saver.storage, saver.writes, saver.blobs)
    for file, values in zip(FILES, parts, strict=True):
        known = PersistentDict(filename=str(file))
        known.load()
        values.update(known)
    return saver


async def copy_thread(old: InMemorySaver, saver: Saver, thread: str, keep: int) -> None:
    """Copy the newest checkpoints of a thread with their writes, the oldest of them first."""
    config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    for found in reversed(list(old.list(config, limit=keep))):
        parent: Any = found.parent_config or config
        versions = found.checkpoint["channel_versions"]
        saved = await saver.aput(parent, found.checkpoint, found.metadata, versions)
        writes = defaultdict(list)
        for task, channel, value in found.pending_writes or ():
            writes[task].append((channel, value))
        for task, written in writes.items():
            await saver.aput_writes(saved, written, task)


def remove() -> None:
    """Delete the files, first the one that lists the threads."""
    for file in FILES:
        file.unlink(missing_ok=True)


def finish_removal() -> None:
    """Delete what is left where a process was killed while it deleted the files."""
    if not FILES[0].exists() and not aside(FILES[0]).exists():
        remove()


def set_aside() -> None:
    """Rename the files, so that they are taken over once."""
    for file in FILES:
        file.replace(aside(file))


def aside(file: Path) -> Path:
    """Return where a file is set aside."""
    return file.with_name(file.name + TAKEN)
