"""What the service answers to one request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tests.gemini.exchange import Request
from tests.gemini.parts import Json

Ending = Literal["whole", "cut", "closed", "hang"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer and how it reaches the client.

    Attributes:
        body: The whole response or the error.
        chunks: The stream, when it is not to be cut from the body.
        delay_s: Seconds before the first byte.
        gap_s: Seconds between two chunks of a stream.
        ending: `cut` closes inside a JSON string, `closed` before the first byte, `hang` sends nothing.
        raw: A body that is not JSON, as gateways send.
    """

    body: Json
    status: int = 200
    chunks: tuple[Json, ...] = ()
    delay_s: float = 0.0
    gap_s: float = 0.0
    ending: Ending = "whole"
    raw: str | None = None


Step = Json | Reply | Callable[[Request], Any]


@dataclass(frozen=True, slots=True)
class Always:
    """A step that is played again and again."""

    step: Step


def always(step: Step) -> Always:
    """Repeat a step for ever: `gemini.play(always(text("好")))`."""
    return Always(step)


def usage(prompt: int, answer: int, *, thoughts: int = 0, cached: int = 0) -> Json:
    """Return token counts as the service reports them; thoughts are counted beside the answer."""
    counts: Json = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": answer,
        "totalTokenCount": prompt + answer + thoughts,
    }
    if thoughts:
        counts["thoughtsTokenCount"] = thoughts
    if cached:
        counts["cachedContentTokenCount"] = cached
    return counts


def candidate(parts: Sequence[Json], finish: str | None = "STOP", index: int = 0) -> Json:
    """Return one candidate; without parts it has an empty content, as the service sends it."""
    content: Json = {"role": "model"}
    if parts:
        content["parts"] = [dict(part) for part in parts]
    made: Json = {"content": content, "index": index}
    return {**made, "finishReason": finish} if finish else made


def turn(*parts: Json, finish: str = "STOP", tokens: Json | None = None, delay_s: float = 0.0) -> Reply:
    """Return a model turn of several parts: `turn(text("先查"), call("search_memory", {"query": "少女"}))`."""
    body: Json = {"candidates": [candidate(parts, finish)]}
    if tokens is not None:
        body["usageMetadata"] = tokens
    return Reply(body, delay_s=delay_s)


def as_reply(step: Json | Reply) -> Reply:
    """Return the reply of a step: a part, a whole response, or an error body."""
    if isinstance(step, Reply):
        return step
    if "candidates" in step or "promptFeedback" in step:
        return Reply(step)
    if "error" in step:
        return Reply(step, status=int(step["error"].get("code", 500)))
    return turn(step)
