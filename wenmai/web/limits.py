"""How many requests a key may send: moving windows, counted in this process."""

import math
import time
from dataclasses import dataclass, field
from functools import cache

from limits import RateLimitItem, parse_many
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter

UNLIMITED = "0"


@dataclass(slots=True)
class RateLimit:
    """Counts the requests of each key."""

    rate: str
    windows: list[RateLimitItem] = field(init=False)
    limiter: MovingWindowRateLimiter = field(init=False)

    def __post_init__(self) -> None:
        self.windows = [] if self.rate == UNLIMITED else parse_many(self.rate)
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
