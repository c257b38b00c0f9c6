"""The parts of the HTTP API by themselves: its document, problems, pages, jobs, places for questions."""

import asyncio
import json
from contextlib import nullcontext
from gc import collect
from typing import Any, get_args
from weakref import ref

import httpx
import pytest
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from jsonschema_rs import Draft202012Validator
from pydantic import BaseModel
from starlette import routing
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.testclient import TestClient

from tools.errors import (
    ConfigError,
    IngestError,
    InputError,
    KnowledgeRefused,
    LibraryNotFound,
    ModelError,
    StoreError,
    StoreLocked,
    StoreUnavailable,
    WenmaiError,
)
from tools.messages import say, template
from wenmai.answer import TurnEvent
from wenmai.application.caller import Caller
from wenmai.application.jobs import JobOperations, Jobs, Report
from wenmai.application.libraries import LONGEST_TITLE
from wenmai.application.limits import ConcurrencyLimits
from wenmai.application.paging import Page
from wenmai.client.connection import error_from
from wenmai.inputs import FieldError, NotFound
from wenmai.web.app import app
from wenmai.web.application import application, problem_response
from wenmai.web.dependencies import PREFIX, ApiRoute, Offset, require_known_query, resource
from wenmai.web.middleware import ProblemForm
from wenmai.web.problems import MEDIA_TYPE, problem_of
from wenmai.web.routes import users

READS_A_STORY = (
    "changes",
    "chapters",
    "narrators",
    "notes",
    "passages",
    "search",
    "evidence",
    "quotes",
    "summaries",
    "recap",
    "entities",
    "appearances",
    "guard",
    "neighbours",
    "relations",
    "relation-types",
    "events",
    "recap",
    "summaries",
    "find",
    "nearest",
    "place",
)


DOCUMENT = app.openapi()
OPERATIONS = [(path, method, one) for path, methods in DOCUMENT["paths"].items() for method, one in methods.items()]


def test_the_document_is_whole() -> None:
    """PLA-33: references lead somewhere, path parameters are told, ids are unique, problems are everywhere."""
    text = json.dumps(DOCUMENT)
    references = {part.split('"')[0] for part in text.split('"$ref": "#/components/schemas/')[1:]}
    assert references <= set(DOCUMENT["components"]["schemas"]) and "Problem" in references
    assert len({one["operationId"] for _, _, one in OPERATIONS}) == len(OPERATIONS) > 50
    for path, _, one in OPERATIONS:
        named = {parameter["name"] for parameter in one.get("parameters", ()) if parameter["in"] == "path"}
        assert named == {part.split("}")[0] for part in path.split("{")[1:]}, path
        assert MEDIA_TYPE in one["responses"]["default"]["content"] and one["summary"] and one["description"], path
        assert path.startswith(PREFIX) and "422" not in one["responses"], path
    assert "HTTPValidationError" not in text and "$defs" not in json.dumps(DOCUMENT["components"])


def test_streams_are_described() -> None:
    """LOP-19: each event of a turn has a schema, and its example fits it."""
    streams = [
        content
        for _, _, one in OPERATIONS
        for reply in one["responses"].values()
        for kind, content in reply.get("content", {}).items()
        if kind == "text/event-stream"
    ]
    for stream in streams:
        for name, event in stream["x-events"].items():
            if "example" in event:
                schema = {**event["schema"], "components": DOCUMENT["components"]}
                Draft202012Validator(schema).validate(event["example"])
                assert f"event: {name}\ndata: " in stream["examples"]["stream"]["value"]
    asking = DOCUMENT["paths"][f"{PREFIX}/ask"]["post"]["responses"]["200"]["content"]["text/event-stream"]
    kinds = {get_args(get_args(one)[0])[0] for one in get_args(TurnEvent)}
    assert len(streams) > 2 and set(asking["x-events"]) == kinds | {"thread", "error"}
    assert DOCUMENT["components"]["schemas"]["ResetEvent"]["description"].startswith("What was shown of a draft")


