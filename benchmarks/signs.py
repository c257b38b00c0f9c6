"""Fits the signs of who answers a 谁-question, and shows what they are worth on questions that were held out.

    python -m benchmarks.signs --data-dir /tmp/quality --library novel --who who.jsonl

A row of --who: {"q": a question for one person, "who": [his names]}. The weights are for `wenmai.minds.offline.whom`.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measures import keep, read_rows
from benchmarks.replays import named
from benchmarks.signs_fit import Choice, fit, held_out
from tools.linking import NameTable
from wenmai.agent import Agent, open_agent
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.signs import Signs
from wenmai.minds.offline.whom import witnessed
from wenmai.settings import Settings

Rows = dict[str, list[tuple[float, ...]]]


async def asked(agent: Agent, rows: Sequence[Mapping[str, Any]], library: str, table: NameTable) -> list[Choice]:
    """Return the choice among the people of what each answer cites."""
    choices = []
    for at, row in enumerate(rows):
        record = (await agent.ask(row["q"], library=library)).record
        cited = {citation["evidence"] for citation in record["citations"]}
        passages = [piece for piece in record["evidence"] if piece["id"] in cited and piece["kind"] == "passage"]
        found: Rows = {}
        for name, signs in witnessed(analyse(row["q"], table), passages, table):
            found.setdefault(name, []).append(signs)
        if found:
            choices.append(Choice.of(found, named(row["who"], table), at))
    return choices


def shown(name: str, ranks: Sequence[int | None]) -> tuple[str, str, str, str]:
    """Return a row of the table: how often the right one is first, and among the first three."""
    first = sum(rank == 0 for rank in ranks)
    three = sum(rank is not None and rank < 3 for rank in ranks)
    return name, str(len(ranks)), str(first), str(three)


async def measured(arguments: argparse.Namespace) -> dict[str, Any]:
    """Ask, fit, print; return the figures."""
    settings = Settings(data_dir=arguments.data_dir, trace_dir=arguments.data_dir / "traces")
    drawn = Table("choices", "n", "first", "first three")
    async with open_agent(settings) as agent:
        await agent.services.open(arguments.library)
        table = await agent.services.linker.table(arguments.library, None)
        who = await asked(agent, read_rows(arguments.who), arguments.library, table)
    weights = dict(zip(Signs._fields, map(float, fit(who).weights), strict=True))
    print("who", ", ".join(f"{column}={weight:.2f}" for column, weight in weights.items()))
    ranks = held_out(who)
    drawn.add_row(*shown("who, held out", ranks))
    Console(width=120).print(drawn)
    return {"weights": weights, "who": ranks}


def main() -> None:
    """Measure and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--library", default="novel")
    parser.add_argument("--who", type=Path, required=True)
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    keep(arguments.json, asyncio.run(measured(arguments)))


if __name__ == "__main__":
    main()
