"""Many users of one `wenmai serve`: seconds of an answer, errors, memory, processor, what it answers at full load.

`python -m benchmarks.serve_load --url http://127.0.0.1:2024 --pid PID` asks a running server's library `sample`.
"""

import argparse
import asyncio
import itertools
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import httpx
import psutil

from benchmarks.server_house import SECONDS

QUESTIONS = (
    "铜罗盘的盖子里刻着哪几个字？",
    "黑杜鹃号的大副是谁？",
    "他瞎了哪只眼睛？",
    "莫青衣和莫白衣是什么关系？",
    "陆听雪是哪一年结婚的？",
    "顾长庚守了多少年灯塔？",
    "裴九如是谁？",
    "主要人物有谁？",
)
MEGABYTE = 2**20


@dataclass
class Tally:
    """What the clients saw."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def line(self, name: str, took: float) -> str:
        """Return what was seen as one line."""
        cuts = statistics.quantiles(self.seconds, n=100) if len(self.seconds) > 1 else [0.0] * 99
        rate = len(self.seconds) / took
        return (
            f"{name}: {len(self.seconds)} answers, {len(self.errors)} errors, {rate:.2f} a second; "
            f"p50 {cuts[49]:.2f} s, p95 {cuts[94]:.2f} s, p99 {cuts[98]:.2f} s"
        )


async def ask(http: httpx.AsyncClient, question: str, thread: str | None, tally: Tally) -> str | None:
    """Ask one question; return the thread to ask on."""
    began = time.perf_counter()
    path = "/api/v1/ask" if thread is None else f"/api/v1/threads/{thread}/ask"
    try:
        reply = await http.post(path, json={"question": question, "library": "sample"})
        reply.raise_for_status()
    except httpx.HTTPError as error:
        tally.errors.append(str(error)[:200])
        return thread
    tally.seconds.append(time.perf_counter() - began)
    return str(reply.json()["thread_id"])


async def client(http: httpx.AsyncClient, number: int, every: float, end: float, tally: Tally) -> None:
    """Ask again and again on one thread until the end; 0 seconds: without a pause."""
    questions: Iterator[str] = itertools.islice(itertools.cycle(QUESTIONS), number % len(QUESTIONS), None)
    await asyncio.sleep(every * (number / 30 % 1))
    thread: str | None = None
    while time.monotonic() < end:
        began = time.monotonic()
        thread = await ask(http, next(questions), thread, tally)
        await asyncio.sleep(max(0.0, every - (time.monotonic() - began)))


async def phase(url: str, name: str, clients: int, every: float, seconds: float, pid: int | None) -> None:
    """Run clients and print what they saw, with the memory of the server before and after."""
    tally, began = Tally(), time.monotonic()
    before, spent = memory(pid), processor(pid)
    async with httpx.AsyncClient(base_url=url, timeout=SECONDS * 3, limits=httpx.Limits(max_connections=100)) as http:
        end = began + seconds
        await asyncio.gather(*(client(http, number, every, end, tally) for number in range(clients)))
    each = (processor(pid) - spent) / max(1, len(tally.seconds))
    took = tally.line(name, time.monotonic() - began)
    print(f"{took}; {each:.2f} s of a core an answer; {before:.0f} → {memory(pid):.0f} MB", flush=True)
    for error in sorted(set(tally.errors))[:3]:
        print("  ", error)


def memory(pid: int | None) -> float:
    """Return the resident memory of the server in MB."""
    return psutil.Process(pid).memory_info().rss / MEGABYTE if pid else 0.0


def processor(pid: int | None) -> float:
    """Return the seconds of processor time that the server has used."""
    return sum(psutil.Process(pid).cpu_times()[:2]) if pid else 0.0


async def main() -> None:
    """Warm up, then the paced phase, then full load."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--pid", type=int)
    parser.add_argument("--clients", type=int, default=30)
    parser.add_argument("--every", type=float, default=15.0)
    parser.add_argument("--seconds", type=float, default=120.0)
    given = parser.parse_args()
    await phase(given.url, "warming up", 4, 0.0, 10.0, given.pid)
    name = f"{given.clients} clients, a question every {given.every:g} s"
    await phase(given.url, name, given.clients, given.every, given.seconds, given.pid)
    await phase(given.url, "8 clients without a pause", 8, 0.0, 45.0, given.pid)


if __name__ == "__main__":
    asyncio.run(main())
