"""How many questions run at a time, and how many a user may have on their way."""

import time
from asyncio import Semaphore
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from tools.messages import Message
from wenmai.inputs import FieldError

TOO_MANY = 429


@dataclass(slots=True)
class Places:
    """Lets so many questions run, half of them of one user at most, and counts those of each user."""

    at_once: int
    most_pending: int
    _free: Semaphore = field(init=False)
    _pending: Counter[str] = field(default_factory=Counter, init=False)
    _shares: WeakValueDictionary[str | None, Semaphore] = field(default_factory=WeakValueDictionary, init=False)

    def __post_init__(self) -> None:
        self._free = Semaphore(self.at_once)

    @contextmanager
    def count_pending(self, user_id: str) -> Iterator[None]:
        """Count a question of a user. Raises FieldError (429) where there are too many already."""
        if self._pending[user_id] >= self.most_pending:
            raise FieldError("request", Message("server.too_many_pending", most=self.most_pending), TOO_MANY)
        self._pending[user_id] += 1
        try:
            yield
        finally:
            self._pending[user_id] -= 1
            if not self._pending[user_id]:
                del self._pending[user_id]

    @asynccontextmanager
    async def slot(self, user_id: str | None) -> AsyncIterator[None]:
        """Wait for a place and hold it. What is beyond a user's share waits among his own questions; None has all."""
        from wenmai.observability.metrics import running_turns, wait_seconds  # a command counts nothing

        began = time.perf_counter()
        async with place_of(self._share(user_id)), place_of(self._free):
            wait_seconds.observe(time.perf_counter() - began)
            with running_turns.track_inprogress():
                yield

    def _share(self, user_id: str | None) -> Semaphore:
        most = self.at_once if user_id is None else max(1, self.at_once // 2)
        return self._shares.setdefault(user_id, Semaphore(most))


@asynccontextmanager
async def place_of(free: Semaphore) -> AsyncIterator[None]:
    """Wait for one of so many and hold it."""
    from wenmai.observability.metrics import waiting_turns

    with waiting_turns.track_inprogress():
        await free.acquire()
    try:
        yield
    finally:
        free.release()
