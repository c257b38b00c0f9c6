"""What the user gets when the model service fails: each fault through the whole product, on the real client and stores.

    python benchmarks/faults.py --json faults.json --markdown docs/reports/faults.md
    SERVICE=openai python benchmarks/faults.py --json faults.json --markdown docs/reports/faults_openai.md

A loopback service, of Gemini or of OpenAI's protocol, plays the faults; library, embedder, retries and their pauses
are the product's own.
"""

import argparse
import asyncio
import os
import tempfile
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.fault_rows import GRADER, QUESTION, REFINER, RESOLVER, ROWS, Row
from benchmarks.measures import machine, timed, write
from benchmarks.report import conditions, table
from tests.gemini import fault
from tests.gemini.exchange import Request
from tests.gemini.server import Server
from tests.gemini.space import LOOPBACK_EMBEDDER, LOOPBACK_MODEL, Space
from tests.integration.cli_story import STORY
from tests.openai_service.server import ChatServer
from wenmai.agent import Agent, open_agent
from wenmai.app.container import Services
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import Settings

AnyServer = Server | ChatServer
OPENAI = os.environ.get("SERVICE") == "openai"
PLAYED = "tests/openai_service" if OPENAI else "tests/gemini"
LIBRARY = "ferry"
EMBEDDED = "ferry-by-gemini"  # the same story with vectors of the service
TIMEOUT_S = 4.0  # the product's default is 60 s; every row would only be longer
SHOWN = 60
MODELS = {
    LOOPBACK_MODEL: "planner",
    GRADER: "grader",
    REFINER: "refiner",
    RESOLVER: "resolver",
    LOOPBACK_EMBEDDER: "embedder",
}
HEAD = f"""# Faults of the model service

Written by `benchmarks/faults.py`; nothing is typed by hand. Every row is one question asked through `wenmai.open_agent`
of a small library, with the real client, stores, retries and pauses; the loopback service of `{PLAYED}` plays the
service. MODEL_TIMEOUT_S is {TIMEOUT_S:g} here (default 60), so that rows with time-outs are short; ON_MODEL_FAILURE is
`offline`, the default, where a row does not say otherwise. A fault strikes the turn that should write the draft, when
evidence is already at hand, unless its row names another role or says otherwise.

- **mind**: who finished the question; *offline* is the degraded mode, which the result and its warning tell.
- **passed**: the grader's verdict; *-* where nothing was graded.
- **tried again**: the requests that were sent once more, and after how many seconds.
- **requests**: those that reached the service; on a dead network none does, though three are tried.
"""


def settings_of(folder: Path, gemini: Space | None = None, **changed: Any) -> Settings:
    """Return settings of a deployment on the loopback service; without one those of an offline one."""
    fields: dict[str, Any] = {"data_dir": folder / "data", "trace_dir": folder / "traces", "google_api_key": ""}
    if gemini:
        key = "google_api_key" if gemini.provider == "gemini" else "openai_api_key"
        fields |= {key: gemini.key, f"{gemini.provider}_base_url": gemini.url, "model_timeout_s": TIMEOUT_S}
        fields |= {f"{gemini.provider}_model": LOOPBACK_MODEL, "grader_model": GRADER}
        fields |= {"refiner_model": REFINER, "resolver_model": RESOLVER}
    return Settings(**fields | changed)


async def stocked(folder: Path, library: str, settings: Settings) -> None:
    """Ingest the story."""
    services = Services(settings)
    source = folder / "渡口.txt"
    source.write_text(STORY, encoding="utf-8")
    try:
        await ingest(
            IngestRequest(path=source, library=library),
            stores=services.stores,
            embedder=services.embedder,
        )
    finally:
        await services.close()


@contextmanager
def scripted(server: AnyServer, row: Row) -> Iterator[Space]:
    """Give a service that plays a row."""
    gemini = server.open()
    gemini.know(GRADER, REFINER, RESOLVER)
    for id, steps in row.queues.items():
        gemini.play(*steps, model=id)
    yield gemini
    server.service.spaces.pop(gemini.key)


async def measured(server: AnyServer, folder: Path, row: Row) -> dict[str, Any]:
    """Ask a row's question and return what came of it."""
    with scripted(server, row) as gemini:
        given = {name.replace("gemini_", f"{gemini.provider}_"): value for name, value in row.settings.items()}
        changed = given | ({"embedding_model": LOOPBACK_EMBEDDER} if row.embedder else {})
        async with open_agent(settings_of(folder, gemini, **changed)) as agent:
            if not row.embedder:
                await warmed(agent)
            return await asked(agent, gemini, row, library=EMBEDDED if row.embedder else LIBRARY)


async def warmed(agent: Agent) -> None:
    """Load embedder and client, which the first question of a process would wait for."""
    await agent.services.embedder.embed_query("预热")
    if agent.services.assembly.mind is not agent.services.assembly.offline:
        await agent.services.assembly.provider.model(agent.services.assembly.mind.planner.caller.settings)  # type: ignore[attr-defined]  # a model's has one


