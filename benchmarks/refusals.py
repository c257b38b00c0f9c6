"""Fits what tells the offline mind that evidence does not answer, and shows what it is worth on files held out.

    python -m benchmarks.refusals --data-dir /tmp/quality --library novel --questions *.jsonl --write

A row of --questions is one of `wenmai experiment`'s: answerable with a gold quote, or not answerable. Every question is
asked, and what no rule refuses is fitted on: evidence with a gold quote answers, that of a question without an answer
does not, and that of an answerable question without its quotes does not either. Of answerable questions evidence counts
little that has no gold quote, or from which none was cited. The words in which a question asks are fitted apart, over
all questions that have any (`sought`). The files are held out one after another: questions of one writer are never in
both. --write puts what is fitted on all where the offline mind reads it.
"""

import argparse
import asyncio
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from scipy.optimize import minimize
from scipy.special import expit

from benchmarks.folds import held_out
from benchmarks.follow_ups import keep_beside, keep_trees
from benchmarks.measures import draw, keep
from benchmarks.trees_fit import SETTINGS
from graph.builder import build_graph
from wenmai.agent import Agent, open_agent
from wenmai.experiments.datasets import Turn, load_questions
from wenmai.experiments.evaluators import cited, holds_gold, is_refusal
from wenmai.minds.offline import doubt, sought
from wenmai.minds.offline.mind import offline_mind
from wenmai.minds.offline.observing import Observer
from wenmai.settings import Settings

ROUNDS = 300
UNCITED = 0.3
"""Weight of an answerable question's evidence without its gold quote, or where none was cited: to refuse that costs no
right answer."""
WRITERS = 3  # files that a word must stand in
RIDGE = 1.0
SMALL = {
    "num_leaves": 8,
    "max_depth": 4,
    "learning_rate": 0.03,
    "min_data_in_leaf": 15,
    "feature_fraction": 0.4,
    "lambda_l2": 2.0,
}
"""Chosen on files that were held out: more leaves and rounds gave no more."""
LEVELS = (-1.0, -0.75, -0.5, doubt.LEAST, 0.0, 0.25)


@dataclass(slots=True)
class Seen(Observer):
    """The rows of one question, one an attempt, each with the texts of its evidence."""

    is_trusting = True
    found: list[tuple[Sequence[float], Sequence[str]]] = field(default_factory=list)
    words: Collection[str] = ()

    def seeks(self, words: Collection[str]) -> None:
        """Keep the words."""
        self.words = words

    def doubts(self, row: Sequence[float], texts: Sequence[str]) -> None:
        """Keep a row."""
        self.found.append((row, texts))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its rows, what it seeks, whether each one's evidence has a gold quote, whether one was cited."""

    turn: Turn
    rows: Sequence[Sequence[float]]
    words: Collection[str]
    golds: Sequence[bool]
    is_cited: bool
    group: int


def watched(agent: Agent, seen: Seen) -> Agent:
    """Return an agent on the same stores whose offline mind tells what it decides by, and answers what trees doubt."""
    services = agent.services
    mind = offline_mind(services.linker, services.passages, services.embedder, services.lexicons, seen)
    return replace(agent, graph=build_graph(replace(services.parts(), mind=mind, fallback=None), agent.checkpoints))


