"""Places for work that takes long: each user has a share of them, and what is short goes first."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class Waiting:
    user_id: str
    size: int
    number: int
    turn: asyncio.Future[None]


@dataclass(slots=True)
class Shares:
    """Lets so much work run at once, of one user so much; of what waits that of who has least, the shortest first."""

    at_once: int
    of_a_user: int
    _running: Counter[str] = field(default_factory=Counter, init=False)
    _waiting: list[Waiting] = field(default_factory=list, init=False)
    _numbers: "count[int]" = field(default_factory=count, init=False)

    @asynccontextmanager
    async def place(self, user_id: str, size: int) -> AsyncIterator[None]:
        """Wait for a place and hold it; `size` is how long the work is, in whatever unit."""
        await self._take(user_id, size)
        try:
            yield
        finally:
            self._give_back(user_id)

    async def run(self, user_id: str, size: int, work: Callable[[], Awaitable[T]]) -> T:
        """Run work that goes on where its caller is cancelled, and holds its place to its end."""
        await self._take(user_id, size)
        task = asyncio.ensure_future(work())
        task.add_done_callback(lambda done: self._end(done, user_id))
        return await asyncio.shield(task)

    def _end(self, done: "asyncio.Future[T]", user_id: str) -> None:
        if not done.cancelled():
            done.exception()  # it may be that nobody waits for it any more
        self._give_back(user_id)

    async def _take(self, user_id: str, size: int) -> None:
        waiting = Waiting(user_id, size, next(self._numbers), asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._call()
        try:
            await waiting.turn
        except asyncio.CancelledError:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            elif waiting.turn.done() and not waiting.turn.cancelled():  # it was called at the same moment
                self._give_back(user_id)
            raise

    def _give_back(self, user_id: str) -> None:
        self._running[user_id] -= 1
        if not self._running[user_id]:
            del self._running[user_id]
        self._call()

    def _call(self) -> None:
        """Give free places to who is next."""
        while self._running.total() < self.at_once:
            here = [one for one in self._waiting if not one.turn.done()]  # who has just left is still in the list
            able = [one for one in here if self._running[one.user_id] < self.of_a_user]
            if not able:
                return
            first = min(able, key=lambda one: (self._running[one.user_id], one.size, one.number))
            self._waiting.remove(first)
            self._running[first.user_id] += 1
            first.turn.set_result(None)
