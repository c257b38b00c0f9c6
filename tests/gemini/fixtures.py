"""Fixtures for every test folder: import both in its conftest.py."""

from collections.abc import Iterator

import pytest

from tests.gemini.server import Server
from tests.gemini.space import Gemini


@pytest.fixture(scope="session")
def gemini_server() -> Iterator[Server]:
    """One service for the whole run, on a free port."""
    server = Server().start()
    yield server
    server.stop()


@pytest.fixture
def gemini(gemini_server: Server) -> Iterator[Gemini]:
    """A fresh script and history for one test; what a function of the script raised fails the test."""
    space = gemini_server.open()
    yield space
    gemini_server.close(space)
    assert space.failures == []
