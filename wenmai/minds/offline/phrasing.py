"""How a question is put, and how often stories tell what is asked so (S003-D08).

A linear model over pieces of the question without its names: 后来 and 叫什么名字 ask for what stories seldom tell, 被谁
for what they often tell.
"""

import json
import re
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files

from wenmai.language.segmenting import segmenter
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.said import QUESTION_WORD

MODEL = "phrasing.json"
"""Fitted with the trees of `doubt` (`benchmarks.refusals`): log-odds of each piece, under '' those of a question by
itself. A piece is there only where it was asked about several stories."""
SIZES = (2, 3)  # characters of a piece
AROUND = (1, 2, 3)  # characters before or behind the question word that make a piece with it
_LEFT_OUT = re.compile(r"[？?。\s]+")
_NAMES = ("nr", "ns", "nt", "nz")
"""Tags of names that the story does not have either: what is asked of 曹冲 says nothing of how it is asked."""


def pieces(analysis: Analysis) -> frozenset[str]:
    """Return the pairs and triples of characters of a question, names left out, and what stands at its question word.

    Of several question words the last one asks; `<` opens what ends with it, `>` ends what begins with it.
    """
    words = (word for word, tag in segmenter().tag(analysis.plain, False) if not tag.startswith(_NAMES))
    plain = _LEFT_OUT.sub("", "".join(words))
    found = {plain[at : at + size] for size in SIZES for at in range(len(plain) - size + 1)}
    asked = [(match.start(), match.end()) for match in QUESTION_WORD.finditer(plain)]
    for start, end in asked[-1:]:
        found.update("<" + plain[max(0, start - size) : end] for size in AROUND)
        found.update(plain[start : end + size] + ">" for size in AROUND)
    return frozenset(found)


def log_odds(found: Collection[str], weights: Mapping[str, float]) -> float:
    """Return the log-odds that a story tells what is asked in these pieces."""
    return weights[""] + sum(weights.get(piece, 0.0) for piece in found)


@cache
def piece_weights() -> Mapping[str, float]:
    """Return the weights of `MODEL`, read once."""
    kept: dict[str, float] = json.loads(files("wenmai.minds.offline").joinpath(MODEL).read_text(encoding="utf-8"))
    return kept
