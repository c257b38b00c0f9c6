"""Who answers on which thread in PostgreSQL: one turn at a time, over any number of processes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from weakref import WeakValueDictionary

from psycopg import AsyncConnection
from psycopg.rows import TupleRow

from tools.errors import InputError, StoreError, StoreLocked
from tools.wording import Words
from wenmai.stores.postgres.connection import address_of, bounded, postgres_errors

BUSY = Words(
    "会话 {thread} 正在别处回答：请等它结束后重试",
    "conversation {thread} is answered elsewhere: try again when that is done",
)
POLL_S = 0.05
RELEASE_S = 2.0  # for letting a thread go, which the server does at once
TRY = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"
RELEASE = "SELECT pg_advisory_unlock(hashtextextended(%s, 0))"


class Turns:
    """Locks of threads: advisory locks of one connection, which end with it, however the process ends.

    A server that is restarted forgets them; a turn that is under way then is no longer alone.
    """

    def __init__(self, uri: str, wait_s: float = 300.0) -> None:
        self._uri = uri
        self._place = address_of(uri)
        self._wait_s = wait_s
        self._connection: AsyncConnection[TupleRow] | None = None
        self._connecting = asyncio.Lock()
        self._here: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._releasing: set[asyncio.Task[None]] = set()  # the loop itself keeps no task

    @asynccontextmanager
    async def alone(self, thread_id: str) -> AsyncIterator[None]:
        """Have a thread alone. Raises StoreLocked after `wait_s`, StoreUnavailable."""
        here = self._here.setdefault(thread_id, asyncio.Lock())  # a connection is given its own lock twice
        limit = asyncio.timeout(self._wait_s)
        try:
            async with limit:
                await here.acquire()
                try:
                    while not await self._tried(thread_id):
                        await asyncio.sleep(POLL_S)
                    limit.reschedule(None)
                    yield
                finally:
                    await self._let_go(thread_id, here)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise StoreLocked(BUSY.of(thread=thread_id)) from error

    def is_taken(self, thread_id: str) -> bool:
        """Return True while this process has a thread, or waits for it."""
        lock = self._here.get(thread_id)
        return lock is not None and lock.locked()

    async def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            await self._connection.close()

    async def _let_go(self, thread_id: str, here: asyncio.Lock) -> None:
        """Release the lock, and only then let the next one here try: who is cancelled meanwhile does not stop it.

        A try that was cancelled may have been granted all the same: it is taken back, too.
        """
        releasing = asyncio.create_task(self._release(thread_id))
        self._releasing.add(releasing)
        releasing.add_done_callback(self._releasing.discard)
        releasing.add_done_callback(lambda _: here.release())
        await asyncio.shield(releasing)

    async def _release(self, thread_id: str) -> None:
        """Let a thread go; of a server that is silent the whole connection, with every thread that it holds."""
        connection = self._connection
        if connection is None or connection.closed:  # one that broke has let go by itself
            return
        try:
            with suppress(StoreError, InputError), postgres_errors(self._place):  # what is no text was never taken
                async with asyncio.timeout(RELEASE_S):
                    await connection.execute(RELEASE, (thread_id,))
        except TimeoutError:  # the driver has given the server ten seconds more to end the statement
            await connection.close()

    async def _tried(self, thread_id: str) -> bool:
        """Take the lock if it is free; return True if it was."""
        with postgres_errors(self._place):
            connection = await self._connected()
            row = await (await connection.execute(TRY, (thread_id,))).fetchone()
        return bool(row and row[0])

    async def _connected(self) -> AsyncConnection[TupleRow]:
        async with self._connecting:
            if self._connection is None or self._connection.closed:
                self._connection = await AsyncConnection.connect(bounded(self._uri), autocommit=True)
            return self._connection
