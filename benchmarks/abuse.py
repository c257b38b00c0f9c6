"""Random abuse of a real `wenmai serve` on loopback, scripted by a seed, and what held of it.

    python -m benchmarks.abuse --seeds 1 2 --seconds 3600 --markdown docs/reports/abuse.md --json abuse.json

The seed says what each user, each attacker and each strike does, in which order; what meets what is left to the clock.
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from benchmarks.abuse_acts import (
    ATTACKS,
    USER_ACTS,
    Act,
    Operator,
    ask,
    ask_watched,
    attack,
    hostile_files,
    many_connections,
    remember,
    upload,
    upload_hostile,
)
from benchmarks.abuse_house import (
    DISK_MB,
    SECONDS,
    SHOWN,
    Findings,
    House,
    Person,
    fill,
    house_of,
    new_folder,
    new_mark,
)
from benchmarks.measures import machine, write
from benchmarks.report import table
from tests.integration.live_server import stop
from tests.integration.own_server import API
from wenmai.access.keyring import REFRESH_S
from wenmai.checkpoints import CHECKPOINTS_FILE

HOUR = 3_600.0
STRIKES_EVERY = 25.0  # seconds between two strikes, on an average
CALM = 0.2  # of the time, at the end, without strikes: memory is compared within one life of the process
SHORTEST_CALM, LONGEST_CALM = 30.0, 300.0  # in less a process does not get warm
WARMING = 0.4  # of the calm, before memory is taken
ATTACKERS = 3
# What a process may take at the end beyond what it took when it was warm; pools start threads as they are needed.
MORE = {"resident_mb": 96, "files": 16, "threads": 40, "children": 0}
CUT_OFF_S = 0.05
UP_SECONDS = 60.0
BELOW_RESERVE_MB, FILLING_S = 220, 6.0  # less than DISK_RESERVE_MB: nothing begins to write any more
GRAPH_FILE = "graph.lbug"  # the engine writes whole pages of its memory, with what else was in it before
JOB_SECONDS = 240.0
WHO = {"question": "苏晚亭是谁？", "library": "sample"}


@dataclass(slots=True)
class Play:
    """A run: the house, who is in it, and when it is over."""

    house: House
    people: list[Person]
    operator: Operator
    seed: int
    hostile: Act
    is_over: bool = False

    def rng(self, name: str) -> random.Random:
        return random.Random(f"{self.seed} {name}")

    async def user(self, who: Person, other: Person) -> None:
        """Do what a user does, one thing after another."""
        rng = self.rng(who.name)
        acts = [*USER_ACTS, (1, self.hostile)]
        weights = [weight for weight, _ in acts]
        while not self.is_over:
            async with self.turn():
                await rng.choices(acts, weights)[0][1](who, other, rng)
            await asyncio.sleep(rng.uniform(0, 0.3))

    async def operate(self) -> None:
        rng = self.rng("operator")
        while not self.is_over:
            async with self.turn():
                await self.operator.act(rng)
            await asyncio.sleep(rng.uniform(0, 4))

    @asynccontextmanager
    async def turn(self) -> Any:
        await self.house.gate.wait()
        self.house.busy += 1
        try:
            yield
        finally:
            self.house.busy -= 1

    async def attacker(self, number: int) -> None:
        """Attack from an address of one's own; what is under way when a strike comes is cut off."""
        rng, address = self.rng(f"attacker {number}"), f"127.0.0.{10 + number}"
        while not self.is_over:
            await self.house.gate.wait()
            if rng.random() < 0.03:
                await many_connections(self.house, rng, address)
            else:
                await attack(self.house, rng.choice(ATTACKS), rng, rng.choice(self.people).token, address)
            await asyncio.sleep(rng.uniform(0, 0.5))

    async def verify(self, kind: str, *, everything: bool = False) -> None:
        """Look whether everything that was acknowledged is there."""
        rng = self.rng(f"verify {self.house.starts}")
        for who in self.people:
            await who.verify(kind, rng, everything=everything)
        for name, chapters in self.operator.chapters.items():
            reply = await self.operator.who.call(kind, "GET", f"{API}/libraries/{name}")
            row = reply.json() if reply is not None and reply.is_success else {}
            held = row.get("chapters") == chapters and row.get("problem") is None
            self.house.findings.require(kind, held, f"library {name} had {chapters} chapters: {row}")
            self.house.findings.counts["libraries"] += 1


