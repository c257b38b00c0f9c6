"""Many users of one `wenmai serve`: seconds of an answer, errors, memory, processor, what it answers at full load.

`python -m benchmarks.serve_load --url http://127.0.0.1:2024 --pid PID` asks a running server's library `sample`;
without an address a server of its own is started on the sample story. `--turns 1000` asks so many without a pause,
`--novel FILE` asks while a novel is taken in and ten documents are uploaded, `--questions FILE` each of these questions
once: the eight of the other phases come again and again, and the reader keeps what it read. `--markdown
docs/reports/serve_load.md` writes the report, `--json benchmarks/figures/serve_load.json` the figures.
"""

import argparse
import asyncio
import itertools
import statistics
import tempfile
import time
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]  # it ships no types

from benchmarks.measures import MEGABYTE, machine, write
from benchmarks.report import table
from benchmarks.server_house import SECONDS
from tests.integration.live_server import ROOT, wenmai
from tests.integration.own_server import API, job_end, serving
from wenmai.experiments.questions import load_questions

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
UPLOADS = 10
UPLOAD_CHARACTERS = 20_000
NOVEL = "novel"


COLUMNS = ["load", "answers", "errors", "a second", "p50 s", "p95 s", "p99 s", "core s an answer", "resident MB"]
HEAD = """# Many users of one server

Written by `benchmarks/serve_load.py`; nothing is typed by hand. A `wenmai serve` of its own on the sample story, the
offline mind and {cores} cores, which the clients share with it; load averages at the ends of the phases: {loads}. With
more than {cores} there was other work meanwhile; a quiet machine is faster.

"""


@dataclass
class Tally:
    """What the clients saw."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def figures(self, took: float) -> dict[str, float]:
        """Return what was seen as figures."""
        cuts = statistics.quantiles(self.seconds, n=100) if len(self.seconds) > 1 else [0.0] * 99
        return {
            "answers": len(self.seconds),
            "errors": len(self.errors),
            "a_second": len(self.seconds) / took,
            "p50_s": cuts[49],
            "p95_s": cuts[94],
            "p99_s": cuts[98],
        }


async def ask(http: httpx.AsyncClient, question: str, thread: str | None, tally: Tally) -> str | None:
    """Ask one question; return the thread to ask on."""
    began = time.perf_counter()
    path = "/ask" if thread is None else f"/threads/{thread}/ask"
    try:
        reply = await http.post(path, json={"question": question, "library": "sample"})
        reply.raise_for_status()
    except httpx.HTTPError as error:
        tally.errors.append(str(error)[:200])
        return thread
    tally.seconds.append(time.perf_counter() - began)
    return str(reply.json()["thread_id"])


async def client(
    http: httpx.AsyncClient,
    number: int,
    every: float,
    end: float,
    tally: Tally,
    turns: int | None,
    fresh: Iterator[str] | None,
) -> None:
    """Ask again and again on one thread until the end, or until all have so many turns; 0 seconds: without a pause."""
    questions = fresh or itertools.islice(itertools.cycle(QUESTIONS), number % len(QUESTIONS), None)
    await asyncio.sleep(every * (number / 30 % 1))
    thread: str | None = None
    while time.monotonic() < end and (turns is None or len(tally.seconds) + len(tally.errors) < turns):
        began = time.monotonic()
        if (question := next(questions, None)) is None:
            break
        thread = await ask(http, question, thread, tally)
        await asyncio.sleep(max(0.0, every - (time.monotonic() - began)))


async def phase(
    url: str,
    name: str,
    clients: int,
    every: float,
    seconds: float,
    pid: int | None,
    *,
    turns: int | None = None,
    novel: Path | None = None,
    fresh: Sequence[str] = (),
) -> dict[str, Any]:
    """Run clients, print and return what they saw, with the memory of the server before and after.

    Args:
        turns: in place of the seconds: how many turns there are to be.
        novel: is taken in meanwhile, with uploads beside it.
        fresh: questions that are asked once each, in place of those that come again.
    """
    text = "" if novel is None else novel.read_text(encoding="utf-8", errors="replace")
    tally, began = Tally(), time.monotonic()
    before, spent = memory(pid), processor(pid)
    base, limits = f"{url.rstrip('/')}{API}", httpx.Limits(max_connections=100)
    async with httpx.AsyncClient(base_url=base, timeout=SECONDS * 3, limits=limits) as http:
        end = began + (seconds if turns is None else SECONDS * turns)
        once = iter(fresh) if fresh else None
        asking: list[Awaitable[None]] = [client(http, n, every, end, tally, turns, once) for n in range(clients)]
        beside: list[Awaitable[None]] = []
        if novel is not None:
            pieces = [text[n * UPLOAD_CHARACTERS : (n + 1) * UPLOAD_CHARACTERS] for n in range(UPLOADS)]
            beside = [taken_in(http, novel), *(uploaded(http, n, piece) for n, piece in enumerate(pieces))]
        await asyncio.gather(*asking, *beside)
    figures: dict[str, Any] = {"phase": name, **tally.figures(time.monotonic() - began)}
    figures["core_s"] = (processor(pid) - spent) / max(1, len(tally.seconds))
    figures |= {"before_mb": before, "after_mb": memory(pid), "load": machine()["load_1min"]}
    print(" | ".join(row_of(figures)), flush=True)
    for error in sorted(set(tally.errors))[:3]:
        print("  ", error)
    return figures


def row_of(figures: Mapping[str, Any]) -> list[str]:
    """Return the figures of a phase as a row of COLUMNS."""
    seconds = [f"{figures[name]:.2f}" for name in ("a_second", "p50_s", "p95_s", "p99_s", "core_s")]
    memory_mb = f"{figures['before_mb']:.0f} → {figures['after_mb']:.0f}"
    return [str(figures["phase"]), *(str(figures[one]) for one in ("answers", "errors")), *seconds, memory_mb]


def page(runs: Sequence[Mapping[str, Any]]) -> str:
    """Return the report."""
    loads = ", ".join(f"{one['load']}" for one in runs)
    return HEAD.format(cores=machine()["cores"], loads=loads) + table(COLUMNS, [row_of(one) for one in runs]) + "\n"


async def taken_in(http: httpx.AsyncClient, novel: Path) -> None:
    """Take a novel into a library of its own."""
    began = time.monotonic()
    await http.delete(f"/libraries/{NOVEL}")
    (await http.post("/libraries", json={"name": NOVEL, "title": novel.stem})).raise_for_status()
    sent = await http.post(f"/libraries/{NOVEL}/sources", files={"file": (novel.name, novel.read_bytes())})
    job = await job_end(http, sent.raise_for_status().json()["id"])
    print("  ", novel.name, job["state"], f"after {time.monotonic() - began:.0f} s", flush=True)


async def uploaded(http: httpx.AsyncClient, number: int, text: str) -> None:
    """Upload a piece of the novel to a thread of its own."""
    began = time.monotonic()
    file, thread = (f"{number}.txt", text.encode()), {"thread_id": f"upload-{number}"}
    sent = await http.post("/documents", data=thread, files={"file": file}, headers={"prefer": "respond-async"})
    job = await job_end(http, sent.raise_for_status().json()["id"])
    print("   upload", number, job["state"], f"after {time.monotonic() - began:.0f} s", flush=True)


@contextmanager
def own_server() -> Iterator[tuple[str, int]]:
    """Run a server on the sample story and yield its address and its process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        done = wenmai(folder, "ingest", str(ROOT / "data" / "sample" / "雾港纪事.txt"), "--library", "sample")
        if done.returncode:
            raise SystemExit(done.stderr)
        with serving(folder, RATE_LIMIT="0", MAX_PENDING_TURNS="100") as live:
            yield live.url, live.pid


