"""Page numbers that stand bare on lines of their own."""

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from wenmai.ingestion.chapters.lines import Line, narrowed

_BARE = re.compile(r"^\d{1,4}$")
LEAST_PAGES = 3
RISING_SHARE = 0.9
MOST_SKIPPED = 3
"""Pages without a number between two that have one."""


def page_lines(lines: Sequence[Line], headings: Collection[int]) -> set[int]:
    """Return the places of bare numbers that count up through the text and are no headings."""
    found = [at for at, line in enumerate(lines) if at not in headings and _BARE.match(narrowed(line.plain))]
    numbers = [int(narrowed(lines[at].plain)) for at in found]
    steps = [after - before for before, after in pairwise(numbers)]
    rising = sum(0 < step <= MOST_SKIPPED for step in steps)
    return set(found) if len(found) >= LEAST_PAGES and rising >= RISING_SHARE * len(steps) else set()
