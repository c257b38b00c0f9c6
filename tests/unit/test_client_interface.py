"""The client of a running server has the interface of the application: a caller does not know which it has."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.routing import APIRoute

from wenmai.app.container import Services
from wenmai.application.operations import Application, Shared
from wenmai.application.subjects import SubjectOperations
from wenmai.client.client import Client
from wenmai.client.connection import ROUTES, Connection, Remote
from wenmai.settings.settings import Settings
from wenmai.web.application import ROUTERS
from wenmai.web.dependencies import PREFIX

HERE_ALONE = {  # no server does these for a client
    "ConversationOperations": {"events"},
    "LibraryOperations": {
        *("back_up", "restore", "owners_elsewhere", "adopt", "delete_elsewhere"),
        *("estimate", "ingest_request", "require_source"),
    },
    "TraceOperations": {"read"},
}


async def unopened() -> Any:
    raise AssertionError("nothing is opened to look at it")


def subjects() -> Iterator[tuple[str, type, Any]]:
    """Yield each subject that the client has, with the class of its operations and what does them."""
    app, client = Application(Services(Settings()), shared=Shared(unopened)), Client(Connection("http://127.0.0.1:9"))
    for name, _ in inspect.getmembers(Client, lambda one: isinstance(one, SubjectOperations)):
        yield name, type(getattr(app, name)), getattr(client, name)


def without_names(path: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", path.removeprefix(PREFIX))


def operations_of(kind: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}


@pytest.mark.parametrize(("operations", "remote"), [pytest.param(*rest, id=name) for name, *rest in subjects()])
def test_a_server_does_every_operation_by_the_same_signature(operations: type, remote: Any) -> None:
    written = operations_of(type(remote)) - operations_of(Remote)
    routed = {name for owner, name in (route.split(".") for route in ROUTES) if owner == operations.__name__}
    assert routed & written == set()
    assert operations_of(operations) == routed | written | HERE_ALONE.get(operations.__name__, set())
    for name in routed:
        assert getattr(remote, name).__doc__ == getattr(operations, name).__doc__
        assert not isinstance(inspect.signature(getattr(operations, name)).return_annotation, str)
    for name in written:
        assert inspect.signature(getattr(operations, name)) == inspect.signature(getattr(type(remote), name)), name


def test_every_route_of_the_client_is_one_of_the_api() -> None:
    routes = [one for router in ROUTERS for one in router.routes if isinstance(one, APIRoute)]
    known = {(method, without_names(one.path)) for one in routes for method in one.methods or ()}
    assert {tuple(without_names(route).split(" ")) for route in ROUTES.values()} <= known
