"""The client of a running server has the interface of the application: a caller does not know which it has."""

import inspect
from collections.abc import Iterator

import pytest

from wenmai.application.operations import Application
from wenmai.client.client import Client


def subjects() -> Iterator[tuple[str, type, type]]:
    """Yield each subject that the client has, with the classes of its operations."""
    for name, member in inspect.getmembers(Client, lambda one: isinstance(one, property)):
        remote = inspect.get_annotations(member.fget, eval_str=True)["return"]
        local = inspect.get_annotations(getattr(Application, name).fget, eval_str=True)["return"]
        yield name, local, remote


@pytest.mark.parametrize(("name", "local", "remote"), [pytest.param(*one, id=one[0]) for one in subjects()])
def test_operations_have_the_same_signature_in_both_places(name: str, local: type, remote: type) -> None:
    operations = [one for one, _ in inspect.getmembers(remote, inspect.isfunction) if not one.startswith("_")]
    assert operations
    for one in operations:
        assert inspect.signature(getattr(local, one)) == inspect.signature(getattr(remote, one)), f"{name}.{one}"
