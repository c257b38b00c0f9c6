"""The client of a running server has the interface of the application: a caller does not know which it has."""

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from wenmai.app.container import Services
from wenmai.application.operations import Application, Shared
from wenmai.client.client import Client
from wenmai.client.connection import Connection
from wenmai.settings.settings import Settings


def subjects() -> Iterator[tuple[str, type, type]]:
    """Yield each subject that the client has, with the classes of its operations."""
    app = Application(Services(Settings()), shared=Shared(unopened))
    client = Client(Connection("http://127.0.0.1:9"))
    for name, _ in inspect.getmembers(Client, lambda one: isinstance(one, property)):
        yield name, type(getattr(app, name)), type(getattr(client, name))


async def unopened() -> Any:
    raise AssertionError("nothing is opened to look at it")


@pytest.mark.parametrize(("name", "local", "remote"), [pytest.param(*one, id=one[0]) for one in subjects()])
def test_operations_have_the_same_signature_in_both_places(name: str, local: type, remote: type) -> None:
    operations = [one for one, _ in inspect.getmembers(remote, inspect.isfunction) if not one.startswith("_")]
    assert operations
    for one in operations:
        assert inspect.signature(getattr(local, one)) == inspect.signature(getattr(remote, one)), f"{name}.{one}"
