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

from tools.errors import EmbedderMismatch, InputError, StoreError, StoreFull, StoreGone, StoreUnavailable
from tools.wording import Words
from wenmai.stores.files.folder import DISK_FULL_WORDS
from wenmai.stores.files.refusals import LONE

NOT_TAKEN = Words(
    "Qdrant（{place}）不接受请求（{status}：{reason}）：请确认 QDRANT_URL 指向 Qdrant 1.19 或更新的版本",
    "Qdrant ({place}) does not take the request ({status}: {reason}): QDRANT_URL must name Qdrant 1.19 or newer",
)
FAILED = Words(
    "Qdrant（{place}）出错（{status}：{reason}）：请稍后再试，或查看服务器的日志",
    "Qdrant ({place}) failed ({status}: {reason}): try again later, or look into the server's log",
)
GONE = Words(
    "Qdrant（{place}）上的集合已被删除（{reason}）：请从备份恢复，或重新导入其中的内容；下一次写入会重新建立集合",
    "a collection on Qdrant ({place}) was deleted ({reason}): restore it from a backup, or import what it held again; "
    "the next write makes it anew",
)
OTHER_VECTORS = Words(
    "Qdrant 中的向量维度与当前嵌入模型不符（{reason}）：请换回原来的 EMBEDDING_MODEL",
    "the vectors in Qdrant are not of the present embedding model ({reason}): go back to the old EMBEDDING_MODEL",
)
REFUSED = Words(
    "Qdrant（{place}）拒绝访问（{status}）：请检查 QDRANT_API_KEY",
    "Qdrant ({place}) refuses ({status}): check QDRANT_API_KEY",
)
FULL = Words(
    "Qdrant（{place}）的磁盘空间已满：请腾出空间后重试",
    "the disk of Qdrant ({place}) is full: make room, then try again",
)
SILENT = Words(
    "Qdrant（{place}）没有应答（{reason}）：请确认服务器在运行、QDRANT_URL 正确，然后重试",
    "Qdrant ({place}) does not answer ({reason}): see that the server runs and QDRANT_URL is right, then try again",
)
TOO_MANY = Words(
    "Qdrant（{place}）请求过多（429）：请稍后再试", "Qdrant ({place}) has too many requests (429): try again later"
)
REASON_CHARACTERS = 200
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
            reason = " ".join(str(source).split())[:REASON_CHARACTERS] or type(source).__name__
            raise StoreUnavailable(SILENT.of(place=self.place, reason=reason)) from error
        except ResourceExhaustedResponse as error:
            raise StoreUnavailable(TOO_MANY.of(place=self.place)) from error
        except UnexpectedResponse as error:
            raise self._refused(error) from error
        except (PydanticSerializationError, UnicodeEncodeError) as error:
            raise InputError(LONE) from error

    def _refused(self, error: UnexpectedResponse) -> StoreError:
        status = error.status_code or SERVER_ERRORS
        reason = " ".join(error.content.decode(errors="replace").split())[:REASON_CHARACTERS]
        if any(word in reason.lower() for word in DISK_FULL_WORDS):
            return StoreFull(FULL.of(place=self.place))
        if status in NOT_PERMITTED:
            return StoreError(REFUSED.of(place=self.place, status=status))
        if DIMENSION in reason.lower():
            return EmbedderMismatch(OTHER_VECTORS.of(reason=reason))
        if status == NOT_THERE and NO_COLLECTION.search(reason):
            return StoreGone(GONE.of(place=self.place, reason=reason))
        if status >= SERVER_ERRORS:
            return StoreUnavailable(FAILED.of(place=self.place, status=status, reason=reason))
        return StoreError(NOT_TAKEN.of(place=self.place, status=status, reason=reason))


def qdrant_server(url: str, api_key: str | None, timeout_s: float) -> QdrantServer:
    """Return a server by its address; the key goes into a header and never into a message."""
    headers = {"api-key": api_key} if api_key else None

    def connect() -> AsyncQdrantClient:
        # The version check of the client is a thread of its own that only warns.
        return AsyncQdrantClient(url=url, headers=headers, timeout=max(1, round(timeout_s)), check_compatibility=False)

    return QdrantServer(url, connect)
