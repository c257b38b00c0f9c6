"""The service on a real socket, in a thread of its own."""

from dataclasses import dataclass, field

from qdrant_client import AsyncQdrantClient

from tests.loopback import Listening, listen
from tests.qdrant_service.app import QdrantService


@dataclass
class LoopbackQdrant:
    """One running service; what it holds outlives `stop` and the next `start`, on the same port."""

    service: QdrantService = field(default_factory=lambda: QdrantService(AsyncQdrantClient(":memory:")))
    port: int = 0
    certificate: tuple[str, str] | None = None
    listening: Listening = field(init=False)

    @property
    def url(self) -> str:
        """What QDRANT_URL is set to."""
        return f"http{'s' if self.certificate else ''}://127.0.0.1:{self.port}"

    def start(self) -> "LoopbackQdrant":
        """Listen and wait until requests are answered."""
        cert, key = self.certificate or (None, None)
        self.listening = listen(self.service.app(), self.port, ssl_certfile=cert, ssl_keyfile=key)
        self.port = self.listening.port
        return self

    def stop(self) -> None:
        """Stop, whatever is still being answered."""
        self.listening.stop()

    def __enter__(self) -> "LoopbackQdrant":
        """Start."""
        return self.start()

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self.stop()
