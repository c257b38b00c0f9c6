"""Retries of calls that no question waits for: an ingest, which would rather wait than stop."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from tools.errors import is_transient


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often a call is tried, and how long is waited in between: twice as long each time, with a jitter."""

    attempts: int = 6
    first_s: float = 2.0
    longest_s: float = 60.0


PATIENCE = Patience()
"""About a minute and a half in all: longer than the storms of 503 that are common, shorter than a coffee."""


def retrying(patience: Patience) -> AsyncRetrying:
    """Return the retrying of transient failures; the last one is raised as it is."""
    usual = wait_exponential_jitter(initial=patience.first_s, max=patience.longest_s, jitter=patience.first_s / 2)

    def wait(state: RetryCallState) -> float:
        failure = state.outcome.exception() if state.outcome else None
        return min(max(usual(state), advised_s(failure)), patience.longest_s)

    return AsyncRetrying(
        retry=retry_if_exception(is_transient), stop=stop_after_attempt(patience.attempts), wait=wait, reraise=True
    )


def advised_s(failure: BaseException | None) -> float:
    """Return the seconds that the service asks to wait (RetryInfo), 0 where it says nothing."""
    while failure is not None:
        details = getattr(failure, "details", None)
        if isinstance(details, Mapping):
            return max(delays(details.get("error", details)), default=0.0)
        failure = failure.__cause__
    return 0.0


def delays(body: Any) -> Iterable[float]:
    """Yield the delays in the body of an error, in seconds."""
    listed = body.get("details") or [] if isinstance(body, Mapping) else []
    for one in listed:
        delay = one.get("retryDelay") if isinstance(one, Mapping) else None
        if isinstance(delay, str) and delay.removesuffix("s").replace(".", "", 1).isdigit():
            yield float(delay.removesuffix("s"))
