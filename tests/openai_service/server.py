"""The service on a real socket, in a thread of its own."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.loopback import Listening, listen_watched
from tests.openai_service.app import ChatService
from tests.openai_service.dialect import STRICT, Dialect
from tests.openai_service.space import OpenAI


@dataclass(slots=True)
class ChatServer:
    """One running server; every test opens a space of its own on it."""

    port: int = 0
    keep_alive: bool = False
    service: ChatService = field(default_factory=ChatService)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    listening: Listening = field(init=False)

    @property
    def url(self) -> str:
        """What clients take as base_url."""
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> "ChatServer":
        """Listen and wait until requests are answered."""
        self.listening = listen_watched(
            self.service.app(), self.service.connections, self.port, keep_alive=self.keep_alive
        )
        self.port = self.listening.port
        return self

    def stop(self) -> None:
        """Stop, whatever is still being answered."""
        self.listening.stop()

    def open(self, key: str | None = None, dialect: Dialect = STRICT) -> OpenAI:
        """Return a fresh space; its key is the only one that leads to it."""
        chosen = key or f"loopback-key-{next(self.numbers)}"
        space = OpenAI(self.url, chosen, dialect=dialect)
        self.service.spaces[chosen] = space
        return space

    def close(self, space: OpenAI) -> None:
        """Forget a space; its key is then not valid."""
        self.service.spaces.pop(space.key, None)
