"""Start a real `wenmai serve` on a small library, and stop it for sure."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.integration.live_server import LiveServer, started, wenmai

API = "/api/v1"


@contextmanager
def serving(folder: Path, **settings: str) -> Iterator[LiveServer]:
    """Run `wenmai serve` in a prepared folder, with further settings."""
    with started(folder, [sys.executable, "-m", "wenmai", "serve"], "/health", settings) as server:
        yield server


@contextmanager
def serving_nothing(folder: Path) -> Iterator[LiveServer]:
    """Run `wenmai serve` without a book in an empty folder."""
    done = wenmai(folder, "libraries")  # makes the stores
    assert done.returncode == 0, done.stderr
    with serving(folder) as server:
        yield server


async def job_end(http: httpx.AsyncClient, id: str) -> dict[str, Any]:
    """Return a job when it is over."""
    async with http.stream("GET", f"/jobs/{id}/events", headers={"accept": "text/event-stream"}) as reply:
        lines = [line async for line in reply.aiter_lines() if line.startswith("data: ")]
    job: dict[str, Any] = json.loads(lines[-1].removeprefix("data: "))
    assert job["state"] != "running", job
    return job
