"""What users get when a server fails under load: each fault on the whole product, on real servers and stores.

    python benchmarks/service_faults.py --json service_faults.json --markdown docs/reports/service_faults.md

Needs `make services`. Fifty questions at a time are asked for two minutes; the fault strikes after a quarter of them.
A row that another server needs is one entry of ROWS: the name of the server, and what happens to it.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

from benchmarks.measures import machine, write
from benchmarks.proxy import HOST, Proxy
from benchmarks.report import table
from benchmarks.servers import stocked
from benchmarks.service_load import AT_ONCE, CHECKED, NOTES, Load, changed, held, sampled
from devservers.running import crash, found, start
from wenmai.agent import open_agent
from wenmai.app import sample
from wenmai.app.container import Services
from wenmai.experiments.questions import load_questions
from wenmai.settings.settings import Settings, load_settings

SECONDS = 120.0
STRIKE = 0.25  # of the time
REFUSED_S = 10.0
URIS = {"neo4j": "NEO4J_URI", "postgres": "POSTGRES_URI"}  # the variable that holds a server's address
HEAD = """# Faults of servers under load

Written by `benchmarks/service_faults.py`; nothing is typed by hand. {at_once} questions at a time on the sample library
for {seconds:g} s, each on a thread of its own, through `wenmai.open_agent` with the offline mind; the graph on Neo4j,
or the checkpoints of threads on PostgreSQL, all else embedded, one process on {cores} cores (load {load} when it
ended). The fault strikes after {strike:g} s.
Beside the questions one writer adds a relation every half second.

- **answered**: an answer as without the fault; **degraded**: an answer that says what it lacks, or one of whose calls
  failed; **apology**: the answer is the product's message that it could not answer; **error**: `ask` raised one clear
  line; **other**: anything else, which would be a fault of the product.
- **down**: seconds from the strike to the server's return.
- **writes**: relations that were acknowledged, and that were refused; **lost**: of the acknowledged ones, of the
  threads' checkpoints, of what the library held before, and **compared** answers that are silently not the same
  afterwards: {checked} from before the load, and in rows that compare more the first that came after the strike. Those
  that say what they lack, or are an error, are counted as **said**.
"""


@dataclass
class Place:
    """Where a row is played."""

    server: str
    proxy: Proxy
    seconds: float
    down_s: float = 0.0


async def killed(place: Place) -> None:
    """Kill -9, and start again at once."""
    loop = asyncio.get_running_loop()
    since = loop.time()
    await asyncio.to_thread(crash, place.server)
    await asyncio.to_thread(start, place.server)
    place.down_s = loop.time() - since


async def refused(place: Place) -> None:
    """Break the connections off and refuse new ones for a while."""
    await place.proxy.refuse()
    await asyncio.sleep(REFUSED_S)
    await place.proxy.accept()
    place.down_s = REFUSED_S


async def filled(place: Place) -> None:
    """Let the server say for a while that its disk is full, whenever a checkpoint is written.

    A trigger says it, in the server's own words and with its code: a disk that is really full would be this machine's.
    """
    import psycopg

    running = found(place.server)
    assert running is not None
    async with await psycopg.AsyncConnection.connect(running.settings[URIS[place.server]], autocommit=True) as base:
        await base.execute(FULL_DISK)
        await asyncio.sleep(REFUSED_S)
        await base.execute("DROP TRIGGER full_disk ON checkpoints")
    place.down_s = REFUSED_S


async def nothing(place: Place) -> None:
    """Let it be."""


@dataclass(frozen=True)
class Row:
    """A fault of a server."""

    name: str
    server: str
    strike: Callable[[Place], Awaitable[None]]


ROWS = (
    Row("none, graph on neo4j", "neo4j", nothing),
    Row("neo4j killed (-9) and restarted", "neo4j", killed),
    Row("neo4j: network refused for 10 s", "neo4j", refused),
    Row("none, threads on postgres", "postgres", nothing),
    Row("postgres killed (-9) and restarted", "postgres", killed),
    Row("postgres: network refused for 10 s", "postgres", refused),
    Row("postgres: disk full for 10 s", "postgres", filled),
)
FULL_DISK = """
CREATE OR REPLACE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'could not extend file "base/1": No space left on device' USING ERRCODE = 'disk_full'; END $$;
CREATE OR REPLACE TRIGGER full_disk BEFORE INSERT ON checkpoints FOR EACH ROW EXECUTE FUNCTION full_disk()
"""


def settings_of(folder: Path, place: Place) -> Settings:
    """Return settings that lead to the server through the proxy."""
    running = found(place.server)
    if running is None:
        raise SystemExit(f"{place.server} is not running: make services")
    own = dict(running.settings)
    variable = URIS[place.server]
    parts = urlsplit(own[variable])
    user, at, _ = parts.netloc.rpartition("@")
    own[variable] = urlunsplit(parts._replace(netloc=f"{user}{at}{HOST}:{place.proxy.port}"))
    lowered = {name.lower(): value for name, value in own.items()}
    return load_settings(_env_file=None, data_dir=folder, trace_dir=folder / "traces", google_api_key="", **lowered)


async def measured(row: Row, folder: Path, seconds: float) -> dict[str, Any]:
    """Play a row and return its figures."""
    running = await asyncio.to_thread(start, row.server)
    place = Place(row.server, Proxy(running.port), seconds)
    await place.proxy.accept()
    questions = [turn.question for talk in load_questions(questions_file()) for turn in talk.turns]
    run = uuid4().hex[:8]  # a server keeps the threads of earlier runs
    try:
        async with open_agent(settings_of(folder, place)) as agent:
            await agent.services.libraries.drop(NOTES)
            before = await held(agent, sample.LIBRARY), await sampled(agent, sample.LIBRARY, questions, f"{run}-before")
            load = Load(agent, sample.LIBRARY, questions, seconds, run)

            async def strike() -> None:
                await asyncio.sleep(seconds * STRIKE)
                await row.strike(place)

            await load.run(strike)
            after = await held(agent, sample.LIBRARY), await sampled(agent, sample.LIBRARY, questions, f"{run}-after")
            lost = {**await load.lost(), "records": before[0] != after[0]}
            meanwhile = load.meanwhile(seconds * STRIKE)
            asked = [one.question for one in meanwhile]
            others = changed([*before[1], *meanwhile], [*after[1], *await sampled(agent, sample.LIBRARY, asked, run)])
            lost["answers"] = sum(one["outcome"] == "answered" for one in others)
            figures = load.figures()
    finally:
        await place.proxy.close()
    figures["compared"] = len(before[1]) + len(meanwhile)
    return {"fault": row.name, **figures, "down_s": round(place.down_s, 1), "lost": lost, "other_answers": others}


def questions_file() -> Path:
    """Return the file of the sample's questions."""
    return sample.sample_folder() / sample.QUESTIONS