Strike = Callable[[Play, random.Random], Awaitable[None]]


async def ended(play: Play, kind: int) -> int:
    """End the server by a signal, with requests under way and none behind them; return its exit code."""
    ending = asyncio.ensure_future(asyncio.to_thread(play.house.end, kind))
    await asyncio.sleep(CUT_OFF_S)
    play.house.gate.clear()
    return await ending


async def restart(play: Play, kind: str, *options: str) -> None:
    """Start the server again, look whether everything is there, and let the users go on."""
    house = play.house
    house.gate.clear()
    if await asyncio.to_thread(house.start, *options):
        house.findings.note(kind, "up again")
        await house.quiet()
        await play.verify(kind)
    house.gate.set()


async def killed(play: Play, rng: random.Random) -> None:
    """Kill -9 under load."""
    play.house.findings.note("kill -9 under load", "killed")
    await ended(play, signal.SIGKILL)
    await restart(play, "kill -9 under load")


async def terminated(play: Play, rng: random.Random) -> None:
    """SIGTERM under load, one time of three followed by kill -9."""
    kind, house = "SIGTERM under load", play.house
    if rng.random() < 0.33:
        kind = "SIGTERM, then kill -9"
        os.kill(house.pid, signal.SIGTERM)
        await asyncio.sleep(rng.uniform(0, 2))
        await ended(play, signal.SIGKILL)
    else:
        began = time.monotonic()
        code = await ended(play, signal.SIGTERM)
        house.findings.require(kind, code in (0, -signal.SIGTERM), f"exit code {code}")
        house.findings.figures["slowest_end_s"] = max(
            house.findings.figures.get("slowest_end_s", 0.0), time.monotonic() - began
        )
    house.findings.note(kind, "ended")
    await restart(play, kind)


async def killed_at_start(play: Play, rng: random.Random) -> None:
    """Kill -9 while it starts, once or several times."""
    kind = "kill -9 in the start"
    await ended(play, signal.SIGKILL)
    for _ in range(rng.randint(1, 2)):
        play.house.spawn()
        await asyncio.sleep(rng.uniform(0.2, 4))
        await asyncio.to_thread(play.house.end, signal.SIGKILL)
        play.house.findings.note(kind, "killed")
    await restart(play, kind)


async def full_disk(play: Play, rng: random.Random) -> None:
    """A disk that fills within seconds under load, half of the time through a restart."""
    house, kind, left = play.house, "full disk", rng.choice([0, 1, 20, 100])
    if not house.is_mounted:
        house.findings.note(kind, "no disk can be mounted here")
        return
    filled = await asyncio.to_thread(fill, house.disk, BELOW_RESERVE_MB)
    try:
        await asyncio.sleep(FILLING_S)  # what had begun with room ends
        await asyncio.to_thread(fill, house.disk, left)
        if rng.random() < 0.5:
            kind = "start on a full disk"
            await ended(play, rng.choice([signal.SIGTERM, signal.SIGKILL]))
            if not await asyncio.to_thread(house.start):
                return
            house.gate.set()
        who = play.people[0]
        health = await who.call(kind, "GET", "/health")
        house.findings.require(kind, health is not None and health.is_success, "the server does not answer")
        asked = await who.call(kind, "POST", f"{API}/ask", json=WHO)
        house.findings.require(kind, asked is not None and asked.status_code == 507, f"asked: {asked and asked.text}")
        await asyncio.sleep(rng.uniform(1, 4))
        code = house.process.poll() if house.process else 0
        house.findings.require(kind, code is None, f"the process has ended with {code}, {left} MB were left")
    finally:
        await asyncio.to_thread(filled.unlink)
    await room_again(play, kind)


