"""Start a real `wenmai serve` on a small library, and stop it for sure."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.integration.live_server import START_SECONDS, LiveServer, environment, free_port, stop

API = "/api/v1"


@contextmanager
def serving(folder: Path, **settings: str) -> Iterator[LiveServer]:
    """Run `wenmai serve` in a prepared folder, with further settings."""
    port = free_port()
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "wenmai", "serve", "--port", str(port)],
            cwd=folder,
            env=environment(folder) | settings,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    server = LiveServer(f"http://127.0.0.1:{port}", folder, process.pid)
    try:
        wait_for(server, process)
        yield server
    finally:
        stop(process)


def wait_for(server: LiveServer, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the server answers."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, server.log[-3000:]
        try:
            if httpx.get(f"{server.url}/health", timeout=2).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise AssertionError(f"no answer within {START_SECONDS} s: {server.log[-3000:]}")
