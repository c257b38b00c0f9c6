"""Fits what tells the offline mind that evidence does not answer, and shows what it is worth on files held out.

    python -m benchmarks.refusals --data-dir /tmp/quality --ask novel a.jsonl b.jsonl --ask other c.jsonl --write

A row of a file is one of `wenmai experiment`'s: answerable with a gold quote, or not answerable. Every question is
asked, and what is first weighed for it is fitted on: with a gold quote it answers, that of a question without an answer
does not, and that of an answerable question without its quotes does not either. Of answerable questions evidence counts
little that has no gold quote, or from which none was cited. How questions are put is fitted first (`phrasing`); what
the trees read of that is fitted without the sixth of the files to which theirs belongs. The files are held out in
sixths as well: questions of one writer are never on both sides. The figures are of first attempts. --write puts what is
fitted on all where the offline mind reads it.
"""

import argparse
import asyncio
import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import expit

from benchmarks.folds import FOLDS, held_out
from benchmarks.follow_ups import keep_beside, keep_trees
from benchmarks.measures import draw, keep
from benchmarks.trees_fit import SETTINGS
from graph.builder import build_graph
from wenmai.agent import Agent, open_agent
from wenmai.experiments.datasets import Turn, load_questions
from wenmai.experiments.evaluators import cited, holds_gold, is_refusal
from wenmai.minds.offline import doubt, phrasing
from wenmai.minds.offline.mind import offline_mind
from wenmai.minds.offline.observing import Observer
from wenmai.settings.settings import Settings

ROUNDS = 300
UNCITED = 0.3
"""Weight of an answerable question's evidence without its gold quote, or where none was cited: to refuse that costs no
right answer."""
WRITERS, STORIES = 3, 2  # files, and stories, of whose questions some must have a piece of phrasing
RIDGE = 3.3
LEAST_WEIGHT = 0.02  # a piece that weighs less is left out
SMALL = {
    "num_leaves": 8,
    "max_depth": 4,
    "learning_rate": 0.03,
    "min_data_in_leaf": 15,
    "feature_fraction": 0.4,
    "lambda_l2": 2.0,
}
"""Chosen on files that were held out: more leaves and rounds gave no more."""
LEVELS = (-1.2, -0.9, doubt.LEAST, -0.6, -0.45, -0.3, 0.0)


@dataclass(slots=True)
class Seen(Observer):
    """What was first weighed for a question: its row, the pieces of its phrasing, the texts of its evidence."""

    is_trusting = True
    first: tuple[Sequence[float], Collection[str], Sequence[str]] | None = None

    def doubts(self, row: Sequence[float], phrased: Collection[str], texts: Sequence[str]) -> None:
        """Keep it."""
        self.first = self.first or (row, phrased, texts)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question on a story: its row, None where nothing was weighed; the pieces of its phrasing; what came of it.

    `group` is the number of its file.
    """

    turn: Turn
    story: str
    row: Sequence[float] | None
    pieces: Collection[str]
    has_gold: bool
    is_refused: bool
    is_cited: bool
    group: int


def watched(agent: Agent, seen: Seen) -> Agent:
    """Return an agent on the same stores whose offline mind tells what it decides by, and answers what trees doubt."""
    services = agent.services
    mind = offline_mind(
        services.assembly.linker, services.passages, services.embedder, services.assembly.lexicons, seen
    )
    return replace(
        agent, graph=build_graph(replace(services.assembly.dependencies(), mind=mind, fallback=None), agent.checkpoints)
    )


async def collected(agent: Agent, seen: Seen, files: Sequence[tuple[str, Path]]) -> list[Asked]:
    """Ask every question of its story."""
    asked = []
    turns = [
        (group, story, talk.turns[0]) for group, (story, file) in enumerate(files) for talk in load_questions(file)
    ]
    for group, story, turn in track(turns, "questions"):
        seen.first = None
        record = (await agent.ask(turn.question, library=story)).record
        row, pieces, texts = seen.first or (None, (), ())
        has_gold = any(holds_gold(turn, text) for text in texts)
        is_refused = is_refusal(record)
        is_cited = not is_refused and bool(cited(turn, record, {}))
        asked.append(Asked(turn, story, row, pieces, has_gold, is_refused, is_cited, group))
    return asked


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is fitted: trees over rows, and the log-odds of the pieces of phrasing."""

    trees: lightgbm.Booster
    weights: Mapping[str, float]

    def level(self, one: Asked) -> float:
        """Return the log-odds that evidence answers; infinite where nothing was weighed."""
        if one.row is None:
            return -math.inf if one.is_refused else math.inf
        row = np.array([doubt.full_row(one.row, phrasing.log_odds(one.pieces, self.weights))])
        return float(np.asarray(self.trees.predict(row, raw_score=True))[0])


def fit(known: Sequence[Asked]) -> Fitted:
    """Fit the odds that evidence answers."""
    weighed = [one for one in known if one.row is not None]
    likely = held_out(weighed, fit_phrasing, lambda weights, one: phrasing.log_odds(one.pieces, weights))
    rows = np.array([doubt.full_row(one.row or (), odds) for one, odds in zip(weighed, likely, strict=True)])
    answers = np.array([float(one.turn.answerable and one.has_gold) for one in weighed])
    data = lightgbm.Dataset(rows, answers, weight=np.array([weight(one) for one in weighed]))
    return Fitted(lightgbm.train({**SETTINGS, **SMALL}, data, ROUNDS), fit_phrasing(weighed))


