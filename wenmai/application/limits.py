"""How many requests a key may send, and how many calls of models a user may cause: counted in this process.

Calls of models are counted as they end, and looked at before a question begins, which is then finished.
"""

import math
import time
from asyncio import Semaphore
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from weakref import WeakValueDictionary

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tracers.context import register_configure_hook
from limits import parse_many
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter
from limits.storage import MemoryStorage as CallStorage
from limits.strategies import MovingWindowRateLimiter as CallWindows

from nodes.turn import ASKER
from tools.messages import Message
from wenmai.inputs import FieldError

UNLIMITED = "0"
TOO_MANY = 429


class RateLimit:
    """Counts the requests of each key in windows such as `600/minute`."""

    def __init__(self, rate: str) -> None:
        self.windows = [] if rate == UNLIMITED else parse_many(rate)
        self.limiter = MovingWindowRateLimiter(MemoryStorage())

    async def wait(self, key: str, count: int = 1) -> int:
        """Count requests; return 0 where they may pass, else the seconds after which others may."""
        for window in self.windows:
            if not await self.limiter.hit(window, key, cost=count):
                stats = await self.limiter.get_window_stats(window, key)
                return max(1, math.ceil(stats.reset_time - time.time()))
        return 0


@cache
def limit_of(rate: str) -> RateLimit:
    """Return the process's counts: the server wraps each of its routes by a middleware of its own."""
    return RateLimit(rate)


class ModelCallLimit(BaseCallbackHandler):
    """Counts the calls of models that the questions of each user cause."""

    run_inline = True  # in the context of the caller

    def __init__(self, rate: str) -> None:
        self.windows = parse_many(rate)
        self.limiter = CallWindows(CallStorage())

    @property
    def ignore_chat_model(self) -> bool:
        """Ignore starts: LangChain would render each prompt as text for them."""
        return True

    def on_llm_end(self, response: Any, **kwargs: Any) -> None:
        """Count a call of the user who asks."""
        for window in self.windows:
            self.limiter.hit(window, ASKER.get() or "")

    def on_llm_error(self, error: BaseException, **kwargs: Any) -> None:
        """Count a call that failed: it may be paid for."""
        self.on_llm_end(None)

    def wait(self, user_id: str) -> int:
        """Return 0 where a question may begin, else the seconds after which one may."""
        spent = [window for window in self.windows if not self.limiter.test(window, user_id)]
        resets = [self.limiter.get_window_stats(window, user_id).reset_time for window in spent]
        return max(1, math.ceil(max(resets) - time.time())) if resets else 0


@cache
def model_calls_of(rate: str) -> ModelCallLimit:
    """Return the process's counts, which see every call of a model from now on."""
    limit = ModelCallLimit(rate)
    register_configure_hook(ContextVar("wenmai_model_calls", default=limit), inheritable=True)
    return limit


def require_calls(rate: str, user_id: str) -> None:
    """Raise FieldError (429) for a question of a user whose calls are spent."""
    seconds = 0 if rate == UNLIMITED else model_calls_of(rate).wait(user_id)
    if seconds:
        raise too_often(Message("server.model_calls_spent", rate=rate, seconds=seconds), seconds)


def too_often(message: Message, seconds: int) -> FieldError:
    """Return the error (429) of who may ask again after so many seconds."""
    return FieldError("request", message, TOO_MANY, seconds)


@dataclass(slots=True)
class ConcurrencyLimits:
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
        """Wait for a place and hold it. Beyond a user's share questions wait among their own; None has no share."""
        from wenmai.observability.metrics import running_turns, wait_seconds  # a command counts nothing

        began = time.perf_counter()
        most = self.at_once if user_id is None else max(1, self.at_once // 2)
        share = self._shares.setdefault(user_id, Semaphore(most))
        async with place_of(share), place_of(self._free):
            wait_seconds.observe(time.perf_counter() - began)
            with running_turns.track_inprogress():
                yield


@asynccontextmanager
async def place_of(free: Semaphore) -> AsyncIterator[None]:
    from wenmai.observability.metrics import waiting_turns

    with waiting_turns.track_inprogress():
        await free.acquire()
    try:
        yield
    finally:
        free.release()
