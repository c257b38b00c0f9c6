"""The frame of a Project Gutenberg text: its header, and the licence behind the story."""

import re
from collections.abc import Sequence

from wenmai.ingestion.chapters.lines import Line

_START = re.compile(r"^\*{3}\s*START OF (?:THE|THIS) PROJECT GUTENBERG|^\*END\*?\s*THE SMALL PRINT", re.IGNORECASE)
_END = re.compile(
    r"^\*{3}\s*END OF (?:THE|THIS) PROJECT GUTENBERG|^End of (?:the |this )?Project Gutenberg", re.IGNORECASE
)
_CREDIT = re.compile(r"^(?:produced|transcribed|prepared|e-?text prepared|scanned) by\b", re.IGNORECASE)
CREDIT_WITHIN = 30
"""Lines behind the header in which the transcribers are named."""


def story_range(lines: Sequence[Line]) -> tuple[int, int]:
    """Return where the text begins behind its header, and where its licence begins."""
    start = next((at + 1 for at, line in enumerate(lines) if _START.match(line.plain)), 0)
    end = next((at for at, line in enumerate(lines[start:], start) if _END.match(line.plain)), len(lines))
    head = lines[start : start + CREDIT_WITHIN]
    credit = next((at for at, line in enumerate(head, start) if _CREDIT.match(line.plain)), None)
    if credit is not None:
        start = next((at for at in range(credit, end) if not lines[at].plain), credit)
    return start, end
