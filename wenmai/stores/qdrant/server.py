"""The connection to a Qdrant server, and its errors in this product's terms.

`langchain_qdrant.QdrantVectorStore` embeds by itself, has a blocking client alone, knows neither an order of rows nor
which rows count for IDF, and fuses inside the engine, where this product fuses by itself. So the adapters use the
client that it carries, in its asynchronous form.
"""

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from pydantic_core import PydanticSerializationError
from qdrant_client import AsyncQdrantClient
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from tools.errors import EmbedderMismatch, InputError, StoreError, StoreFull, StoreGone, StoreUnavailable, short_reason
from tools.messages import Message
from wenmai.stores.files.folder import DISK_FULL_WORDS

SERVER_ERRORS = 500
NOT_PERMITTED = (401, 403)
NOT_THERE = 404
# The text of a 404 of Qdrant itself; a proxy, or another server at that address, words it in another way.
NO_COLLECTION = re.compile(r"not found: collection `|collection `[^`]*` doesn't exist", re.IGNORECASE)
DIMENSION = "dimension error"


class QdrantServer:
    """A server by its address; every event loop gets its own client at its first call."""

    def __init__(self, place: str, connect: Callable[[], AsyncQdrantClient]) -> None:
        """Take a server.

        Args:
            place: the address as errors show it, without a secret.
            connect: makes a client; nothing is sent before the first call.
        """
        self.place = place
        self._connect = connect
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncQdrantClient] = WeakKeyDictionary()

    @property
    def client(self) -> AsyncQdrantClient:
        """The client of the running event loop: its connections cannot be used by another one."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = self._connect()
        return self._clients[loop]

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    @contextmanager
    def errors(self) -> Iterator[None]:
        try:
            yield
        except ResponseHandlingException as error:
            source = error.source
            reason = short_reason(source) or type(source).__name__
            raise StoreUnavailable(Message("qdrant.silent", place=self.place, reason=reason)) from error
        except ResourceExhaustedResponse as error:
            raise StoreUnavailable(Message("qdrant.too_many_requests", place=self.place)) from error
        except UnexpectedResponse as error:
            raise self._refused(error) from error
        except (PydanticSerializationError, UnicodeEncodeError) as error:
            raise InputError(Message("store.lone_surrogates")) from error

    def _refused(self, error: UnexpectedResponse) -> StoreError:
        status = error.status_code or SERVER_ERRORS
        reason = short_reason(error.content.decode(errors="replace"))
        if any(word in reason.lower() for word in DISK_FULL_WORDS):
            return StoreFull(Message("qdrant.disk_full", place=self.place))
        if status in NOT_PERMITTED:
            return StoreError(Message("qdrant.access_refused", place=self.place, status=status))
        if DIMENSION in reason.lower():
            return EmbedderMismatch(Message("qdrant.other_vectors", reason=reason))
        if status == NOT_THERE and NO_COLLECTION.search(reason):
            return StoreGone(Message("qdrant.collection_gone", place=self.place, reason=reason))
        if status >= SERVER_ERRORS:
            return StoreUnavailable(Message("qdrant.failed", place=self.place, status=status, reason=reason))
        return StoreError(Message("qdrant.request_refused", place=self.place, status=status, reason=reason))


def qdrant_server(url: str, api_key: str | None, timeout_s: float) -> QdrantServer:
    """Return a server by its address; the key goes into a header and never into a message."""
    headers = {"api-key": api_key} if api_key else None

    def connect() -> AsyncQdrantClient:
        # The version check of the client is a thread of its own that only warns.
        return AsyncQdrantClient(url=url, headers=headers, timeout=max(1, round(timeout_s)), check_compatibility=False)

    return QdrantServer(url, connect)
