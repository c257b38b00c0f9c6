"""A statement beside the rows of a network that it cites: one says something else, or others say what it says."""

import re
from dataclasses import dataclass

from nodes.checking.claims import Claim
from nodes.checking.findings import SUPPORTED_SHARE, Finding
from nodes.checking.grounds import Ground, words_of
from nodes.checking.numbers import numbers_of
from nodes.results.citations import NAMED, letters, told_value

KINDS = ("property", "relation")
MOST_MARKS = 3
_IS = r"\s*(?:是|为|叫做?|[:：]|(?:of [^,.;]{1,60} )?(?:is|was|are|were)\b)"
"""What stands between what is told of an instance and its value."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a network: what is told of an instance under a label, and whether a statement has each of them."""

    ground: Ground
    number: int
    claim: Claim

    @property
    def name(self) -> str:
        """The instance."""
        return self.ground.text.partition(NAMED)[0]

    @property
    def label(self) -> str:
        """The property or relation."""
        return (self.ground.piece["location"] or "").rpartition(" / ")[2]

    @property
    def is_of_statement(self) -> bool:
        """Whether the statement names its instance and its label."""
        return self.name in self.claim.sentence and self.label in self.claim.sentence

    @property
    def is_asserted(self) -> bool:
        """Whether the statement says that it is something under its label."""
        return self.is_of_statement and re.search(re.escape(self.label) + _IS, self.claim.sentence) is not None

    @property
    def has_value(self) -> bool:
        """Whether the statement has its value: the letters, the numbers or most of the words."""
        value, claim = told_value(self.ground.piece), self.claim
        numbers, words = numbers_of(value), words_of(value)
        if letters(value) in letters(claim.sentence):
            return True
        if numbers:
            return all(any(one.fits(other) for other in numbers_of(claim.sentence)) for one in numbers)
        return bool(words) and len(words & claim.words) >= SUPPORTED_SHARE * len(words)


def misread(claim: Claim) -> Finding | None:
    """Return a finding where all that a statement cites are rows and one contradicts it, or others tell it."""
    rows = [Row(ground, number, claim) for number, ground in enumerate(claim.material.grounds, 1) if _is_row(ground)]
    if not claim.real or not set(claim.real) <= {row.number for row in rows} or claim.is_foreign(claim.sentence):
        return None
    with_value = {(row.name, row.label) for row in rows if row.has_value}
    if any(row.is_asserted and (row.name, row.label) not in with_value for row in rows):
        return Finding("flagged", claim.real, "unsupported")
    having = [row.number for row in rows if row.is_of_statement and row.has_value]
    if having and not set(having) & set(claim.real):
        return Finding("moved", having[:MOST_MARKS], "unsupported")
    return None


def _is_row(ground: Ground) -> bool:
    """Return True for a row with a value that is not the name of its own instance."""
    is_row = ground.piece["kind"] in KINDS and NAMED in ground.text and bool(ground.piece["location"])
    return is_row and told_value(ground.piece) not in ("", ground.text.partition(NAMED)[0])
