"""Fits what tells the offline mind whom a follow-up means, and shows what it is worth on talks that were held out.

    python -m benchmarks.follow_ups --data-dir /tmp/quality --library novel --talks *.jsonl --write

A row of --talks is a talk of `benchmarks.replays`; a row of --alone, {"q"}, is a question of anything else. Two things
are fitted, on what the resolver decides by while the talks are replayed:
- whom of a talk's people a follow-up means: `weighing`, after right answers and after the agent's own;
- whether a question of which the rules find nothing left out goes on about the talk: `refers`, after right answers. A
  question of --alone is asked behind every eighth turn.
The files are held out one after another in `folds.FOLDS` parts: talks of one writer are never in both. --write puts
what is fitted on all where the offline mind reads it.
"""

import argparse
import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from lightgbm import Booster
from rich.progress import track

from benchmarks.folds import FOLDS, held_out, ranked
from benchmarks.measures import draw, keep, read_rows
from benchmarks.replays import Talk, named, right_answered, self_answered
from benchmarks.trees_fit import (
    FollowUp,
    Question,
    fit_questions,
    fit_trees,
    flattened,
    rank_by,
    salience_alone,
    score_by,
)
from nodes.roles import ResolveRequest
from state.session import Session
from tools.story.linking import NameTable
from wenmai.agent import Agent, open_agent
from wenmai.minds import offline
from wenmai.minds.offline import refers, weighing
from wenmai.minds.offline.lore import is_listed
from wenmai.minds.offline.observing import Observer
from wenmai.minds.offline.resolver import OfflineResolver
from wenmai.settings.settings import Settings

SEED = 7
BEHIND = 8  # turns to one question of anything else


@dataclass(slots=True)
class Seen(Observer):
    """What the resolver decided one question by."""

    choice: tuple[Sequence[str], Sequence[Sequence[float]]] | None = None
    question: Sequence[float] | None = None

    def meant(self, names: Sequence[str], rows: Sequence[Sequence[float]]) -> None:
        """Keep the first choice."""
        self.choice = self.choice or (names, rows)

    def refers(self, row: Sequence[float]) -> None:
        """Keep the row."""
        self.question = row


@dataclass(slots=True)
class Examples:
    """What there is to fit on."""

    meant: list[FollowUp] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Asking:
    """Questions put to the resolver behind a session, and what they show."""

    agent: Agent
    library: str
    table: NameTable
    examples: Examples

    async def seen(self, question: str, session: Session) -> Seen:
        """Return what the resolver decides a question by."""
        request = ResolveRequest(question=question, session=session, library=self.library, horizon=None, language="zh")
        services, found = self.agent.services, Seen()
        await OfflineResolver(services.assembly.linker, passages=services.passages, observer=found).resolve(request)
        return found

    async def follow_up(self, turn: Talk, session: Session, group: int) -> Seen:
        """Keep the choice among the talk's people; return all that was decided by."""
        found = await self.seen(turn["q"], session)
        right = named(turn["names"][0], self.table) if len(turn["names"]) == 1 else []
        if found.choice and any(is_listed(name, self.table) for name in right):
            names, rows = found.choice
            if not set(right).isdisjoint(names):
                self.examples.meant.append(FollowUp(np.array(rows), [name in right for name in names], group))
        return found

    def keep_question(self, found: Seen, group: int, *, goes_on: bool) -> None:
        """Keep the row of a question that the rules left as it is."""
        if found.question is not None:
            self.examples.questions.append(Question(found.question, goes_on, group))


async def collected(asking: Asking, files: Sequence[Path], alone: Sequence[str]) -> Examples:
    """Replay all talks."""
    drawn = random.Random(SEED)
    talks = [(group, talk) for group, file in enumerate(files) for talk in read_rows(file)]
    for group, talk in track(talks, "talks"):
        async for turn, session in right_answered(talk):
            if session["turns"]:
                found = await asking.follow_up(turn, session, group)
                asking.keep_question(found, group, goes_on=bool(turn["names"]))
                if alone and drawn.randrange(BEHIND) == 0:
                    found = await asking.seen(drawn.choice(alone), session)
                    asking.keep_question(found, group, goes_on=False)
        async for turn, session in self_answered(asking.agent, talk, asking.library):
            if session["turns"] and turn["names"]:
                await asking.follow_up(turn, session, group)
    return asking.examples


def counted(name: str, questions: Sequence[Question]) -> dict[str, Any]:
    """Return how many that go on are found, and how many that stand alone are taken to go on."""
    scores = held_out(questions, fit_questions, score_by)
    judged = [(score > refers.LEAST, one.goes_on) for score, one in zip(scores, questions, strict=True)]
    return {
        "what": name,
        "go on": sum(goes_on for _, goes_on in judged),
        "found": sum(over and goes_on for over, goes_on in judged),
        "stand alone": sum(not goes_on for _, goes_on in judged),
        "taken to go on": sum(over and not goes_on for over, goes_on in judged),
    }


def written(examples: Examples) -> None:
    """Fit on all, and keep it where the offline mind reads it."""
    keep_trees(fit_trees(examples.meant), weighing.COLUMNS, weighing.TREES)
    keep_trees(fit_questions(examples.questions), refers.COLUMNS, refers.TREES)


def keep_trees(fitted: Booster, columns: Sequence[str], name: str) -> None:
    """Write trees beside the offline mind's modules."""
    kept = json.dumps(flattened(fitted.dump_model()["tree_info"], columns), separators=(",", ":"), ensure_ascii=False)
    keep_beside(kept, name)


def keep_beside(kept: str, name: str) -> None:
    """Write a file beside the offline mind's modules."""
    (Path(offline.__file__).parent / name).write_text(kept + "\n", encoding="utf-8")


async def measured(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Replay, hold out, print; return the figures."""
    settings = Settings(data_dir=arguments.data_dir, trace_dir=arguments.data_dir / "traces")
    alone = [row["q"] for row in read_rows(arguments.alone)] if arguments.alone else []
    async with open_agent(settings) as agent:
        await agent.services.opening.open_library(arguments.library)
        table = await agent.services.assembly.linker.table(arguments.library, None)
        examples = await collected(Asking(agent, arguments.library, table, Examples()), arguments.talks, alone)
    figures = [
        ranked("meant, held out", held_out(examples.meant, fit_trees, rank_by)),
        ranked("meant, by salience alone", salience_alone(examples.meant)),
        counted("goes on, held out", examples.questions),
    ]
    if arguments.write:
        written(examples)
    draw(figures[:2])
    draw(figures[2:])
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
