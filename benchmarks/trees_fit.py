"""Fitting of the trees of `wenmai.minds.offline.weighing` and `refers`: whom a follow-up means, whether one goes on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray

from wenmai.minds.offline.trees import LEAF
from wenmai.minds.offline.weighing import COLUMNS

ROUNDS, QUESTION_ROUNDS = 600, 400
SETTINGS = {
    "objective": "binary",
    "num_leaves": 16,
    "max_depth": 8,
    "learning_rate": 0.02,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.25,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "deterministic": True,
    "force_row_wise": True,
    "seed": 1,
    "num_threads": 2,
    "verbose": -1,
}
"""Chosen on talks that were held out: more leaves, more rounds and a larger share of the columns gave no more."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A choice: a row of `COLUMNS` for each who may be meant, who is, and the part that it is held out with."""

    rows: NDArray[np.float64]
    right: Sequence[bool]
    group: int


def fit_trees(choices: Sequence[FollowUp]) -> lightgbm.Booster:
    """Fit the odds that somebody is meant."""
    rows = np.vstack([choice.rows for choice in choices])
    right = np.concatenate([np.array(choice.right, dtype=np.float64) for choice in choices])
    return lightgbm.train(dict(SETTINGS), lightgbm.Dataset(rows, right), ROUNDS)


def rank(choice: FollowUp, scores: NDArray[np.float64]) -> int:
    """Return how many score better than the right one."""
    best = max(score for score, right in zip(scores, choice.right, strict=True) if right)
    return int(np.sum(scores > best))


def rank_by(fitted: lightgbm.Booster, choice: FollowUp) -> int:
    """Return how many the trees score better than the right one."""
    return rank(choice, np.asarray(fitted.predict(choice.rows)))


def salience_alone(choices: Sequence[FollowUp]) -> list[int]:
    """Return the rank of the right one of each choice by salience alone."""
    return [rank(choice, choice.rows[:, COLUMNS.index("salience")]) for choice in choices]


@dataclass(frozen=True, slots=True)
class Question:
    """A question that the rules leave as it is: its row, whether it goes on, and the part it is held out with."""

    row: Sequence[float]
    goes_on: bool
    group: int


def fit_questions(known: Sequence[Question]) -> lightgbm.Booster:
    """Fit the odds that a question goes on."""
    data = lightgbm.Dataset(np.array([one.row for one in known]), np.array([float(one.goes_on) for one in known]))
    return lightgbm.train({**SETTINGS, "min_data_in_leaf": 15, "feature_fraction": 0.3}, data, QUESTION_ROUNDS)


def score_by(fitted: lightgbm.Booster, question: Question) -> float:
    """Return the log-odds that a question goes on."""
    return float(np.asarray(fitted.predict(np.array([question.row]), raw_score=True))[0])


def flattened(trees: Sequence[Any], columns: Sequence[str]) -> dict[str, Any]:
    """Return what `read` reads, given the structures of `Booster.dump_model` of LightGBM."""
    kept: dict[str, Any] = {
        "columns": list(columns), "roots": [], "depth": 0, "column": [], "threshold": [], "left": [], "right": []
    }  # fmt: skip

    def add(node: Any, depth: int) -> int:
        at = len(kept["column"])
        kept["depth"] = max(kept["depth"], depth)
        leaf = "split_feature" not in node
        if not leaf and node["decision_type"] != "<=":
            raise ValueError(f"a node decides by {node['decision_type']}, not by <=")
        kept["column"].append(LEAF if leaf else node["split_feature"])
        kept["threshold"].append(float(f"{node['leaf_value' if leaf else 'threshold']:.6g}"))
        kept["left"].append(at)
        kept["right"].append(at)
        if not leaf:
            kept["left"][at] = add(node["left_child"], depth + 1)
            kept["right"][at] = add(node["right_child"], depth + 1)
        return at

    for tree in trees:
        kept["roots"].append(add(tree["tree_structure"], 0))
    return kept
