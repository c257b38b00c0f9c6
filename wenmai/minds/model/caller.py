"""Calls of the service, and its failures as ModelError: one line with the cause and the variable that mends it.

Each call of a question passes a circuit breaker, as a dead service must not cost each its time-outs.
"""

import logging
import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from langchain_core.messages import AIMessage
from pydantic import BaseModel, ValidationError

from nodes.drafts import finish_of
from nodes.roles import Listener
from nodes.usage import asking, tokens_for_call
from tools.errors import ModelError, OutOfTokens
from tools.formatting import dump
from tools.language import tokens
from tools.messages import say
from wenmai.minds.model.client import Messages, ModelSettings, Provider, Tools
from wenmai.minds.model.schemas import declared
from wenmai.observability.cleaning import cleaner


@dataclass(frozen=True, slots=True)
class Service:
    """What messages call a service, and the variables of its key and its address.

    `lacks_version`: the address that is set ends in no version, which most services want. `is_local`: it is on this
    machine, where a second try is as slow as the first. `secret`: the value of the key, which it may quote.
    """

    name: str
    key: str
    address: str
    lacks_version: bool = False
    is_local: bool = False
    secret: str = field(default="", repr=False)


TOO_MANY = 429
TIMED_OUT = (408, 504)
NO_KEY = (401, 403)
NOT_FOUND = 404
TOO_LARGE = 413
LENGTH = re.compile(r"context.{0,10}(length|window|size)|too long|maximum.{0,20}tokens", re.IGNORECASE)
OF_THE_REQUEST = (400, 413, 422, 451)  # about what a request holds: its length, its content
SHOWN = 200  # characters of the service's own words


class Outage(ModelError):
    """The service is dead, overloaded, too slow or cut off; a retry may help."""

    def __init__(self, message: str, *, transient: bool = True) -> None:
        super().__init__(message, transient=transient)


class Unusable(ModelError):
    """The service gave an unusable answer: blocked, malformed, empty, or against the schema."""


class RefusedRequest(ModelError):
    """The service takes no such request; it may take another one."""


class RequestTooLong(RefusedRequest):
    """The request has more tokens than the model takes."""


