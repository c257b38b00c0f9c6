"""A sum of weights of what a question shows, as logistic regression fits it."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Linear:
    """Weights of signs that a question shows or does not; a sign without a weight says nothing."""

    intercept: float
    weights: Mapping[str, float]

    def score(self, shown: Collection[str]) -> float:
        """Return log-odds."""
        return self.intercept + sum(self.weights.get(sign, 0.0) for sign in set(shown))


@cache
def loaded(name: str) -> Linear:
    """Read the weights that lie beside this module, once."""
    kept = json.loads(files("wenmai.minds.offline").joinpath(name).read_text(encoding="utf-8"))
    return Linear(kept["intercept"], kept["weights"])
