"""Start a real `wenmai serve` on a small library, and stop it for sure."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.integration.live_server import LiveServer, started

API = "/api/v1"


@contextmanager
def serving(folder: Path, **settings: str) -> Iterator[LiveServer]:
    """Run `wenmai serve` in a prepared folder, with further settings."""
    with started(folder, [sys.executable, "-m", "wenmai", "serve"], "/health", settings) as server:
        yield server