def test_every_read_of_a_story_takes_the_guard() -> None:
    for path, method, one in OPERATIONS:
        place, _, kind = path.removeprefix(PREFIX).partition("{library}/")
        if place == "/libraries/" and kind and method == "get":
            queries = {parameter["name"] for parameter in one["parameters"] if parameter["in"] == "query"}
            assert kind.split("/")[0] in READS_A_STORY and queries >= {"as_of_chapter", "as_of_part"}, path


def test_every_query_and_body_refuses_what_it_does_not_know() -> None:
    routes = [one for one in app.routes if isinstance(one, ApiRoute) and one.include_in_schema]
    assert routes and all(require_known_query in one.checks for one in routes)
    for path, _, one in OPERATIONS:
        body = one.get("requestBody", {}).get("content", {}).get("application/json")
        if body and "/tools/" not in path:  # arguments of tools are checked by the tool
            schema = DOCUMENT["components"]["schemas"][body["schema"]["$ref"].rpartition("/")[2]]
            assert schema["additionalProperties"] is False, path


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (LibraryNotFound("x"), 404),
        (NotFound("thread", "x"), 404),
        (InputError("x"), 422),
        (FieldError("library", "x", 403), 403),
        (IngestError("x"), 422),
        (StoreLocked("x"), 409),
        (StoreUnavailable("x"), 503),
        (ModelError("x"), 503),
        (ConfigError("x"), 503),
        (KnowledgeRefused("x", 401), 401),
    ],
)
def test_errors_as_problems(error: Exception, status: int) -> None:
    """A client of the server raises what the server met, not what a status may mean."""
    found = problem_of(error)
    assert (found.status, found.detail) == (status, "x") and found.type.startswith("urn:wenmai:problem:")
    raised = error_from(httpx.Response(found.status, text=found.model_dump_json()))
    assert type(raised) is type(error) and vars(raised) == vars(error) and str(raised) == str(error)


@pytest.mark.parametrize(("status", "kind"), [(404, InputError), (429, InputError), (502, StoreError)])
def test_pages_of_proxies_are_errors_too(status: int, kind: type[WenmaiError]) -> None:
    assert type(error_from(httpx.Response(status, text="<html>"))) is kind
    assert type(error_from(httpx.Response(status, text='{"detail": "x", "code": "OSError"}'))) is kind


async def test_one_job_changes_a_library_at_a_time() -> None:
    jobs, go = Jobs(), asyncio.Event()

    async def work(report: Report) -> dict[str, Any]:
        await go.wait()
        return {}

    first = jobs.ingest("sample", "alice", work, asyncio.Semaphore(2))
    with pytest.raises(StoreLocked, match="sample"):
        jobs.ingest("sample", "bob", work, asyncio.Semaphore(2))
    jobs.ingest("harbour", "bob", work, asyncio.Semaphore(2))
    go.set()
    assert [one.state async for one in first.states()][-1] == "done"
    assert [one.state async for one in jobs.ingest("sample", "bob", work, asyncio.Semaphore(2)).states()][-1] == "done"


async def test_an_upload_that_fails_raises_its_error_whatever_it_is() -> None:
    """Whoever waits for it is told as by any route; who watches the job sees that it failed."""

    async def broken(report: Report) -> dict[str, Any]:
        raise RuntimeError("password")

    jobs = JobOperations(Jobs(), Caller.local())
    begun = jobs.begin_upload("a.txt", broken)
    with pytest.raises(RuntimeError):
        await jobs.ended(begun.id, 5)
    assert [(one.state, one.error) async for one in jobs.watch(begun.id)] == [("failed", say("server.internal_error"))]


async def test_a_job_that_failed_keeps_nothing_of_the_file() -> None:
    """It is known for long, and a user may send many files that cannot be read."""

    class Sent:
        """Stands for the bytes."""

    sent = Sent()
    held = ref(sent)

    async def broken(report: Report, sent: Sent = sent) -> dict[str, Any]:
        try:
            raise ValueError(sent)
        except ValueError as error:
            raise IngestError("坏文件") from error

    jobs = JobOperations(Jobs(), Caller.local())
    begun = jobs.begin_upload("a.pdf", broken)
    del broken, sent
    async for _ in jobs.watch(begun.id):
        pass
    collect()
    assert held() is None
    with pytest.raises(IngestError):
        await jobs.ended(begun.id, 5)


