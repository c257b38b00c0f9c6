"""The same questions on the embedded engines and on servers: every difference between the answers.

    python benchmarks/servers.py --json servers.json
    python benchmarks/servers.py --data-dir COPY --library sanguo --questions FILE... --aliases FILE --json servers.json

Without a library the sample is ingested on each engine anew. A library that is named lies in an embedded DATA_DIR,
which is copied, never written; its graph is drawn anew from the catalog on the servers. Servers are those of
`make services`; Qdrant is the one of QDRANT_URL, else its client's local mode behind a loopback port, and gets its
passages by `wenmai migrate`. They have the same vectors on both sides; whatever the answers rest on is compared, too.
"""

import argparse
import asyncio
import math
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.measures import machine, timed, write
from devservers.running import found
from tests.qdrant_service.server import LoopbackQdrant
from wenmai.agent import open_agent
from wenmai.app import sample
from wenmai.app.container import Services
from wenmai.cli.commands.migrate import sides
from wenmai.experiments.questions import ExpectedTalk, Names, load_aliases, load_questions, load_sessions
from wenmai.experiments.runner import first_turns, run
from wenmai.ingestion.library.decisions import apply_decisions, load_decisions
from wenmai.ingestion.library.entity_writes import rewrite_entities
from wenmai.ingestion.library.notes import imports
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.migration import move_library, silent
from wenmai.settings.settings import Settings, load_settings

EMBEDDED, QDRANT = "embedded", "qdrant"
NEAR = 1e-5  # two scores that differ by less are the same: engines add the same numbers up in another order
COMPARED = ("resolved_question", "answer", "passed", "grade", "attempt", "mode", "mind", "degraded", "warning")
LISTS = ("resolutions", "attempts", "citations", "evidence", "tool_calls")
SHOWN = 160
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Engine:
    """Engines by settings; `servers` must run."""

    name: str
    servers: tuple[str, ...] = ()

    def settings(self, folder: Path) -> Settings:
        """Return the settings of a deployment in a folder. Raises SystemExit where a server does not run."""
        variables: dict[str, str] = {}
        for server in self.servers:
            if server == QDRANT:
                variables |= qdrant()
                continue
            running = found(server)
            if running is None:
                raise SystemExit(f"{server} is not running: make services")
            variables |= running.settings
        own = {name.lower(): value for name, value in variables.items()}
        return load_settings(_env_file=None, data_dir=folder, trace_dir=folder / "traces", google_api_key="", **own)


ENGINES = (Engine(EMBEDDED), Engine("neo4j", ("neo4j",)), Engine(QDRANT, (QDRANT,)))


@cache
def qdrant() -> dict[str, str]:
    """Return what leads to a Qdrant server: QDRANT_URL's, else the client's local mode behind a loopback port."""
    named = {name: value for name, value in os.environ.items() if name in ("QDRANT_URL", "QDRANT_API_KEY")}
    return named if "QDRANT_URL" in named else {"QDRANT_URL": LoopbackQdrant().start().url, "QDRANT_TIMEOUT_S": "60"}


async def moved(engine: Engine, folder: Path, library: str) -> None:
    """Copy a library of a folder to servers, as `wenmai migrate` does."""
    here, there = Services(ENGINES[0].settings(folder)), Services(engine.settings(folder))
    try:
        if library == sample.LIBRARY:
            await stocked(here)
        rows = await move_library(*sides(here, there, there.settings), library, silent)
    finally:
        await here.close()
        await there.close()
    if not all(row.is_same for row in rows):
        raise SystemExit(f"{library} is not the same on {engine.name}: {rows}")


async def stocked(services: Services) -> None:
    """Ingest the sample."""
    source = sample.sample_folder()
    files = [source / name for name in sample.GRAPH]
    story, aliases = source / sample.STORY, source / sample.ALIASES
    embedder = services.embedder
    request = IngestRequest(path=story, library=sample.LIBRARY, aliases=aliases, graph_files=tuple(files))
    await ingest(request, stores=services.stores, embedder=embedder)


