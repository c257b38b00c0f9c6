"""The middleware that takes a deleted thread's documents with it."""

import json
from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.authentication import BaseUser
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tools.errors import ConfigError, StoreUnavailable
from wenmai.settings.settings import Settings
from wenmai.web import app as entry
from wenmai.web.app import ThreadRemains, app
from wenmai.web.audit import AuditedRequests
from wenmai.web.guard import InputGuard
from wenmai.web.langgraph.run_checks import RunChecks, has_counted_body
from wenmai.web.watching import StoppableRequests

THREAD, OTHER = "3f0c1c5e-6d0a-4f5e-9a55-0c6f2b7d1e01", "8b1f4a52-2f37-4c1d-8a0e-5d9c7e3b4f02"
MOST = 2_000
Asked = list[tuple[list[str], str | None]]


class Desk:
    """Notes whose rest it is to remove."""

    def __init__(self) -> None:
        self.asked: Asked = []
        self.failure: Exception | None = None

    async def removed_with(self, services: object, threads: Sequence[str], user_id: str | None) -> None:
        self.asked.append((list(threads), user_id))
        if self.failure:
            raise self.failure


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    made = Desk()
    monkeypatch.setattr(entry, "removed_with", made.removed_with)
    return made


async def echo(request: Request) -> Response:
    """Answer as the server does; threads that begin with 0 are not there."""
    if request.path_params.get("id", "").startswith("0000"):
        return Response(status_code=404)
    return JSONResponse(json.loads(await request.body() or b"null"))


ROUTES = [Route("/threads/prune", echo, methods=["POST"]), Route("/threads/{id}", echo, methods=["GET", "DELETE"])]


class User(BaseUser):
    """Whom an auth handler has let in."""

    @property
    def is_authenticated(self) -> bool:
        return True

    @property
    def identity(self) -> str:
        return "林"


class Bounded(RunChecks):
    async def settings(self) -> Settings:
        return Settings(max_request_bytes=MOST)


def client(*, known: bool = False) -> httpx.AsyncClient:
    """Return a client of the middleware behind the one that bounds bodies, with `known` behind authentication."""
    inner: ASGIApp = InputGuard(ThreadRemains(Starlette(routes=ROUTES)), checks=Bounded())

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await inner({**scope, "user": User()} if known else scope, receive, send)

    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://t")


@pytest.mark.parametrize(
    ("method", "path", "body", "asked"),
    [
        ("DELETE", f"/threads/{THREAD}", None, [THREAD]),
        ("DELETE", f"/threads/{THREAD.upper()}", None, [THREAD]),
        ("DELETE", f"/threads/{THREAD}/", None, []),
        ("GET", f"/threads/{THREAD}", None, []),
        ("DELETE", "/threads/s1", None, []),
        ("DELETE", "/threads/00000000-0000-4000-8000-000000000000", None, []),
        ("POST", "/threads/prune", {"thread_ids": [THREAD, OTHER]}, [THREAD, OTHER]),
        ("POST", "/threads/prune", {"thread_ids": [THREAD], "strategy": "keep_latest"}, []),
        ("POST", "/threads/prune", {"thread_ids": 5}, []),
        ("POST", "/threads/prune", [1], []),
    ],
)
async def test_which_requests_remove(desk: Desk, method: str, path: str, body: Any, asked: list[str]) -> None:
    """DOC-04: a deletion that the server has carried out, and nothing else; its answer and body are as they were."""
    async with client() as http:
        reply = await http.request(method, path, json=body)
    assert desk.asked == ([(asked, None)] if asked else [])
    if asked:
        assert reply.status_code == 200 and reply.json() == body


async def test_no_body_without_end_is_read(desk: Desk) -> None:
    """PLA-01: MAX_REQUEST_BYTES holds for the body that is read here; nothing is removed."""
    async with client() as http:
        reply = await http.post("/threads/prune", json={"thread_ids": [THREAD] * MOST})
    assert (reply.status_code, reply.json()["detail"][0]["field"], desk.asked) == (413, "body", [])


async def test_behind_authentication_the_users_own_go(desk: Desk) -> None:
    """DOC-04 PLA-01: a deletion takes the documents of the authenticated user alone."""
    async with client(known=True) as http:
        await http.delete(f"/threads/{THREAD}")
    assert desk.asked == [([THREAD], "林")]


@pytest.mark.parametrize("failure", [StoreUnavailable("文档库连不上"), ConfigError("EMBEDDING_MODEL: 没有这个文件夹")])
async def test_a_failure_does_not_change_the_answer(
    desk: Desk, caplog: pytest.LogCaptureFixture, failure: Exception
) -> None:
    """DOC-04: the thread is gone; that its documents are not stands in the log, with the way out."""
    desk.failure = failure
    async with client() as http:
        assert (await http.delete(f"/threads/{THREAD}")).status_code == 200
    assert "DELETE /api/v1/documents" in caplog.text and str(failure) in caplog.text


def test_bytes_are_counted_in_front() -> None:
    """PLA-01 DOC-04: the middleware that bounds bodies stands before the one that reads them whole."""
    wanted = (AuditedRequests, StoppableRequests, InputGuard, ThreadRemains)
    assert [str(one.cls) for one in app.user_middleware] == [*map(str, wanted)]
    assert has_counted_body("POST", "/threads/prune")
