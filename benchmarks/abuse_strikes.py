"""A run of abuse and what strikes the server in it: signals, a full disk, spoilt files; and what must hold of each."""

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.abuse_acts import USER_ACTS, Act, Operator, ask, ask_watched, remember, upload
from benchmarks.abuse_attacks import ATTACKS, attack, many_connections
from benchmarks.abuse_house import SECONDS, SHOWN, House, Person, files_with, fill, new_mark
from tests.integration.live_server import stop
from tests.integration.own_server import API
from wenmai.access.keyring import REFRESH_S
from wenmai.checkpoints import CHECKPOINTS_FILE

CUT_OFF_S = 0.05
UP_SECONDS = 60.0
BELOW_RESERVE_MB, FILLING_S = 220, 6.0  # less than DISK_RESERVE_MB: nothing begins to write any more
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
    files = [name for name, _ in files_with(house.disk, carol.mark.encode())]
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
