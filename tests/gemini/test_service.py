"""Scripts, queues, history and isolation of the service."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.gemini import fault
from tests.gemini.ask import asking, first, post
from tests.gemini.exchange import Request
from tests.gemini.models import configured
from tests.gemini.parts import Json, text
from tests.gemini.replies import Always, Reply, always
from tests.gemini.server import Server
from tests.gemini.space import LOOPBACK_EMBEDDER, LOOPBACK_MODEL, Gemini
from wenmai.settings.settings import Settings

OTHER_MODEL = "gemini-99-grader"


def said(response: httpx.Response) -> str:
    """Return the text of an answer."""
    return str(first(response)["parts"][0]["text"])


def test_queues(gemini: Gemini) -> None:
    """The narrowest queue that fits and has a step answers."""
    gemini.know(OTHER_MODEL)
    gemini.play(text("谁都行"), text("谁都行2"))
    gemini.play(text("评分"), model=OTHER_MODEL)
    gemini.play(text("改写"), when="改写查询")
    rewriting = asking(systemInstruction={"parts": [{"text": "请改写查询"}]})
    assert said(post(gemini, rewriting)) == "改写"
    assert said(post(gemini, asking(), model=OTHER_MODEL)) == "评分"
    assert said(post(gemini, rewriting)) == "谁都行"
    assert said(post(gemini, asking(), model=OTHER_MODEL)) == "谁都行2"
    gemini.assert_clean()


def test_functions(gemini: Gemini) -> None:
    """A function sees the request, and may be async."""

    def echo(request: Request) -> Json:
        return text(f"{request.model}:{request.prompt}")

    async def late(request: Request) -> Json:
        await asyncio.sleep(0.01)
        return text(f"第{request.number}次")

    gemini.play(echo)
    gemini.answer(late)
    assert said(post(gemini, asking())) == f"{LOOPBACK_MODEL}:少女是谁？"
    assert [said(post(gemini, asking())) for _ in range(2)] == ["第2次", "第3次"]


def test_exhausted_script(gemini: Gemini) -> None:
    """A request that the script did not expect is refused and named."""
    response = post(gemini, asking())
    assert response.status_code == 400
    assert response.json()["error"]["message"].startswith("loopback: the script has no step for request 1")
    with pytest.raises(AssertionError, match="no step for request 1"):
        gemini.assert_clean()


def test_failing_function(gemini_server: Server) -> None:
    """What a function raises reaches the test that wrote it."""
    space = gemini_server.open()

    def broken(request: Request) -> Json:
        raise KeyError(request.prompt)

    space.play(broken)
    assert post(space, asking()).status_code == 500
    assert [type(one) for one in space.failures] == [KeyError]
    gemini_server.close(space)
    assert post(space, asking()).json()["error"]["message"].startswith("API key not valid")


def test_unplayed_steps(gemini: Gemini) -> None:
    """Steps that nobody asked for are counted, repeated ones are not."""
    gemini.play(text("一"), text("二"), always(text("三")))
    post(gemini, asking())
    assert gemini.left == 1
    with pytest.raises(AssertionError, match="1 steps"):
        gemini.assert_clean()


def test_history(gemini: Gemini) -> None:
    """The history has body, headers without the key, model, time, and the answer as it was sent."""
    gemini.play(fault.slow(0.05, text("好")))
    response = post(gemini, asking(generationConfig={"temperature": 0}))
    request = gemini.history[0]
    assert request.sent == response.json()
    assert request.body == asking(generationConfig={"temperature": 0})
    assert (request.method, request.model, request.status) == ("generateContent", LOOPBACK_MODEL, 200)
    assert request.seconds >= 0.04  # timers of the loop are a little early
    assert gemini.key not in str(request)
    assert request.headers["content-type"] == "application/json"


def test_both_spellings(gemini: Gemini) -> None:
    """Snake case is taken, and the history has one spelling."""
    gemini.play(text("好"))
    body = asking(system_instruction={"parts": [{"text": "你好"}]}, generation_config={"max_output_tokens": 5})
    assert post(gemini, body).status_code == 200
    assert gemini.history[0].system == "你好"
    assert gemini.history[0].config == {"maxOutputTokens": 5}


def test_spaces_do_not_mix(gemini_server: Server) -> None:
    """Many tests may use the server at once: each sees its own script and history."""
    spaces = [gemini_server.open() for _ in range(8)]
    for number, space in enumerate(spaces):
        space.play(*[fault.slow(0.01, text(f"{number}-{turn}")) for turn in range(5)])

    def run(space: Gemini) -> list[str]:
        return [said(post(space, asking())) for _ in range(5)]

    with ThreadPoolExecutor(8) as pool:
        heard = list(pool.map(run, spaces))
    assert heard == [[f"{number}-{turn}" for turn in range(5)] for number in range(8)]
    assert {len(space.history) for space in spaces} == {5}


def test_models(gemini: Gemini) -> None:
    """The list of models has what the service knows, the defaults of the settings among them."""
    headers = {"x-goog-api-key": gemini.key}
    listed = httpx.get(f"{gemini.url}/v1beta/models", headers=headers, timeout=120).json()["models"]
    assert {f"models/{one}" for one in (LOOPBACK_MODEL, LOOPBACK_EMBEDDER, *configured())} == {
        one["name"] for one in listed
    }
    card = httpx.get(f"{gemini.url}/v1beta/models/{LOOPBACK_EMBEDDER}", headers=headers, timeout=120).json()
    assert "batchEmbedContents" in card["supportedGenerationMethods"]
    unknown = httpx.get(f"{gemini.url}/v1beta/models/nobody", headers=headers, timeout=120)
    assert (unknown.status_code, unknown.json()["error"]["status"]) == (404, "NOT_FOUND")
    assert all(one in str(Settings.model_fields) for one in configured())


def test_stream_forms(gemini: Gemini) -> None:
    """A stream is events with `alt=sse` and a JSON array without; both hold the same chunks."""
    gemini.play(text("一二三四五六七八九十"), text("一二三四五六七八九十"))
    events = post(gemini, asking(), "streamGenerateContent?alt=sse")
    array = post(gemini, asking(), "streamGenerateContent")
    assert events.headers["content-type"].startswith("text/event-stream")
    assert events.text.count("data: ") == len(array.json()) == 3  # two pieces, then the signature
    finished = [one["candidates"][0].get("finishReason") for one in array.json()]
    assert finished == [None, None, "STOP"]


def test_always_is_a_step() -> None:
    """A repeated step keeps what it repeats."""
    assert always(text("好")) == Always({"text": "好"})
    assert Reply({}).ending == "whole"
