"""A book cut into passages, and the passages that look most like a question's answer: negatives of the same book."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from rank_bm25 import BM25Okapi

from tools.text.sentences import sentence_spans
from wenmai.language.spans import Span

LONGEST_PASSAGE = {"zh": 330, "en": 900}
"""Characters of a passage: about 220 tokens."""
_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")


def passage_spans(text: str, language: str) -> list[Span]:
    """Cut a text into passages of whole sentences."""
    found: list[Span] = []
    for first, last in sentence_spans(text):
        if found and last - found[-1][0] <= LONGEST_PASSAGE[language]:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def nearest(passages: Sequence[str]) -> Callable[[str, int], list[int]]:
    """Return a function that gives the passages nearest to a question by BM25, best first."""
    index = BM25Okapi([terms(passage) for passage in passages])

    def search(question: str, limit: int) -> list[int]:
        scores = index.get_scores(list(terms(question)))
        return [int(at) for at in np.argsort(-scores, kind="stable")[:limit]]

    return search


@lru_cache(maxsize=200_000)
def terms(text: str) -> tuple[str, ...]:
    """Return words, and pairs of Chinese characters."""
    found: list[str] = []
    for word in _WORD.findall(text.lower()):
        found.extend([word] if word.isascii() else (word[at : at + 2] for at in range(max(1, len(word) - 1))))
    return tuple(found)
