"""What is sent to an abused server over raw connections: broken, huge and slow requests."""

import asyncio
import json
import random
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from benchmarks.abuse_acts import QUESTIONS
from benchmarks.abuse_house import BODY_SECONDS, CUT_OFF, SHOWN, Findings, House, explains
from benchmarks.measures import MEGABYTE
from tests.integration.own_server import API

LONGEST_S = 10 * BODY_SECONDS + 30  # an upload has ten times as many seconds for its body


def wire(head: str, body: bytes = b"") -> bytes:
    return head.replace("\n", "\r\n").encode("utf-8", "surrogateescape") + body


def post(path: str, token: str, body: bytes, *more: str, kind: str = "application/json") -> bytes:
    """Return a POST as it goes over the wire; `more` headers in place of the body's length."""
    lines = [f"POST {path} HTTP/1.1", "host: 127.0.0.1", f"authorization: Bearer {token}", f"content-type: {kind}"]
    return wire("\n".join([*lines, *(more or (f"content-length: {len(body)}",)), "", ""]), body)


def questions(rng: random.Random) -> bytes:
    """Return a body that is no question."""
    deep = b"[" * 200_000 + b"]" * 200_000
    wrong: tuple[bytes, ...] = (
        deep,
        b'{"question": ' + deep + b"}",
        b'{"question": "\\ud800"}',
        b'{"question": "\xff\xfe"}',
        b'{"question": "a\\u0000b", "library": "sample"}',
        b'{"question": 1e999, "library": "sample"}',
        b'{"question": "x", "as_of_chapter": 9223372036854775808, "library": "sample"}',
        b'{"question": "x", "as_of_chapter": NaN}',
        b'{"question": "x", "question": "y"}',
        b'{"question": "x", "library": "../../etc"}',
        b'{"question": "x", "deadline_s": -1, "library": "sample"}',
        b'{"question": "' + b"A" * 900_000 + b'"}',
        b"",
        b"null",
        rng.randbytes(5_000),
    )
    return rng.choice(wrong)


def form(rng: random.Random) -> bytes:
    """Return a body that is no upload."""
    part = b'--b\r\ncontent-disposition: form-data; name="%b"%b\r\n\r\n%b\r\n'
    named = b'; filename="%b"'
    wrong: tuple[bytes, ...] = (
        b"",
        b"--b--",
        part % (b"file", named % b"", b"x") + b"--b--\r\n",
        part % (b"file", named % b"../../../etc/passwd", b"x") + b"--b--\r\n",
        part % (b"file", named % b"a\x00b.txt", b"x"),
        b"".join(part % (b"f%d" % n, b"", b"x") for n in range(2_000)) + b"--b--\r\n",
        part % (b"file", named % b"a.txt", b"x") * 30 + b"--b--\r\n",
        part % (b"thread_id", b"", b"x" * 300_000) + b"--b--\r\n",
        rng.randbytes(20_000),
    )
    return rng.choice(wrong)


@dataclass(frozen=True, slots=True)
class Attack:
    """What is sent over a connection: pieces with pauses between; what ends it is the server, or `leaves` after all."""

    kind: str
    pieces: Callable[[random.Random, str], Iterator[bytes]]
    pause_s: float = 0.0
    leaves: bool = False


def endless_head(rng: random.Random, token: str) -> Iterator[bytes]:
    yield b"GET /health HTTP/1.1\r\nhost: x\r\n"
    for n in range(8):
        yield b"x-%d: " % n + b"a" * rng.choice([2_000, MEGABYTE]) + b"\r\n"


def many_lines(rng: random.Random, token: str) -> Iterator[bytes]:
    yield b"GET /health HTTP/1.1\r\n" + b"".join(b"a%d: b\r\n" % n for n in range(rng.choice([90, 5_000]))) + b"\r\n"


def broken_head(rng: random.Random, token: str) -> Iterator[bytes]:
    heads: tuple[bytes, ...] = (
        rng.randbytes(3_000),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(400),
        b"GET\r\n\r\n",
        b"GET /health HTTP/9.9\r\nhost: x\r\n\r\n",
        b"\x00 / HTTP/1.1\r\n\r\n",
        b"GET /%ff%00%zz HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /health HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n",
        b"POST /api/v1/ask HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\nzzz\r\n",
        b"GET /health HTTP/1.1\r\nhost : x\r\n folded\r\n\r\n",
        b"CONNECT 127.0.0.1:22 HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /api/v1/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \xff\xfe\r\n\r\n",
        b"GET /api/v1/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer " + token.encode()[:-1] + b"\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
        b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n" * 50,
    )
    yield rng.choice(heads)


def slow_head(rng: random.Random, token: str) -> Iterator[bytes]:
    for letter in b"GET /health HTTP/1.1\r\nx-slow: " + b"a" * 200:
        yield bytes([letter])


def half_request(rng: random.Random, token: str) -> Iterator[bytes]:
    whole = post(f"{API}/ask", token, json.dumps({"question": QUESTIONS[0], "library": "sample"}).encode())
    yield whole[: rng.randrange(1, len(whole))]


def half_upload(rng: random.Random, token: str) -> Iterator[bytes]:
    kind = "multipart/form-data; boundary=b"
    body = b'--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n' + b"x" * 200_000
    yield post(f"{API}/documents", token, body[: rng.randrange(len(body))], "content-length: 9000000", kind=kind)


