"""One trace a question: the answer's own, if its writing has begun, else that of the run that was cut short."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nodes.answer import TraceSink

logger = logging.getLogger(__name__)

# `trace_id` alone is shared by equal questions of one second.
KEY = ("trace_id", "thread_id", "started_at")


@dataclass(frozen=True, slots=True)
class OneTrace:
    """Hands traces on and notes whose writing has begun, until `ended` is asked."""

    sink: TraceSink
    begun: dict[tuple[Any, ...], asyncio.Task[str | None]] = field(default_factory=dict)

    async def write(self, record: dict[str, Any]) -> str | None:
        """Write the first trace of a question and return where it stands; a cancelled caller does not stop it."""
        key = key_of(record)
        if key not in self.begun:
            self.begun[key] = asyncio.create_task(self.sink.write(record))
        return await asyncio.shield(self.begun[key])

    async def amend(self, path: str, more: dict[str, Any]) -> None:
        await self.sink.amend(path, more)

    async def ended(self, state: Mapping[str, Any]) -> bool:
        """Wait for the trace of a finished run, forget it, and return True if there is one."""
        writing = self.begun.pop(key_of(state), None)
        if writing is None:
            return False
        await asyncio.wait([writing])
        if writing.cancelled():
            return False
        if error := writing.exception():
            logger.warning("the answer's trace was not written: %s", error)
        return error is None


def key_of(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key of a running question; a state and its trace have the same."""
    return tuple(record.get(name) for name in KEY)
