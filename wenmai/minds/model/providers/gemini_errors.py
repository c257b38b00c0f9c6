"""Errors of `langchain-google-genai` as ModelError."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from json import JSONDecodeError
from typing import Any

import httpx

from wenmai.minds.model.client import ModelSettings
from wenmai.minds.model.failures import Reported, cut_off, failure_of, too_slow, unreachable
from wenmai.minds.model.messages import Service

GEMINI = Service("Gemini", "GOOGLE_API_KEY / GEMINI_API_KEY", "GEMINI_BASE_URL")


@contextmanager
def mapped_errors(settings: ModelSettings) -> Iterator[None]:
    """Map the library's errors to ModelError."""
    # Loaded already: only a model that was built can raise.
    from google.genai.errors import APIError, UnknownApiResponseError
    from langchain_google_genai.chat_models import ChatGoogleGenerativeAIError

    try:
        yield
    except (APIError, ChatGoogleGenerativeAIError) as error:
        raise failure_of(reported(error), GEMINI, settings) from error
    except httpx.TimeoutException as error:
        raise too_slow(GEMINI, settings) from error
    except httpx.HTTPError as error:
        raise unreachable(GEMINI, error) from error
    except (UnknownApiResponseError, JSONDecodeError, UnicodeDecodeError) as error:
        raise cut_off(GEMINI) from error


def reported(error: Exception) -> Reported:
    """Return what an error response says."""
    cause = error if hasattr(error, "code") else error.__cause__
    said = str(getattr(cause, "message", None) or error)
    body = body_of(cause)
    named = reasons(body)
    return Reported(
        code=int(getattr(cause, "code", None) or 0),
        said=said,
        retry_after_s=max(delays(body), default=0.0),
        bad_key="API_KEY_INVALID" in named,
        not_here="FAILED_PRECONDITION" in named,
        bad_thinking="thinking" in said.lower(),
    )


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
