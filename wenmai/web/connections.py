"""The connections of `wenmai serve`: how many there may be, and how large and slow the head of a request."""

import asyncio
import sys
from collections.abc import Collection
from http import HTTPStatus
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tools.messages import say

MAX_HEAD_BYTES = 65_536
HEAD_PART_BYTES = 2_048
HEAD_SECONDS = 10.0
LINGER_SECONDS = 1.0  # a client that was refused has to read why


class BoundedConnection(H11Protocol):
    """A connection that ends where its heads are too large or too slow, and that is refused where there are too many.

    A connection on which no request is under way is closed so many seconds after something of one came: the head of a
    request has to come in time, as its body has. h11 refuses a head of too many bytes before it keeps more of it.
    """

    def __init__(
        self,
        *given: Any,
        seconds: float,
        most: int,
        most_of_address: int,
        proxies: Collection[IPv4Network | IPv6Network] = (),
        **named: Any,
    ) -> None:
        """Take uvicorn's own arguments, and the limits.

        Args:
            most: connections of all addresses together.
            most_of_address: connections of one address, apart from those of the proxies.
        """
        super().__init__(*given, **named)
        self._seconds = seconds
        self._most, self._most_of_address, self._proxies = most, most_of_address, proxies
        self._end: asyncio.TimerHandle | None = None
        self._is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        super().connection_made(transport)
        if len(self.connections) > self._most:
            self._refuse(503, say("server.too_many_connections"))
        elif self._is_one_too_many():
            self._refuse(429, say("server.too_many_connections_of_address", most=self._most_of_address))
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait for the end of a head that has begun; the next one on the connection has as much time.

        A head comes to h11 in small parts: it takes one that is too large where it is whole at once.
        """
        while data and not self._is_refused:
            size = len(data) if self._is_answering() else HEAD_PART_BYTES
            part, data = data[:size], data[size:]
            super().data_received(part)
        if self._is_refused:  # what came was the end of it
            return
        if self._is_answering():
            self._stop_waiting()
        elif self._end is None:
            self._wait()

    def _unsupported_upgrade_warning(self) -> None:
        """Answer a request for a WebSocket as any other, without a word in the log: there are none by intention."""

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request, or one whose head is too large."""
        status = getattr(sys.exception(), "error_status_hint", 400)
        self._refuse(status, say("server.head_too_large", most=MAX_HEAD_BYTES) if status == 431 else msg)

    def _is_one_too_many(self) -> bool:
        address = self.client[0] if self.client else None
        if address is None or any(ip_address(address) in proxy for proxy in self._proxies):
            return False
        others = [one.client for one in self.connections if isinstance(one, BoundedConnection)]
        return sum(other is not None and other[0] == address for other in others) > self._most_of_address

    def _refuse(self, status: int, text: str) -> None:
        """Answer with one line, read nothing more and close: at once the client would lose the line to a reset."""
        body = f"{text}\n".encode()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: text/plain; charset=utf-8\r\n"
            self.transport.write(f"{head}content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body)
        self._is_refused = True
        self.connections.discard(self)  # one more may come meanwhile
        self._stop_waiting()
        if self._is_answering():  # whose body breaks off: nothing more of it is read or sent
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._end = self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def _wait(self) -> None:
        self._end = self.loop.call_later(self._seconds, self._close)

    def _stop_waiting(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None

    def _close(self) -> None:
        self._end = None
        if not self._is_answering() and not self.transport.is_closing():
            self.transport.close()

    def _is_answering(self) -> bool:
        """Return True while a request is read or answered."""
        return self.cycle is not None and not self.cycle.response_complete