def huge_body(rng: random.Random, token: str) -> Iterator[bytes]:
    path = rng.choice(["ask", "memories", "documents", "tools/ask", "memories/import"])
    yield post(f"{API}/{path}", token, b"", f"content-length: {20 * MEGABYTE}")
    for _ in range(20):
        yield b" " * MEGABYTE


def endless_chunks(rng: random.Random, token: str) -> Iterator[bytes]:
    yield post(f"{API}/{rng.choice(['ask', 'memories'])}", token, b"", "transfer-encoding: chunked")
    for _ in range(20):
        yield b"80000\r\n" + b" " * 0x80000 + b"\r\n"


def broken_chunks(rng: random.Random, token: str) -> Iterator[bytes]:
    yield post(f"{API}/ask", token, b"", "transfer-encoding: chunked")
    yield rng.choice([b"zz\r\n", b"-1\r\n\r\n", b"5\r\nabcdefgh", b"fffffffffffffffff\r\n", rng.randbytes(100)])


def broken_body(rng: random.Random, token: str) -> Iterator[bytes]:
    path = rng.choice(["ask", "memories", "memories/import", "tools/search_memory", "libraries"])
    yield post(f"{API}/{path}", token, questions(rng))


def broken_form(rng: random.Random, token: str) -> Iterator[bytes]:
    kind = rng.choice(["multipart/form-data; boundary=b", "multipart/form-data", "multipart/form-data; boundary="])
    yield post(f"{API}/documents", token, form(rng), kind=kind)


def slow_body(rng: random.Random, token: str) -> Iterator[bytes]:
    yield post(f"{API}/{rng.choice(['ask', 'memories'])}", token, b"", "content-length: 100000")
    for _ in range(200):
        yield b" "


ATTACKS = (
    Attack("head of megabytes", endless_head),
    Attack("many header lines", many_lines),
    Attack("broken head", broken_head),
    Attack("slow head", slow_head, pause_s=0.2),
    Attack("half a request, then silence", half_request),
    Attack("half a request, then gone", half_request, leaves=True),
    Attack("half an upload, then gone", half_upload, leaves=True),
    Attack("body of 20 MB", huge_body),
    Attack("endless chunks", endless_chunks),
    Attack("broken chunks", broken_chunks),
    Attack("broken body", broken_body),
    Attack("broken form", broken_form),
    Attack("slow body", slow_body, pause_s=0.2),
)


async def attack(house: House, one: Attack, rng: random.Random, token: str, address: str) -> None:
    """Make an attack from an address of its own and note what came of it."""
    findings = house.findings
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", house.port, local_addr=(address, 0))
    except OSError:
        findings.note(one.kind, CUT_OFF)
        return
    if one.leaves:
        sock: socket.socket = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # with a reset
    reply = b""
    try:
        async with asyncio.timeout(LONGEST_S):
            reading = asyncio.ensure_future(everything(reader))
            await sent(writer, one.pieces(rng, token), one.pause_s, reading)
            if one.leaves:
                reading.cancel()
                outcome = "left"
            else:
                reply = await reading
                outcome = status_of(reply)
    except TimeoutError:
        outcome = "still open"
        findings.fault(one.kind, f"the connection is open after {LONGEST_S:g} s")
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
    findings.note(one.kind, outcome)
    look_at(findings, one.kind, outcome, reply)


async def sent(
    writer: asyncio.StreamWriter, pieces: Iterable[bytes], pause_s: float, reading: "asyncio.Future[bytes]"
) -> None:
    """Send pieces as long as the server takes them."""
    with suppress(OSError):
        for piece in pieces:
            if reading.done():
                return
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause_s)


async def everything(reader: asyncio.StreamReader) -> bytes:
    """Return what the server sends until it ends the connection."""
    found = bytearray()
    with suppress(OSError):
        while piece := await reader.read(65_536):
            found += piece[: MEGABYTE - len(found)]
    return bytes(found)


def status_of(reply: bytes) -> str:
    """Return the last status of an answer, 'closed' where there was none."""
    lines = [line for line in reply.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
    return lines[-1][9:12].decode(errors="replace") if lines else "closed"


def look_at(findings: Findings, kind: str, status: str, reply: bytes) -> None:
    findings.counts["answers"] += 1
    findings.require(kind, b"HTTP/1.1 500" not in reply, f"500: {reply[-SHOWN:]!r}")
    if status.startswith(("4", "5")) and b"transfer-encoding: chunked" not in reply:
        body = reply.rpartition(b"\r\n\r\n")[2].decode(errors="replace")
        findings.require(kind, explains(body), f"{status} without a line: {reply[-SHOWN:]!r}")


async def many_connections(house: House, rng: random.Random, address: str) -> None:
    """Open more connections than one address may have, say nothing, and close them after a while."""
    opened: list[asyncio.StreamWriter] = []
    statuses: list[str] = []

    async def one() -> None:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", house.port, local_addr=(address, 0))
            opened.append(writer)
            with suppress(TimeoutError):
                async with asyncio.timeout(2):
                    statuses.append(status_of(await everything(reader)))

    await asyncio.gather(*(one() for _ in range(rng.choice([120, 200]))))
    for writer in opened:
        writer.close()
    house.findings.note("200 connections of one address", f"{statuses.count('429')} refused")
