"""The requests that a server is answering, by user, so that those of one can be stopped."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from tools.errors import StoreLocked
from tools.messages import Message

STOP_SECONDS = 30.0  # what does not end within it is still busy
LOOK_SECONDS = 0.02


@dataclass(slots=True, eq=False)
class RunningRequest:
    """A request that is being answered."""

    limit: asyncio.Timeout
    is_stopped: bool = False

    def stop(self) -> None:
        self.is_stopped = True
        self.limit.reschedule(asyncio.get_running_loop().time())


OWN: ContextVar[RunningRequest | None] = ContextVar("wenmai_request", default=None)


@dataclass(slots=True)
class RunningRequests:
    """The requests under way by user, and the users who are let in no more."""

    _known: dict[str, set[RunningRequest]] = field(default_factory=dict)
    _refused: set[str] = field(default_factory=set)
    _removals: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    def refuses(self, user_id: str) -> bool:
        """Return True while a user is let in no more."""
        return user_id in self._refused

    async def answered(self, user_id: str, answer: Callable[[], Awaitable[None]]) -> bool:
        """Answer a request of a user; return False where it was stopped before its end."""
        if user_id in self._refused:
            return False
        own = RunningRequest(asyncio.timeout(None))
        try:
            async with own.limit:
                with self._counted(user_id, own):
                    await answer()
        except TimeoutError:
            if not own.is_stopped:
                raise
        return not own.is_stopped

    @contextmanager
    def _counted(self, user_id: str, own: RunningRequest) -> Iterator[None]:
        of_user, before = self._known.setdefault(user_id, set()), OWN.set(own)
        of_user.add(own)
        try:
            yield
        finally:
            OWN.reset(before)
            of_user.discard(own)
            if not of_user:
                self._known.pop(user_id, None)

    async def all_ended(self, seconds: float) -> None:
        """Wait until no request is under way, so many seconds at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._known:
                    await asyncio.sleep(LOOK_SECONDS)

    @asynccontextmanager
    async def without(self, user_id: str) -> AsyncIterator[None]:
        """Stop the requests of a user, but for the one that asks for it, and let none begin until the block ends.

        Blocks of one user wait for each other. Raises StoreLocked where a request does not end.
        """
        async with self._removals.setdefault(user_id, asyncio.Lock()):
            self._refused.add(user_id)
            try:
                await self._stopped(user_id)
                yield
            finally:
                self._refused.discard(user_id)

    async def _stopped(self, user_id: str) -> None:
        try:
            async with asyncio.timeout(STOP_SECONDS):
                while others := self._known.get(user_id, set()) - {OWN.get()}:
                    for one in others:
                        if not one.is_stopped:
                            one.stop()
                    await asyncio.sleep(LOOK_SECONDS)
        except TimeoutError as error:
            raise StoreLocked(Message("user.busy", user=user_id)) from error
