"""The time of one call of a model: so long until its first token and between two tokens, and never beyond the turn's.

A provider that streams says with `heard` that the model is alive; a reply that comes whole has the time of one silence.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from tools.holding import holding

READING_AFTER_S = 2.0
"""Seconds without a token after which a person is told what the model does: it reads what it was given."""
_HEARD: ContextVar[Callable[[], None] | None] = ContextVar("wenmai_heard", default=None)


def heard() -> None:
    """Say that a token of the running call has come."""
    if (listener := _HEARD.get()) is not None:
        listener()


@asynccontextmanager
async def call_time(silence_s: float, left_s: float, waits: Callable[[], None] | None = None) -> AsyncIterator[None]:
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
                yield
    finally:
        quiet()
