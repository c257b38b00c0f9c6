"""Errors of `langchain-openai` as ModelError, and what a refusal says that a server lacks."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tools.errors import ModelError
from wenmai.minds.model.client import Endpoint, ModelSettings
from wenmai.minds.model.failures import Reported, cut_off, failure_of, too_slow, unreachable
from wenmai.minds.model.messages import Service

if TYPE_CHECKING:
    import openai

NOT_HERE = "unsupported_country"  # in the code of the error
OWN = "https://api.openai.com/v1"
VERSION = re.compile(r"/v\d")  # in the path of an address
# With these a server says that it does not do what was asked; with others, that something else is wrong.
CANNOT = frozenset({400, 404, 405, 415, 422, 500, 501})
TOO_LONG = re.compile(r"context.{0,10}(length|window|size)|too long|maximum.{0,20}tokens", re.IGNORECASE)
ABOUT_TOOLS = re.compile(r"\btools?\b|tool[_ -](choice|use|call)|function", re.IGNORECASE)
ABOUT_SCHEMA = re.compile(r"response_?format|json|schema|structured|grammar|guided|tool|function", re.IGNORECASE)
ABOUT_STREAM_OPTIONS = re.compile(r"stream_options|include_usage", re.IGNORECASE)
ABOUT_THOUGHTS = re.compile(r"reasoning_content|\breasoning\b", re.IGNORECASE)
ABOUT_THINKING = re.compile(r"reasoning_effort|thinking", re.IGNORECASE)


def service_of(endpoint: Endpoint) -> Service:
    """Return the service by the host of its address."""
    address = urlsplit(endpoint.base_url or OWN)
    name = "OpenAI" if address.netloc == urlsplit(OWN).netloc else address.netloc
    lacks_version = VERSION.search(address.path) is None
    return Service(name, "OPENAI_API_KEY", "OPENAI_BASE_URL", lacks_version=lacks_version)


@contextmanager
def mapped_errors(service: Service, settings: ModelSettings) -> Iterator[None]:
    """Map the library's errors to ModelError."""
    # Loaded already: only a model that was built can raise.
    import httpx2
    import openai

    from wenmai.minds.model.providers.openai_chat import BrokenReply

    try:
        yield
    except openai.APIStatusError as error:
        raise failure_of(reported(error), service, settings) from error
    except (openai.APITimeoutError, httpx2.TimeoutException, TimeoutError) as error:
        raise too_slow(service, settings) from error
    except (openai.APIConnectionError, httpx2.HTTPError) as error:
        raise unreachable(service, error) from error
    except openai.APIError as error:  # an error within a stream, which has begun with 200
        raise failure_of(Reported(code=code_of(error.body), said=error.message), service, settings) from error
    except (BrokenReply, JSONDecodeError, UnicodeDecodeError) as error:
        raise cut_off(service) from error


def reported(error: "openai.APIStatusError") -> Reported:
    """Return what an error response says."""
    said = message_of(error)
    return Reported(
        code=error.status_code,
        said=said,
        retry_after_s=seconds(error.response.headers.get("retry-after")),
        not_here=NOT_HERE in str(error.body),
        bad_thinking=bool(ABOUT_THINKING.search(said)),
    )


def message_of(error: "openai.APIError") -> str:
    """Return the server's own words; the library puts its own before them."""
    said = error.body.get("message") if isinstance(error.body, Mapping) else None
    return said if isinstance(said, str) and said else error.message


def code_of(body: object) -> int:
    """Return the status in the body of an error, 0 without one."""
    code = body.get("code") if isinstance(body, Mapping) else None
    return int(str(code)) if str(code).isdigit() else 0


def seconds(value: Any) -> float:
    """Return the seconds of a header, 0 where it is a date or missing."""
    return float(value) if value and re.fullmatch(r"\d+(\.\d+)?", value) else 0.0


def is_about(failure: ModelError, words: re.Pattern[str]) -> bool:
    """Return True if a server refuses a request because of what these words name."""
    cause: Any = failure.__cause__
    text = f"{getattr(cause, 'message', '')} {getattr(cause, 'body', '')}"
    return getattr(cause, "status_code", 0) in CANNOT and not TOO_LONG.search(text) and bool(words.search(text))
