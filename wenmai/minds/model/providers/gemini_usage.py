"""Usage of replies without a candidate: the library does not report it, though it is billed."""

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

WHOLE = ":generateContent"  # for a stream the library reports every chunk's usage
OK = 200
ANSWERED = re.compile(rb'"candidates":\s*\[\s*\{')
UNREPORTED: ContextVar[list[dict[str, Any]] | None] = ContextVar("wenmai_untold", default=None)


@contextmanager
def collecting_usage() -> Iterator[list[dict[str, Any]]]:
    """Yield a list of the replies without a candidate within the block, as parsed JSON."""
    replies: list[dict[str, Any]] = []
    with holding(UNREPORTED, replies):
        yield replies


async def record_usage(response: "httpx.Response") -> None:
    """Record a reply without a candidate; a response hook of the HTTP client, called before the library reads."""
    replies = UNREPORTED.get()
    if replies is None or response.status_code != OK or not response.request.url.path.endswith(WHOLE):
        return
    if ANSWERED.search(await response.aread()):
        return
    try:
        body = response.json()
    except ValueError:
        return  # the library raises for it
    if isinstance(body, dict) and not body.get("candidates") and isinstance(body.get("usageMetadata"), dict):
        replies.append(body)


def with_usage(reply: AIMessage, replies: list[dict[str, Any]]) -> AIMessage:
    """Return a reply with the recorded usage, and add it to the meter, which saw none."""
    if reply.usage_metadata or not replies:
        return reply
    usage, model = usage_of(replies[-1]["usageMetadata"]), str(replies[-1].get("modelVersion") or "")
    if meter := meters().get():
        meter.add(model, usage)
    named = {**reply.response_metadata, "model_name": model} if model else reply.response_metadata
    return reply.model_copy(update={"usage_metadata": usage, "response_metadata": named})


def usage_of(counts: dict[str, Any]) -> UsageMetadata:
    """Return the service's counts in LangChain's form; thinking counts as output."""
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
