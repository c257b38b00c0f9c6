"""PLA-67: the requests of a user who is removed end, whatever they wait for, and others go on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tools.errors import StoreLocked
from wenmai.application.jobs import Jobs, Report
from wenmai.application.running import RunningRequests
from wenmai.web.watching import CUT_SHORT, StoppableRequests, watched

ENDED: list[str] = []


async def waits(request: Request) -> Response:
    """Answer never; say that it was ended."""
    try:
        await asyncio.Future()
    finally:
        ENDED.append(request.url.path)
    raise AssertionError


async def streams(request: Request) -> Response:
    """Answer a piece, and then never the next."""

    async def pieces() -> AsyncIterator[bytes]:
        yield b"first"
        await waits(request)

    return StreamingResponse(pieces())


async def times_out(request: Request) -> Response:
    """Fail by a time of its own."""
    async with asyncio.timeout(0):
        await asyncio.sleep(1)
    raise AssertionError


class Named:
    """Middleware that lets everybody in as who the header says."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        user = dict(scope["headers"]).get(b"x-user", b"").decode()
        known = {"identity": user, "is_authenticated": True, "permissions": []}
        await self.app({**scope, "user": known}, receive, send)


@pytest.fixture
def running() -> RunningRequests:
    """The requests of a server."""
    ENDED.clear()
    return RunningRequests()


def client(running: RunningRequests, user: str) -> httpx.AsyncClient:
    async def erase(request: Request) -> Response:
        async with running.without("alice"):
            return JSONResponse("gone")

    routes = [Route("/waits", waits), Route("/streams", streams), Route("/late", times_out), Route("/erase", erase)]
    app = Starlette(routes=routes, middleware=[Middleware(Named), Middleware(StoppableRequests, running=running)])
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://here", headers={"x-user": user}, timeout=10
    )


async def test_a_request_ends_with_401_and_a_stream_with_its_end(running: RunningRequests) -> None:
    async with client(running, "alice") as alice, client(running, "bob") as bob:
        stopped = [asyncio.create_task(alice.get(path)) for path in ("/waits", "/streams")]
        other = asyncio.create_task(bob.get("/waits"))
        await asyncio.sleep(0.05)
        assert (await alice.get("/erase")).json() == "gone"  # who asks for it is not ended by it
        refused, stream = await asyncio.gather(*stopped)
        assert (refused.status_code, stream.status_code, stream.content) == (401, 200, b"first")
        assert sorted(ENDED) == ["/streams", "/waits"] and not other.done()
        other.cancel()
        await asyncio.wait([other])
    assert not running._known


async def test_none_begins_while_a_user_is_removed(running: RunningRequests) -> None:
    async with client(running, "alice") as alice:
        async with running.without("alice"):
            assert (await alice.get("/waits")).status_code == 401
        assert (await alice.get("/erase")).status_code == 200


async def test_a_time_of_its_own_is_the_requests_fault(running: RunningRequests) -> None:
    async with client(running, "alice") as alice:
        with pytest.raises(TimeoutError):
            await alice.get("/late")


async def test_a_stream_that_has_ended_gets_no_second_end(running: RunningRequests) -> None:
    """What still goes on behind an answer is ended without a word."""
    sent, is_sent = list[Message](), asyncio.Event()

    async def answers(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"all"})
        is_sent.set()
        await asyncio.Future()

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError

    scope = {"type": "http", "user": {"identity": "alice", "is_authenticated": True, "permissions": []}}
    request = asyncio.create_task(StoppableRequests(answers, running)(scope, receive, send))
    await is_sent.wait()
    async with running.without("alice"):
        await request
    assert [one["type"] for one in sent] == ["http.response.start", "http.response.body"]


async def test_what_a_server_asks_itself_for_a_user_who_is_removed(
    running: RunningRequests, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LangGraph's server is asked for the threads of that user, in that user's name: it is no request of the user."""
    sent = list[Message]()

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError

    scope = {"type": "http", "path": "/threads/search", "root_path": "/noauth"}
    in_progress = {"identity": "alice", "is_authenticated": True}
    monkeypatch.setattr("wenmai.web.authentication.user_in_progress", lambda: in_progress)
    async with running.without("alice"):
        await StoppableRequests(JSONResponse("found"), running)(scope, receive, send)
    assert sent[0]["status"] == 200


async def test_who_does_not_end_is_busy(running: RunningRequests, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said so; a time of a store that is up is not."""
    monkeypatch.setattr("wenmai.application.running.STOP_SECONDS", 0.1)
    go = asyncio.Event()

    async def stays() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.Future()
        await go.wait()

    request = asyncio.create_task(running.answered("alice", stays))
    await asyncio.sleep(0)
    with pytest.raises(StoreLocked, match="alice"):
        async with running.without("alice"):
            raise AssertionError
    go.set()
    assert not await request
    with pytest.raises(TimeoutError):
        async with running.without("alice"):
            raise TimeoutError


async def test_ended_jobs_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over all users, those that ended first go."""
    monkeypatch.setattr("wenmai.application.jobs.MOST_KEPT", 2)

    async def work(report: Report) -> dict[str, Any]:
        return {}

    jobs, begun = Jobs(), list[str]()
    for user in ("alice", "bob", "carol", "dave"):
        job = jobs.begin("upload", "a.txt", user, work)
        begun.append(job.view.id)
        assert job.task is not None
        await job.task
    assert [*jobs.known] == begun[2:]


async def test_the_status_of_an_answer() -> None:
    """Without one it is 499 where it was ended, 500 where it failed."""
    seen: list[int] = []

    async def told(app: Any) -> None:
        async def nothing(*_: Any) -> Any: ...

        await watched(app, {"type": "http"}, nothing, nothing, seen.append)

    async def fails(*_: Any) -> None:
        raise ValueError

    async def ended(*_: Any) -> None:
        raise asyncio.CancelledError

    async def answers(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 204})
        raise ValueError

    for app, kind in ((fails, ValueError), (ended, asyncio.CancelledError), (answers, ValueError)):
        with pytest.raises(kind):
            await told(app)
    assert seen == [500, CUT_SHORT, 204]


async def test_jobs_of_a_user_who_is_removed() -> None:
    """Uploads are stopped and forgotten; what is read into a library goes on as nobody's."""
    jobs, go = Jobs(), asyncio.Event()

    async def work(report: Report) -> dict[str, Any]:
        await go.wait()
        return {}

    upload, other = (jobs.begin("upload", "a.txt", user, work) for user in ("alice", "bob"))
    ingest = jobs.ingest("sample", "alice", work, asyncio.Semaphore(1))
    await asyncio.sleep(0)
    await jobs.forget_user("alice")
    assert upload.view.state == "cancelled" and set(jobs.known) == {other.view.id, ingest.view.id}
    assert (ingest.user_id, ingest.is_running, other.is_running) == ("", True, True)
    go.set()
    assert [one.state async for one in ingest.states()][-1] == "done"
