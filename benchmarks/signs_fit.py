"""Fitting of `wenmai.minds.offline.signs`: the likelihood that the right one of some people scores best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped]  # it ships no types

Array = NDArray[np.float64]
SOFTNESS = 0.5  # temperature of the maximum over the places where one is named
RIDGE = 0.05
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Choice:
    """A question: a row of signs for each place where a candidate is named, and who is right.

    Attributes:
        rows: (places, signs), those of one candidate side by side.
        starts: the first row of each candidate.
        right: the candidates that are right; none where nobody of them is.
        group: questions of one group (a session) are in one fold.
    """

    rows: Array
    starts: NDArray[np.int64]
    right: tuple[int, ...]
    group: int

    @classmethod
    def of(cls, signs: Mapping[str, Sequence[Sequence[float]]], right: Sequence[str], group: int) -> "Choice":
        """Put the rows of all candidates below one another."""
        counts = [len(rows) for rows in signs.values()]
        stacked = np.array([row for rows in signs.values() for row in rows], dtype=np.float64)
        names = list(signs)
        wanted = tuple(at for at, name in enumerate(names) if name in right)
        return cls(stacked, np.cumsum([0, *counts[:-1]]), wanted, group)


@dataclass(frozen=True, slots=True)
class Fitted:
    """Weights of the signs, in their own units."""

    weights: Array

    def rank(self, choice: Choice) -> int | None:
        """Return how many candidates score better than the right one; None where nobody is right."""
        if not choice.right:
            return None
        best = np.maximum.reduceat(choice.rows @ self.weights, choice.starts)
        return int(np.sum(best > max(best[at] for at in choice.right)))


def fit(choices: Sequence[Choice]) -> Fitted:
    """Fit weights by L-BFGS on the regularized negative log likelihood."""
    known = [choice for choice in choices if choice.right]
    spread = np.vstack([choice.rows for choice in known]).std(axis=0)
    scale = np.where(spread < 1e-9, 1.0, spread)
    scaled = [(choice.rows / scale, choice) for choice in known]
    found = minimize(loss, np.zeros(len(scale)), args=(scaled,), jac=True, method="L-BFGS-B")
    return Fitted(np.where(spread < 1e-9, 0.0, found.x / scale))


def loss(weights: Array, scaled: Sequence[tuple[Array, Choice]]) -> tuple[float, Array]:
    """Return the mean negative log likelihood of the right candidates with a ridge, and its gradient."""
    total, gradient = 0.0, np.zeros_like(weights)
    for rows, choice in scaled:
        scores = rows @ weights
        sizes = np.diff([*choice.starts, len(scores)])
        top = np.repeat(np.maximum.reduceat(scores, choice.starts), sizes)
        powers = np.exp((scores - top) / SOFTNESS)
        sums = np.add.reduceat(powers, choice.starts)
        each = np.maximum.reduceat(scores, choice.starts) + SOFTNESS * np.log(sums)
        chances = np.exp(each - each.max())
        chances /= chances.sum()
        right = choice.right[0]
        total -= float(np.log(chances[right] + 1e-12))
        chances[right] -= 1.0
        gradient += rows.T @ (np.repeat(chances, sizes) * powers / np.repeat(sums, sizes))
    count = len(scaled)
    return total / count + RIDGE * float(weights @ weights), gradient / count + 2 * RIDGE * weights
