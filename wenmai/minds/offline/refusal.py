"""Does the evidence answer at all? A refusal is better than an unsupported answer (S003-D08)."""

from collections.abc import Sequence

from tools.linking import NameTable
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.ranker import Ranked

LEAST_COVERAGE = 0.2


def answers(analysis: Analysis, ranked: Sequence[Ranked], table: NameTable) -> bool:
    """Tell whether the best pieces say enough of the question."""
    return bool(ranked) and max(row.coverage for row in ranked[:5]) >= LEAST_COVERAGE
