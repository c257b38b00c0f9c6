"""One server for the whole session: it takes longer to start than most tests take."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.live_server import LiveServer, copied, prepare, running


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working copy with a small library, for servers to be started on copies of it."""
    folder = tmp_path_factory.mktemp("prepared")
    prepare(folder)
    return folder


@pytest.fixture(scope="session")
def server(prepared: Path) -> Iterator[LiveServer]:
    """A running server on a copy."""
    with running(copied(prepared, prepared.parent / "served")) as live:
        yield live
