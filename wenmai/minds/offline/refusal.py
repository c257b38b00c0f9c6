"""Does the evidence answer at all? A refusal is better than an unsupported answer (S003-D08).

Five signs, each of which refuses: a name that the evidence does not know, a thing of another age, an attribute that no
sentence about the entity tells, a presupposition that no sentence bears out, next to nothing of the question anywhere.
"""

import re
from collections.abc import Iterable, Sequence

from tools.linking import NameTable, fold
from wenmai.ingestion.lexicon import surname
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.lexicon import (
    ATTRIBUTE_PROOFS,
    MODERN_THINGS,
    NOT_NAMES,
    PRESUPPOSED,
    PRESUPPOSITION,
)
from wenmai.minds.offline.matching import name_pattern, windows
from wenmai.minds.offline.ranker import Ranked
from wenmai.minds.offline.words import HAN, content_words, expansions, masked, nominal, segmenter

LEAST_COVERAGE = 0.01
SHORT_QUESTION = 2  # content words
PROOF_PIECES = 12  # passages that are searched for an attribute
NAME_TAGS = ("nr", "nrt", "nrfg", "ns", "nt")
ENGLISH_NAME = re.compile(r"(?<![.?!]\s)(?<!^)\b[A-Z][a-z]{2,}\b")


def answers(analysis: Analysis, ranked: Sequence[Ranked], table: NameTable) -> bool:
    """Tell whether the best pieces answer the question."""
    if not ranked or max(row.coverage for row in ranked) < LEAST_COVERAGE:
        return False
    texts = [row.piece["text"] for row in ranked]
    known = fold("\n".join(texts))
    if any(not known_name(fold(name), known) for name in foreign_names(analysis, table)):
        return False
    if not HAN.search(analysis.question) and not any(fold(word) in known for word in analysis.words or ("",)):
        return False
    if any(thing in analysis.question and thing not in known for thing in MODERN_THINGS):
        return False
    checks = (attribute_told(analysis, texts[:PROOF_PIECES], table), asked_word_told(analysis, texts, table))
    return all(checks) and presupposition_holds(analysis, texts, table)


def known_name(name: str, known: str) -> bool:
    """Tell whether the evidence has a name, or, of a longer one, its given name or its beginning (张永年: 字永年)."""
    return name in known or (
        HAN.search(name) is not None and len(name) >= 3 and (name[-2:] in known or name[:2] in known)
    )


def foreign_names(analysis: Analysis, table: NameTable) -> list[str]:
    """Return the words of a question that are names, though not of this library."""
    rest = masked(analysis.question, table.find(analysis.question))
    if not HAN.search(rest):
        return ENGLISH_NAME.findall(rest)
    tagged = segmenter().tag(rest, False)
    return [word for word, tag in tagged if tag in NAME_TAGS and is_name(word, tag)]


def is_name(word: str, tag: str) -> bool:
    """Tell whether a tagged word is a person's or place's name and not a common word."""
    if len(word) < 2 or word in NOT_NAMES:
        return False
    return tag in ("ns", "nt") or (bool(surname(word)) and len(word) <= 4)


def attribute_told(analysis: Analysis, texts: Iterable[str], table: NameTable) -> bool:
    """Tell whether some text says the asked attribute close to the one entity that it is asked of.

    Only for questions of one entity and nothing else: 华雄的字是什么, 周仓的妻子叫什么.
    """
    proof = next((proof for asked, proof in ATTRIBUTE_PROOFS if asked.search(analysis.question)), None)
    if (
        proof is None
        or len(analysis.entities) != 1
        or len(analysis.words) > 3
        or analysis.kind not in ("attribute", "who")
    ):
        return True
    near = re.compile(proof.format(name=name_pattern(analysis.entities[0], table)))
    return any(near.search(text) for text in texts)


def asked_word_told(analysis: Analysis, texts: Iterable[str], table: NameTable) -> bool:
    """Tell whether any asked word, or another word for it, stands within two sentences of the one entity asked of.

    Only for short questions of an attribute that is a noun (营生, 孩子): what is done a story says in other words.
    """
    short = analysis.kind == "attribute" and len(analysis.entities) == 1 and 0 < len(analysis.words) <= SHORT_QUESTION
    if not short or not all(nominal(word) for word in analysis.words):
        return True
    name = re.compile(name_pattern(analysis.entities[0], table))
    forms = [form for others in analysis.synonyms.values() for form in others]
    near = (window for text in texts for window in windows(text) if name.search(window))
    return any(form in window for window in near for form in forms)


def presupposition_holds(analysis: Analysis, texts: Iterable[str], table: NameTable) -> bool:
    """Tell whether what a question takes for granted (诸葛亮投降司马懿以后…) is told by two sentences of some text."""
    clause = PRESUPPOSITION.search(analysis.question)
    mentions = table.find(clause[1]) if clause else []
    verbs = [word for word in content_words(masked(clause[1], mentions)) if word in PRESUPPOSED] if clause else []
    names = [re.compile(name_pattern(m.entity, table)) for m in mentions if m.entity]
    if not verbs or not names:
        return True
    forms = [form for verb in verbs for form in (verb, *expansions(verb))]
    return any(
        all(name.search(window) for name in names) and any(form in window for form in forms)
        for text in texts
        for window in windows(text)
    )
