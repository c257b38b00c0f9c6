"""From the reader's log odds to probabilities; fitted on questions that nobody tuned to (docs/reader.md)."""

import math

MARGIN, ANSWERABLE, SENTENCE = 0.5, 1.0, 0.5
"""Weights of the span's margin, the passage's log odds and the sentence's."""
SLOPE, OFFSET = 0.35, 0.0
"""Of the logistic curve (Platt 1999)."""
REFUSAL = 0.25
"""A best answer that is less probable is none."""
HIGH, FAIR = 0.75, 0.5
"""Bounds of the words for people."""


def answered(margin: float, answerable: float, sentence: float) -> float:
    """Return one score of a passage's answer, comparable over the passages of a question."""
    return MARGIN * margin + ANSWERABLE * answerable + SENTENCE * sentence


def calibrated(score: float) -> float:
    """Return the probability that an answer with this score is right."""
    return 1 / (1 + math.exp(-(SLOPE * score + OFFSET)))