def memory(pid: int | None) -> float:
    """Return the resident memory of the server in MB."""
    return psutil.Process(pid).memory_info().rss / MEGABYTE if pid else 0.0


def processor(pid: int | None) -> float:
    """Return the seconds of processor time that the server has used."""
    return sum(psutil.Process(pid).cpu_times()[:2]) if pid else 0.0


async def main(url: str, pid: int | None, given: argparse.Namespace) -> None:
    """Warm up, then the paced phase, then full load, then what else is asked for."""
    paced = f"{given.clients} clients, a question every {given.every:g} s"
    await phase(url, "warming up", 4, 0.0, 10.0, pid)
    runs = [
        await phase(url, paced, given.clients, given.every, given.seconds, pid),
        await phase(url, "8 clients without a pause", 8, 0.0, given.full_seconds, pid),
    ]
    if given.turns:
        runs.append(await phase(url, f"{given.turns:,} turns by 8 clients", 8, 0.0, 0.0, pid, turns=given.turns))
    if given.questions:
        fresh = [talk.turns[0].question for talk in load_questions(given.questions)]
        name = f"8 clients without a pause, {len(fresh)} questions once each"
        runs.append(await phase(url, name, 8, 0.0, 0.0, pid, turns=len(fresh), fresh=fresh))
    if given.novel:
        name = f"{paced}, a novel of {given.novel.stat().st_size / 1_000:.0f} kB taken in, {UPLOADS} uploads"
        runs.append(await phase(url, name, given.clients, given.every, given.seconds, pid, novel=given.novel))
    if given.markdown:
        given.markdown.write_text(page(runs), encoding="utf-8")
    write(given.json, {"benchmark": "serve_load", "runs": runs, "machine": machine()})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="of a running server; default: one of its own")
    parser.add_argument("--pid", type=int, help="of that server's process")
    parser.add_argument("--clients", type=int, default=30)
    parser.add_argument("--every", type=float, default=15.0)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--full-seconds", type=float, default=45.0)
    parser.add_argument("--turns", type=int, default=0)
    parser.add_argument("--questions", type=Path, help="JSON lines of questions that are asked once each")
    parser.add_argument("--novel", type=Path)
    parser.add_argument("--markdown", type=Path, help="file for the report")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    if arguments.url:
        asyncio.run(main(arguments.url, arguments.pid, arguments))
    else:
        with own_server() as (own_url, own_pid):
            asyncio.run(main(own_url, own_pid, arguments))
