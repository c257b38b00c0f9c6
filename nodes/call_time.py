"""The time of one call of a model: so long until its first token and between two tokens, and never beyond the turn's.

A provider that streams says with `heard` that the model is alive; a reply that comes whole has the time of one silence.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from tools.holding import holding

READING_AFTER_S = 2.0
"""Seconds without a token after which a person is told what the model does: it reads what it was given."""
_EXACT_S = 0.01
_HEARD: ContextVar[Callable[[], None] | None] = ContextVar("wenmai_heard", default=None)


def heard() -> None:
    """Say that a token of the running call has come."""
    if (listener := _HEARD.get()) is not None:
        listener()


@dataclass(frozen=True, slots=True)
class CallTime:
    """The time of a call that runs: `end` is when the turn's own is over, by the loop's clock."""

    end: float

    @property
    def is_over(self) -> bool:
        """Whether the turn's time has ended the call, not the model's silence."""
        return asyncio.get_running_loop().time() >= self.end - _EXACT_S


@asynccontextmanager
async def call_time(
    silence_s: float, left_s: float, waits: Callable[[], None] | None = None
) -> AsyncIterator[CallTime]:
    """Let a call be silent for `silence_s` and run for `left_s`; `waits` is called where its first token takes time.

    Raises TimeoutError.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + left_s
    timer = asyncio.timeout_at(min(loop.time() + silence_s, end))
    told = loop.call_later(READING_AFTER_S, waits) if waits else None

    def quiet() -> None:
        if told:
            told.cancel()

    def on_token() -> None:
        quiet()
        if not timer.expired():
            timer.reschedule(min(loop.time() + silence_s, end))

    try:
        async with timer:
            with holding(_HEARD, on_token):
                yield CallTime(end)
    finally:
        quiet()
