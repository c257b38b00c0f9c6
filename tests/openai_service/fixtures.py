"""Fixtures for every test folder: import them in its conftest.py."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.gemini.server import Server
from tests.gemini.space import Space
from tests.openai_service.server import ChatServer
from tests.openai_service.space import OpenAI


@pytest.fixture(scope="session")
def openai_server() -> Iterator[ChatServer]:
    """One service for the whole run, on a free port."""
    server = ChatServer().start()
    yield server
    server.stop()


@contextmanager
def answering(server: ChatServer, key: str) -> Iterator[OpenAI]:
    """Yield a space at a key that answers the questions of a try, and any other."""
    space = server.open(key)
    space.answer(lambda request: {"text": '{"word": "pong"}'})
    yield space
    server.close(space)


@pytest.fixture
def openai(openai_server: ChatServer) -> Iterator[OpenAI]:
    """A fresh script and history for one test; what a function of the script raised fails the test."""
    space = openai_server.open()
    yield space
    openai_server.close(space)
    assert space.failures == []


@pytest.fixture(params=["gemini", "openai"])
def service(request: pytest.FixtureRequest, gemini_server: Server, openai_server: ChatServer) -> Iterator[Space]:
    """A fresh space of each protocol in turn."""
    server: Server | ChatServer = gemini_server if request.param == "gemini" else openai_server
    space = server.open()
    yield space
    server.service.spaces.pop(space.key)
    assert space.failures == []