async def room_again(play: Play, kind: str) -> None:
    """Look whether everything is there behind a full disk; a process that has ended is started again."""
    if play.house.process is None or play.house.process.poll() is not None:
        await restart(play, kind)
        return
    await play.house.quiet()
    await play.verify(kind)
    play.house.gate.set()


async def full_in_a_moment(play: Play, rng: random.Random) -> None:
    """A disk that another program fills in a moment: what is being written to a mapped file may end the process."""
    house, kind = play.house, "disk full in a moment"
    if not house.is_mounted:
        house.findings.note(kind, "no disk can be mounted here")
        return
    filled = await asyncio.to_thread(fill, house.disk, 0)
    await asyncio.sleep(rng.uniform(1, 4))
    code = house.process.poll() if house.process else 0
    house.findings.note(kind, "went on" if code is None else f"ended by signal {-code}, up again")
    house.findings.require(kind, code in (None, -signal.SIGBUS), f"the process has ended with {code}")
    await asyncio.to_thread(filled.unlink)
    await room_again(play, kind)


async def removed_at_work(play: Play, rng: random.Random) -> None:
    """A user is removed while at work: nothing comes in behind it."""
    house, kind, operator = play.house, "user removed at work", play.operator.who
    token = await asyncio.to_thread(house.command, "keys", "add", "--user", "carol")
    await asyncio.sleep(REFRESH_S + 0.5)
    carol = Person(house, "carol", token, new_mark(rng), operator.http)
    carol.others = tuple(one.mark for one in (*play.people, operator))
    acts = [ask, ask, ask_watched, remember, upload, upload]
    working = [asyncio.ensure_future(act(carol, carol, random.Random(rng.random()))) for act in acts]
    await asyncio.sleep(rng.uniform(0.2, 3))
    path = f"{API}/users/carol"
    for _ in range(5):
        reply = await operator.call(kind, "DELETE", path)
        if reply is None or reply.status_code != 409:  # her requests go on too long: once more
            break
    await asyncio.gather(*working)
    again = await operator.call(kind, "DELETE", path)
    left = again.json() if again is not None and again.is_success else {"": again and again.text}
    house.findings.require(kind, not any(left.values()), f"came in behind the removal: {left}")
    files = [name for name, _ in files_with(house.disk, carol.mark.encode()) if not name.endswith(GRAPH_FILE)]
    house.findings.require(kind, not files, f"her words are in {files}")


