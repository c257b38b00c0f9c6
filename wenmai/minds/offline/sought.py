"""What a question asks for, in its own words, and how often stories tell such a thing (S003-D08).

A linear model over the words of the clause that asks: 名字 and 几尺 are seldom told beside a scene.
"""

import json
import re
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files

from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.said import QUESTION_WORD
from wenmai.segmenting import segmenter

MODEL = "sought.json"
"""Fitted with the trees of `doubt`, on questions of one novel: log-odds of each word, under '' those of a question by
itself."""
ASKS = re.compile(f"{QUESTION_WORD.pattern}|吗|没有|是否")
CLAUSES = re.compile("[，。；？！,;?!]")
_TELLING = tuple("nvamqtjil")
"""Nouns, verbs, adjectives, numbers: 哪里 and 在 are asked of what is told and of what is not."""
_NAMES = ("nr", "ns", "nt", "nz")
"""Tags of names: what a story calls its people and places says nothing of another story."""


def sought(analysis: Analysis) -> frozenset[str]:
    """Return the telling words, without known names, of the last clause that asks; of the last one where none does."""
    clauses = CLAUSES.split(analysis.plain.rstrip("？?。！!"))
    asking = next((clause for clause in reversed(clauses) if ASKS.search(clause)), clauses[-1])
    tagged = segmenter().tag(asking, False)
    return frozenset(word for word, tag in tagged if tag.startswith(_TELLING) and not tag.startswith(_NAMES))


def log_odds(words: Collection[str], weights: Mapping[str, float]) -> float:
    """Return the log-odds that a story tells what is asked for in these words."""
    return weights[""] + sum(weights.get(word, 0.0) for word in words)


@cache
def word_weights() -> Mapping[str, float]:
    """Return the weights of `MODEL`, read once."""
    kept: dict[str, float] = json.loads(files("wenmai.minds.offline").joinpath(MODEL).read_text(encoding="utf-8"))
    return kept
