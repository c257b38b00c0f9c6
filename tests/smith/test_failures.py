"""A LangSmith that is away, refuses the key or is broken: one line with the variable to mend, and never a key."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import langsmith
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tests.langsmith_service.server import LangSmithServer
from tests.loopback import listen
from tests.smith.conftest import KEY
from tests.smith.test_experiments import conversations
from tests.unit.test_experiments_runner import ScriptedAgent
from tools.errors import TrackingError
from wenmai.cli.commands.experiment import client_for
from wenmai.experiments.runner import TurnOutcome
from wenmai.experiments.tracking import evaluate
from wenmai.observability import langsmith as smith_failures
from wenmai.observability.cleaning import cleaner, secrets_of
from wenmai.observability.langsmith import AGAIN_S, LIBRARY_LOGS, Brief, SafeClient, cause_of, failure_line, place_of
from wenmai.settings.settings import load_settings

METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE"]
DEAD = "http://127.0.0.1:9"


@contextmanager
def answering(status: int, text: str) -> Iterator[str]:
    """Run a service that gives one answer to everything."""

    async def answer(request: Request) -> Response:
        return PlainTextResponse(text, status)

    service = listen(Starlette(routes=[Route("/{rest:path}", answer, methods=METHODS)]))
    try:
        yield f"http://127.0.0.1:{service.port}"
    finally:
        service.stop()


@pytest.fixture(autouse=True)
def put_back() -> Iterator[None]:
    """Put back what langsmith keeps for the process; not how it speaks: a client's thread outlives its test."""
    yield
    langsmith.configure(client=None, enabled=None, project_name=None)


async def refused(folder: Path, endpoint: str) -> str:
    """Return what an experiment is told that cannot be kept there."""
    client = client_for(load_settings(langsmith_endpoint=endpoint, langsmith_api_key=KEY))
    agent, asked = ScriptedAgent(), {"library": "river"}
    with pytest.raises(TrackingError) as caught:
        await evaluate(agent, "river", conversations(folder), {}, context=asked, client=client)
    assert agent.asked == []
    return str(caught.value)


@pytest.mark.parametrize(
    ("status", "text", "words"),
    [
        (401, '{"detail": "Invalid token"}', ("密钥", "401", "LANGSMITH_API_KEY")),
        (403, '{"error": "Forbidden"}', ("密钥", "403", "LANGSMITH_API_KEY")),
        (400, "no", ("400", "LANGSMITH_ENDPOINT")),
        (500, "oops", ("出错", "500", "LANGSMITH_ENDPOINT")),
        (503, "busy", ("出错", "503", "LANGSMITH_ENDPOINT")),
        (404, "Not Found", ("404", "LANGSMITH_ENDPOINT")),
        (200, "<html>welcome</html>", ("读不懂", "LANGSMITH_ENDPOINT")),
    ],
)
async def test_a_service_that_refuses(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, status: int, text: str, words: tuple[str, ...]
) -> None:
    """PLA-01 LOP-05: one line, before a question is asked, with cause and variable, without a part of the key."""
    with answering(status, text) as url:
        said = await refused(tmp_path, url)
        assert url in said
    assert all(word in said for word in words) and "--upload" in said
    assert "\n" not in said
    assert "lsv2" not in said + caplog.text


