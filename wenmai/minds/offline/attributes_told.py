"""An attribute that a question asks of one entity, and whether a text tells it close by (S003-D08).

Each check is true where the question asks for no such thing.
"""

import re
from collections.abc import Sequence

from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.matching import is_told, told_together
from wenmai.minds.offline.telling import attribute_proof
from wenmai.minds.offline.words import nominal

SHORT_QUESTION = 2  # content words
PROOF_PIECES = 12  # passages that are searched for an attribute


def attribute_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether some text says the asked attribute close to the entity that it is asked of.

    Only for questions of one entity (or two joined ones) and nothing else: 华雄的字是什么, 周仓的妻子叫什么.
    """
    proof = attribute_proof(analysis)
    if (
        proof is None
        or len(analysis.entities) != len(subjects(analysis))
        or len(analysis.words) > 3
        or analysis.kind not in ("attribute", "who", "fact")
    ):
        return True
    return any(is_told(proof, name, texts[:PROOF_PIECES], table) for name in analysis.entities)


def subjects(analysis: Analysis) -> Sequence[str]:
    """Return the one name that a question is of, or the two that it joins as one subject: 孟鹤和孟鸢的父母是谁."""
    joined = len(analysis.spellings) == 2 and re.match(
        rf"(?:请问)?{re.escape(analysis.spellings[0])}[和与跟同、]{re.escape(analysis.spellings[1])}的",
        analysis.question,
    )
    return analysis.spellings if joined else analysis.spellings[:1]


def asked_word_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether any asked word, or another word for it, stands within two sentences of the one entity asked of.

    Only for short questions of an attribute that is a noun (营生, 孩子): what is done a story says in other words.
    """
    short = analysis.kind == "attribute" and len(analysis.entities) == 1 and 0 < len(analysis.words) <= SHORT_QUESTION
    if not short or not all(nominal(word) for word in analysis.words):
        return True
    forms = [form for others in analysis.synonyms.values() for form in others]
    return told_together(analysis.entities, forms, texts, table)
