"""Connections that send nothing whole: the head of a request has to come in time, as its body has."""

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # which class it is depends on what is installed: both have these members
    from uvicorn.protocols.http.h11_impl import H11Protocol as HttpProtocol
else:
    from uvicorn.protocols.http.auto import AutoHTTPProtocol as HttpProtocol


class HeadInTime(HttpProtocol):
    """Closes a connection on which no request is under way so many seconds after something of one came."""

    def __init__(self, *given: Any, seconds: float, **named: Any) -> None:
        super().__init__(*given, **named)
        self._seconds = seconds
        self._end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait for the end of a head that has begun; the next one on the connection has as much time."""
        super().data_received(data)
        if self._is_asked():
            self._stop_waiting()
        elif self._end is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._end = self.loop.call_later(self._seconds, self._close)

    def _stop_waiting(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None

    def _close(self) -> None:
        self._end = None
        if not self._is_asked() and not self.transport.is_closing():
            self.transport.close()

    def _is_asked(self) -> bool:
        """Return True while a request is read or answered."""
        return self.cycle is not None and not self.cycle.response_complete