async def stock(folder: Path, server: str) -> None:
    """Ingest the sample, its graph on the server where that is Neo4j."""
    running = await asyncio.to_thread(start, server)
    place = Place(server, Proxy(running.port, running.port), 0.0)
    services = Services(settings_of(folder, place))
    try:
        await services.libraries.drop(sample.LIBRARY)
        await stocked(services)
    finally:
        await services.close()


def markdown(rows: Sequence[dict[str, Any]], seconds: float, here: dict[str, Any]) -> str:
    """Return the page."""
    head = HEAD.format(
        at_once=AT_ONCE,
        seconds=seconds,
        cores=here["cores"],
        load=here["load_1min"],
        strike=seconds * STRIKE,
        checked=CHECKED,
    )
    titles = ["fault", "questions", "answered", "degraded", "apology", "error", "other", "p50 s", "p95 s", "slowest s"]
    titles += ["down s", "writes", "compared", "lost"]
    lines = [
        [
            row["fault"],
            *(str(row[name]) for name in ("questions", "answered", "degraded", "apology", "error")),
            ", ".join(f"{name} {count}" for name, count in row["other"].items()) or "0",
            *(f"{row[name] / 1e3:.1f}" for name in ("p50_ms", "p95_ms")),
            str(row["slowest_s"]),
            str(row["down_s"]),
            f"{row['acknowledged_writes']} + {row['refused_writes']} refused",
            str(row["compared"]),
            told(row),
        ]
        for row in rows
    ]
    return head + "\n" + table(titles, lines) + "\n"


def told(row: dict[str, Any]) -> str:
    """Return what was lost; nothing, where nothing was."""
    said = len(row["other_answers"]) - row["lost"]["answers"]
    counts = {**row["lost"], "said": said}
    return ", ".join(f"{name}: {int(count)}" for name, count in counts.items() if count) or "nothing"


async def played(arguments: argparse.Namespace) -> dict[str, Any]:
    """Play every row that is asked for."""
    with tempfile.TemporaryDirectory() as name:
        for server in arguments.servers:
            await stock(Path(name) / server, server)
        chosen = [row for row in ROWS if row.server in arguments.servers]
        rows = []
        for row in chosen:
            rows.append(await measured(row, Path(name) / row.server, arguments.seconds))
            print(json.dumps(rows[-1], ensure_ascii=False), file=sys.stderr, flush=True)
    return {"machine": machine(), "seconds": arguments.seconds, "rows": rows}


def main() -> None:
    """Play the faults and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", nargs="+", default=list(URIS))
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    figures = asyncio.run(played(arguments))
    write(arguments.json, figures)
    if arguments.markdown:
        page = markdown(figures["rows"], arguments.seconds, figures["machine"])
        arguments.markdown.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