async def test_a_service_that_is_not_there(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """PLA-01 LOP-05: the library's own words name a variable of the past and quote the ends of the key."""
    said = await refused(tmp_path, DEAD)
    assert DEAD in said and "没有回答" in said and "LANGSMITH_ENDPOINT" in said and "\n" not in said
    assert "lsv2" not in said + caplog.text
    assert [line for line in caplog.text.splitlines() if "Failed to" in line] == []


@pytest.mark.parametrize(
    "said",
    [
        "Server error (500) caused failure to GET /x. HTTPError('500 Server Error: Internal for url', 'text')",
        "Failed to GET /datasets in LangSmith API. HTTPError('502 Server Error: Bad Gateway for url: x', '')",
        "Failed to GET /x in LangSmith API. Max retries exceeded (ResponseError('too many 503 error responses'))",
    ],
)
def test_a_service_that_is_broken(said: str) -> None:
    """LOP-05: a service that is there and fails is told apart from one that is not."""
    cause, remedy = cause_of(said)
    assert cause.startswith("出错（50") and "LANGSMITH_ENDPOINT" in remedy


def test_an_address_with_a_password() -> None:
    """PLA-01: what stands before the @ of an address is not shown."""
    assert place_of("https://alice:word@smith.example:8443/api") == "https://smith.example:8443"
    assert place_of("smith.example:8443/api") == place_of("alice:word@smith.example:8443") == "smith.example:8443"
    assert "word" not in failure_line("Connection error", "https://alice:word@smith.example")


def spoken_by(brief: Brief, said: str, error: Exception | None = None) -> list[str]:
    """Return what is left of a line of the library."""
    info: Any = (type(error), error, None) if error else None
    record = logging.LogRecord("langsmith.client", logging.WARNING, __file__, 1, said, (), info)
    return [record.getMessage()] if brief.filter(record) else []


def test_what_the_library_says_of_lost_traces() -> None:
    """PLA-01: once a cause, in one line of ours; what is not about a loss only loses its keys."""
    brief = Brief(DEAD)
    lost = (
        f"Failed to multipart ingest runs: Connection error caused failure\nAPI Key: {KEY[:5]}***{KEY[-2:]}trace=1,id=2"
    )
    [line] = spoken_by(brief, lost)
    assert DEAD in line and "没有回答" in line and "\n" not in line and "trace=" not in line and "lsv2" not in line
    assert spoken_by(brief, lost.replace("id=2", "id=3")) == []
    assert spoken_by(brief, "Failed to get info from x: Connection error") == []
    [other] = spoken_by(brief, "Error running target function:", ValueError(f"key {KEY}"))
    assert other == "Error running target function: key [redacted]"
    [refusal] = spoken_by(brief, "Failed to multipart ingest runs: HTTPError('403 Client Error: Forbidden for url')")
    assert "LANGSMITH_API_KEY" in refusal


def test_an_outage_that_comes_back_is_told_again() -> None:
    """PLA-01: a cause is told once in some minutes, however many traces are lost; a second outage is a line again."""
    now = 0.0
    brief = Brief(DEAD, clock=lambda: now)
    lost = "Failed to multipart ingest runs: Connection error"
    assert len(spoken_by(brief, lost)) == 1
    now = AGAIN_S - 1
    assert spoken_by(brief, lost) == []
    now = AGAIN_S
    assert len(spoken_by(brief, lost)) == 1
    assert spoken_by(brief, lost) == []


def test_what_is_no_loss_is_one_line_without_the_secrets_of_the_settings() -> None:
    """PLA-01: a key that looks like no service's is known by its value; what is said below a line stands in it."""
    secret = "hier-ist-meiner"
    settings = load_settings(langsmith_api_key=KEY, knowledge_network_token=secret)
    smith_failures.listen(DEAD, cleaner(secrets_of(settings)))
    [brief] = [one for one in logging.getLogger(LIBRARY_LOGS[0]).filters if isinstance(one, Brief)]
    [line] = spoken_by(brief, "Error running target function:", ValueError(f"first\n  second {secret} {KEY}"))
    assert line == "Error running target function: first second [redacted] [redacted]"


def test_the_library_speaks_in_our_lines_before_there_is_a_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-01: a client's thread may quote the key as soon as it is made."""
    for name in LIBRARY_LOGS:
        monkeypatch.setattr(logging.getLogger(name), "filters", [])
    listening: list[bool] = []

    class Watched(SafeClient):
        def __init__(self, **options: Any) -> None:
            for name in LIBRARY_LOGS:
                listening.append(any(isinstance(one, Brief) for one in logging.getLogger(name).filters))
            super().__init__(**options)

    monkeypatch.setattr("wenmai.observability.langsmith.SafeClient", Watched)
    client = client_for(load_settings(langsmith_endpoint=f"{DEAD}/", langsmith_api_key=KEY))
    assert client.api_url == DEAD
    assert listening == [True] * len(LIBRARY_LOGS)


async def test_a_service_that_dies_while_questions_run(tmp_path: Path, smith: LangSmithServer) -> None:
    """LOP-05: what was asked, and paid for, is kept for the table; the end says that LangSmith has gone."""

    class Deadly(ScriptedAgent):
        async def ask(self, question: str, **more: Any) -> Any:
            if not self.asked:
                smith.stop()
            return await super().ask(question, **more)

    client = client_for(load_settings(langsmith_endpoint=smith.url, langsmith_api_key=KEY))
    kept: list[TurnOutcome] = []
    with pytest.raises(TrackingError, match="没有回答"):
        await evaluate(
            Deadly(),
            "river",
            conversations(tmp_path),
            {},
            context={"library": "river"},
            client=client,
            outcomes=kept,
        )
    assert [outcome.turn.id for outcome in kept] == ["q1", "q2", "s1.1", "s1.2"]