async def collected(agent: Agent, seen: Seen, library: str, files: Sequence[Path]) -> list[Asked]:
    """Ask every question."""
    asked = []
    turns = [(group, talk.turns[0]) for group, file in enumerate(files) for talk in load_questions(file)]
    for group, turn in track(turns, "questions"):
        seen.found.clear()
        seen.words = ()
        record = (await agent.ask(turn.question, library=library)).record
        golds = [any(holds_gold(turn, text) for text in texts) for _, texts in seen.found]
        told = not is_refusal(record) and bool(cited(turn, record, {}))
        asked.append(Asked(turn, [row for row, _ in seen.found], seen.words, golds, told, group))
    return asked


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is fitted: trees over rows, and the log-odds of the words of what is sought."""

    trees: lightgbm.Booster
    words: Mapping[str, float]

    def level(self, one: Asked) -> float | None:
        """Return the log-odds of the attempt that answers most likely, None where rules refuse each."""
        if not one.rows:
            return None
        likely = sought.log_odds(one.words, self.words)
        told = np.asarray(self.trees.predict(np.array(one.rows), raw_score=True))
        return max(float(level) + doubt.prior(row, likely) for level, row in zip(told, one.rows, strict=True))


def fit(known: Sequence[Asked]) -> Fitted:
    """Fit the odds that evidence answers."""
    examples = [
        (row, float(one.turn.answerable and gold), weight(one, has_gold=gold))
        for one in known
        for row, gold in zip(one.rows, one.golds, strict=True)
    ]
    rows, answers, weights = (np.array(column) for column in zip(*examples, strict=True))
    trees = lightgbm.train({**SETTINGS, **SMALL}, lightgbm.Dataset(rows, answers, weight=weights), ROUNDS)
    return Fitted(trees, fit_words(known))


def weight(one: Asked, *, has_gold: bool) -> float:
    """Return how much an example counts: little where an answerable question got another answer."""
    return 1.0 if not one.turn.answerable or (has_gold and one.is_cited) else UNCITED


def fit_words(known: Sequence[Asked]) -> dict[str, float]:
    """Fit the log-odds that what is sought is told, over words that several writers used; '' is of no word."""
    known = [one for one in known if one.words]
    vocabulary = vocabulary_of(known)
    columns = [*vocabulary, ""]
    seen = np.array([[word == "" or word in one.words for word in columns] for one in known], dtype=np.float64)
    told = np.array([1.0 if one.turn.answerable else -1.0 for one in known])
    return {word: round(float(one), 3) for word, one in zip(columns, logistic(seen, told), strict=True)}


def vocabulary_of(known: Sequence[Asked]) -> list[str]:
    """Return the words that stand in questions of `WRITERS` files or more."""
    files: dict[str, set[int]] = {}
    for one in known:
        for word in one.words:
            files.setdefault(word, set()).add(one.group)
    return sorted(word for word, groups in files.items() if len(groups) >= WRITERS)


def logistic(seen: NDArray[np.float64], told: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of a logistic regression, `told` being 1 or -1, with a ridge on all but the last column."""

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the loss and its slope."""
        margin, kept = told * (seen @ weights), np.append(weights[:-1], 0.0)
        slope = RIDGE * kept - (told * expit(-margin)) @ seen
        return float(np.logaddexp(0.0, -margin).sum() + RIDGE / 2 * kept @ kept), slope

    found = minimize(loss, np.zeros(seen.shape[1]), jac=True, method="L-BFGS-B")
    if not found.success:
        raise RuntimeError(f"the words could not be fitted: {found.message}")
    weights: NDArray[np.float64] = found.x
    return weights


def counted(level: float | None, known: Sequence[Asked], scores: Sequence[float | None]) -> dict[str, Any]:
    """Return the shares at a level of log-odds; None for the rules alone."""
    refused = [score is None or (level is not None and score <= level) for score in scores]
    pairs = list(zip(known, refused, strict=True))
    none, some = ([is_refused for one, is_refused in pairs if one.turn.answerable is kind] for kind in (False, True))
    shown = [one.is_cited and not is_refused for one, is_refused in pairs if one.turn.answerable]
    return {
        "level": "rules" if level is None else level,
        "unanswerable": len(none),
        "refused": round(float(np.mean(none)), 3),
        "answerable": len(some),
        "wrongly refused": round(float(np.mean(some)), 3),
        "gold cited": round(float(np.mean(shown)), 3),
    }


async def measured(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Ask, hold out, print; return the figures."""
    settings = Settings(data_dir=arguments.data_dir, trace_dir=arguments.data_dir / "traces")
    seen = Seen()
    async with open_agent(settings) as agent:
        known = await collected(watched(agent, seen), seen, arguments.library, arguments.questions)
    scores = held_out(known, fit, Fitted.level, len(arguments.questions))
    figures = [counted(level, known, scores) for level in (None, *LEVELS)]
    if arguments.write:
        fitted = fit(known)
        keep_trees(fitted.trees, doubt.COLUMNS, doubt.TREES)
        seldom_first = dict(sorted(fitted.words.items(), key=lambda row: row[1]))
        keep_beside(json.dumps(seldom_first, ensure_ascii=False, indent=0), sought.MODEL)
    draw(figures)
    return figures


def main() -> None:
    """Measure, and keep the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--library", default="novel")
    parser.add_argument("--questions", type=Path, required=True, nargs="+")
    parser.add_argument("--write", action="store_true", help="keep what was fitted")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    if len(arguments.questions) < 2:
        parser.error("--questions needs two files or more: each is held out")
    keep(arguments.json, asyncio.run(measured(arguments)))


if __name__ == "__main__":
    main()
