"""The draft from what was read: the sentence that answers, one more where it adds something, and where else to look."""

from collections.abc import Sequence
from typing import Final

from nodes.prompts.chinese import user_text
from state.context import Language
from wenmai.minds.reading.calibration import REFUSAL
from wenmai.minds.reading.reading import Read

SECOND: Final = 0.5
"""Probability from which on a second sentence belongs to the answer."""
SEE_ALSO: Final = 0.15
"""Probability from which on a passage is worth a look."""
MOST_SEE_ALSO = 2
SEE = {"zh": "另见：", "en": "See also: "}


def drafted(reads: Sequence[Read], language: Language) -> str:
    """Return the draft with a mark behind each sentence, or the refusal where nothing answers surely enough.

    Args:
        reads: what was read, the likeliest answer first.
        language: of the answer.
    """
    if not reads or reads[0].probability < REFUSAL:
        return user_text("not_found", language)
    best, *others = _distinct(reads)
    lines = [marked(best)]
    if others and others[0].probability >= SECOND and others[0].answer not in best.sentence:
        lines.append(marked(others.pop(0)))
    also = [one for one in others if one.probability >= SEE_ALSO][:MOST_SEE_ALSO]
    return "\n".join([*lines, *(f"{SEE[language]}{marked(one)}" for one in also)])


def marked(read: Read) -> str:
    """Return a sentence on one line, with the mark of its evidence."""
    return f"{' '.join(read.sentence.split())} [E{read.number}]"


def _distinct(reads: Sequence[Read]) -> list[Read]:
    """Return the reads without those whose sentence was there already: passages overlap."""
    found: list[Read] = []
    for read in reads:
        if not any(read.sentence in other.sentence or other.sentence in read.sentence for other in found):
            found.append(read)
    return found
