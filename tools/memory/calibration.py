"""How likely a memory speaks of what is asked, 0..1, from its score in the ranking and how well the best one fits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from types import MappingProxyType

from tools.memory.records import SearchMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How well a user's memories fit a question; the same for all memories of a search, so that order is kept.

    Attributes:
        nearest: the best cosine on the embedder's scale: 0 for unrelated texts, 1 for an answer; not clipped.
        share: share of the question's words that the memory with most of them has, by weight.
    """

    nearest: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A logistic regression; `score` is positive, so that a better place has a higher probability."""

    base: float
    score: float
    nearest: float
    share: float


WEIGHTS: Mapping[SearchMode, Weights] = MappingProxyType(
    {
        "hybrid": Weights(base=-9.25, score=7.22, nearest=2.26, share=0.70),
        "semantic": Weights(base=-9.66, score=8.97, nearest=3.19, share=0.0),
    }
)
"""Fitted by `benchmarks/memory_calibration.py` on the users of even place; those of odd place were held out."""


def probabilities(scores: Sequence[float], fit: Fit, mode: SearchMode) -> list[float]:
    """Return the probability of each memory from its score in the ranking."""
    weights = WEIGHTS[mode]
    known = weights.base + weights.nearest * fit.nearest + weights.share * fit.share
    return [1 / (1 + exp(-known - weights.score * score)) for score in scores]
