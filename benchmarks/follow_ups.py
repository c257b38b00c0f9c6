"""Fits what tells the offline mind whom a follow-up means, and shows what it is worth on talks that were held out.

    python -m benchmarks.follow_ups --data-dir /tmp/quality --library novel --talks *.jsonl --write

A row of --talks is a talk of `benchmarks.replays`; a row of --alone, {"q"}, is a question of anything else. Two things
are fitted, on what the resolver decides by while the talks are replayed:
- whom of a talk's people a follow-up means: `weighing`, after right answers and after the agent's own;
- whether a question without a word for it goes on about the talk: `unsaid`. That stand alone: a talk's turns that do,
  every follow-up rewritten to stand alone, first questions of other talks, and questions of --alone.
The files are held out one after another in `folds.FOLDS` parts: talks of one writer are never in both. --write puts
what is fitted on all where the offline mind reads it.
"""

import argparse
import asyncio
import json
import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.folds import FOLDS, held_out
from benchmarks.linear_fit import Example, fit_linear
from benchmarks.measures import keep, read_rows
from benchmarks.replays import Talk, named, right_answered, self_answered
from benchmarks.trees_fit import FollowUp, fit_trees, flattened, rank_by, salience_alone
from nodes.roles import ResolveRequest
from state.session import Session
from tools.linking import NameTable
from wenmai.agent import Agent, open_agent
from wenmai.minds import offline
from wenmai.minds.offline import unsaid, weighing
from wenmai.minds.offline.anaphora import find_anaphors
from wenmai.minds.offline.lore import is_listed
from wenmai.minds.offline.newcomers import with_newcomers
from wenmai.minds.offline.observing import Observer
from wenmai.minds.offline.reading import read
from wenmai.minds.offline.resolver import OfflineResolver, talk_before
from wenmai.settings import Settings

SEED = 7
OTHERS_FIRST, ELSE = 0.35, 0.2
"""How often the first question of another talk, and a question of anything else, is asked behind a turn."""


@dataclass(slots=True)
class Seen(Observer):
    """What the resolver decided one question by."""

    choice: tuple[Sequence[str], Sequence[Sequence[float]]] | None = None
    asked_unsaid: bool = False

    def meant(self, names: Sequence[str], rows: Sequence[Sequence[float]]) -> None:
        """Keep the first choice."""
        self.choice = self.choice or (names, rows)

    def unsaid(self, shown: Collection[str]) -> None:
        """Note that the rules found nothing left out."""
        self.asked_unsaid = True


@dataclass(slots=True)
class Examples:
    """What there is to fit on."""

    meant: list[FollowUp] = field(default_factory=list)
    unsaid: list[Example] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Asking:
    """Questions put to the resolver behind a session, and what they show."""

    agent: Agent
    library: str
    table: NameTable
    examples: Examples

    async def seen(self, question: str, session: Session) -> tuple[Seen, ResolveRequest]:
        """Return what the resolver decides a question by."""
        request = ResolveRequest(question=question, session=session, library=self.library, horizon=None, language="zh")
        services, found = self.agent.services, Seen()
        await OfflineResolver(services.linker, passages=services.passages, observer=found).resolve(request)
        return found, request

    async def follow_up(self, turn: Talk, session: Session, group: int, *, own: bool) -> None:
        """Keep the choice among the talk's people, and, behind right answers, what tells that the turn goes on."""
        found, request = await self.seen(turn["q"], session)
        right = named(turn["names"][0], self.table) if len(turn["names"]) == 1 else []
        if found.choice and any(is_listed(name, self.table) for name in right):
            names, rows = found.choice
            if not set(right).isdisjoint(names):
                self.examples.meant.append(FollowUp(np.array(rows), [name in right for name in names], group))
        if not own:
            self.keep(found, request, group, goes_on=bool(turn["names"]))

    async def alone(self, question: str, session: Session, group: int) -> None:
        """Keep what a question shows that stands alone."""
        found, request = await self.seen(question, session)
        self.keep(found, request, group, goes_on=False)

    def keep(self, found: Seen, request: ResolveRequest, group: int, *, goes_on: bool) -> None:
        """Keep the signs of a question, unless it has a word that refers back."""
        table = with_newcomers(request.session, self.table)
        talk, reading = talk_before(request, table), read(request.question, table)
        if talk and talk.people() and not find_anaphors(reading):
            signs = unsaid.shown_by(reading, talk)
            self.examples.unsaid.append(Example(signs, goes_on, group, decides=found.asked_unsaid))


