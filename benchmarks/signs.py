"""Fits the signs of who answers a 谁-question, and shows what they are worth on questions that were held out.

    python -m benchmarks.signs --data-dir /tmp/quality --library novel --who who.jsonl

A row of --who: {"q": a question for one person, "who": [his names]}. The weights are for `wenmai.minds.offline.whom`.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.folds import held_out, ranked
from benchmarks.measures import draw, keep, read_rows
from benchmarks.replays import named
from benchmarks.signs_fit import FOLDS, Choice, fit
from tools.story.linking import NameTable
from wenmai.agent import Agent, open_agent
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.signs import Signs
from wenmai.minds.offline.whom import witnessed
from wenmai.settings.settings import Settings

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


async def measured(arguments: argparse.Namespace) -> dict[str, Any]:
    """Ask, fit, print; return the figures."""
    settings = Settings(data_dir=arguments.data_dir, trace_dir=arguments.data_dir / "traces")
    async with open_agent(settings) as agent:
        await agent.services.opening.open_library(arguments.library)
        table = await agent.services.assembly.linker.table(arguments.library, None)
        who = await asked(agent, read_rows(arguments.who), arguments.library, table)
    weights = dict(zip(Signs._fields, map(float, fit(who).weights), strict=True))
    print("who", ", ".join(f"{column}={weight:.2f}" for column, weight in weights.items()))
    ranks = held_out(who, fit, lambda fitted, one: fitted.rank(one), FOLDS)
    draw([ranked("who, held out", ranks)])
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
