"""Who a 谁-question asks for: the person of the best passages who stands nearest to the words of the question."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from tools.linking import NameTable, fold
from wenmai.minds.offline.analysis import HISTORY_KINDS, Analysis
from wenmai.minds.offline.leads import Lead
from wenmai.minds.offline.matching import Term, Weights, name_pattern
from wenmai.minds.offline.ranker import Ranked

ASKED = re.compile(r"谁|何人|什么人|哪[一个]?[位名员](?!字)|哪个(?:人|将|武将|谋士|徒弟|儿子)|\bwho\b", re.IGNORECASE)
# Chosen on 59 questions of two stories: the first person is right in 27, the first three hold the right one in 36;
# on 10 that were never looked at, in 6 and 7.
PASSAGES = 12
REACH = 40.0  # characters over which a word's claim on a name falls to 1/e
RANK_POWER = 2.0  # a passage counts e^(2 * its score)
BEST_PLACES = 3  # a person's claim is the sum of his best places
COMMONNESS = 0.15  # a name of many passages needs more: its claim is divided by mentions^0.15
LEAST_LEAD = 1.25  # over the second: named in about half of these questions, right in 63 % of them
NO_PERSON = ("relation", "network", *HISTORY_KINDS)


def answered(
    analysis: Analysis, ranked: Sequence[Ranked], terms: Sequence[Term], pool: Weights, table: NameTable
) -> Lead | None:
    """Return who answers a question for a person; None for other questions, and where nobody leads clearly."""
    if not asks_for_person(analysis):
        return None
    places: dict[str, list[tuple[float, int]]] = defaultdict(list)
    passages = [row for row in ranked if row.piece["kind"] == "passage"][:PASSAGES]
    for number, row in enumerate(passages):
        for name, claim in claims(row, analysis, terms, pool, table):
            places[name].append((claim, -number))
    totals = sorted(((weighed(found, table.mentions(name)), name) for name, found in places.items()), reverse=True)
    if not totals or (len(totals) > 1 and totals[0][0] < LEAST_LEAD * totals[1][0]):
        return None
    name = totals[0][1]
    return Lead(passages[-max(places[name])[1]], name, sure=False)


def asks_for_person(analysis: Analysis) -> bool:
    """Tell whether a question asks for somebody whom it does not name: 谁杀了华雄, not 华雄是谁."""
    introduced = analysis.kind == "who" and not analysis.words
    return bool(ASKED.search(analysis.question)) and not introduced and analysis.kind not in NO_PERSON


def weighed(places: Sequence[tuple[float, int]], mentions: int) -> float:
    """Return what speaks for a person: the best places, less for a name that stands everywhere."""
    best = sorted((claim for claim, _ in places), reverse=True)[:BEST_PLACES]
    return sum(best) / math.pow(1 + mentions, COMMONNESS)


def claims(
    row: Ranked, analysis: Analysis, terms: Sequence[Term], pool: Weights, table: NameTable
) -> Iterator[tuple[str, float]]:
    """Yield each person of a passage that the question does not name, with the nearness of the question's words."""
    text = row.piece["text"]
    total = sum(pool.terms[term.key] for term in terms) or 1.0
    spots = [(pool.terms[term.key] / total, list(occurrences(term, text, table))) for term in terms]
    for mention in table.find(text):
        name = mention.entity
        if name and name not in analysis.entities and table.kind(name) == "Character":
            near = sum(weight * nearness(mention.start, found) for weight, found in spots)
            yield name, near * math.exp(RANK_POWER * row.score)


def occurrences(term: Term, text: str, table: NameTable) -> Iterator[tuple[int, float]]:
    """Yield where a text has a term, and how surely it means it."""
    if term.entity:
        yield from ((found.start(), 1.0) for found in re.finditer(name_pattern(term.entity, table), text))
        return
    folded = fold(text)
    for form, weight in term.forms:
        yield from ((found.start(), weight) for found in re.finditer(re.escape(form), folded))


def nearness(at: int, found: Sequence[tuple[int, float]]) -> float:
    """Return 0..1: how near the nearest occurrence stands."""
    return max((weight * math.exp(-abs(at - start) / REACH) for start, weight in found), default=0.0)
