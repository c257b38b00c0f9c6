"""The service on a real socket, in a thread of its own."""

import socket
import threading
import time
from dataclasses import dataclass, field

import uvicorn
from qdrant_client import AsyncQdrantClient

from tests.qdrant_service.app import QdrantService

START_SECONDS = 10.0


@dataclass
class LoopbackQdrant:
    """One running service; what it holds outlives `stop` and the next `start`, on the same port."""

    service: QdrantService = field(default_factory=lambda: QdrantService(AsyncQdrantClient(":memory:")))
    port: int = 0
    certificate: tuple[str, str] | None = None
    http: uvicorn.Server = field(init=False)
    thread: threading.Thread = field(init=False)

    @property
    def url(self) -> str:
        """What QDRANT_URL is set to."""
        return f"http{'s' if self.certificate else ''}://127.0.0.1:{self.port}"

    def start(self) -> "LoopbackQdrant":
        """Listen and wait until requests are answered."""
        listener = socket.create_server(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        cert, key = self.certificate or (None, None)
        config = uvicorn.Config(
            self.service.app(),
            ws="none",
            lifespan="off",
            log_level="critical",
            timeout_graceful_shutdown=1,
            ssl_certfile=cert,
            ssl_keyfile=key,
        )
        self.http = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.http.run, args=([listener],), name="qdrant", daemon=True)
        self.thread.start()
        end = time.monotonic() + START_SECONDS
        while not self.http.started:
            assert time.monotonic() < end, "the service did not start"
            time.sleep(0.01)
        return self

    def stop(self) -> None:
        """Stop, whatever is still being answered."""
        self.http.should_exit = True
        self.thread.join(START_SECONDS)

    def __enter__(self) -> "LoopbackQdrant":
        """Start."""
        return self.start()

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self.stop()
