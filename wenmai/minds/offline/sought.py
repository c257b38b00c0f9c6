"""What a question asks for, in its own words, and how often stories tell such a thing (S003-D08).

A linear model over the words of the clause that asks: 名字 and 几尺 are seldom told beside a scene.
"""

import json
import re
from collections.abc import Collection
from functools import cache
from importlib.resources import files

from wenmai.minds.offline.analysis import Analysis
from wenmai.segmenting import segmenter

MODEL = "sought.json"
"""Fitted with the trees of `doubt`: log-odds of each word, and under '' those of a question by itself."""
ASKS = re.compile("什么|啥|哪|几|多少|谁|怎么|怎样|如何|咋|为何|多[大高长重久远]|吗|没有|是否")
CLAUSES = re.compile("[，。；,;]")
NAME = "@"
_WORD = re.compile(r"[\u3400-\u9fffA-Za-z0-9]")
_TELLING = tuple("nvamqtjil")
"""Nouns, verbs, adjectives, numbers: 哪里 and 在 are asked of what is told and of what is not."""


def sought(analysis: Analysis) -> frozenset[str]:
    """Return the telling words, without names, of the last clause that asks; of the last one where none does."""
    text = analysis.question
    for mention in sorted(analysis.mentions, key=lambda one: one.start, reverse=True):
        text = text[: mention.start] + NAME + text[mention.end :]
    clauses = CLAUSES.split(text.rstrip("？?。"))
    asking = next((clause for clause in reversed(clauses) if ASKS.search(clause)), clauses[-1])
    words = segmenter().tag(asking, False)
    return frozenset(word for word, tag in words if tag.startswith(_TELLING) and _WORD.search(word))


def odds(words: Collection[str]) -> float:
    """Return the log-odds that a story tells what is asked for in these words."""
    weights = loaded()
    return weights[""] + sum(weights.get(word, 0.0) for word in words)


@cache
def loaded() -> dict[str, float]:
    """Return the weights, read once."""
    kept: dict[str, float] = json.loads(files("wenmai.minds.offline").joinpath(MODEL).read_text(encoding="utf-8"))
    return kept
