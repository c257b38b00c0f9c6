"""A service's failures as ModelError: one line with the cause and the variable that mends it."""

from dataclasses import dataclass, field

from tools.errors import ModelError
from tools.messages import say
from wenmai.minds.model.client import ModelSettings


@dataclass(frozen=True, slots=True)
class Service:
    """What messages call a service, and the variables of its key and its address.

    `lacks_version`: the address that is set ends in no version, which most services want.
    """

    name: str
    key: str
    address: str
    lacks_version: bool = False


TOO_MANY = 429
TIMED_OUT = (408, 504)
NO_KEY = (401, 403)
NOT_FOUND = 404
OF_THE_REQUEST = (400, 413, 422, 451)  # about what a request holds: its length, its content
SHOWN = 200  # characters of the service's own words


class Outage(ModelError):
    """The service is dead, overloaded, too slow or cut off; a retry may help."""

    def __init__(self, message: str) -> None:
        super().__init__(message, transient=True)


class Unusable(ModelError):
    """The service gave an unusable answer: blocked, malformed, empty, or against the schema."""


class Refusal(ModelError):
    """The service takes no such request; it may take another one."""


class BadThinking(ModelError):
    """The model does not take the thinking level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """What an error response says, whatever the protocol.

    Attributes:
        code: the HTTP status, 0 where there is none.
        retry_after_s: the seconds that the service asks to wait.
        bad_key: the key is refused, whatever the status.
        not_here: the region or the account is not served.
        bad_thinking: the thinking level is refused.
    """

    code: int
    said: str = field(default="")
    retry_after_s: float = 0.0
    bad_key: bool = False
    not_here: bool = False
    bad_thinking: bool = False


def failure_of(reported: Reported, service: Service, settings: ModelSettings) -> ModelError:
    """Return the failure for an error response."""
    code, said = reported.code, one_line(reported.said)
    if code == TOO_MANY:
        busy = say("model.quota_spent", service=service.name, said=said)
        return ModelError(busy, transient=True, retry_after_s=reported.retry_after_s)
    if code in TIMED_OUT:
        return too_slow(service, settings, say("model.code", code=code))
    if code >= 500 or code == 0:
        return Outage(say("model.service_failed", service=service.name, code=code, said=said))
    return refused(reported, said, service, settings)


def refused(reported: Reported, said: str, service: Service, settings: ModelSettings) -> ModelError:
    """Return the failure of a request that a retry cannot mend."""
    code, name, address = reported.code, service.name, service.address
    if reported.not_here:
        return ModelError(say("model.region_not_served", service=name, code=code, address=address, said=said))
    if code in NO_KEY or reported.bad_key:
        return ModelError(say("model.bad_key", service=name, code=code, key=service.key, said=said))
    model, variable = settings.id, settings.variable
    if code == NOT_FOUND:
        hint = say("model.address_without_v1", address=address) if service.lacks_version else ""
        unknown = say("model.unknown_model", service=name, model=model, variable=variable, address=address)
        return ModelError(unknown + hint)
    if reported.bad_thinking:
        setting = f"{settings.prefix}_THINKING"
        return BadThinking(
            say("model.thinking_not_accepted", model=model, code=code, setting=setting, variable=variable, said=said)
        )
    kind = Refusal if code in OF_THE_REQUEST else ModelError
    return kind(say("model.refused", service=name, code=code, model=model, said=said))


def too_slow(service: Service, settings: ModelSettings, code: str = "") -> Outage:
    """Return the failure of a service that did not answer in time."""
    return Outage(say("model.timed_out", service=service.name, model=settings.id, code=code))


def unreachable(service: Service, error: Exception) -> Outage:
    """Return the failure of a service to which there is no connection."""
    name = type(error.__cause__ or error).__name__
    return Outage(say("model.unreachable", service=service.name, address=service.address, error=name))


def cut_off(service: Service) -> Outage:
    """Return the failure of a reply that broke off."""
    return Outage(say("model.reply_cut_off", service=service.name))


def one_line(text: str) -> str:
    """Return the beginning of a message without line breaks."""
    return " ".join(str(text).split())[:SHOWN]


def unusable(finish: str | None, why: str, settings: ModelSettings) -> Unusable:
    """Return the failure of a reply that holds no usable answer."""
    reason = say("model.finish_reason", finish=finish) if finish and finish != "STOP" else ""
    return Unusable(
        say("model.unusable_answer", model=settings.id, variable=settings.variable, reason=reason, why=one_line(why))
    )
