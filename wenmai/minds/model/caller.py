"""Calls of the service: each passes a circuit breaker, as a dead service must not cost each question its time-outs.

Calls of an ingest, for which no question waits, are retried instead.
"""

import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel, ValidationError
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from nodes.drafts import finish_of
from nodes.roles import Listener
from nodes.usage import asking
from tools.errors import ModelError, is_transient
from wenmai.minds.model.client import ModelSettings, Provider
from wenmai.minds.model.failures import AGAINST_SCHEMA, EMPTY, PAUSED, Outage, unusable

log = logging.getLogger("wenmai.model")


@dataclass(slots=True)
class Breaker:
    """After `failures` outages in a row calls fail at once for `pause_s` seconds; then one call tries.

    One for each process and endpoint: an outage is the endpoint's, whatever model was asked. A breaker of our own:
    purgatory lets every waiting call through as a trial and counts a cancelled question as a failure of the service.
    """

    failures: int = 3
    pause_s: float = 30.0
    clock: Callable[[], float] = time.monotonic
    in_a_row: int = 0
    opened_at: float | None = None
    trying: bool = False

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Let a call through and record its outcome. Raises ModelError at once while the circuit is open."""
        is_trial = self.opened_at is not None
        if self.opened_at is not None:
            left = self.opened_at + self.pause_s - self.clock()
            if left > 0 or self.trying:
                raise ModelError(PAUSED.say(failures=self.in_a_row, seconds=max(1, math.ceil(left))))
            self.trying = True
        try:
            yield
        except Outage as outage:
            self.in_a_row += 1
            if self.in_a_row >= self.failures:
                self.opened_at = self.clock()
                log.warning("circuit open for %g s after %d outages: %s", self.pause_s, self.in_a_row, outage)
            raise
        except ModelError:
            self._worked()  # the service answered, if only with a refusal
            raise
        else:
            self._worked()
        finally:
            # A cancelled trial has no outcome: the next call is the trial.
            self.trying = self.trying and not is_trial

    def _worked(self) -> None:
        self.in_a_row, self.opened_at = 0, None


# The rest of a response's metadata (safety ratings with enums) is not plain data.
KEPT_METADATA = ("model_provider", "model_name", "finish_reason")

Parsed = TypeVar("Parsed", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Caller:
    provider: Provider
    breaker: Breaker
    settings: ModelSettings

    async def turn(
        self,
        messages: Sequence[BaseMessage],
        tools: Sequence[dict[str, Any]] = (),
        stream: Listener | None = None,
        *,
        may_call: bool = True,
    ) -> AIMessage:
        """Return one model turn as the service sent it; `stream` takes it as it is written.

        Raises ModelError.
        """
        with self.breaker.watch(), asking(self.settings.id):
            return plain(await self.provider.turn(self.settings, messages, tools, stream, may_call=may_call))

    async def structured(self, messages: Sequence[BaseMessage], schema: type[Parsed]) -> Parsed:
        """Return the answer in a schema. Raises ModelError, also for an answer against the schema."""
        with self.breaker.watch(), asking(self.settings.id):
            reply = await self.provider.structured(self.settings, messages, schema)
        return parsed(reply, schema, self.settings)

    async def json_text(self, messages: Sequence[BaseMessage], schema: type[BaseModel]) -> str:
        """Return the text of an answer in JSON mode as it came, for a reader that cleans it. Raises ModelError."""
        with self.breaker.watch(), asking(self.settings.id):
            reply = await self.provider.structured(self.settings, messages, schema)
        if not reply.text.strip():
            raise unusable(finish_of(reply), EMPTY.say(), self.settings)
        return reply.text


def plain(reply: AIMessage) -> AIMessage:
    """Return a reply whose metadata a checkpoint can hold; the parts for the service are unchanged."""
    kept = {key: reply.response_metadata[key] for key in KEPT_METADATA if key in reply.response_metadata}
    return reply.model_copy(update={"response_metadata": kept})


def parsed(reply: AIMessage, schema: type[Parsed], settings: ModelSettings) -> Parsed:
    """Validate a structured answer. Raises ModelError."""
    if not reply.text.strip():
        raise unusable(finish_of(reply), EMPTY.say(), settings)
    try:
        return schema.model_validate_json(reply.text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise unusable(finish_of(reply), AGAINST_SCHEMA.say(where=where, said=first["msg"]), settings) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Number of attempts and the waits between them: exponential, with jitter, in seconds."""

    attempts: int = 6
    first_s: float = 2.0
    longest_s: float = 60.0


PATIENCE = Patience()
"""About a minute and a half in all: longer than the storms of 503 that are common, shorter than a coffee."""

ONCE = Patience(attempts=1)
"""For a caller that tries again itself."""


def retrying(patience: Patience) -> AsyncRetrying:
    """Return the retrying of transient failures; the last one is raised as it is."""
    usual = wait_exponential_jitter(initial=patience.first_s, max=patience.longest_s, jitter=patience.first_s / 2)

    def wait(state: RetryCallState) -> float:
        failure = state.outcome.exception() if state.outcome else None
        asked = failure.retry_after_s if isinstance(failure, ModelError) else 0.0
        return min(max(usual(state), asked), patience.longest_s)

    return AsyncRetrying(
        retry=retry_if_exception(is_transient), stop=stop_after_attempt(patience.attempts), wait=wait, reraise=True
    )
