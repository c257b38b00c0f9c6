"""What hostile documents get: each is uploaded to a running server, which is asked a question meanwhile.

python benchmarks/hostile_documents.py --markdown docs/reports/hostile_documents.md --json hostile_documents.json
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx

from benchmarks.hostile_files import MEGABYTE, hostile
from benchmarks.measures import machine, write
from tests.integration.live_server import LiveServer, prepare, running

ASKED: dict[str, Any] = {
    "assistant_id": "agent",
    "input": {"messages": [{"role": "user", "content": "苏晚亭是谁？"}]},
    "context": {"library": "sample"},
}
ANSWERED = "守塔人"
SECONDS = 600
FILES = 6
SHOWN = 160


@dataclass(frozen=True, slots=True)
class Row:
    """One upload: its status, what was said, and how long the question beside it took."""

    document: str
    filename: str
    status: int
    seconds: float
    said: str
    answered: bool
    answer_seconds: float


async def row(http: httpx.AsyncClient, label: str, filename: str, send: Callable[[], Awaitable[httpx.Response]]) -> Row:
    """Upload and ask at the same time."""

    async def timed(work: Callable[[], Awaitable[httpx.Response]]) -> tuple[httpx.Response, float]:
        started = time.perf_counter()
        reply = await work()
        return reply, round(time.perf_counter() - started, 1)

    async def ask() -> httpx.Response:
        return await http.post("/runs/wait", json=ASKED)

    (reply, seconds), (answer, waited) = await asyncio.gather(timed(send), timed(ask))
    found = Row(label, filename, reply.status_code, seconds, said(reply), ANSWERED in answer.text, waited)
    print(f"{found.status} {found.seconds:5.1f} s {label}", flush=True)
    return found


def said(reply: httpx.Response) -> str:
    """Return what the uploader is told."""
    body = reply.json()
    return str(body["message"] if "message" in body else body["detail"])


def upload(
    http: httpx.AsyncClient, filename: str, data: bytes, session: str
) -> Callable[[], Awaitable[httpx.Response]]:
    """Return what uploads a file to a session."""

    async def send() -> httpx.Response:
        fields = {"thread_id": session}
        return await http.post("/api/v1/documents", files={"file": (filename, data)}, data=fields)

    return send


async def rows(http: httpx.AsyncClient) -> list[Row]:
    """Upload every file, each to a session of its own."""
    found = [
        await row(http, one.label, one.filename, upload(http, one.filename, one.make(), f"s{n}"))
        for n, one in enumerate(hostile())
    ]
    found.append(await row(http, "11 MB", "big.txt", upload(http, "big.txt", b"a" * 11 * MEGABYTE, "big")))
    found.append(await row(http, "a body without end", "endless.txt", lambda: endless(http)))
    for n in range(1, FILES):
        await upload(http, f"{n}.txt", b"hello", "six")()
    found.append(await row(http, "a sixth file", "6.txt", upload(http, "6.txt", b"hello", "six")))
    return found


async def endless(http: httpx.AsyncClient) -> httpx.Response:
    """Send 40 MB without telling how many there will be."""

    async def body() -> AsyncIterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="endless.txt"\r\n\r\n'
        for _ in range(40):
            yield b"a" * MEGABYTE

    headers = {"content-type": "multipart/form-data; boundary=x"}
    return await http.post("/api/v1/documents", content=body(), headers=headers)


def memory(server: LiveServer) -> int:
    """Return the most megabytes that the server's processes have held at once, by the largest of them."""
    peaks = [peak(status) for status in Path("/proc").glob("[0-9]*/status") if group_of(status) == server.pid]
    return max(peaks, default=0) // 1024


def group_of(status: Path) -> int:
    """Return the group of a process; 0 where it is gone."""
    try:
        return os.getpgid(int(status.parent.name))
    except ProcessLookupError:
        return 0


def peak(status: Path) -> int:
    """Return the most kilobytes that a process has held."""
    lines = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
    return int(lines[0].split()[1]) if lines else 0


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    slowest = max(one["answer_seconds"] for one in figures["rows"])
    answered = sum(one["answered"] for one in figures["rows"])
    questions, machine_was = len(figures["rows"]), figures["machine"]
    head = (
        "# Hostile documents\n\nWritten by `benchmarks/hostile_documents.py`: every file was uploaded to a running"
        f" server, which was asked a question at the same time. {answered} of {questions} questions were answered, the"
        f" slowest in {slowest} s; alone it took {figures['alone_seconds']} s. The server's process held at most"
        f" {figures['peak_mb']} MB. {machine_was['cores']} cores, load {machine_was['load_1min']}.\n\n"
        "| document | name | status | seconds | said | answers meanwhile |\n| --- | --- | --- | --- | --- | --- |\n"
    )
    lines = [
        f"| {one['document']} | `{one['filename']}` | {one['status']} | {one['seconds']} | {cell(one['said'])} "
        f"| {'yes' if one['answered'] else 'NO'}, {one['answer_seconds']} s |"
        for one in figures["rows"]
    ]
    return head + "\n".join(lines) + "\n"


def cell(text: str) -> str:
    """Return a text as it may stand in a table."""
    return text.replace("|", "\\|")[:SHOWN]


async def measured(folder: Path) -> dict[str, Any]:
    """Start a server, upload everything, return the figures."""
    prepare(folder)
    with running(folder) as server:
        async with httpx.AsyncClient(base_url=server.url, timeout=SECONDS) as http:
            for _ in range(2):
                started = time.perf_counter()
                await http.post("/runs/wait", json=ASKED)
            alone = round(time.perf_counter() - started, 1)
            found = await rows(http)
            figures = {"alone_seconds": alone, "peak_mb": memory(server), "rows": [asdict(one) for one in found]}
    return {"benchmark": "hostile_documents", "machine": machine(), **figures}


def main() -> None:
    """Run and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--markdown", type=Path, help="file for the table")
    parser.add_argument("--json", type=Path, help="file for the figures")
    parser.add_argument("--from-json", type=Path, help="write the table of figures that were taken before")
    arguments = parser.parse_args()
    if arguments.from_json:
        figures = json.loads(arguments.from_json.read_text(encoding="utf-8"))
    else:
        with tempfile.TemporaryDirectory() as folder:
            figures = asyncio.run(measured(Path(folder)))
    if arguments.markdown:
        arguments.markdown.write_text(table(figures), encoding="utf-8")
    write(arguments.json, figures)


if __name__ == "__main__":
    main()
