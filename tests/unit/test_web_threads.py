"""The middleware that takes a deleted thread's documents with it."""

import json
from typing import Any
from uuid import uuid4

import httpx
import pytest
from starlette.applications import Starlette
from starlette.authentication import BaseUser
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tools.documents import DocumentOwner
from tools.errors import StoreUnavailable
from wenmai.web import threads
from wenmai.web.threads import MOST_BYTES, ThreadDocuments

THREAD, OTHER = str(uuid4()), str(uuid4())
Asked = list[tuple[str, Any]]


class Desk:
    """Notes whose documents it is to remove."""

    def __init__(self) -> None:
        self.asked: Asked = []
        self.failure: Exception | None = None

    async def remove_all(self, owner: DocumentOwner) -> None:
        self.note("user", owner)

    async def remove_session(self, session_id: str) -> None:
        self.note("session", session_id)

    def note(self, what: str, whose: Any) -> None:
        self.asked.append((what, whose))
        if self.failure:
            raise self.failure


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    made = Desk()

    async def desk_of_process() -> Desk:
        return made

    monkeypatch.setattr(threads, "desk_of_process", desk_of_process)
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


def client(*, known: bool = False) -> httpx.AsyncClient:
    """Return a client of the middleware, with `known` behind authentication."""
    inner: ASGIApp = ThreadDocuments(Starlette(routes=ROUTES))

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
    assert desk.asked == [("session", thread) for thread in asked]
    if asked:
        assert reply.status_code == 200 and reply.json() == body


async def test_behind_authentication_the_users_own_go(desk: Desk) -> None:
    """DOC-04 PLA-01: a deletion takes the documents of the authenticated user alone."""
    async with client(known=True) as http:
        await http.delete(f"/threads/{THREAD}")
    assert desk.asked == [("user", DocumentOwner("林", THREAD))]


async def test_a_store_that_fails_does_not_change_the_answer(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """DOC-04: the thread is gone; that its documents are not stands in the log, with the way out."""
    desk.failure = StoreUnavailable("文档库连不上")
    async with client() as http:
        assert (await http.delete(f"/threads/{THREAD}")).status_code == 200
    assert "DELETE /documents" in caplog.text and "文档库连不上" in caplog.text


async def test_a_list_without_end(desk: Desk) -> None:
    """DOC-04: a body is read up to a limit; over it nothing is removed."""
    async with client() as http:
        reply = await http.post("/threads/prune", content=b" " * (MOST_BYTES + 1))
    assert (reply.status_code, reply.json()["detail"][0]["field"], desk.asked) == (413, "body", [])
