"""The socket under a request, for faults that no HTTP answer can show."""

import asyncio
from dataclasses import dataclass, field

from starlette.requests import Request as HttpRequest
from uvicorn.protocols.http.h11_impl import H11Protocol

Address = tuple[str, int]


@dataclass(slots=True)
class Connections:
    """The open connections by the client's address."""

    open: dict[Address, asyncio.Transport] = field(default_factory=dict)

    def close(self, http: HttpRequest) -> None:
        """Close the connection of a request; what was written is sent before."""
        client = http.client
        transport = self.open.get((client.host, client.port)) if client else None
        if transport is not None:
            transport.close()

    def protocol(self) -> type[asyncio.Protocol]:
        """Return the protocol class for uvicorn that tells this object of its connections."""
        opened = self.open

        class Watched(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
                super().connection_made(transport)
                if self.client:
                    opened[self.client] = transport

            def connection_lost(self, exc: Exception | None) -> None:
                opened.pop(self.client or ("", 0), None)
                super().connection_lost(exc)

        return Watched
