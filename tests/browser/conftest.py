"""The page in a real browser, on a real `wenmai serve`. These tests run in `make test-services` alone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.cast import prepare_cast
from tests.browser.chromium import PROGRAM, chromium
from tests.engines import asked_for
from tests.integration.live_server import LiveServer, prepare
from tests.integration.own_server import serving

collect_ignore_glob = [] if asked_for(PROGRAM) else ["test_*.py"]
expect.set_options(timeout=20_000)  # ms; a busy machine, with the suites of the servers beside, is slow


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser, one for all tests."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server with the small library `sample`, for tests that change nothing."""
    folder = tmp_path_factory.mktemp("page")
    prepare(folder)
    with serving(folder) as live:
        yield live


@pytest.fixture(scope="session")
def cast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server with a story that has relations and events, and with one whose names are markup."""
    folder = tmp_path_factory.mktemp("cast")
    prepare_cast(folder)
    with serving(folder) as live:
        yield live