async def redrawn(services: Services, library: str) -> None:
    """Write the graph of a library anew from what was drawn from its chapters."""
    stores = services.stores
    decisions = await load_decisions(stores.catalog, library)
    stems = await imports(stores.catalog, library)
    await apply_decisions(stores, library, decisions, decisions, stems, everything=True)
    await rewrite_entities(stores, library, decisions)


async def prepared(engine: Engine, arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Bring the library to an engine and return what it holds there."""
    services = Services(engine.settings(folder))
    library = arguments.library or sample.LIBRARY
    try:
        with timed() as watch:
            if engine.servers:
                await services.libraries.drop(library)
            if QDRANT in engine.servers:
                await moved(engine, folder, library)
            elif not arguments.library:
                await stocked(services)
            elif engine.servers:
                await redrawn(services, library)
        counts = await services.graph.counts(library)
    finally:
        await services.close()
    return {"counts": counts, "seconds": round(watch.seconds, 1)}


async def answers(
    engine: Engine, folder: Path, library: str, talks: Sequence[ExpectedTalk], names: Names
) -> list[Record]:
    """Ask every question of one engine."""
    async with open_agent(engine.settings(folder)) as agent:
        outcomes = run(agent, talks, names, context={"library": library})
        return [{"id": one.turn.id, **one.record} async for one in outcomes]


def differences(ours: Sequence[Record], theirs: Sequence[Record]) -> list[dict[str, Any]]:
    """Return each field of each answer that is not the same."""
    return [
        {"id": one["id"], "field": name, "embedded": cut(one[name]), "server": cut(other[name])}
        for one, other in zip(ours, theirs, strict=True)
        for name in (*COMPARED, *LISTS)
        if not same(one[name], other[name])
    ]


def same(ours: Any, theirs: Any) -> bool:
    """Return True if two fields are equal, their scores as far as engines agree on them."""
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=0, abs_tol=NEAR)
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(value, theirs[key]) for key, value in ours.items())
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours == theirs)


def cut(value: Any) -> str:
    """Return a value as a difference shows it."""
    return str(value)[:SHOWN]


async def compared(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Return the figures of every server engine beside the embedded one."""
    source, library = sample.sample_folder(), arguments.library or sample.LIBRARY
    talks = [talk for path in arguments.questions or [source / sample.QUESTIONS] for talk in load_questions(path)]
    talks += [talk for path in arguments.sessions for talk in load_sessions(path)]
    talks = first_turns(talks, arguments.most)
    names = load_aliases(arguments.aliases or source / sample.ALIASES)
    rows: dict[str, Any] = {}
    kept: dict[str, list[Record]] = {}
    for engine in [one for one in ENGINES if one.name in (EMBEDDED, *arguments.engines)]:
        own = folder / engine.name
        if arguments.library:
            shutil.copytree(arguments.data_dir / library, own / library)
        rows[engine.name] = await prepared(engine, arguments, own)
        with timed() as watch:
            kept[engine.name] = await answers(engine, own, library, talks, names)
        told = differences(kept[EMBEDDED], kept[engine.name])
        rows[engine.name] |= {"asked": len(kept[engine.name]), "asking_seconds": round(watch.seconds, 1)}
        rows[engine.name] |= {"different_answers": len({one["id"] for one in told}), "differences": told}
    return {"library": library, "machine": machine(), "engines": rows}


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", help="library of an embedded DATA_DIR; default: the sample")
    parser.add_argument("--data-dir", type=Path, help="that DATA_DIR")
    parser.add_argument("--questions", type=Path, nargs="+", help="files of questions")
    parser.add_argument("--sessions", type=Path, nargs="+", default=[], help="files of sessions")
    parser.add_argument("--aliases", type=Path)
    parser.add_argument("--most", type=int, help="ask only so many")
    parser.add_argument("--engines", nargs="+", default=[one.name for one in ENGINES[1:]], help="server engines")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def main() -> None:
    """Ask, compare, print."""
    arguments = parsed()
    with tempfile.TemporaryDirectory() as folder:
        write(arguments.json, asyncio.run(compared(arguments, Path(folder))))


if __name__ == "__main__":
    main()