def spoil(path: Path, rng: random.Random) -> str:
    """Spoil a file and say how."""
    data = path.read_bytes()
    how = rng.choice(("garbage", "cut", "empty", "hole", "missing"))
    if how == "missing":
        path.unlink()
    elif how == "hole":
        middle = len(data) // 2
        path.write_bytes(data[: middle // 2] + bytes(middle) + data[middle // 2 + middle :])
    else:
        path.write_bytes({"garbage": rng.randbytes(5_000), "cut": data[: len(data) // 2], "empty": b""}[how])
    return how


@contextmanager
def put_back(folder: Path) -> Iterator[None]:
    """Have everything in a folder as it was, when the block ends."""
    kept = folder.with_name(f"{folder.name}.kept")
    shutil.copytree(folder, kept)
    try:
        yield
    finally:
        shutil.rmtree(folder)
        kept.rename(folder)


async def spoilt_conversations(play: Play, rng: random.Random) -> None:
    """checkpoints.sqlite spoilt, and put back by the operator."""
    house, kind, who = play.house, "spoilt checkpoints.sqlite", play.people[0]
    await house.quiet()
    await asyncio.to_thread(house.end, signal.SIGTERM)
    names = [f"{CHECKPOINTS_FILE}{end}" for end in ("", "-wal", "-shm")]
    kept = {name: (house.data / name).read_bytes() for name in names if (house.data / name).exists()}
    how = spoil(house.data / CHECKPOINTS_FILE, rng)
    house.findings.note(kind, how)
    recovers = rng.random() < 0.5
    if await asyncio.to_thread(house.start, *(["--recover"] if recovers else [])):
        for path in ("/libraries", "/memories", "/threads", "/traces", "/me"):
            await who.call(kind, "GET", f"{API}{path}")
        await who.call(kind, "GET", "/ready")
        asked = await who.call(kind, "POST", f"{API}/ask", json=WHO)
        fresh = recovers or how in ("empty", "missing")
        whole = asked is not None and (asked.is_success or asked.status_code == 503)
        house.findings.require(kind, whole, f"{how}: asked: {asked and asked.text[:SHOWN]}")
        if fresh and asked is not None:
            house.findings.require(kind, asked.is_success, f"{how}, recovers {recovers}: {asked.text[:SHOWN]}")
        await asyncio.to_thread(house.end, signal.SIGTERM)
    for left in house.data.glob(f"{CHECKPOINTS_FILE}*"):
        left.unlink()
    for name, data in kept.items():
        (house.data / name).write_bytes(data)
    await restart(play, kind)


async def sample_answers(play: Play, kind: str, said: str) -> None:
    """Require an answer from the sample library and keep its thread; `said` begins the line of a fault."""
    who = play.people[0]
    asked = await who.call(kind, "POST", f"{API}/ask", json=WHO)
    play.house.findings.require(kind, asked is not None and asked.is_success, f"{said}: {asked and asked.text}")
    if asked is not None and asked.is_success:
        who.threads[asked.json()["thread_id"]] = [(WHO["question"], asked.json()["answer"])]


async def spoilt_file(
    play: Play, rng: random.Random, kind: str, folder: Path, look: Callable[[str], Awaitable[None]]
) -> None:
    """Spoil a file of a folder, look at the server that starts on it, and put the folder back.

    `look` gets the file's name and how it is spoilt.
    """
    house = play.house
    await house.quiet()
    await asyncio.to_thread(house.end, signal.SIGTERM)
    files = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size]
    with put_back(folder):
        path = rng.choice(sorted(files))
        how = spoil(path, rng)
        house.findings.note(kind, f"{path.name.split('-')[-1]} {how}")
        if await asyncio.to_thread(house.start):
            await look(f"{path.name} {how}")
            await asyncio.to_thread(house.end, signal.SIGTERM)
    await restart(play, kind)


async def spoilt_library(play: Play, rng: random.Random) -> None:
    """A file of a library spoilt: its own matter."""
    house, kind, who = play.house, "spoilt library", play.people[0]

    async def look(said: str) -> None:
        await sample_answers(play, kind, "sample")
        await who.call(kind, "POST", f"{API}/ask", json=WHO | {"library": "spare"}, timeout=SECONDS)
        await who.call(kind, "GET", f"{API}/libraries/spare")
        await who.call(kind, "GET", f"{API}/libraries/spare/passages")
        await who.call(kind, "GET", f"{API}/libraries/spare/entities")
        listed = await who.call(kind, "GET", f"{API}/libraries")
        rows = {one["name"]: one for one in listed.json()["items"]} if listed is not None and listed.is_success else {}
        house.findings.require(kind, "sample" in rows, f"{said}: the libraries are not listed")
        ready = await who.call(kind, "GET", "/ready")
        house.findings.require(kind, ready is not None and ready.is_success, f"{said}: not ready")

    await spoilt_file(play, rng, kind, house.data / "spare", look)


async def spoilt_memories(play: Play, rng: random.Random) -> None:
    """A file of the memories or documents spoilt: their own matter."""
    house, kind, who = play.house, "spoilt memories or documents", play.people[0]
    name = rng.choice([one for one in (".memories", ".documents") if (house.data / one).exists()] or [""])
    if not name:
        return

    async def look(said: str) -> None:
        await sample_answers(play, kind, said)
        await who.call(kind, "GET", f"{API}/memories")
        await who.call(kind, "GET", f"{API}/memories/search", params={"q": "口令"})
        await who.call(kind, "GET", f"{API}/documents", params={"thread_id": "t"})
        await who.call(kind, "GET", "/ready")

    await spoilt_file(play, rng, kind, house.data / name, look)


async def lost_keys(play: Play, rng: random.Random) -> None:
    """keys.json lost or spoilt, half of the time through a restart, and put back."""
    house, kind, who = play.house, "keys.json lost", play.people[0]
    await house.quiet()
    path = house.data / "keys.json"
    kept = path.read_bytes()
    through_start = rng.random() < 0.5
    if through_start:
        await asyncio.to_thread(house.end, signal.SIGTERM)
    how = spoil(path, rng)
    house.findings.note(kind, how)
    if through_start:
        await asyncio.to_thread(house.start)
    await asyncio.sleep(0 if through_start else REFRESH_S + 0.5)
    for headers in ({"authorization": f"Bearer {who.token}"}, {}):
        for method, url in (("GET", "/threads"), ("POST", "/ask"), ("GET", "/memories")):
            options: dict[str, Any] = {"json": WHO} if method == "POST" else {}
            reply = await who.call(kind, method, f"{API}{url}", headers=headers, **options)
            closed = reply is not None and reply.status_code == 401
            house.findings.require(
                kind, closed, f"{how}: {method} {url} with {len(headers)} key: {reply and reply.text}"
            )
    path.write_bytes(kept)
    path.chmod(0o600)
    await asyncio.sleep(REFRESH_S + 0.5)
    await play.verify(kind)
    house.gate.set()


async def second_server(play: Play, rng: random.Random) -> None:
    """A second server on the same data: it says so and ends."""
    house, kind = play.house, "second server on the same data"
    first, live = house.process, house.live
    size = house.log.stat().st_size
    house.spawn()
    second, house.process, house.live = house.process, first, live
    try:
        code = await asyncio.to_thread(second.wait, UP_SECONDS) if second else 0
        said = house.log.read_bytes()[size:].decode(errors="replace")
        house.findings.note(kind, f"exit {code}")
        house.findings.require(kind, code != 0, f"it goes on: {said[-SHOWN:]}")
    except subprocess.TimeoutExpired:
        house.findings.fault(kind, "it goes on")
        if second:
            stop(second)


async def litter(play: Play, rng: random.Random) -> None:
    """Files that a crash may leave: of traces, uploads, jobs, a server's address."""
    house, kind = play.house, "files of a crash"
    await ended(play, signal.SIGKILL)
    traces = house.disk / "traces"
    traces.mkdir(exist_ok=True)
    (traces / "20260101-000000-abcdef.json").write_bytes(b'{"trace_id": "20260101-0000')
    (traces / "20260101-000001-abcdef.json").write_bytes(rng.randbytes(300))
    (house.data / "server.json").write_bytes(rng.choice([b"{", b"", b'{"url": 5, "pid": "x"}', b'{"pid": 1}']))
    for name in (".jobs/none", f".jobs/{rng.randrange(10**9)}", ".uploads/99999999-x"):
        (house.data / name).mkdir(parents=True, exist_ok=True)
        (house.data / name / ".job.json").write_bytes(rng.choice([b"{", b'{"user_id": "alice"}', b"\xff"]))
        (house.data / name / ".pid").write_text("99999999")
    house.findings.note(kind, "left")
    await restart(play, kind)


STRIKES: tuple[tuple[int, Strike], ...] = (
    (5, killed),
    (3, terminated),
    (2, killed_at_start),
    (3, full_disk),
    (1, full_in_a_moment),
    (2, removed_at_work),
    (2, spoilt_conversations),
    (3, spoilt_library),
    (2, spoilt_memories),
    (2, lost_keys),
    (1, second_server),
    (1, litter),
)


async def strikes(play: Play, end: float, every: float, only: Sequence[Strike] | None = None) -> None:
    """Strike again and again until the time is up, every kind once before any comes again by its weight.

    With `only` these come, in their order.
    """
    rng = play.rng("strikes")
    pending = [*reversed(only)] if only is not None else rng.sample([one for _, one in STRIKES], len(STRIKES))
    while pending or only is None:
        await asyncio.sleep(min(max(0.0, end - time.monotonic()), rng.uniform(0.2, 1.8) * every))
        if time.monotonic() >= end:
            return
        one = pending.pop() if pending else rng.choices([one for _, one in STRIKES], [n for n, _ in STRIKES])[0]
        print(f"{time.strftime('%H:%M:%S')} {one.__name__}", file=sys.stderr, flush=True)
        await one(play, rng)
        play.house.gate.set()


async def settled(play: Play) -> dict[str, float]:
    """Return what the process takes when nothing is under way and the operator's libraries are gone: each is open."""
    await play.house.quiet()
    await no_jobs(play)
    for name in sorted(play.operator.wanted):
        await play.operator.remove(name, "delete a library")
    await asyncio.sleep(8.0)  # connections of clients that are kept alive end
    found = play.house.usage()
    play.house.gate.set()
    return found


async def no_jobs(play: Play) -> None:
    """Wait until every job is over."""
    end = time.monotonic() + JOB_SECONDS
    while time.monotonic() < end:
        states = [one["state"] for who in (*play.people, play.operator.who) for one in await who.pages("jobs", "/jobs")]
        if "running" not in states and not any("/.jobs/" in one for one in play.house.temporary()):
            return  # what could not go on at a start is in no list before it is tried again
        await asyncio.sleep(2)
    play.house.findings.fault("jobs", f"a job is not over after {JOB_SECONDS:g} s")


async def calm(play: Play, seconds: float) -> None:
    """Let users and attackers go on without strikes; compare what the process takes at the end and when it was warm."""
    findings = play.house.findings
    await asyncio.sleep(seconds * WARMING)
    warm = await settled(play)
    await asyncio.sleep(seconds * (1 - WARMING))
    at_end = await settled(play)
    findings.figures |= {f"warm_{name}": value for name, value in warm.items()}
    findings.figures |= {f"end_{name}": value for name, value in at_end.items()}


def grown(figures: Mapping[str, float]) -> list[tuple[str, str]]:
    """Return what a process takes more of at the end than it may; nothing of a run too short to compare."""
    return [
        ("memory and files", f"{name}: {figures[f'warm_{name}']:.0f} → {figures[f'end_{name}']:.0f}")
        for name, more in MORE.items()
        if figures.get(f"end_{name}", 0) > figures.get(f"warm_{name}", 0) + more
    ]


async def the_end(play: Play) -> None:
    """Look at everything once more; remove a user, of whom nothing may be left, and then the other."""
    house, findings = play.house, play.house.findings
    await no_jobs(play)
    await play.verify("the end", everything=True)
    left = house.temporary()
    findings.require("the end", not left, f"files of work that is over: {left[:5]}")
    listed = await play.operator.who.pages("the end", "/libraries")
    given_up = "is given up" in house.log.read_text(encoding="utf-8", errors="replace")
    broken = [(one["name"], one["problem"]) for one in listed if one["problem"] and not given_up]
    findings.require("the end", not broken, f"libraries are not whole: {broken}")
    people = [*play.people]
    for who in people:
        reply = await play.operator.who.call("a user is removed", "DELETE", f"{API}/users/{who.name}")
        findings.require("a user is removed", reply is not None and reply.is_success, f"{reply and reply.text}")
        play.people.remove(who)
        await play.verify("a user is removed", everything=True)
    await asyncio.to_thread(house.end, signal.SIGTERM)
    for who in people:
        files = dict(files_with(house.disk, who.mark.encode()))
        findings.counts["graph files with a word"] += sum(name.endswith(GRAPH_FILE) for name in files)
        others = {name: text for name, text in files.items() if not name.endswith(GRAPH_FILE)}
        findings.require("a user is removed", not others, f"{who.name}'s words are in {others}"[: 3 * SHOWN])
    text = house.log.read_text(encoding="utf-8", errors="replace")
    for who in people:
        findings.require("log", who.mark not in text, f"{who.name}'s words are in the log")
    tracebacks = [
        line for line in text.splitlines() if any(word in line for word in ("Traceback", "Fatal Python", "Thread 0x"))
    ]
    findings.require("log", not tracebacks, f"{len(tracebacks)} tracebacks: {tracebacks[:1]}")
    findings.counts["log lines"] = text.count("\n")


def files_with(folder: Path, text: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the files that contain a text as it stands, each with what stands around it."""
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        if (at := data.find(text)) >= 0:
            yield str(path.relative_to(folder)), data[max(0, at - 60) : at + 60]


def tokens(house: House) -> dict[str, str]:
    """Make the keys of two users and an operator."""
    given = {name: house.command("keys", "add", "--user", name) for name in ("alice", "bob")}
    return given | {"operator": house.command("keys", "add", "--user", "operator", "--admin")}


async def played(house: House, seed: int, seconds: float, every: float, only: Sequence[Strike] | None) -> None:
    """Play a whole run on a furnished house."""
    rng, keys = random.Random(f"{seed} marks"), await asyncio.to_thread(tokens, house)
    hostile = upload_hostile(await asyncio.to_thread(hostile_files))
    limits = httpx.Limits(max_connections=40, max_keepalive_connections=10, keepalive_expiry=4)
    if not await asyncio.to_thread(house.start):
        return
    async with httpx.AsyncClient(timeout=SECONDS, limits=limits) as http:
        people = [Person(house, name, token, new_mark(rng), http) for name, token in keys.items()]
        for who in people:
            who.others = tuple(other.mark for other in people if other is not who)
        *users, operator = people
        play = Play(house, users, Operator(operator, users[0]), seed, hostile)
        house.gate.set()
        alice, bob = users
        doing = [play.user(alice, bob), play.user(bob, alice), play.operate()]
        doing += [play.attacker(number) for number in range(ATTACKERS)]
        tasks = [asyncio.ensure_future(one) for one in doing]
        quiet_s = min(seconds * CALM, LONGEST_CALM)
        try:
            await strikes(play, time.monotonic() + seconds - quiet_s, every, only)
            if quiet_s >= SHORTEST_CALM:
                await calm(play, quiet_s)
            await settled(play)
        finally:
            play.is_over = True
            house.gate.set()
            failed = [one for one in await asyncio.gather(*tasks, return_exceptions=True) if one is not None]
        for error in failed:
            raise error
        await the_end(play)
        findings = house.findings
        findings.require("the end", findings.counts["own"] > 0, "nobody has seen a word of their own")
    findings.figures |= {"starts": house.starts, "slowest_start_s": max(house.lives)}


def run(seed: int, seconds: float, every: float, only: Sequence[Strike] | None = None) -> Findings:
    """Abuse a server for a while and return what was found; with `only` by these strikes, in their order."""
    findings = Findings()
    with new_folder() as name, house_of(Path(name), findings) as house:
        try:
            asyncio.run(played(house, seed, seconds, every, only))
        finally:
            if findings.faults:
                kept = Path(f"abuse-{seed}.log").absolute()
                shutil.copyfile(house.log, kept)
                print(f"the server's log: {kept}", file=sys.stderr)
    return findings


HEAD = """# Random abuse of a server

Written by `benchmarks/abuse.py`; nothing is typed by hand. A real `wenmai serve` with the keys of two users and an
operator, on loopback and on a disk of {disk}, is abused for {minutes:g} minutes with each of the seeds {seeds}
(`python -m benchmarks.abuse --seeds {seeds} --seconds {seconds:g} --every {every:g}`), on {cores} cores (load {load}
when it ended). The users ask, remember, upload, export and delete without a pause, each with a word that stands in
everything of theirs, and reach for each other's things by their ids; the operator takes texts into libraries and
deletes them while they are asked; {attackers} raw clients send broken, huge and slow requests; and a strike comes every
{every:g} seconds on an average. After each strike everything that the server had acknowledged is looked for, at the end
each turn once more.

{broke}
"""


def page(runs: Sequence[dict[str, Any]], given: argparse.Namespace) -> str:
    """Return the page."""
    outcomes: dict[str, Counter[str]] = {}
    faults: Counter[str] = Counter()
    for one in runs:
        for kind, counts in one["outcomes"].items():
            outcomes.setdefault(kind, Counter()).update(counts)
        faults.update(kind for kind, _ in one["faults"])
    here = runs[-1]["machine"]
    head = HEAD.format(
        disk=f"{DISK_MB:,} MB of its own",
        minutes=given.seconds / 60,
        seconds=given.seconds,
        seeds=" ".join(str(one["seed"]) for one in runs),
        cores=here["cores"],
        load=here["load_1min"],
        attackers=ATTACKERS,
        every=given.every,
        broke="Nothing broke."
        if not faults
        else "What broke:\n\n" + "\n".join(f"- {kind}: {what}" for one in runs for kind, what in one["faults"]),
    )
    rows = [
        [
            kind,
            sum(counts.values()),
            ", ".join(f"{name}: {n}" for name, n in counts.most_common(9)),
            faults[kind] or "nothing",
        ]
        for kind, counts in sorted(outcomes.items())
    ]
    parts = [head, table(["abuse", "times", "what came of it", "broke"], rows), "\n## What held\n", held(runs)]
    return "\n".join(parts) + "\n"


def held(runs: Sequence[dict[str, Any]]) -> str:
    """Return the table of what must hold, with a column for each seed."""
    lines: tuple[tuple[str, Callable[[dict[str, Any], dict[str, Any]], str]], ...] = (
        ("starts; slowest, s", lambda c, f: f"{f['starts']:.0f}; {f['slowest_start_s']:.1f}"),
        ("slowest end by SIGTERM, s", lambda c, f: f"{f.get('slowest_end_s', 0):.1f}"),
        ("answers looked through; with a word of one's own", lambda c, f: f"{c['answers']:,}; {c['own']:,}"),
        ("ended turns looked for", lambda c, f: f"{c['turns']:,}"),
        (
            "memories, documents, traces, libraries looked for",
            lambda c, f: ", ".join(f"{c.get(n, 0):,}" for n in ("memories", "documents", "traces", "libraries")),
        ),
        ("graph files with a word of a removed user", lambda c, f: f"{c.get('graph files with a word', 0)}"),
        ("lines of the log", lambda c, f: f"{c['log lines']:,}"),
        (f"resident MB, warm → end (at most {MORE['resident_mb']} more)", pair("resident_mb")),
        ("of it its own MB", pair("unique_mb")),
        (f"open files (at most {MORE['files']} more)", pair("files")),
        (f"threads (at most {MORE['threads']} more)", pair("threads")),
    )
    rows = [[name, *(show(one["counts"], one["figures"]) for one in runs)] for name, show in lines]
    rows.append(["broke", *(str(len(one["faults"])) for one in runs)])
    return table(["", *(f"seed {one['seed']}" for one in runs)], rows)


def pair(name: str) -> Callable[[dict[str, Any], dict[str, Any]], str]:
    def shown(counts: dict[str, Any], figures: dict[str, Any]) -> str:
        known = f"warm_{name}" in figures  # a short run compares nothing
        return f"{figures[f'warm_{name}']:.0f} → {figures[f'end_{name}']:.0f}" if known else ""

    return shown


def main() -> None:
    """Run each seed and write page and figures. Raises SystemExit where anything broke."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="*", default=[1])
    parser.add_argument("--seconds", type=float, default=HOUR, help="of each seed")
    parser.add_argument("--every", type=float, default=STRIKES_EVERY, help="seconds between strikes, on an average")
    parser.add_argument(
        "--earlier", type=Path, nargs="*", default=[], help="figures of other seeds, for the same table"
    )
    parser.add_argument("--markdown", type=Path, help="file for the table")
    parser.add_argument("--json", type=Path, help="file for the figures")
    given = parser.parse_args()
    runs = [one for path in given.earlier for one in json.loads(path.read_text(encoding="utf-8"))["runs"]]
    for seed in given.seeds:
        found = run(seed, given.seconds, given.every)
        known = {"outcomes": found.outcomes, "faults": found.faults, "counts": found.counts, "figures": found.figures}
        runs.append({"seed": seed, "seconds": given.seconds, **json.loads(json.dumps(known)), "machine": machine()})
    for one in runs:
        one["faults"] += [list(fault) for fault in grown(one["figures"]) if list(fault) not in one["faults"]]
    if given.markdown:
        given.markdown.write_text(page(runs, given), encoding="utf-8")
    write(given.json, {"benchmark": "abuse", "seconds": given.seconds, "every": given.every, "runs": runs})
    if any(one["faults"] for one in runs):
        raise SystemExit("something broke")


if __name__ == "__main__":
    main()
