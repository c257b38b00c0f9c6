"""Mapping of the library's errors to ModelError, with messages in the language of the question."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from json import JSONDecodeError
from typing import Any

import httpx

from tools.errors import ModelError
from wenmai.minds.model import messages
from wenmai.minds.model.client import ModelSettings

TOO_MANY = 429
TIMED_OUT = (408, 504)
SHOWN = 200  # characters of the service's own words


class Outage(ModelError):
    """The service is dead, overloaded, too slow or cut off; a retry may help."""

    def __init__(self, message: str) -> None:
        super().__init__(message, transient=True)


class Unusable(ModelError):
    """The service gave an unusable answer: blocked, malformed, empty, or against the schema."""


@contextmanager
def mapped_errors(settings: ModelSettings) -> Iterator[None]:
    """Map the library's errors to ModelError."""
    # Loaded already: only a model that was built can raise.
    from google.genai.errors import APIError, UnknownApiResponseError
    from langchain_google_genai.chat_models import ChatGoogleGenerativeAIError

    try:
        yield
    except (APIError, ChatGoogleGenerativeAIError) as error:
        raise of_status(error, settings) from error
    except httpx.TimeoutException as error:
        raise Outage(messages.SILENT.say(model=settings.id, code="")) from error
    except httpx.HTTPError as error:
        raise Outage(messages.UNREACHABLE.say(error=type(error).__name__)) from error
    except (UnknownApiResponseError, JSONDecodeError, UnicodeDecodeError) as error:
        raise Outage(messages.CUT_OFF.say()) from error


def of_status(error: Exception, settings: ModelSettings) -> ModelError:
    """Return the failure for an error response."""
    cause = error if hasattr(error, "code") else error.__cause__
    code = int(getattr(cause, "code", None) or 0)
    said = one_line(getattr(cause, "message", None) or str(error))
    body = body_of(cause)
    if code == TOO_MANY:
        asked = max(delays(body), default=0.0)
        return ModelError(messages.BUSY.say(said=said), transient=True, retry_after_s=asked)
    if code in TIMED_OUT:
        return Outage(messages.SILENT.say(model=settings.id, code=messages.CODE.say(code=code)))
    if code >= 500 or code == 0:
        return Outage(messages.BROKEN.say(code=code, said=said))
    return refused(code, said, reasons(body), settings)


def refused(code: int, said: str, named: set[str], settings: ModelSettings) -> ModelError:
    """Return the failure of a request that a retry cannot mend."""
    if code in (401, 403) or "API_KEY_INVALID" in named:
        return ModelError(messages.BAD_KEY.say(code=code, said=said))
    if code == 404:
        return ModelError(messages.NO_MODEL.say(model=settings.id, variable=settings.variable))
    if "FAILED_PRECONDITION" in named:
        return ModelError(messages.NOT_HERE.say(code=code, said=said))
    if "thinking" in said.lower():
        setting, variable = f"{settings.prefix}_THINKING", settings.variable
        return ModelError(
            messages.BAD_THINKING.say(model=settings.id, code=code, setting=setting, variable=variable, said=said)
        )
    return ModelError(messages.REFUSED.say(code=code, model=settings.id, said=said))


def body_of(cause: BaseException | None) -> Mapping[str, Any]:
    """Return the body of an error response, {} without one; gateways send anything."""
    details = getattr(cause, "details", None)
    body = details.get("error", details) if isinstance(details, Mapping) else {}
    return body if isinstance(body, Mapping) else {}


def details_of(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the details in an error's body."""
    return [one for one in body.get("details") or [] if isinstance(one, Mapping)]


def reasons(body: Mapping[str, Any]) -> set[str]:
    """Return the status and the reasons in the body of an error."""
    found = [body.get("status"), *(one.get("reason") for one in details_of(body))]
    return {reason for reason in found if isinstance(reason, str)}


def delays(body: Mapping[str, Any]) -> Iterator[float]:
    """Yield the seconds that the body of an error asks to wait (RetryInfo)."""
    for one in details_of(body):
        delay = one.get("retryDelay")
        if isinstance(delay, str) and delay.removesuffix("s").replace(".", "", 1).isdigit():
            yield float(delay.removesuffix("s"))


def one_line(text: str) -> str:
    """Return the beginning of a message without line breaks."""
    return " ".join(str(text).split())[:SHOWN]


def unusable(finish: str | None, why: str, settings: ModelSettings) -> Unusable:
    """Return the failure of a reply that holds no usable answer."""
    reason = messages.REASON.say(finish=finish) if finish and finish != "STOP" else ""
    return Unusable(
        messages.UNUSABLE.say(model=settings.id, variable=settings.variable, reason=reason, why=one_line(why))
    )
