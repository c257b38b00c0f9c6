"""A catalog whose server does not answer, without any server: who asks waits for himself alone."""

import asyncio
import socket
import time

import pytest

from wenmai.errors import StoreUnavailable
from wenmai.stores.postgres_catalog import PostgresCatalog

CALLERS = 5  # fewer than the threads that asyncio calls in
CONNECT_S = 2  # the least that the client library heeds
MARGIN_S = 4


async def test_callers_do_not_wait_in_a_row() -> None:
    """PLA-28 LOP-05: behind a server that takes connections and says nothing each caller is told after its own wait."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        address = f"postgresql://wenmai:geheim@127.0.0.1:{silent.getsockname()[1]}/x?connect_timeout={CONNECT_S}"
        catalog, begun = PostgresCatalog(address), time.monotonic()
        ends = await asyncio.gather(*(catalog.info("甲") for _ in range(CALLERS)), return_exceptions=True)
        seconds = time.monotonic() - begun
        await catalog.close()
    assert seconds < CONNECT_S + MARGIN_S < CALLERS * CONNECT_S
    for end in ends:
        assert isinstance(end, StoreUnavailable) and "POSTGRES_URI" in str(end) and "geheim" not in str(end)


async def test_nobody_listens() -> None:
    """PLA-28: a server that is not there is told at once, as often as it is asked."""
    catalog = PostgresCatalog("postgresql://wenmai@127.0.0.1:9/x")
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="POSTGRES_URI"):
            await catalog.libraries()
    await catalog.close()
