"""Retries of calls of an ingest, for which no question waits."""

import logging
from dataclasses import dataclass

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from tools.errors import ModelError, is_transient
from tools.messages import say

log = logging.getLogger("wenmai.model")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Number of attempts and the waits between them: exponential, with jitter, in seconds."""

    attempts: int = 6
    first_s: float = 2.0
    longest_s: float = 60.0


PATIENCE = Patience()
"""About a minute and a half in all: longer than the storms of 503 that are common, shorter than a coffee."""

ONCE = Patience(attempts=1)  # for a caller that tries again itself


def retrying(patience: Patience) -> AsyncRetrying:
    """Return the retrying of transient failures; the last one is raised as it is."""
    usual = wait_exponential_jitter(initial=patience.first_s, max=patience.longest_s, jitter=patience.first_s / 2)

    def wait(state: RetryCallState) -> float:
        failure = state.outcome.exception() if state.outcome else None
        asked = failure.retry_after_s if isinstance(failure, ModelError) else 0.0
        return min(max(usual(state), asked), patience.longest_s)

    def told(state: RetryCallState) -> None:
        failure = state.outcome.exception() if state.outcome else None
        seconds = state.next_action.sleep if state.next_action else 0.0
        log.warning(say("model.asked_again", reason=failure, seconds=seconds, number=state.attempt_number + 1))

    return AsyncRetrying(
        before_sleep=told,
        retry=retry_if_exception(is_transient),
        stop=stop_after_attempt(patience.attempts),
        wait=wait,
        reraise=True,
    )