def test_an_error_of_the_program_tells_nothing() -> None:
    assert problem_of(RuntimeError("password")).model_dump()["detail"] == template("server.internal_error", "zh")


async def texts(request: Any) -> Any:
    return PlainTextResponse("gone", 404)


async def fields(request: Any) -> Any:
    return JSONResponse({"detail": [{"field": "a", "message": "b"}]}, 422, {"retry-after": "3"})


async def own_form(request: Any) -> Any:
    return JSONResponse({"error": "x", "status_code": 404}, 404)


def test_other_forms_become_problems() -> None:
    """Below /api/, and of OpenAI's form below /v1/; an object of a tool's own form stays as it is."""
    places = ("/api/v1", "/v1", "/runs")
    routes = [routing.Route(f"{at}/{one.__name__}", one) for at in places for one in (texts, fields, own_form)]
    client = TestClient(ProblemForm(Starlette(routes=routes)))
    reply = client.get("/api/v1/texts")
    assert reply.headers["content-type"] == MEDIA_TYPE and reply.json()["detail"] == "gone"
    reply = client.get("/api/v1/fields")
    assert reply.json()["errors"] == [{"field": "a", "message": "b"}] and reply.headers["retry-after"] == "3"
    assert client.get("/api/v1/own_form").json() == {"error": "x", "status_code": 404}
    reply = client.get("/v1/texts")
    error = {"message": "gone", "type": "invalid_request_error", "param": None, "code": None}
    assert (reply.status_code, reply.headers["content-type"]) == (404, "application/json")
    assert reply.json() == {"error": error}
    reply = client.get("/v1/fields")
    assert reply.json() == {"error": error | {"message": "b", "param": "a"}} and reply.headers["retry-after"] == "3"
    assert client.get("/v1/own_form").json() == {"error": "x", "status_code": 404}
    assert client.get("/runs/texts").text == "gone"


def test_an_error_of_the_program_is_one_line() -> None:
    """In the caller's language and in the form of each API; the cause is for the log alone."""

    async def broken(request: Any) -> Any:
        raise RuntimeError("password")

    routes = [routing.Route(f"{at}/broken", broken) for at in (PREFIX, "/v1")]
    server = application(app.state.api, lambda _: nullcontext(), routes=routes)
    client = TestClient(server, headers={"accept-language": "zh"}, raise_server_exceptions=False)
    line = template("server.internal_error", "zh")
    reply = client.get(f"{PREFIX}/broken")
    assert (reply.status_code, reply.headers["content-type"], reply.json()["detail"]) == (500, MEDIA_TYPE, line)
    assert client.get("/v1/broken").json()["error"]["message"] == line


def test_pages_follow_each_other() -> None:
    rows, seen, at = list(range(7)), [], 0
    while True:
        page = Page.of(rows, 3, at)
        seen += page.items
        assert page.total == 7
        if page.next is None:
            break
        at = page.next
    assert seen == rows and Page.of(rows, 3, 9) == Page(items=[], total=7, next=None)


class Body(BaseModel):
    number: int


