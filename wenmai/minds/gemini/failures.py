"""From the library's errors to ModelError: one Chinese line that says what happened and which variable mends it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from tools.errors import ModelError
from wenmai.minds.gemini.client import ModelSettings

KEY = "GOOGLE_API_KEY（或 GEMINI_API_KEY）"
BASE_URL = "GEMINI_BASE_URL"
BUSY = 429
TIMED_OUT = (408, 504)
SHOWN = 200  # characters of the service's own words


class Outage(ModelError):
    """The service did not answer as a service does: dead, overloaded, too slow, cut off. Worth another try."""

    def __init__(self, message: str) -> None:
        super().__init__(message, transient=True)


class Unusable(ModelError):
    """The service answered, but with nothing that can be used: blocked, malformed, empty, or against the schema."""


@contextmanager
def told(settings: ModelSettings) -> Iterator[None]:
    """Raise what the library raises as ModelError."""
    # Loaded by now: only a model that was built can raise.
    from google.genai.errors import APIError, UnknownApiResponseError
    from langchain_google_genai.chat_models import ChatGoogleGenerativeAIError

    try:
        yield
    except (APIError, ChatGoogleGenerativeAIError) as error:
        raise of_status(error, settings) from error
    except httpx.TimeoutException as error:
        raise Outage(f"Gemini（{settings.id}）没有在限定时间内回答。") from error
    except httpx.HTTPError as error:
        raise Outage(f"连不上 Gemini（{type(error).__name__}）：请检查网络和 {BASE_URL}。") from error
    except (UnknownApiResponseError, ValueError) as error:
        if not is_broken_body(error):
            raise
        raise Outage("Gemini 的回答在传输中断开，不是完整的 JSON。") from error


def is_broken_body(error: ValueError) -> bool:
    """Tell a response that cannot be read from a bug of ours, which is a ValueError too."""
    from json import JSONDecodeError

    from google.genai.errors import UnknownApiResponseError

    return isinstance(error, JSONDecodeError | UnknownApiResponseError | UnicodeDecodeError)


def of_status(error: Exception, settings: ModelSettings) -> ModelError:
    """Return the failure that an error response means."""
    cause = error if hasattr(error, "code") else error.__cause__
    code = int(getattr(cause, "code", None) or 0)
    said = one_line(getattr(cause, "message", None) or str(error))
    if code == BUSY:
        asked = max(delays(getattr(cause, "details", None)), default=0.0)
        return ModelError(f"Gemini 的配额用完或请求太密（429）：{said}", transient=True, retry_after_s=asked)
    if code in TIMED_OUT:
        return Outage(f"Gemini（{settings.id}）没有在限定时间内回答（{code}）。")
    if code >= 500 or code == 0:
        return Outage(f"Gemini 服务出错（{code}）：{said}")
    return refused(code, said, reasons(getattr(cause, "details", None)), settings)


def refused(code: int, said: str, reasons: set[str], settings: ModelSettings) -> ModelError:
    """Return the failure of a request that will be refused again."""
    if code in (401, 403) or "API_KEY_INVALID" in reasons:
        return ModelError(f"Gemini 不接受密钥（{code}）：请检查 {KEY}。{said}")
    if code == 404:
        return ModelError(f"Gemini 没有模型 {settings.id}（404）：请检查 {settings.variable}。")
    if "FAILED_PRECONDITION" in reasons:
        return ModelError(f"Gemini 不在这个地区或账户提供服务（{code}）：可用 {BASE_URL} 指定网关。{said}")
    if "thinking" in said.lower():
        variables = f"{settings.prefix}_THINKING 与 {settings.variable}"
        return ModelError(f"模型 {settings.id} 不接受这样的思考设置（{code}）：请检查 {variables}。{said}")
    return ModelError(f"Gemini 拒绝了请求（{code}，模型 {settings.id}）：{said}")


def reasons(details: Any) -> set[str]:
    """Return the status and the reasons in the body of an error."""
    body = details.get("error", details) if isinstance(details, Mapping) else {}
    listed = body.get("details") or []
    found = [body.get("status"), *(one.get("reason") for one in listed if isinstance(one, Mapping))]
    return {reason for reason in found if isinstance(reason, str)}


def delays(details: Any) -> Iterator[float]:
    """Yield the seconds that the body of an error asks to wait (RetryInfo)."""
    body = details.get("error", details) if isinstance(details, Mapping) else {}
    for one in body.get("details") or []:
        delay = one.get("retryDelay") if isinstance(one, Mapping) else None
        if isinstance(delay, str) and delay.removesuffix("s").replace(".", "", 1).isdigit():
            yield float(delay.removesuffix("s"))


def one_line(text: str) -> str:
    """Return the beginning of a message without line breaks."""
    return " ".join(str(text).split())[:SHOWN]


def unusable(finish: str | None, why: str, settings: ModelSettings) -> Unusable:
    """Return the failure of a reply that holds no usable answer."""
    reason = f"，原因 {finish}" if finish and finish != "STOP" else ""
    return Unusable(f"模型 {settings.id}（{settings.variable}）没有给出可用的回答{reason}：{one_line(why)}")