async def collected(asking: Asking, files: Sequence[Path], alone: Sequence[str]) -> Examples:
    """Replay all talks."""
    drawn = random.Random(SEED)
    talks = [(group, talk) for group, file in enumerate(files) for talk in read_rows(file)]
    firsts = [talk["turns"][0]["q"] for _, talk in talks if not talk["turns"][0]["names"]]
    for group, talk in track(talks, "talks"):
        async for turn, session in right_answered(talk):
            if session["turns"]:
                await asking.follow_up(turn, session, group, own=False)
                for question in _beside(turn, talk, firsts, alone, drawn):
                    await asking.alone(question, session, group)
        async for turn, session in self_answered(asking.agent, talk, asking.library):
            if session["turns"] and turn["names"]:
                await asking.follow_up(turn, session, group, own=True)
    return asking.examples


def _beside(turn: Talk, talk: Talk, firsts: Sequence[str], alone: Sequence[str], drawn: random.Random) -> Iterator[str]:
    """Yield questions that stand alone, to be asked in the place of a turn."""
    if turn["names"]:
        yield turn["standalone"]
    if drawn.random() < OTHERS_FIRST and (first := drawn.choice(firsts)) != talk["turns"][0]["q"]:
        yield first
    if alone and drawn.random() < ELSE:
        yield drawn.choice(alone)


def counted(name: str, examples: Sequence[Example], least: float) -> dict[str, Any]:
    """Return how many that hold are found, and how many that do not are taken to, where the signs decide."""
    scores = held_out(examples, fit_linear, lambda fitted, one: fitted.score(one.shown))
    decided = [(score > least, one.holds) for score, one in zip(scores, examples, strict=True) if one.decides]
    return {
        "what": name,
        "hold": sum(holds for _, holds in decided),
        "found": sum(over and holds for over, holds in decided),
        "do not": sum(not holds for _, holds in decided),
        "taken to": sum(over and not holds for over, holds in decided),
    }


def ranked(name: str, ranks: Sequence[int]) -> dict[str, Any]:
    """Return how often the right one is first, and among the first three."""
    first, three = (sum(rank < most for rank in ranks) for most in (1, 3))
    return {"what": name, "n": len(ranks), "first": first, "first three": three}


def written(examples: Examples) -> None:
    """Fit on all, and keep it where the offline mind reads it."""
    folder = Path(offline.__file__).parent
    trees = flattened(fit_trees(examples.meant).dump_model()["tree_info"], weighing.COLUMNS)
    (folder / weighing.TREES).write_text(json.dumps(trees, separators=(",", ":")) + "\n", encoding="utf-8")
    fitted = fit_linear(examples.unsaid)
    kept = {"intercept": fitted.intercept, "weights": dict(sorted(fitted.weights.items()))}
    (folder / unsaid.WEIGHTS).write_text(json.dumps(kept, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


async def measured(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Replay, hold out, print; return the figures."""
    settings = Settings(data_dir=arguments.data_dir, trace_dir=arguments.data_dir / "traces")
    alone = [row["q"] for row in read_rows(arguments.alone)] if arguments.alone else []
    async with open_agent(settings) as agent:
        await agent.services.open(arguments.library)
        table = await agent.services.linker.table(arguments.library, None)
        examples = await collected(Asking(agent, arguments.library, table, Examples()), arguments.talks, alone)
    figures = [
        ranked("meant, held out", held_out(examples.meant, fit_trees, rank_by)),
        ranked("meant, by salience alone", salience_alone(examples.meant)),
        counted("unsaid, held out", examples.unsaid, unsaid.LEAST),
    ]
    if arguments.write:
        written(examples)
    for part in (figures[:2], figures[2:]):
        drawn = Table(*part[0])
        for figure in part:
            drawn.add_row(*map(str, figure.values()))
        Console(width=100).print(drawn)
    return figures


def main() -> None:
    """Measure, and keep the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--library", default="novel")
    parser.add_argument("--talks", type=Path, required=True, nargs="+")
    parser.add_argument("--alone", type=Path)
    parser.add_argument("--write", action="store_true", help="keep what was fitted")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    if len(arguments.talks) < FOLDS:
        parser.error(f"--talks needs {FOLDS} files or more: they are held out in {FOLDS} parts")
    keep(arguments.json, asyncio.run(measured(arguments)))


if __name__ == "__main__":
    main()
