"""What the services of the tests stand on: an application on a real socket of this machine, in a thread of its own."""

import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import uvicorn

from tests.gemini.wire import Connections

START_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Listening:
    """A server that answers until it is stopped."""

    port: int
    http: uvicorn.Server
    thread: threading.Thread

    def stop(self) -> None:
        """Stop, whatever is still being answered."""
        self.http.should_exit = True
        self.thread.join(START_SECONDS)


def listen(app: Callable[..., Any], port: int = 0, **options: Any) -> Listening:
    """Listen and wait until requests are answered; port 0 takes a free one, `options` are uvicorn's."""
    listener = socket.create_server(("127.0.0.1", port))
    config = uvicorn.Config(
        app, ws="none", lifespan="off", log_level="critical", timeout_graceful_shutdown=1, **options
    )
    http = uvicorn.Server(config)
    thread = threading.Thread(target=http.run, args=([listener],), name="loopback", daemon=True)
    thread.start()
    end = time.monotonic() + START_SECONDS
    while not http.started:
        assert time.monotonic() < end, "the service did not start"
        time.sleep(0.01)
    return Listening(listener.getsockname()[1], http, thread)


def listen_watched(app: Callable[..., Any], connections: Connections, port: int, *, keep_alive: bool) -> Listening:
    """Listen with watched connections, each of which ends behind its answer unless they are kept."""
    headers = [] if keep_alive else [("connection", "close")]
    return listen(app, port, http=connections.protocol(), headers=headers)
