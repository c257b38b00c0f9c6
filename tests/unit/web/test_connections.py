"""The head of a request has its time and its size, and addresses have a share of the connections."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import ip_network
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tests.integration.live_server import free_port
from wenmai.web.connections import MAX_HEAD_BYTES, BoundedConnection

SECONDS = 3.0
HEAD = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
ANSWER = b"\r\n\r\nhere"


async def answer(request: Request) -> Response:
    """Answer at once."""
    return PlainTextResponse("here")


@asynccontextmanager
async def serving(
    *more: Route, most: int = 10, of_address: int = 10, proxies: Sequence[str] = ()
) -> AsyncIterator[int]:
    """Give the port of a server that waits three seconds for a head."""
    config = uvicorn.Config(
        Starlette(routes=[Route("/", answer), *more]),
        http=partial(  # type: ignore[arg-type]  # it is called alone
            BoundedConnection,
            seconds=SECONDS,
            most=most,
            most_of_address=of_address,
            proxies=[ip_network(one) for one in proxies],
        ),
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        port=free_port(),
        log_config=None,
        timeout_keep_alive=60,
        ws="none",
    )
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield config.port
    finally:
        server.should_exit = True
        await running


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()


async def test_a_second_head_in_two_packets_has_its_own_time() -> None:
    """The mark of the first one passes while it comes; one that stays half is cut."""
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(HEAD)
        assert (await reader.readuntil(ANSWER)).startswith(b"HTTP/1.1 200")
        await asyncio.sleep(0.740 * SECONDS)
        writer.write(HEAD[:9])
        await asyncio.sleep(0.40 * SECONDS)
        writer.write(HEAD[9:])
        assert (await reader.readuntil(ANSWER)).startswith(b"HTTP/1.1 200")
        writer.write(HEAD[:9])
        assert await asyncio.wait_for(reader.read(), 40 * SECONDS) == b""


LINE = b"x-filler: " + b"a" * 1_000 + b"\r\n"


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(HEAD[:-2] + b"x-one: " + b"a" * 1_048_576, id="one header"),
        pytest.param(HEAD[:-2] + LINE * 1_000, id="many headers"),
        pytest.param(b"GET /" + b"a" * 1_048_576, id="a target"),
    ],
)
async def test_a_head_that_is_too_large_is_refused_before_its_end(head: bytes) -> None:
    """PLA-69: 431, and the connection is closed; the next client is answered."""
    async with serving() as port:
        async with connected(port) as (reader, writer):
            writer.write(head)
            assert (await reader.read()).startswith(b"HTTP/1.1 431 ")
        async with connected(port) as (reader, writer):
            writer.write(HEAD)
            assert (await reader.readuntil(ANSWER)).startswith(b"HTTP/1.1 200")


async def test_a_head_that_is_too_large_is_refused_where_it_comes_at_once() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(HEAD[:-2] + b"x: " + b"a" * (MAX_HEAD_BYTES + 3_000) + b"\r\n\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.1 431")


async def test_trailers_and_a_second_head_behind_a_request_are_bounded_too() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(b"POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n0\r\n" + LINE * 1_000)
        assert b"HTTP/1.1 431 " in await reader.read() or reader.at_eof()


@pytest.mark.parametrize(("limits", "status"), [({"of_address": 2}, b"429"), ({"most": 2}, b"503")])
async def test_a_connection_too_many_is_refused_and_the_others_go_on(limits: dict[str, Any], status: bytes) -> None:
    """PLA-69: a place is free again when a connection ends."""
    async with serving(**limits) as port, connected(port) as (reader, writer):
        async with connected(port), connected(port) as (refused, _):
            assert (await refused.read()).startswith(b"HTTP/1.1 " + status)
        writer.write(HEAD)
        assert (await reader.readuntil(ANSWER)).startswith(b"HTTP/1.1 200")
        async with connected(port) as (again, writer):
            writer.write(HEAD)
            assert (await again.readuntil(ANSWER)).startswith(b"HTTP/1.1 200")


async def test_a_trusted_proxy_has_no_share_of_its_own() -> None:
    async with (
        serving(of_address=1, proxies=["127.0.0.0/8"]) as port,
        connected(port),
        connected(port) as (reader, writer),
    ):
        writer.write(HEAD)
        assert (await reader.readuntil(ANSWER)).startswith(b"HTTP/1.1 200")


async def test_a_body_that_breaks_off_ends_the_connection() -> None:
    """A chunk that is none, while the request waits for its body: no connection is left that nobody counts."""

    async def read(request: Request) -> Response:
        return PlainTextResponse(str(len(await request.body())))

    chunked = b"POST /body HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n"
    async with serving(Route("/body", read, methods=["POST"])) as port, connected(port) as (reader, writer):
        writer.write(chunked)
        await asyncio.sleep(0.1)
        writer.write(b"no size\r\n")
        assert (await asyncio.wait_for(reader.read(), 10)).startswith(b"HTTP/1.1 400 ")
        async with asyncio.timeout(10):
            while True:  # a closed socket refuses what is written
                writer.write(b"x")
                try:
                    await writer.drain()
                except ConnectionError:
                    break
                await asyncio.sleep(0.05)


async def test_a_websocket_is_answered_as_any_request_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    """PLA-69: there are none by intention: no log says what to install."""
    asked = HEAD[:-2] + b"connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\r\n"
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(asked)
        assert (await reader.readuntil(ANSWER)).startswith(b"HTTP/1.1 200")
    assert "WebSocket" not in caplog.text and "upgrade" not in caplog.text
