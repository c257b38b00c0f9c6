"""A catalog whose server does not answer, without any server: who asks waits for himself alone."""

import asyncio

import pytest

from tools.errors import StoreUnavailable
from wenmai.stores.catalog.postgres_catalog import PostgresCatalog

CALLERS = 5  # fewer than the threads that asyncio calls in
CONNECT_S = 60  # longer than callers need to come all together


class Silent:
    """A server that takes connections and says nothing, until as many wait as it is to see; then it hangs up."""

    def __init__(self, awaited: int) -> None:
        self.awaited = awaited
        self.waiting = 0
        self.complete = asyncio.Event()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.waiting += 1
        if self.waiting == self.awaited:
            self.complete.set()
        await self.complete.wait()
        writer.close()


async def test_callers_do_not_wait_in_a_row() -> None:
    """PLA-28 LOP-05: behind a server that says nothing all callers wait at once, each at a connection of its own."""
    silent = Silent(CALLERS)
    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        catalog = PostgresCatalog(f"postgresql://wenmai:geheim@127.0.0.1:{port}/x?connect_timeout={CONNECT_S}")
        asking = asyncio.gather(*(catalog.info("甲") for _ in range(CALLERS)), return_exceptions=True)
        async with asyncio.timeout(CONNECT_S / 2):
            await silent.complete.wait()
        ends = await asking
        await catalog.close()
    for end in ends:
        assert isinstance(end, StoreUnavailable) and "POSTGRES_URI" in str(end) and "geheim" not in str(end)


async def test_nobody_listens() -> None:
    """PLA-28: a server that is not there is told at once, as often as it is asked."""
    catalog = PostgresCatalog("postgresql://wenmai@127.0.0.1:9/x")
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="POSTGRES_URI"):
            await catalog.libraries()
    await catalog.close()
