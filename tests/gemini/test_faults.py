"""Faults on demand: what the real client makes of each."""

import json
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from langchain_google_genai import ChatGoogleGenerativeAI

from tests.gemini import fault
from tests.gemini.ask import asking, first, post
from tests.gemini.parts import Json, call, text, thought
from tests.gemini.replies import Reply, turn
from tests.gemini.space import LOOPBACK_MODEL, Gemini
from tests.gemini.test_clients import ANSWER, client, joined

ERRORS: dict[str, tuple[Reply, int]] = {
    "quota": (fault.quota(2), 429),
    "internal": (fault.status(500), 500),
    "overloaded": (fault.status(503), 503),
    "deadline": (fault.status(504), 504),
    "key": (fault.bad_key(), 400),
    "region": (fault.region(), 400),
    "model": (fault.unknown_model("gemini-99-gone"), 404),
    "gateway": (fault.gateway(502), 502),
}
BROKEN: dict[str, tuple[Reply, type[Exception]]] = {
    "closed": (fault.closed(), httpx.RemoteProtocolError),
    "cut": (fault.cut(text(ANSWER)), httpx.RemoteProtocolError),
    "hang": (fault.hang(), httpx.ReadTimeout),
    "slow first byte": (fault.slow(4.0), httpx.ReadTimeout),
}
ENDINGS: dict[str, tuple[Reply, str, str]] = {
    "SAFETY": (fault.finish("SAFETY"), "", "SAFETY"),
    "RECITATION": (fault.finish("RECITATION"), "", "RECITATION"),
    "MAX_TOKENS": (fault.finish("MAX_TOKENS", text("少女献出")), "少女献出", "MAX_TOKENS"),
    "MALFORMED_FUNCTION_CALL": (fault.malformed_call(), "", "MALFORMED_FUNCTION_CALL"),
    "no parts": (fault.silent(), "", "STOP"),
    "two candidates": (fault.two(text("一"), text("二")), "一", "STOP"),
    "thoughts": (turn(thought("想"), text("好")), "好", "STOP"),
}
Ask = Callable[[ChatGoogleGenerativeAI], Any]
WAYS: dict[str, Ask] = {
    "whole": lambda model: model.invoke("问"),
    "stream": lambda model: joined(list(model.stream("问"))),
}


@pytest.fixture(params=list(WAYS.values()), ids=list(WAYS))
def ask(request: pytest.FixtureRequest) -> Ask:
    """Ask for a whole answer, and for a stream."""
    chosen: Ask = request.param
    return chosen


@pytest.mark.parametrize(("step", "code"), ERRORS.values(), ids=ERRORS)
def test_errors(gemini: Gemini, ask: Ask, step: Reply, code: int) -> None:
    """An error reaches the client with its code, once: nothing is retried behind the caller."""
    gemini.play(step)
    with pytest.raises(Exception, match=str(code)):
        ask(client(gemini))
    assert [one.status for one in gemini.history] == [code]
    assert gemini.refused == []  # a scripted error is no broken rule


@pytest.mark.parametrize(("step", "kind"), BROKEN.values(), ids=BROKEN)
def test_broken_connections(gemini: Gemini, ask: Ask, step: Reply, kind: type[Exception]) -> None:
    """A broken or silent connection is a transport error, and the client is free after its timeout."""
    gemini.play(step)
    model = client(gemini)
    model.timeout = 0.5
    with pytest.raises(kind):
        ask(model)
    assert len(gemini.history) == 1


@pytest.mark.parametrize(("step", "said", "reason"), ENDINGS.values(), ids=ENDINGS)
def test_endings(gemini: Gemini, step: Reply, said: str, reason: str) -> None:
    """A turn that ends badly is a message with the reason."""
    gemini.play(step)
    message = client(gemini).invoke("问")
    assert message.text == said
    assert message.response_metadata["finish_reason"] == reason


@pytest.mark.parametrize("step", [fault.blocked("PROHIBITED_CONTENT"), fault.empty()], ids=["blocked", "empty"])
def test_no_candidates(gemini: Gemini, ask: Ask, step: Reply) -> None:
    """A blocked prompt has no candidate at all: an empty message."""
    gemini.play(step)
    message = ask(client(gemini))
    assert message.text == ""
    assert message.tool_calls == []


def test_cut_is_inside_a_string(gemini: Gemini) -> None:
    """The last bytes before a cut are no whole JSON: they end inside a quoted text."""
    gemini.play(fault.cut(text(ANSWER)))
    received = b""
    address = f"{gemini.url}/v1beta/models/{LOOPBACK_MODEL}:streamGenerateContent?alt=sse"
    request = {"json": asking(), "headers": {"x-goog-api-key": gemini.key}}
    with (
        pytest.raises(httpx.RemoteProtocolError),
        httpx.stream("POST", address, json=request["json"], headers=request["headers"]) as response,
    ):
        for piece in response.iter_bytes():
            received += piece
    *whole, last = received.decode().split("\r\n\r\n")
    assert whole and all(json.loads(one.removeprefix("data: ")) for one in whole)
    assert last.removeprefix("data: ").count('"') % 2 == 1


def test_float_arguments(gemini: Gemini) -> None:
    """Numbers reach the client as the model wrote them."""
    gemini.play(call("search_memory", {"limit": 3.0}))
    assert '"limit":3.0' in post(gemini, asking()).text


def test_dripping_stream(gemini: Gemini) -> None:
    """Chunks come with pauses between them."""
    gemini.piece = 4
    gemini.play(fault.dripping(0.1, text("一二三四五六七八")))
    start = time.monotonic()
    model = client(gemini)
    assert "".join(one.text for one in model.stream("问")) == "一二三四五六七八"
    assert time.monotonic() - start >= 0.2


def test_second_candidate_is_sent(gemini: Gemini) -> None:
    """Both candidates are in the answer, numbered."""
    gemini.play(fault.two(text("一"), text("二")))
    body: Json = post(gemini, asking()).json()
    assert [(one["index"], one["content"]["parts"][0]["text"]) for one in body["candidates"]] == [(0, "一"), (1, "二")]


def test_service_lives_on(gemini: Gemini) -> None:
    """After every kind of broken connection the next request is answered."""
    for step, _ in BROKEN.values():
        gemini.play(step)
        with pytest.raises(httpx.TransportError):
            httpx.post(
                f"{gemini.url}/v1beta/models/{LOOPBACK_MODEL}:generateContent",
                json=asking(),
                headers={"x-goog-api-key": gemini.key},
                timeout=0.3,
            )
    gemini.play(text("还在"))
    assert first(post(gemini, asking()))["parts"][0]["text"] == "还在"