async def test_what_a_request_holds_is_checked() -> None:
    """The fields of query and body by name; unknown and doubled ones; an error of the program is none of input."""
    router = resource("test")

    @router.post("/x")
    async def double(body: Body, offset: Offset = 0) -> Body:
        if body.number == 0:
            Body.model_validate({"number": "of the program"})
        return Body(number=body.number * 2 + offset)

    handlers: Any = {WenmaiError: problem_response, RequestValidationError: problem_response}
    server = FastAPI(exception_handlers=handlers)
    server.router.routes.extend(router.routes)
    client = TestClient(server, base_url=f"http://test{PREFIX}", raise_server_exceptions=False)
    assert client.post("/x?offset=1", json={"number": 4}).json() == {"number": 9}
    assert client.post("/x", content=b'{"number": 4}', headers={"content-type": "text/plain"}).json() == {"number": 8}
    for query, field in (
        ("offset=-1", "query.offset"),
        ("ofset=1", "query.ofset"),
        ("offset=1&offset=2", "query.offset"),
    ):
        reply = client.post(f"/x?{query}", json={"number": 4})
        assert reply.status_code == 422 and [one["field"] for one in reply.json()["errors"]] == [field]
    assert [one["field"] for one in client.post("/x", json={"number": "z"}).json()["errors"]] == ["number"]
    for content in (b"{", b"\xff", b"[" * 100_000):
        reply = client.post("/x", content=content)
        assert reply.status_code == 422 and reply.json()["errors"][0]["field"] == "body"
    assert client.post("/x", json={"number": 0}).status_code == 500


def test_a_user_whose_name_has_slashes_can_be_removed() -> None:
    (route,) = users.router.routes
    assert isinstance(route, routing.Route)
    scope = {"type": "http", "method": "DELETE", "path": f"{PREFIX}/users/corp/alice"}
    assert route.matches(scope)[0] is routing.Match.FULL


async def test_a_job_is_watched_to_its_end() -> None:
    """Progress, result, failure, and one that is stopped; who watches late sees the end."""
    jobs, go = Jobs(), asyncio.Event()

    async def work(report: Report) -> dict[str, Any]:
        report({"done": 1})
        await go.wait()
        report({"done": 2})
        return {"written": 2}

    async def broken(report: Report) -> dict[str, Any]:
        raise IngestError("坏文件")

    job = jobs.ingest("sample", "alice", work, asyncio.Semaphore(2))
    states = []
    async for now in job.states():
        states.append((now.state, now.progress))
        if now.progress == {"done": 1}:
            go.set()
    assert states[0] == ("running", None) and states[-1] == ("done", {"done": 2}) and job.view.result == {"written": 2}
    failed = jobs.ingest("sample", "alice", broken, asyncio.Semaphore(2))
    assert [(now.state, now.error) async for now in failed.states()][-1] == ("failed", "坏文件")
    go.clear()
    stopped = jobs.ingest("sample", "alice", work, asyncio.Semaphore(2))
    await asyncio.sleep(0)
    await jobs.cancel(stopped)
    assert [now.state async for now in stopped.states()] == ["cancelled"]
    assert [*jobs.known.values()] == [job, failed, stopped]


async def test_places_for_questions() -> None:
    """So many run, the next waits behind those of others; a user with too many is refused, another is not."""
    places, order = ConcurrencyLimits(at_once=1, most_pending=2), []

    async def ask(user: str, name: str) -> None:
        with places.count_pending(user):
            async with places.slot(user):
                order.append(name)
                await asyncio.sleep(0.01)

    tasks = [asyncio.create_task(ask("alice", str(number))) for number in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(FieldError) as refused, places.count_pending("alice"):
        pass
    assert refused.value.status == 429
    await asyncio.gather(*tasks, ask("bob", "bob"))
    assert order == ["0", "bob", "1"]
    with places.count_pending("alice"):
        pass


def test_the_rights_of_a_key() -> None:
    limited = Caller(user_id="alice", libraries=frozenset({"a"}), networks=frozenset())
    limited.require_library("a")
    for require, name in ((limited.require_library, "b"), (limited.require_network, "n")):
        with pytest.raises(InputError):
            require(name)
    with pytest.raises(FieldError) as refused:
        limited.require_admin()
    assert refused.value.status == 403
    Caller(user_id="bob", is_admin=True).require_admin()


def test_a_title_may_be_as_long_as_the_operations_take_it() -> None:
    title = DOCUMENT["components"]["schemas"]["Body_sources_begun"]["properties"]["title"]
    assert [one["maxLength"] for one in title["anyOf"] if "maxLength" in one] == [LONGEST_TITLE] == [200]
