"""Each tool and a whole warm turn on an ingested library, the embedding's share apart, and a cold command line.

python benchmarks/latency.py --data-dir .wenmai --library sanguo --questions questions.jsonl --json tools.json
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.measures import Busy, latencies, machine, memory, quantiles, timed, write
from tools.base import Scope
from tools.story.names import NameTable
from tools.toolboxes import story_tools, toolbox_for
from wenmai.agent import open_agent
from wenmai.app.container import Services
from wenmai.experiments.questions import load_questions
from wenmai.settings.settings import Settings

ROWS = 10
WARM_UP = 5
COLD_RUNS = 3
STORY_TOOLKITS = ("story", "narrative", "rag")


@dataclass
class Watched:
    """The library's embedder, with the time that queries spend in it; one that was asked before costs nothing."""

    services: Services
    busy: Busy = field(default_factory=Busy)

    @property
    def name(self) -> str:
        """Identity of the model."""
        return self.services.embedder.name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self.services.embedder.dimension

    def expect_queries(self, texts: Sequence[str]) -> None:
        """Nothing to prepare."""

    async def embed_query(self, text: str) -> list[float]:
        """Embed a query and keep the time."""
        with self.busy.inside():
            return await self.services.embedder.embed_query(text)

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed passages."""
        return await self.services.embedder.embed_passages(texts)


def arguments_of(questions: Sequence[str], table: NameTable) -> dict[str, list[dict[str, Any]]]:
    """Return calls of each tool about what the questions ask."""
    people = [mention.entity for text in questions for mention in table.find(text) if mention.entity]
    pairs = [pair for pair in pairwise(people) if pair[0] != pair[1]]
    about = [{"entity": name} for name in people[: len(questions)]]
    return {
        "vector_search": [{"query": text, "top_k": ROWS} for text in questions],
        "search_memory": [{"query": text} for text in reversed(questions)],
        "graph_search": [{**one, "depth": 2} for one in about],
        "track_entity": about,
        "lookup_knowledge": about,
        "find_connection": [{"entity1": a, "entity2": b} for a, b in pairs[: len(questions)]],
        "track_journey": [{"entity": a, "target": b} for a, b in pairs[: len(questions)]],
        "get_character_events": about,
        "list_characters": [{"names": [name]} for name in people[: len(questions)]],
        "read_chapters": [{"chapters": [number, number]} for number in range(1, len(questions) + 1)],
    }


async def measure_tools(services: Services, library: str, questions: Sequence[str]) -> dict[str, Any]:
    """Measure every tool; a new embedder for each, so that none finds the other's query vectors."""
    table = await services.assembly.linker.table(library, None)
    figures: dict[str, Any] = {}
    scope = Scope(library=library, limit=ROWS)
    for name, calls in arguments_of(questions, table).items():
        watched = Watched(Services(services.settings))
        await watched.embed_query("warm up")
        watched.busy.milliseconds = 0.0
        toolbox = toolbox_for(STORY_TOOLKITS, story_tools(services.passages, services.graph, watched))
        failed: list[str] = []
        runs = [called(toolbox.run, name, call, scope, failed) for call in calls]
        times = await latencies(runs)
        share = watched.busy.milliseconds / sum(times) if times else 0.0
        figures[name] = {**quantiles(times[WARM_UP:]), "embedding_share": round(share, 3), "refused": len(failed)}
    return figures


def called(
    run: Callable[..., Awaitable[Any]], name: str, call: dict[str, Any], scope: Scope, failed: list[str]
) -> Callable[[], Awaitable[None]]:
    """Return a call of a tool that notes a refusal (an ambiguous name)."""

    async def once() -> None:
        outcome = await run(name, call, scope, 1)
        if not outcome.ok:
            failed.append(outcome.content)

    return once


async def measure_turns(settings: Settings, library: str, questions: Sequence[str]) -> dict[str, Any]:
    """Measure whole turns, each on a thread of its own, after a few to warm up."""
    busy = Busy()
    with timed() as opening:
        async with open_agent(settings) as agent:
            await agent.ask(questions[0], library=library)
    async with open_agent(settings) as agent:
        model, plain = agent.services.embedder, agent.services.embedder.embed_query

        async def watched(text: str) -> list[float]:
            with busy.inside():
                return await plain(text)

        object.__setattr__(model, "embed_query", watched)
        asks = [lambda q=q: agent.ask(q, library=library) for q in questions]
        await latencies(asks[:WARM_UP])
        busy.milliseconds = 0.0
        times = await latencies(asks[WARM_UP:])
        resident = memory()
    share = busy.milliseconds / sum(times) if times else 0.0
    first = round(opening.seconds * 1e3, 1)
    return {**quantiles(times), "embedding_share": round(share, 3), "first_turn_ms": first, "memory": resident}


def cold(settings: Settings, library: str, question: str) -> dict[str, Any]:
    """Measure a new process: help, and one question."""
    environment = {**os.environ, "DATA_DIR": str(settings.data_dir), "TRACE_DIR": str(settings.trace_dir)}
    commands = {"help": ["--help"], "ask": ["ask", question, "--library", library]}
    program = str(Path(sys.executable).parent / "wenmai")
    return {
        name: quantiles([seconds([program, *words], environment) for _ in range(COLD_RUNS)])
        for name, words in commands.items()
    }


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """Run a command and return how many milliseconds it took."""
    with timed() as watch:
        subprocess.run(command, env=environment, check=True, capture_output=True)
    return watch.seconds * 1e3


async def measured(arguments: argparse.Namespace, traces: Path) -> dict[str, Any]:
    """Measure turns first, on a fresh process, then tools, then cold starts."""
    settings = Settings(data_dir=arguments.data_dir, trace_dir=traces)
    questions = [talk.turns[0].question for talk in load_questions(arguments.questions)][: arguments.most]
    turn = await measure_turns(settings, arguments.library, questions)
    services = Services(settings)
    try:
        tools = await measure_tools(services, arguments.library, questions)
        counts = {
            **(await services.opening.open_library(arguments.library)).counts,
            **await services.graph.counts(arguments.library),
        }
    finally:
        await services.close()
    start = await asyncio.to_thread(cold, settings, arguments.library, questions[0])
    return {"library": {"name": arguments.library, **counts}, "turn": turn, "tools": tools, "cold": start}


def main() -> None:
    """Measure and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data-dir", type=Path, default=Path(".wenmai"))
    parser.add_argument("--library", required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--most", type=int, default=60, help="questions at most")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    before = machine()
    with tempfile.TemporaryDirectory() as traces:
        figures = asyncio.run(measured(arguments, Path(traces)))
    write(arguments.json, {"benchmark": "latency", "machine": before, "after": machine(), **figures})


if __name__ == "__main__":
    main()
