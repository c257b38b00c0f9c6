"""What stands in the log: JSON for programs, a line for each question and request, no keys, no texts unless asked."""

import io
import json
import logging
from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from tests.small_story import TOKEN, Opening
from wenmai.observability.logs import handler_of, open_server_log
from wenmai.settings.settings import Settings, load_settings
from wenmai.web.server import LoggedRequests

QUESTION = "苏晚照的哥哥是谁？"


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def root() -> Iterator[logging.Logger]:
    """The root logger; what it was is put back."""
    root = logging.getLogger()
    names = ("wenmai.turns", "wenmai.requests", "wenmai.access", "uvicorn.error")
    handlers, levels = root.handlers[:], {name: logging.getLogger(name).level for name in names}
    level = root.level
    yield root
    root.handlers[:] = handlers
    root.setLevel(level)
    for name, known in levels.items():
        logging.getLogger(name).setLevel(known)


def opened(root: logging.Logger) -> io.StringIO:
    """Return what the log of a server is written to."""
    stream = io.StringIO()
    root.handlers[:] = []  # pytest's own
    open_server_log(load_settings(), stream)
    return stream


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    """Return the JSON lines of a log."""
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def said(stream: io.StringIO, settings: Settings, *what: Any, **more: Any) -> str:
    """Return what is written of one call of the log."""
    log = logging.Logger("wenmai.test")
    log.addHandler(handler_of(settings, stream))
    log.warning(*what, **more)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("format", "stream", "is_json"),
    [
        ("auto", io.StringIO(), True),
        ("auto", Screen(), False),
        ("json", Screen(), True),
        ("text", io.StringIO(), False),
    ],
)
def test_the_form_of_a_line(format: str, stream: io.StringIO, is_json: bool) -> None:
    text = said(stream, load_settings(log_format=format), "第%d行\n断开", 1, extra={"fields": {"thread": "t1"}})
    if not is_json:
        assert text == "WARNING wenmai.test: 第1行\n断开 thread=t1\n"
        return
    (line,) = lines(stream)
    assert (line["level"], line["logger"], line["message"], line["thread"]) == (
        "WARNING",
        "wenmai.test",
        "第1行\n断开",
        "t1",
    )
    assert line["time"].endswith("+00:00") and text.count("\n") == 1


@pytest.mark.parametrize("format", ["json", "text"])
def test_no_key_in_a_line(format: str) -> None:
    settings = load_settings(log_format=format, knowledge_network_token=TOKEN)
    try:
        raise ValueError(f"bad {TOKEN}")
    except ValueError as error:
        text = said(io.StringIO(), settings, "%s sk-0123456789abcdefghij", error, exc_info=True)
    assert TOKEN not in text and "sk-0123" not in text and "ValueError" in text


@pytest.mark.parametrize("shows", [False, True])
async def test_a_line_for_each_question(opening: Opening, root: logging.Logger, shows: bool) -> None:
    async with opening(log_questions=shows) as agent:
        stream = opened(root)
        record = (await agent.ask(QUESTION, library="river", thread_id="t1", user_id="u-77")).record
    (line,) = [one for one in lines(stream) if one["logger"] == "wenmai.turns"]
    assert (line["thread"], line["library"], line["outcome"]) == (
        "t1",
        "river",
        "passed" if record["passed"] else "ungraded",
    )
    assert line["seconds"] >= 0 and line["model_calls"] == line["input_tokens"] == line["output_tokens"] == 0
    assert line["tool_calls"] >= 1 and line["trace"] in record["trace"]
    assert line.get("question") == (QUESTION if shows else None)
    assert ("苏晚照" in stream.getvalue()) == shows and "u-77" not in stream.getvalue()


def test_a_line_for_each_request(root: logging.Logger) -> None:
    async def answered(request: Any) -> Response:
        return Response(status_code=418)

    stream = opened(root)
    app = Starlette(routes=[Route("/health", answered), Route("/api/v1/memories/search", answered)])
    client = TestClient(
        LoggedRequests(app, lambda: Settings(trusted_proxies=[ip_network("10.0.0.0/8")])), client=("10.1.1.1", 1)
    )
    forged_and_told = {"x-forwarded-for": "6.6.6.6, 203.0.113.7, 10.2.2.2"}
    client.get("/api/v1/memories/search", params={"q": QUESTION}, headers=forged_and_told)
    client.get("/health")
    (line,) = lines(stream)
    assert (line["method"], line["path"], line["status"]) == ("GET", "/api/v1/memories/search", 418)
    assert line["seconds"] >= 0 and "苏" not in str(line) and line["address"] == "203.0.113.7"
