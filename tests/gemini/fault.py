"""Everything that goes wrong, as steps of a script."""

from dataclasses import replace

from tests.gemini import refusals
from tests.gemini.parts import Json, text
from tests.gemini.replies import Reply, as_reply, candidate

Kept = Json | Reply


def status(code: int, message: str = "") -> Reply:
    """Answer with an error of the service: 500, 503, 504 …"""
    return Reply(refusals.error(code, message), status=code)


def quota(retry_s: float | None = 1, model: str = "gemini-99-loopback", per: str = "Minute") -> Reply:
    """Answer 429 with QuotaFailure, and with RetryInfo unless `retry_s` is None."""
    return Reply(refusals.quota(retry_s, model, per).body, status=429)


def region() -> Reply:
    """Answer that this place is not served."""
    return Reply(refusals.region().body, status=400)


def bad_key() -> Reply:
    """Answer that the key is wrong."""
    return Reply(refusals.bad_key().body, status=400)


def unknown_model(model: str) -> Reply:
    """Answer that the model is not known."""
    return Reply(refusals.unknown_model(model, "generateContent").body, status=404)


def gateway(code: int = 502) -> Reply:
    """Answer as a gateway does: HTML instead of JSON."""
    return Reply({}, status=code, raw="<html><title>502 Bad Gateway</title></html>")


def slow(seconds: float, step: Kept | None = None) -> Reply:
    """Wait before the first byte."""
    return replace(as_reply(step if step is not None else text("好")), delay_s=seconds)


def dripping(gap_s: float, step: Kept) -> Reply:
    """Wait between two chunks of the stream."""
    return replace(as_reply(step), gap_s=gap_s)


def hang() -> Reply:
    """Send nothing until the client gives up."""
    return Reply({}, ending="hang")


def closed() -> Reply:
    """Close the connection without an answer."""
    return Reply({}, ending="closed")


def cut(step: Kept) -> Reply:
    """Send half of the answer, up to the middle of a JSON string, then close."""
    return replace(as_reply(step), ending="cut")


def finish(reason: str, *parts: Json) -> Reply:
    """End a turn for another reason than STOP: SAFETY, RECITATION, MAX_TOKENS, OTHER …, with or without text."""
    return Reply({"candidates": [candidate(parts, reason)]})


def malformed_call() -> Reply:
    """End a turn with a call that the model did not get right."""
    said = "Malformed function call: print(default_api.search_memory(query='"
    return Reply({"candidates": [{**candidate((), "MALFORMED_FUNCTION_CALL"), "finishMessage": said}]})


def blocked(reason: str = "SAFETY") -> Reply:
    """Refuse the prompt: no candidates at all."""
    return Reply({"promptFeedback": {"blockReason": reason}})


def empty() -> Reply:
    """Answer with an empty list of candidates."""
    return Reply({"candidates": []})


def silent() -> Reply:
    """Answer with one candidate that has no parts."""
    return Reply({"candidates": [candidate(())]})


def two(first: Json, second: Json) -> Reply:
    """Answer with two candidates."""
    return Reply({"candidates": [candidate([first]), candidate([second], index=1)]})
