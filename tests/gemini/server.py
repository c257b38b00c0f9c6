"""The service on a real socket, in a thread of its own."""

import itertools
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import uvicorn

from tests.gemini.app import Service
from tests.gemini.space import Gemini

START_SECONDS = 10.0


@dataclass(slots=True)
class Server:
    """One running server; every test opens a space of its own on it.

    Attributes:
        keep_alive: Let clients keep their connections. Off by default: a client that a test forgets to close would
            leave its socket to the garbage collector, whose warning then fails another test.
    """

    port: int = 0
    keep_alive: bool = False
    service: Service = field(default_factory=Service)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    http: uvicorn.Server = field(init=False)
    thread: threading.Thread = field(init=False)

    @property
    def url(self) -> str:
        """What clients take as base_url."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> "Server":
        """Listen and wait until requests are answered."""
        listener = socket.create_server(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        config = uvicorn.Config(
            self.service.app(),
            http=self.service.connections.protocol(),
            ws="none",
            lifespan="off",
            log_level="critical",
            timeout_graceful_shutdown=1,
            headers=[] if self.keep_alive else [("connection", "close")],
        )
        self.http = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.http.run, args=([listener],), name="gemini", daemon=True)
        self.thread.start()
        end = time.monotonic() + START_SECONDS
        while not self.http.started:
            assert time.monotonic() < end, "the loopback service did not start"
            time.sleep(0.01)
        return self

    def stop(self) -> None:
        """Stop, whatever is still being answered."""
        self.http.should_exit = True
        self.thread.join(START_SECONDS)

    def open(self, key: str | None = None) -> Gemini:
        """Return a fresh space; its key is the only one that leads to it."""
        chosen = key or f"loopback-key-{next(self.numbers)}"
        space = Gemini(self.url, chosen)
        self.service.spaces[chosen] = space
        return space

    def close(self, space: Gemini) -> None:
        """Forget a space; its key is then not valid."""
        self.service.spaces.pop(space.key, None)
