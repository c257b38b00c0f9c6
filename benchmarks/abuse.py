"""Random abuse of a real `wenmai serve` on loopback, scripted by a seed, and what held of it.

    python -m benchmarks.abuse --seeds 1 2 --seconds 3600 --markdown docs/reports/abuse.md --json abuse.json

The seed says what each user, each attacker and each strike does, in which order; what meets what is left to the clock.
"""

import argparse
import asyncio
import json
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

from benchmarks.abuse_acts import (
    Operator,
    ask,
    ask_for_own,
    ask_watched,
    chat_client,
    hostile_files,
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
    files_with,
    house_of,
    new_folder,
    new_mark,
)
from benchmarks.abuse_strikes import Play, Strike, strikes
from benchmarks.measures import machine, write
from benchmarks.report import table
from tests.integration.own_server import API

HOUR = 3_600.0
STRIKES_EVERY = 25.0  # seconds between two strikes, on an average
CALM = 0.2  # of the time, at the end, without strikes: memory is compared within one life of the process
SHORTEST_CALM, LONGEST_CALM = 30.0, 300.0  # in less a process does not get warm
WARMING = 0.4  # of the calm, before memory is taken
ATTACKERS = 3
# What a process may take at the end beyond what it took when it was warm; pools start threads as they are needed.
MORE = {"resident_mb": 96, "files": 16, "threads": 40, "children": 0}
JOB_SECONDS = 240.0


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


async def warmed(play: Play) -> None:
    """Do once what loads something at its first use: else a process that has just started is not warm."""
    rng, (alice, bob) = play.rng("warming"), play.people
    async with play.turn():
        for act in (ask, ask_watched, remember, upload, ask_for_own, chat_client):
            await act(alice, bob, rng)
        for _ in range(2):  # where there are enough libraries the first only deletes one
            await play.operator.ingest(rng)


async def calm(play: Play, seconds: float) -> None:
    """Let users and attackers go on without strikes; compare what the process takes at the end and when it was warm."""
    findings = play.house.findings
    await warmed(play)
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
        findings.require("a user is removed", not files, f"{who.name}'s words are in {files}"[: 3 * SHOWN])
    text = house.log.read_text(encoding="utf-8", errors="replace")
    for who in people:
        findings.require("log", who.mark not in text, f"{who.name}'s words are in the log")
    tracebacks = [
        line for line in text.splitlines() if any(word in line for word in ("Traceback", "Fatal Python", "Thread 0x"))
    ]
    findings.require("log", not tracebacks, f"{len(tracebacks)} tracebacks: {tracebacks[:1]}")
    findings.counts["log lines"] = text.count("\n")


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
