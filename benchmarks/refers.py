"""Fits the trees that tell whether a question goes on about the talk, and shows what they are worth when held out.

    python -m benchmarks.refers --data-dir /tmp/quality --library novel --talks a.jsonl --alone alone.jsonl --write

The rows of --talks are those of `benchmarks.signs`; a turn that stands alone has no "names". A row of --alone, {"q"},
is a question of anything else: one of them is asked behind every eighth turn. Only turns that the rules leave as they
are count. --write keeps the trees, fitted on all, where the offline mind reads them.
"""

import argparse
import asyncio
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import lightgbm
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.signs import read_rows, right_answered
from benchmarks.signs_fit import FOLDS
from benchmarks.trees_fit import SETTINGS
from nodes.roles import ResolveRequest
from state.session import Session
from wenmai.agent import Agent, open_agent
from wenmai.minds import offline
from wenmai.minds.offline import adrift
from wenmai.minds.offline.refers import COLUMNS, LEAST, TREES, row_of
from wenmai.minds.offline.resolver import OfflineResolver
from wenmai.minds.offline.trees import flattened
from wenmai.settings import Settings

ROUNDS = 400
BEHIND = 8  # turns to one question of anything else


@dataclass(frozen=True, slots=True)
class Question:
    """A question that the rules leave as it is: its row, whether it goes on, and the part it is held out with."""

    row: Sequence[float]
    goes_on: bool
    group: int


async def questions(agent: Agent, talks: Sequence[Path], alone: Sequence[str], library: str) -> list[Question]:
    """Return the questions of some talks, each behind right answers, that the rules find nothing left out of."""
    found: list[Question] = []
    drawn = random.Random(5)
    for group, file in enumerate(track(talks, "talks")):
        for talk in read_rows(file):
            async for turn, session in right_answered(agent, talk, library):
                if not session["turns"]:
                    continue
                asked = [(turn["q"], bool(turn["names"]))]
                if alone and drawn.randrange(BEHIND) == 0:
                    asked.append((drawn.choice(alone), False))
                for text, goes_on in asked:
                    found += [Question(row, goes_on, group) for row in await rows(agent, text, session, library)]
    return found


async def rows(agent: Agent, text: str, session: Session, library: str) -> list[list[float]]:
    """Return the row of a question that only the trees may send on, none of another."""
    request = ResolveRequest(question=text, session=session, library=library, horizon=None, language="zh")
    made: list[list[float]] = []

    def asked(reading: Any, discourse: Any) -> bool:
        made.append(row_of(reading, discourse))
        return False

    with patch.object(adrift, "refers", asked):
        await OfflineResolver(agent.services.linker, passages=agent.services.passages).resolve(request)
    return made


def fit_questions(known: Sequence[Question]) -> lightgbm.Booster:
    """Fit the odds that a question goes on."""
    data = lightgbm.Dataset(np.array([one.row for one in known]), np.array([float(one.goes_on) for one in known]))
    return lightgbm.train({**SETTINGS, "min_data_in_leaf": 15, "feature_fraction": 0.3}, data, ROUNDS)


def scores_held_out(known: Sequence[Question]) -> NDArray[np.float64]:
    """Return the log-odds of each question, by trees that were fitted without its part."""
    scores = np.zeros(len(known))
    for fold in range(FOLDS):
        inside = np.array([one.group % FOLDS == fold for one in known])
        fitted = fit_questions([one for one, out in zip(known, inside, strict=True) if not out])
        scores[inside] = fitted.predict(np.array([one.row for one in known])[inside], raw_score=True)
    return scores


def shares(known: Sequence[Question], scores: NDArray[np.float64]) -> Iterator[Mapping[str, float]]:
    """Return for some thresholds how many go on and are found, and how many stand alone and are not left so."""
    goes_on = np.array([one.goes_on for one in known])
    for least in (0.0, 0.4, LEAST, 1.2):
        over = scores > least
        yield {"least": least, "found": int(np.sum(over & goes_on)), "of": int(np.sum(goes_on)),
               "wrong": int(np.sum(over & ~goes_on)), "of alone": int(np.sum(~goes_on))}  # fmt: skip


async def measured(arguments: argparse.Namespace) -> list[Mapping[str, float]]:
    """Replay, fit, print; return the figures."""
    settings = Settings(data_dir=arguments.data_dir, trace_dir=arguments.data_dir / "traces")
    alone = [row["q"] for row in read_rows(arguments.alone)] if arguments.alone else []
    async with open_agent(settings) as agent:
        await agent.services.open(arguments.library)
        known = await questions(agent, arguments.talks, alone, arguments.library)
    figures = list(shares(known, scores_held_out(known)))
    drawn = Table(*figures[0])
    for figure in figures:
        drawn.add_row(*map(str, figure.values()))
    Console(width=100).print(drawn)
    if arguments.write:
        kept = flattened(fit_questions(known).dump_model()["tree_info"], COLUMNS)
        text = json.dumps(kept, separators=(",", ":"), ensure_ascii=False)
        (Path(offline.__file__).parent / TREES).write_text(text + "\n", encoding="utf-8")
    return figures


def main() -> None:
    """Measure, and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--library", default="novel")
    parser.add_argument("--talks", type=Path, required=True, nargs="+")
    parser.add_argument("--alone", type=Path)
    parser.add_argument("--write", action="store_true", help="keep the trees")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    figures = asyncio.run(measured(arguments))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
