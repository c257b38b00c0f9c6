"""How a text tells what a question asks: who somebody is, an attribute of theirs, a measure of theirs."""

import re

from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.lexicon import ATTRIBUTE_PROOFS, INTRODUCTION
from wenmai.minds.offline.matching import name_pattern
from wenmai.minds.offline.measures import shapes_of

SAME = "(?:(?!那人|这人|有人|一人)[^！？])"  # a text that goes on about somebody
BEHIND, BEFORE = 60, 40  # characters between a name and a measure of it


def telling(analysis: Analysis, table: NameTable) -> re.Pattern[str] | None:
    """Return how a text introduces who is asked about or tells what is asked of them; None for other questions."""
    if (shapes := shapes_of(analysis.question)) and analysis.entities:
        told = shapes[0].told.pattern
        name = f"(?:{'|'.join(name_pattern(one, table) for one in analysis.entities)})"
        return re.compile(rf"{name}{SAME}{{0,{BEHIND}}}(?:{told})|(?:{told}){SAME}{{0,{BEFORE}}}{name}")
    if len(analysis.entities) != 1:
        return None
    name = name_pattern(analysis.entities[0], table)
    if analysis.kind == "who" and not analysis.words:
        return re.compile(INTRODUCTION.format(name=name))
    proof = attribute_proof(analysis)
    return re.compile(proof.format(name=name)) if proof else None


def attribute_proof(analysis: Analysis) -> str | None:
    """Return how a text tells the asked attribute of `{name}`; a name by itself asks for nothing: 乌三娘是谁."""
    return next((proof for asked, proof in ATTRIBUTE_PROOFS if asked.search(analysis.plain)), None)
