"""Each head of a request on a connection has the same time to come whole."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tests.integration.live_server import free_port
from wenmai.web.server import HeadInTime

SECONDS = 3.0
HEAD = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
ANSWER = b"\r\n\r\nhere"


async def answer(request: Request) -> Response:
    """Answer at once."""
    return PlainTextResponse("here")


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Give a connection to a server that waits three seconds for a head."""
    config = uvicorn.Config(
        Starlette(routes=[Route("/", answer)]),
        http=partial(HeadInTime, seconds=SECONDS),  # type: ignore[arg-type]  # it is called alone
        port=free_port(),
        log_config=None,
        timeout_keep_alive=60,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    reader, writer = await asyncio.open_connection("127.0.0.1", config.port)
    try:
        yield reader, writer
    finally:
        writer.close()
        server.should_exit = True
        await serving


async def test_a_second_head_in_two_packets_has_its_own_time() -> None:
    """The mark of the first one passes while it comes; one that stays half is cut."""
    async with connected() as (reader, writer):
        writer.write(HEAD)
        assert (await reader.readuntil(ANSWER)).startswith(b"HTTP/1.1 200")
        await asyncio.sleep(0.740 * SECONDS)
        writer.write(HEAD[:9])
        await asyncio.sleep(0.40 * SECONDS)
        writer.write(HEAD[9:])
        assert (await reader.readuntil(ANSWER)).startswith(b"HTTP/1.1 200")
        writer.write(HEAD[:9])
        assert await asyncio.wait_for(reader.read(), 40 * SECONDS) == b""
