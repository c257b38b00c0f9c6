"""A `wenmai serve` that is abused: its disk, its process, its users with what they were told, and what was found."""

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]  # it ships no types

from benchmarks.measures import MEGABYTE
from tests.command_line import run_command
from tests.integration.live_server import LiveServer, environment, free_port, launched, prepare, stop, wait_for
from tests.integration.own_server import API
from tests.temporary import copied, own_disk

LETTERS = "ghjkmnpqrstvwxyz"  # a mark is in no id, which are of hexadecimal digits
DISK_MB = 1_500
RESERVE_MB = 256
BODY_SECONDS = 8.0
SETTINGS = {"REQUEST_TIMEOUT_S": f"{BODY_SECONDS:g}", "AUDIT": "true", "DISK_RESERVE_MB": str(RESERVE_MB)}
SECONDS = 120.0
END_SECONDS = 25.0  # the server's own limits are 10 s for requests and 10 s for its stores
ORPHAN_SECONDS = 65.0  # a process that reads a file has 60 s of the processor
CUT_OFF = "cut off"
SHOWN = 300
JOB_LOOKS, LOOK_EVERY_S = 100, 0.3


@dataclass(slots=True)
class Findings:
    """What was done, what came of it, and what broke.

    Attributes:
        outcomes: how often each outcome came, by kind of abuse.
        faults: kind and fault.
        counts: how much of each invariant was looked at.
    """

    outcomes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    faults: list[tuple[str, str]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    figures: dict[str, float] = field(default_factory=dict)

    def note(self, kind: str, outcome: str) -> None:
        self.outcomes[kind][outcome] += 1

    def fault(self, kind: str, what: str) -> None:
        self.faults.append((kind, what))
        print(f"FAULT {kind}: {what}", file=sys.stderr, flush=True)

    def require(self, kind: str, holds: bool, what: str) -> None:
        if not holds:
            self.fault(kind, what)


@dataclass(slots=True)
class House:
    """A server that is started, killed and started again on the same data.

    Attributes:
        is_mounted: the data lie on a disk of their own, which can be filled.
        gate: open while users and attackers may begin something.
        busy: what they have begun.
    """

    folder: Path
    is_mounted: bool
    findings: Findings
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    busy: int = 0
    starts: int = 0
    lives: list[float] = field(default_factory=list)
    process: "subprocess.Popen[bytes] | None" = None
    live: LiveServer | None = None

    @property
    def disk(self) -> Path:
        return self.folder / "disk"

    @property
    def data(self) -> Path:
        return self.disk / "data"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    @property
    def url(self) -> str:
        return self.live.url if self.live else "http://127.0.0.1:9"

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    @property
    def pid(self) -> int:
        return self.live.pid if self.live else 0

    @property
    def settings(self) -> dict[str, str]:
        places = {
            "DATA_DIR": str(self.data),
            "TRACE_DIR": str(self.disk / "traces"),
            "TMPDIR": str(self.folder / "tmp"),
        }
        return {**environment(self.folder), **SETTINGS, **places}

    def command(self, *arguments: str) -> str:
        """Return what a command of the command line prints. Raises RuntimeError where it fails."""
        done = run_command(arguments, folder=self.folder, environment=self.settings)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def spawn(self, *options: str, **settings: str) -> LiveServer:
        """Start the process of a server, which need not answer yet."""
        port, command = free_port(), [sys.executable, "-m", "wenmai", "serve", *options]
        self.process = launched(self.folder, command, {**self.settings, **settings}, port)
        self.starts += 1
        return LiveServer(f"http://127.0.0.1:{port}", self.folder, self.process.pid)

    def start(self, *options: str, **settings: str) -> bool:
        """Start a server and wait until it answers; one that does not come up is a fault. Blocks."""
        began, live = time.monotonic(), self.spawn(*options, **settings)
        if self.process is None:
            return False
        try:
            wait_for(live, self.process, "/health")
        except AssertionError as error:
            self.findings.fault("start", f"the server does not come up: {str(error)[-SHOWN:]}")
            stop(self.process)
            return False
        self.lives.append(time.monotonic() - began)
        self.live = live
        return True

    def end(self, kind: int, patience: float = END_SECONDS) -> int:
        """Send a signal and wait for the end of the process; return its exit code. Blocks."""
        if self.process is None or self.process.poll() is not None:
            return 0
        children = psutil.Process(self.process.pid).children(recursive=True)
        os.kill(self.process.pid, kind)
        try:
            code = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.findings.fault("end", f"the process goes on {patience:g} s after signal {kind}")
            stop(self.process)
            code = -signal.SIGKILL
        self.live = None
        _, left = psutil.wait_procs(children, timeout=ORPHAN_SECONDS)
        self.findings.require("end", not left, f"{len(left)} child processes go on {ORPHAN_SECONDS:g} s after the end")
        for one in left:
            one.kill()
        return code

    async def quiet(self) -> None:
        """Close the gate and wait until nobody is at anything."""
        self.gate.clear()
        while self.busy:
            await asyncio.sleep(0.05)

    def usage(self) -> dict[str, float]:
        """Return what the process takes: resident and anonymous memory in MB, open files, threads, children."""
        process = psutil.Process(self.pid)
        memory = process.memory_full_info()
        return {
            "resident_mb": memory.rss / MEGABYTE,
            "unique_mb": memory.uss / MEGABYTE,
            "files": process.num_fds(),
            "threads": process.num_threads(),
            "children": len(process.children(recursive=True)),
        }

    def temporary(self) -> list[str]:
        """Return what lies where only files of work under way may lie."""
        places = ("tmp/*", "disk/data/.uploads/*", "disk/data/.jobs/*", "disk/data/.*.deleted")
        return [str(path.relative_to(self.folder)) for place in places for path in self.folder.glob(place)]


@contextmanager
def house_of(folder: Path, findings: Findings) -> Iterator[House]:
    """Furnish a house in an empty folder: a disk of its own where one can be mounted, and a small library on it."""
    prepared, place = folder / "prepared", folder / "house"
    prepared.mkdir()
    place.mkdir()
    prepare(prepared)
    (place / "tmp").mkdir()
    with own_disk(place / "disk", f"{DISK_MB}m") as reason:
        house = House(place, not reason, findings)
        try:
            copied(prepared / "data", house.data)
            copied(house.data / "sample", house.data / "spare")
            yield house
        finally:
            if house.process is not None:
                stop(house.process)


@dataclass(slots=True)
class Person:
    """A user with a key: what was asked and kept, as the server has acknowledged it.

    Attributes:
        mark: stands in everything of this user, and nowhere else.
        others: the marks that must not be in any answer.
        threads: question and answer of each turn that has ended, by thread.
        gone: threads whose deletion was acknowledged.
        begun: threads under ids that another had used.
        memories: the word of each by its key; None where a change was not acknowledged.
        documents: by thread the names of its files.
    """

    house: House
    name: str
    token: str
    mark: str
    http: httpx.AsyncClient
    others: tuple[str, ...] = ()
    threads: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    begun: set[str] = field(default_factory=set)
    traces: list[str] = field(default_factory=list)
    memories: dict[str, str | None] = field(default_factory=dict)
    documents: dict[str, set[str]] = field(default_factory=dict)
    jobs: list[str] = field(default_factory=list)
    words: int = 0

    def word(self) -> str:
        """Return a new secret of this user."""
        self.words += 1
        return f"{self.mark}{self.words}"

    async def call(self, kind: str, method: str, path: str, **options: Any) -> httpx.Response | None:
        """Send a request, note its outcome and look through the answer; None where there was none."""
        options.setdefault("headers", {"authorization": f"Bearer {self.token}"})
        try:
            reply = await self.http.request(method, f"{self.house.url}{path}", **options)
        except httpx.TransportError as error:
            left = isinstance(error, httpx.ReadTimeout)
            self.house.findings.note(kind, "left" if left and "timeout" in options else CUT_OFF)
            if left and "timeout" not in options:
                self.house.findings.fault(kind, f"no answer within {SECONDS:g} s: {method} {path}")
            return None
        self.house.findings.note(kind, str(reply.status_code))
        self.look(kind, f"{method} {path}", reply.status_code, reply.text)
        return reply

    async def job_end(self, kind: str, id: str) -> str | None:
        """Return the state of a job when it is over; None where it is not seen to end."""
        for _ in range(JOB_LOOKS):
            job = await self.call(kind, "GET", f"{API}/jobs/{id}")
            if job is None or job.status_code != 200:
                return None  # killed meanwhile: what was not done is not there
            if (state := str(job.json()["state"])) != "running":
                return state
            await asyncio.sleep(LOOK_EVERY_S)
        return None

    async def stream(self, kind: str, path: str, body: Mapping[str, Any], most: int | None = None) -> list[Any]:
        """Ask for a stream and return its events, each with its name; with `most` leave after so many."""
        events: list[Any] = []
        name, kept = "", bytearray()
        headers = {"authorization": f"Bearer {self.token}", "accept": "text/event-stream"}
        outcome = "left"
        try:
            url = f"{self.house.url}{API}{path}"
            async with self.http.stream("POST", url, json=body, headers=headers) as reply:
                outcome = str(reply.status_code)
                async for line in reply.aiter_lines():
                    kept += line.encode()
                    if line.startswith("event: "):
                        name = line.removeprefix("event: ")
                    elif line.startswith("data: "):
                        events.append((name, json.loads(line.removeprefix("data: "))))
                    if most is not None and len(events) >= most:
                        outcome = "left"
                        break
        except httpx.TransportError:
            outcome = CUT_OFF
        self.house.findings.note(kind, outcome)
        text = kept.decode()
        self.look(kind, f"POST {path}", int(outcome) if outcome.isdecimal() else 200, text)
        for event, data in events:
            if event == "error":
                self.house.findings.require(kind, data.get("status") != 500, f"an event of a 500: {data}")
        return events

    def look(self, kind: str, request: str, status: int, text: str) -> None:
        """Look for what must be in no answer: another's mark, a 500, a refusal without a line that explains it."""
        findings = self.house.findings
        findings.counts["answers"] += 1
        findings.counts["own"] += self.mark in text
        for other in self.others:
            findings.require(kind, other not in text, f"{request} as {self.name} has another's secret: {text[:SHOWN]}")
        if status == 500:
            findings.fault(kind, f"{request}: 500 {text[:SHOWN]}")
        elif status >= 400:
            findings.require(kind, explains(text), f"{request}: {status} without a line: {text[:SHOWN]!r}")

    async def verify(self, kind: str, rng: random.Random, *, everything: bool = False) -> None:
        """Look whether all that was acknowledged is there, and what was deleted is not."""
        findings = self.house.findings
        listed = {one["id"] for one in await self.pages(kind, "/threads")}
        missing = [id for id in self.threads if id not in listed]
        findings.require(kind, not missing, f"threads of {self.name} are gone: {missing[:3]}")
        back = self.gone & listed
        findings.require(kind, not back, f"deleted threads of {self.name} are back: {sorted(back)[:3]}")
        chosen = (
            set(self.threads)
            if everything
            else self.changed | set(rng.sample(sorted(self.threads), min(3, len(self.threads))))
        )
        for id in sorted(chosen & set(self.threads) & listed):
            turns = [(one["question"], one["answer"]) for one in await self.pages(kind, f"/threads/{id}/turns")]
            rest = iter(turns)
            lost = [one for one in self.threads[id] if one not in rest]
            findings.require(kind, not lost, f"turns of {self.name} on {id} are gone: {lost[:1]} of {len(turns)}")
            findings.counts["turns"] += len(self.threads[id])
        self.changed.clear()
        kept = {one["key"]: one["content"] for one in await self.pages(kind, "/memories")}
        for key, word in self.memories.items():
            if word is not None:
                findings.require(
                    kind, word in kept.get(key, ""), f"memory {key} of {self.name} is gone: {kept.get(key)}"
                )
                findings.counts["memories"] += 1
        for thread, names in self.documents.items():
            found = {one["filename"] for one in await self.pages(kind, "/documents", thread_id=thread)}
            findings.require(kind, names <= found, f"documents of {self.name} are gone: {sorted(names - found)}")
            findings.counts["documents"] += len(names)
        for trace in self.traces if everything else self.traces[-2:]:
            reply = await self.call(kind, "GET", f"{API}/traces/{trace}")
            findings.require(kind, reply is not None and reply.is_success, f"trace {trace} of {self.name} is gone")
            findings.counts["traces"] += 1

    async def pages(self, kind: str, path: str, **query: Any) -> list[dict[str, Any]]:
        """Return all rows of a list."""
        rows: list[dict[str, Any]] = []
        offset: int | None = 0
        while offset is not None:
            reply = await self.call(kind, "GET", f"{API}{path}", params={"limit": 200, "offset": offset, **query})
            if reply is None or not reply.is_success:
                self.house.findings.fault(kind, f"{path} of {self.name} cannot be read: {reply and reply.text[:SHOWN]}")
                return rows
            rows += reply.json()["items"]
            offset = reply.json()["next"]
        return rows


def explains(text: str) -> bool:
    """Return True for a refusal that says in one line what is wrong, whichever of the server's forms it has."""
    try:
        body = json.loads(text)
    except ValueError:
        body = {"detail": text.strip()}
    if not isinstance(body, dict):
        return False
    error = body.get("error")
    said = body.get("detail") or body.get("message") or (error.get("message") if isinstance(error, dict) else error)
    return bool(said) and "\n" not in str(said)


def new_mark(rng: random.Random) -> str:
    return "".join(rng.choice(LETTERS) for _ in range(10))


def new_folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="abuse-")


def fill(disk: Path, left_mb: int) -> Path:
    """Fill a disk but for so many megabytes, or a few more where others write meanwhile; return the file that does."""
    path = disk / "fill"
    with path.open("wb") as file:
        for more in range(64):
            with suppress(OSError):
                os.posix_fallocate(file.fileno(), 0, max(1, shutil.disk_usage(disk).free - (left_mb + more << 20)))
                break
    return path


def files_with(folder: Path, text: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the files that contain a text as it stands, each with what stands around it."""
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        if (at := data.find(text)) >= 0:
            yield str(path.relative_to(folder)), data[max(0, at - 60) : at + 60]
