"""Deeds that the story graph tells: the edge 石敢 -> 孟鸢 that says 舍命相救 answers 谁救了孟鸢."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.evidence import Edge, edge_of
from tools.story.linking import NameTable
from wenmai.minds.offline import phrases
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.asked_part import asks_for_person
from wenmai.minds.offline.deed_claims import ATTEMPT
from wenmai.minds.offline.matching import spellings
from wenmai.minds.offline.ranker import Ranked

BEHIND = 3  # characters between a verb and whom it is done to: 救了, 救下了


@dataclass(frozen=True, slots=True)
class Lead:
    """The edge that an answer begins with, and the canonical name where somebody is asked for."""

    row: Ranked
    name: str | None


def telling_edges(analysis: Analysis, ranked: Sequence[Ranked], table: NameTable) -> list[Lead]:
    """Return the first edge whose description says a word of the question, in the question's direction; [] for none."""
    verbs = [others for word, others in analysis.synonyms.items() if not moves(word, analysis.question)]
    forms = [form for others in verbs for form in others]
    for row in ranked:
        edge = edge_of(row.piece)
        if edge and any(form in edge.description for form in forms) and fits(edge, analysis, forms, table):
            rest = [name for name in (edge.source, edge.target) if name not in analysis.entities]
            return [Lead(row, rest[0] if len(rest) == 1 and asks_for_person(analysis) else None)]
    return []


def moves(word: str, question: str) -> bool:
    """Tell whether a question's verb of killing says how somebody cuts his way: 杀进城去, 杀出重围."""
    return word[-1] in phrases.KILL and re.search(re.escape(word) + ATTEMPT, question) is None


def fits(edge: Edge, analysis: Analysis, forms: Sequence[str], table: NameTable) -> bool:
    """Tell whether an edge joins the people of a question; with one of them, whether he stands at the right end."""
    if len(analysis.entities) > 1:
        return {edge.source, edge.target} <= set(analysis.entities)
    suffers = any(suffered(name, analysis.question, forms, table) for name in analysis.entities)
    return (edge.target if suffers else edge.source) in analysis.entities


def suffered(name: str, question: str, forms: Sequence[str], table: NameTable) -> bool:
    """Tell whether a question asks what was done to somebody: 谁救了孟鸢, 孟鸢是被谁救的."""
    said = "|".join(re.escape(spelling) for spelling in spellings(name, table))
    verb = "|".join(re.escape(form) for form in forms)
    return re.search(rf"(?:{verb}).{{0,{BEHIND}}}(?:{said})|(?:{said}).{{0,{BEHIND}}}被", question) is not None
