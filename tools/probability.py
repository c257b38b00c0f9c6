"""Probabilities and their log odds."""

import math


def logistic(log_odds: float) -> float:
    """Return the probability, 0 to 1, that has these log odds; none is too large."""
    return (1 + math.tanh(log_odds / 2)) / 2
