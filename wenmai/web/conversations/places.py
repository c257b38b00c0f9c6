"""How many questions run at a time, and how many a user may have on their way."""

import time
from asyncio import Semaphore
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from wenmai.inputs import FieldError
from wenmai.observability.metrics import running_turns, wait_seconds, waiting_turns

TOO_MANY = 429
PENDING = "你已有 {most} 个问题在回答或排队（MAX_PENDING_TURNS），请等其中一个结束"


@dataclass(slots=True)
class Places:
    """Lets so many questions run, and counts those of each user."""

    at_once: int
    most_pending: int
    _free: Semaphore = field(init=False)
    _pending: Counter[str] = field(default_factory=Counter, init=False)

    def __post_init__(self) -> None:
        self._free = Semaphore(self.at_once)

    @contextmanager
    def pending(self, user_id: str) -> Iterator[None]:
        """Count a question of a user. Raises FieldError (429) where there are too many already."""
        if self._pending[user_id] >= self.most_pending:
            raise FieldError("request", PENDING.format(most=self.most_pending), TOO_MANY)
        self._pending[user_id] += 1
        try:
            yield
        finally:
            self._pending[user_id] -= 1
            if not self._pending[user_id]:
                del self._pending[user_id]

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Wait for a place and hold it."""
        began = time.perf_counter()
        with waiting_turns.track_inprogress():
            await self._free.acquire()
        wait_seconds.observe(time.perf_counter() - began)
        try:
            with running_turns.track_inprogress():
                yield
        finally:
            self._free.release()
