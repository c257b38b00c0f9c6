"""Further searches where the first ones disagree: rankings that have nothing in common were hard to make.

Agreement of rankings as a sign of how hard a query is: Aslam, Pavlu, "Query hardness estimation using Jensen-Shannon
divergence among multiple scoring functions", ECIR 2007; here simply whether the best rows meet.
"""

from collections.abc import Sequence
from typing import Any

from state.schema import CallRecord
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.queries import SYNONYMS
from wenmai.minds.offline.retrieved import is_search

BEST_ROWS = 2  # of each of two searches; with 1 they disagree on half of all questions, with 5 on a tenth
FIRST_SEARCHES = 2  # the question itself, its words with the other words for them


def further_searches(analysis: Analysis, calls: Sequence[CallRecord]) -> list[dict[str, Any]]:
    """Return the arguments of more searches, [] where the first two agree or nothing is left to be varied.

    One looks for names and words without the other ways to say them; one for what is asked among the passages about
    whom it is asked, since many spellings of a name outweigh the words beside it.
    """
    found = [call["evidence"][:BEST_ROWS] for call in calls if is_search(call)]
    if len(found) != FIRST_SEARCHES or set(found[0]) & set(found[1]) or not (analysis.entities and analysis.words):
        return []
    others = [other for word in analysis.words for other in analysis.synonyms[word][: SYNONYMS + 1]]
    return [
        {"query": " ".join([*analysis.entities, *analysis.words])},
        {"query": " ".join(dict.fromkeys(others)), "characters": list(analysis.entities)},
    ]