def weight(one: Asked) -> float:
    """Return how much an example counts: little where an answerable question got another answer."""
    return 1.0 if not one.turn.answerable or (one.has_gold and one.is_cited) else UNCITED


def fit_phrasing(known: Sequence[Asked]) -> dict[str, float]:
    """Fit the log-odds that what is asked so is told; '' is of a question by itself."""
    columns = [*vocabulary_of(known), ""]
    places = {piece: at for at, piece in enumerate(columns)}
    at = [
        (row, places[piece]) for row, one in enumerate(known) for piece in (*sorted(one.pieces), "") if piece in places
    ]
    seen = csr_matrix((np.ones(len(at)), tuple(zip(*at, strict=True))), shape=(len(known), len(columns)))
    told = np.array([1.0 if one.turn.answerable else -1.0 for one in known])
    fitted = zip(columns, logistic(seen, told), strict=True)
    return {piece: round(float(one), 3) for piece, one in fitted if abs(one) >= LEAST_WEIGHT or not piece}


def vocabulary_of(known: Sequence[Asked]) -> list[str]:
    """Return the pieces of questions of `WRITERS` files or more, about `STORIES` stories where there are so many."""
    least = min(STORIES, len({one.story for one in known}))
    files: dict[str, set[tuple[str, int]]] = {}
    for one in known:
        for piece in one.pieces:
            files.setdefault(piece, set()).add((one.story, one.group))
    return sorted(
        piece for piece, of in files.items() if len(of) >= WRITERS and len({story for story, _ in of}) >= least
    )


def logistic(seen: csr_matrix, told: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of a logistic regression, `told` being 1 or -1, with a ridge on all but the last column."""

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the loss and its slope."""
        margin, kept = told * (seen @ weights), np.append(weights[:-1], 0.0)
        slope = RIDGE * kept - (told * expit(-margin)) @ seen
        return float(np.logaddexp(0.0, -margin).sum() + RIDGE / 2 * kept @ kept), slope

    found = minimize(loss, np.zeros(seen.shape[1]), jac=True, method="L-BFGS-B")
    if not found.success:
        raise RuntimeError(f"the phrasing could not be fitted: {found.message}")
    weights: NDArray[np.float64] = found.x
    return weights


def counted(level: float | None, known: Sequence[Asked], scores: Sequence[float]) -> dict[str, Any]:
    """Return the shares at a level of log-odds; None for what is refused without any weighing."""
    refused = [score <= (-math.inf if level is None else level) for score in scores]
    pairs = list(zip(known, refused, strict=True))
    none, some = ([is_refused for one, is_refused in pairs if one.turn.answerable is kind] for kind in (False, True))
    shown = [one.is_cited and not is_refused for one, is_refused in pairs if one.turn.answerable]
    return {
        "level": "at once" if level is None else level,
        "unanswerable": len(none),
        "refused": round(float(np.mean(none)), 3),
        "answerable": len(some),
        "wrongly refused": round(float(np.mean(some)), 3),
        "gold cited": round(float(np.mean(shown)), 3),
    }


async def measured(arguments: argparse.Namespace, files: Sequence[tuple[str, Path]]) -> list[dict[str, Any]]:
    """Ask the files of each story, hold out, print; return the figures."""
    settings = Settings(data_dir=arguments.data_dir, trace_dir=arguments.data_dir / "traces")
    seen = Seen()
    async with open_agent(settings) as agent:
        known = await collected(watched(agent, seen), seen, files)
    scores = held_out(known, fit, Fitted.level)
    figures = [
        {"story": story, **counted(level, *of_story(story, known, scores))}
        for story in ("", *dict.fromkeys(story for story, _ in files))
        for level in (None, *LEVELS)
    ]
    if arguments.write:
        fitted = fit(known)
        keep_trees(fitted.trees, doubt.TREE_COLUMNS, doubt.TREES)
        seldom_first = dict(sorted(fitted.weights.items(), key=lambda row: row[1]))
        keep_beside(json.dumps(seldom_first, ensure_ascii=False, indent=0), phrasing.MODEL)
    draw(figures)
    return figures


def of_story(story: str, known: Sequence[Asked], scores: Sequence[float]) -> tuple[list[Asked], list[float]]:
    """Return the questions on a story with their scores; of all where it is ''."""
    pairs = [(one, score) for one, score in zip(known, scores, strict=True) if story in ("", one.story)]
    return [one for one, _ in pairs], [score for _, score in pairs]


def main() -> None:
    """Measure, and keep the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--ask", nargs="+", action="append", required=True, metavar=("LIBRARY", "FILE"))
    parser.add_argument("--write", action="store_true", help="keep what was fitted")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    files = [(story, Path(file)) for story, *names in arguments.ask for file in names]
    if any(len(row) < 2 for row in arguments.ask):
        parser.error("--ask needs a library and its files")
    if len(files) < FOLDS:
        parser.error(f"--ask needs {FOLDS} files or more in all: they are held out in {FOLDS} parts")
    keep(arguments.json, asyncio.run(measured(arguments, files)))


if __name__ == "__main__":
    main()