class BadThinking(ModelError):
    """The model does not take the thinking level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """What an error response says, whatever the protocol; `code` is the HTTP status, 0 where there is none."""

    code: int
    said: str = field(default="")
    retry_after_s: float = 0.0
    bad_key: bool = False
    not_here: bool = False
    bad_thinking: bool = False


def failure_of(reported: Reported, service: Service, settings: ModelSettings) -> ModelError:
    code, said = reported.code, one_line(cleaner([service.secret])(reported.said))
    if code == TOO_MANY:
        busy = say("model.quota_spent", service=service.name, said=said)
        return ModelError(busy, transient=True, retry_after_s=reported.retry_after_s)
    if code in TIMED_OUT:
        return too_slow(service, settings, say("model.code", code=code))
    if code >= 500 or code == 0:
        return Outage(say("model.service_failed", service=service.name, code=code, said=said))
    name, model, variable, address = service.name, settings.id, settings.variable, service.address
    if reported.not_here:
        return ModelError(say("model.region_not_served", service=name, code=code, address=address, said=said))
    if code in NO_KEY or reported.bad_key:
        return ModelError(say("model.bad_key", service=name, code=code, key=service.key, said=said))
    if code == NOT_FOUND:
        hint = say("model.address_without_v1", address=address) if service.lacks_version else ""
        unknown = say("model.unknown_model", service=name, model=model, variable=variable, address=address)
        return ModelError(unknown + hint)
    if reported.bad_thinking:
        setting = f"{settings.prefix}_THINKING"
        return BadThinking(
            say("model.thinking_not_accepted", model=model, code=code, setting=setting, variable=variable, said=said)
        )
    is_long = code == TOO_LARGE or LENGTH.search(reported.said)
    kind = (RequestTooLong if is_long else RefusedRequest) if code in OF_THE_REQUEST else ModelError
    return kind(say("model.refused", service=name, code=code, model=model, said=said))


def too_slow(service: Service, settings: ModelSettings, code: str = "") -> Outage:
    slow = say("model.timed_out", service=service.name, model=settings.id, code=code)
    return Outage(slow, transient=bool(code) or not service.is_local)


def unreachable(service: Service, error: Exception) -> Outage:
    name = type(error.__cause__ or error).__name__
    return Outage(say("model.unreachable", service=service.name, address=service.address, error=name))


def cut_off(service: Service) -> Outage:
    return Outage(say("model.reply_cut_off", service=service.name))


def one_line(text: str) -> str:
    """Return the beginning of a message without line breaks."""
    return " ".join(str(text).split())[:SHOWN]


def unusable(finish: str | None, why: str, settings: ModelSettings) -> Unusable:
    reason = say("model.finish_reason", finish=finish) if finish and finish != "STOP" else ""
    return Unusable(
        say("model.unusable_answer", model=settings.id, variable=settings.variable, reason=reason, why=one_line(why))
    )


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
                raise ModelError(say("model.calls_paused", failures=self.in_a_row, seconds=max(1, math.ceil(left))))
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

REPLY_TOKENS, VERDICT_TOKENS = 1_000, 500  # kept for a reply where no limit of it is set: a turn, a structured one

Parsed = TypeVar("Parsed", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ModelCaller:
    provider: Provider
    breaker: Breaker
    settings: ModelSettings

    async def turn(
        self, messages: Messages, tools: Tools = (), stream: Listener | None = None, *, may_call: bool = True
    ) -> AIMessage:
        """Return one model turn as the service sent it; `stream` takes it as it is written.

        Raises ModelError.
        """
        self.check_limit(messages, tools, self.reply_tokens)
        with self.breaker.watch(), asking(self.settings.id):
            return plain(await self.provider.turn(self.settings, messages, tools, stream, may_call=may_call))

    async def structured(self, messages: Messages, schema: type[Parsed]) -> Parsed:
        """Return the answer in a schema. Raises ModelError, also for an answer against the schema."""
        return parsed(await self._structured(messages, schema), schema, self.settings)

    async def json_text(self, messages: Messages, schema: type[BaseModel]) -> str:
        """Return the text of an answer in JSON mode as it came, for a reader that cleans it. Raises ModelError."""
        return text_of(await self._structured(messages, schema), self.settings)

    async def _structured(self, messages: Messages, schema: type[BaseModel]) -> AIMessage:
        self.check_limit(messages, [declared(schema)], self.settings.output_tokens or VERDICT_TOKENS)
        with self.breaker.watch(), asking(self.settings.id):
            return await self.provider.structured(self.settings, messages, schema)

    @property
    def reply_tokens(self) -> int:
        """Tokens that are kept for the reply of a turn."""
        return self.settings.output_tokens or REPLY_TOKENS

    def check_limit(self, messages: Messages, declarations: Tools, reply: int) -> None:
        """Raise OutOfTokens if a request and its reply may cost more than the question has left."""
        left = tokens_for_call()
        if left is not None and tokens_of(messages, declarations) + reply > left:
            raise OutOfTokens(say("turn.out_of_tokens"))


def tokens_of(messages: Messages, declarations: Tools) -> int:
    """Return about how many tokens a request has."""
    calls = [message.tool_calls for message in messages if isinstance(message, AIMessage) and message.tool_calls]
    return sum(tokens(message.text) for message in messages) + tokens(dump(declarations)) + tokens(dump(calls))


def plain(reply: AIMessage) -> AIMessage:
    """Return a reply whose metadata a checkpoint can hold; the parts for the service are unchanged."""
    kept = {key: reply.response_metadata[key] for key in KEPT_METADATA if key in reply.response_metadata}
    return reply.model_copy(update={"response_metadata": kept})


def text_of(reply: AIMessage, settings: ModelSettings) -> str:
    """Return the text of an answer. Raises ModelError for one without any."""
    if not reply.text.strip():
        raise unusable(finish_of(reply), say("model.answer_empty"), settings)
    return reply.text


def parsed(reply: AIMessage, schema: type[Parsed], settings: ModelSettings) -> Parsed:
    """Validate a structured answer. Raises ModelError."""
    text = text_of(reply, settings)
    try:
        return schema.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        why = say("model.against_schema", where=where, said=first["msg"])
        raise unusable(finish_of(reply), why, settings) from error
