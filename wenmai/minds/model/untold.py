"""Tokens of a reply without a candidate: the library does not tell them, though they are paid for."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata

from nodes.results.usage import meters
from tools.holding import holding

if TYPE_CHECKING:
    import httpx

WHOLE = ":generateContent"  # of a stream the library tells every chunk's
OK = 200
ANSWERED = re.compile(rb'"candidates":\s*\[\s*\{')
HEARD: ContextVar[list[dict[str, Any]] | None] = ContextVar("wenmai_untold", default=None)


@contextmanager
def listening() -> Iterator[list[dict[str, Any]]]:
    """Give a list that holds the replies without a candidate that came within."""
    heard: list[dict[str, Any]] = []
    with holding(HEARD, heard):
        yield heard


async def hear(response: "httpx.Response") -> None:
    """Keep a reply without a candidate; for the HTTP client, which calls it before the library reads."""
    heard = HEARD.get()
    if heard is None or response.status_code != OK or not response.request.url.path.endswith(WHOLE):
        return
    if ANSWERED.search(await response.aread()):
        return
    try:
        body = response.json()
    except ValueError:
        return  # the library will say so
    if isinstance(body, dict) and not body.get("candidates") and isinstance(body.get("usageMetadata"), dict):
        heard.append(body)


def with_usage(reply: AIMessage, heard: list[dict[str, Any]]) -> AIMessage:
    """Return a reply with the tokens that were heard of, and tell them to the meter that saw none."""
    if reply.usage_metadata or not heard:
        return reply
    usage, model = usage_of(heard[-1]["usageMetadata"]), str(heard[-1].get("modelVersion") or "")
    if meter := meters().get():
        meter.add(model, usage)
    named = {**reply.response_metadata, "model_name": model} if model else reply.response_metadata
    return reply.model_copy(update={"usage_metadata": usage, "response_metadata": named})


def usage_of(counts: dict[str, Any]) -> UsageMetadata:
    """Return the service's counts in the library's words; thinking is output."""
    thoughts = int(counts.get("thoughtsTokenCount") or 0)
    given = int(counts.get("promptTokenCount") or 0)
    made = int(counts.get("candidatesTokenCount") or 0) + thoughts
    return UsageMetadata(
        input_tokens=given,
        output_tokens=made,
        total_tokens=given + made,
        input_token_details={"cache_read": int(counts.get("cachedContentTokenCount") or 0)},
        output_token_details={"reasoning": thoughts},
    )