async def asked(agent: Agent, gemini: Space, row: Row, **context: Any) -> dict[str, Any]:
    """Ask in a context and return one row of the table."""
    before = len(gemini.history)
    context = {"grade": "always", **context, **row.context}  # code alone may pass the draft, and no grader would fail
    with timed() as watch:
        answer = await agent.ask(row.question, session_context=row.session, **context)
    record, requests = answer.record, gemini.history[before:]
    if refused := [request.refusal for request in requests if request.refusal]:
        raise RuntimeError(f"{row.name}: the service refused {refused}")
    return {
        "fault": row.name,
        "answer": record["answer"],
        "citations": len(record["citations"]),
        "mind": record["mind"],
        "degraded": record["degraded"],
        "passed": record["passed"],
        "attempts": len(record["attempts"]),
        "warning": record["warning"],
        "requests": counted(requests),
        "again": repeated(requests),
        "seconds": round(watch.seconds, 2),
        "trace": bool(record["trace"]),
    }


def counted(requests: Sequence[Request]) -> dict[str, int]:
    """Return how many requests each role sent."""
    names = [MODELS[request.model] for request in requests]
    return {name: names.count(name) for name in dict.fromkeys(names)}


def repeated(requests: Sequence[Request]) -> dict[str, list[float]]:
    """Return by role the pauses before requests that repeat the one before."""
    found: dict[str, list[float]] = {}
    for before, now in pairwise(requests):
        if (before.model, before.body) == (now.model, now.body):
            pause = max(0.0, now.at - before.at - before.seconds)
            found.setdefault(MODELS[now.model], []).append(round(pause, 1))
    return found


async def broken_circuit(server: AnyServer, folder: Path) -> dict[str, Any]:
    """Return the row of a question asked while the circuit is open."""
    row = Row(name="the next question behind a lasting 503 (circuit open)")
    with scripted(server, row) as gemini:
        gemini.outage = fault.status(503)
        async with open_agent(settings_of(folder, gemini)) as agent:
            await warmed(agent)
            await agent.ask(QUESTION, library=LIBRARY)
            return await asked(agent, gemini, row, library=LIBRARY)


async def every_row(folder: Path) -> list[dict[str, Any]]:
    """Ask all questions, one after the other, each of a new process's worth of objects."""
    await stocked(folder, LIBRARY, settings_of(folder))
    server = ChatServer(keep_alive=True).start() if OPENAI else Server(keep_alive=True).start()
    try:
        if isinstance(server, Server):
            await stocked(folder, EMBEDDED, settings_of(folder, server.open(), embedding_model=LOOPBACK_EMBEDDER))
        await measured(server, folder, ROWS[0])  # what a process loads at its first question is not the fault's
        rows = [await measured(server, folder, row) for row in ROWS if not (OPENAI and row.embedder)]
        return [*rows, await broken_circuit(server, folder)]
    finally:
        server.stop()


def markdown(figures: dict[str, Any]) -> str:
    """Return the page."""
    head = ["fault", "the user gets", "mind", "passed", "tried again", "requests", "seconds", "warning"]
    return "\n".join([HEAD, conditions(figures), table(head, [cells(row) for row in figures["rows"]])])


def cells(row: dict[str, Any]) -> list[object]:
    """Return the cells of a row."""
    answer = row["answer"].replace("\n", " ").replace("|", "/")
    again = "; ".join(f"{role} after {', '.join(map(str, pauses))} s" for role, pauses in row["again"].items())
    return [
        row["fault"],
        answer if len(answer) <= SHOWN else f"{answer[:SHOWN]}…",
        "offline" if row["degraded"] else row["mind"],
        "-" if row["passed"] is None else str(row["passed"]).lower(),
        again or "-",
        ", ".join(f"{role} {number}" for role, number in row["requests"].items()) or "none",
        row["seconds"],
        (row["warning"] or "-").replace("|", "/"),
    ]


def written(
    benchmark: str,
    about: str,
    page: Callable[[dict[str, Any]], str],
    rows: Callable[[Path], Coroutine[Any, Any, list[dict[str, Any]]]],
) -> None:
    """Read the command line, ask, and write page and figures."""
    parser = argparse.ArgumentParser(description=about.split("\n", 1)[0])
    parser.add_argument("--json", type=Path, help="file for the figures")
    parser.add_argument(
        "--markdown", type=Path, default=Path(f"docs/reports/{benchmark}.md"), help="file for the table"
    )
    arguments = parser.parse_args()
    before = machine()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(rows(Path(folder)))
    figures = {"benchmark": benchmark, "machine": before, "after": machine(), "rows": found}
    write(arguments.json, figures)
    arguments.markdown.write_text(page(figures), encoding="utf-8")


if __name__ == "__main__":
    written("faults", __doc__ or "", markdown, every_row)
