"""What the check found of a statement, and the thresholds by which it decides."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from state.grading import NoteAction, NoteReason

Action = Literal["kept"] | NoteAction

SUPPORTED_SHARE = 0.6
"""Share of a sentence's words from which on a piece says the sentence."""
ALIKE = 0.4
"""Share from which on a sentence of a piece is about the same, so that another number or name in it contradicts."""
LEAST_SHARE = 0.2
"""Share below which, where there is no reader, a piece says nothing of a sentence."""
READ_SHARE, READ_LEAST = 8.0, -4.2
"""Log odds that the share of words is worth beside the reader's margin; less than so many in all is no support."""
READ_CLAUSE, CLAUSE_PAIRS = -6.4, 3
"""Log odds of the same kind below which a clause of so many pairs or words is nowhere, though its sentence may be."""
LIKELY, VERY_SURE = 0.0, 8.0
"""Margins of words that the reader points at instead of a name or a number."""
ANSWERED, ANSWERABLE = 2.0, 1.0
"""Log odds from which on a piece answers a question that a draft calls unanswered."""
SHORT_CHINESE, SHORT_LATIN = 10, 32
"""Letters below which a sentence without a mark states too little to be dropped."""
SUPPORTED_SHARE_SHORT = 0.8
"""Share of the words of so short a sentence from which on a sentence of a piece says it."""
WORDLESS_CHINESE, WORDLESS_LATIN = 4, 8
"""Letters below which it states nothing: yes, no, in short."""
CLAIMS_CHINESE, CLAIMS_LATIN = 4, 2
"""Pairs of characters, or words, beside a refusal from which on they are a statement of their own."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What becomes of a statement.

    Attributes:
        action: `moved`: its marks changed, `flagged`: it stays, though the evidence does not show it.
        reason: why; None where nothing speaks against it. With `kept` it is a doubt that code cannot decide.
        marks: the numbers of the marks that it should have.
    """

    action: Action
    marks: Sequence[int]
    reason: NoteReason | None = None
