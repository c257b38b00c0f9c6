"""From the reader's log odds to probabilities; fitted on questions that nobody tuned to (docs/reader.md)."""

import math
from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for an answer.

    Attributes:
        margin: log odds of its span against "no answer here".
        answerable: log odds that its window answers at all.
        sentence: log odds that its sentence answers.
        named: share of the asked names in its sentence and those beside it.
        worded: share of the question's other bigrams there.
        introduced: points of its sentence as one that says who a person is, where that is asked.
    """

    margin: float
    answerable: float
    sentence: float
    named: float
    worded: float
    introduced: float = 0.0


WEIGHTS = Signs(margin=0.12, answerable=0.30, sentence=0.29, named=0.8, worded=1.2, introduced=0.6)
SLOPE, OFFSET = 0.74, -0.79
"""Of the logistic curve (Platt 1999)."""
REFUSAL, REFUSAL_OF_FILES = 0.25, 0.3
"""A best answer that is less probable is none; files speak of many things in the same words."""
EXTRACT = 0.4
"""The most that is claimed without a reader: words that are shared answer nothing by themselves."""
STATED, MET, SUMMED_UP = 0.8, 0.3, 0.5
"""Probabilities of what needs no reading: what a graph, a network or the book's own list says of the very thing that
is asked; that two people spoke with each other, where their relation is asked; a summary made of sentences, which
holds what a reader asked for in half of the cases."""


def answered(signs: Signs) -> float:
    """Return one score of an answer, comparable over the pieces of a question."""
    total: float = sum(weight * sign for weight, sign in zip(astuple(WEIGHTS), astuple(signs), strict=True))
    return total


def calibrated(score: float) -> float:
    return (1 + math.tanh((SLOPE * score + OFFSET) / 2)) / 2
