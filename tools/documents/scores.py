"""Scores of chunks for a question: BM25 of its words, the share of words in neighbouring sentences, the cosine.

In a conversation also the place: near the sources of the last answer (`tools.documents.pages`).

The weights were set by hand on Chinese questions (CMRC 2018, DRCD) and English medical ones: the cosine matters, its
exact weight little. `python benchmarks/documents.py --passages FILE --questions FILE` measures the recall. BM25 alone
counts scattered words as much as those of one sentence; reciprocal ranks count a near tie as much as a clear lead.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from state.session import SessionTurn
from tools.documents.background import Background, background_of
from tools.documents.bm25 import bm25, idf
from tools.documents.pages import named_points, page_points
from tools.documents.records import Chunk
from tools.documents.text import searched_text
from tools.documents.words import words_of

WINDOW = 2  # sentences
SENTENCE = re.compile(r"[^。！？!?；;\n.]+(?:\.(?!\s|$)[^。！？!?；;\n.]*)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchWeights:
    """Weights beside BM25: of the share of the words in the best sentences, and of the cosine.

    `part` is the share of the nearest window in that cosine: one half, better than either alone on 325 questions and
    follow-ups over 2,300 passages of web pages.
    """

    window: float = 0.75
    cosine: float = 150.0
    part: float = 0.5


WEIGHTS = SearchWeights()


@dataclass(frozen=True, slots=True)
class Asked:
    """A query with its conversation.

    Attributes:
        words: the text for the store's own ranking by words.
        terms: each word with its weight: 1 in the question, less in earlier turns.
        behind: what earlier turns add.
    """

    query: str
    words: str
    terms: Mapping[str, float]
    behind: Background

    @classmethod
    def of(cls, query: str, earlier: Sequence[SessionTurn]) -> "Asked":
        """Return a query with the earlier turns of its conversation, oldest first."""
        behind = background_of(query, earlier)
        terms = dict(behind.terms) | dict.fromkeys(words_of(query), 1.0)
        return cls(query=query, words=" ".join([query, *reversed(behind.questions)]), terms=terms, behind=behind)


def scores(asked: Asked, chunks: Sequence[Chunk], cosines: Sequence[float], weights: SearchWeights) -> list[float]:
    """Return a score for each chunk; document frequencies are counted among these chunks."""
    texts = [searched_text(chunk) for chunk in chunks]
    counts = [Counter(words_of(text)) for text in texts]
    rarity = {term: weight * idf(term, counts) for term, weight in asked.terms.items()}
    by_words = bm25(counts, rarity)
    together = [best_window(text, rarity) for text in texts]
    places = page_points(asked.behind.exchange, chunks, counts)
    named = named_points([asked.query, *asked.behind.text], chunks) if asked.behind.text else [0.0] * len(chunks)
    rows = zip(by_words, together, cosines, places, named, strict=True)
    return [
        words + weights.window * window + weights.cosine * cosine + place + name
        for words, window, cosine, place, name in rows
    ]


def best_window(text: str, rarity: Mapping[str, float]) -> float:
    """Return the largest sum of the rarities of words that neighbouring sentences share with the query."""
    sentences = [set(words_of(sentence)) for sentence in SENTENCE.findall(text)] or [set()]
    windows = (set().union(*sentences[at : at + WINDOW]) for at in range(max(1, len(sentences) - WINDOW + 1)))
    return max(sum(rare for term, rare in rarity.items() if term in window) for window in windows)
