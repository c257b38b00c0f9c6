"""What a question asks for, in its own words, and how often stories tell such a thing (S003-D08).

A linear model over the words of the clause that asks: 名字 and 几尺 beside a scene are seldom told, 怎么 and 为啥 often.
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


def sought(analysis: Analysis) -> frozenset[str]:
    """Return the words of the last clause that asks, of the last one where none does; names are left out."""
    text = analysis.question
    for mention in sorted(analysis.mentions, key=lambda one: one.start, reverse=True):
        text = text[: mention.start] + NAME + text[mention.end :]
    clauses = CLAUSES.split(text.rstrip("？?。"))
    asking = next((clause for clause in reversed(clauses) if ASKS.search(clause)), clauses[-1])
    return frozenset(word for word, _ in segmenter().tag(asking, False) if _WORD.search(word))


def odds(words: Collection[str]) -> float:
    """Return the log-odds that a story tells what is asked for in these words."""
    weights = loaded()
    return weights[""] + sum(weights.get(word, 0.0) for word in words)


@cache
def loaded() -> dict[str, float]:
    """Return the weights, read once."""
    kept: dict[str, float] = json.loads(files("wenmai.minds.offline").joinpath(MODEL).read_text(encoding="utf-8"))
    return kept
