"""The service on a real socket, in a thread of its own."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.gemini.app import Service
from tests.gemini.space import Gemini
from tests.loopback import Listening, listen_watched


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
    listening: Listening = field(init=False)

    @property
    def url(self) -> str:
        """What clients take as base_url."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> "Server":
        """Listen and wait until requests are answered."""
        self.listening = listen_watched(
            self.service.app(), self.service.connections, self.port, keep_alive=self.keep_alive
        )
        self.port = self.listening.port
        return self

    def stop(self) -> None:
        """Stop, whatever is still being answered."""
        self.listening.stop()

    def open(self, key: str | None = None) -> Gemini:
        """Return a fresh space; its key is the only one that leads to it."""
        chosen = key or f"loopback-key-{next(self.numbers)}"
        space = Gemini(self.url, chosen)
        self.service.spaces[chosen] = space
        return space

    def close(self, space: Gemini) -> None:
        """Forget a space; its key is then not valid."""
        self.service.spaces.pop(space.key, None)
