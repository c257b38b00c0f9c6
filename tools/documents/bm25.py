"""Okapi BM25 over a handful of texts: Robertson, Zaragoza, "The Probabilistic Relevance Framework", 2009."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

K1 = 1.2  # the usual constants
B = 0.75


def idf(term: str, counts: Sequence[Mapping[str, int]]) -> float:
    """Return the inverse document frequency of a term among these texts."""
    return inverse_frequency(sum(term in count for count in counts), len(counts))


def inverse_frequency(held: int, total: int) -> float:
    """Return the inverse document frequency of BM25, kept positive, of what `held` of `total` texts have."""
    return math.log(1 + (total - held + 0.5) / (held + 0.5))


def bm25(
    counts: Sequence[Counter[str]], rarity: Mapping[str, float], lengths: Sequence[int] | None = None
) -> list[float]:
    """Return the BM25 score of each text; `lengths` where the counts are not of all its words, in any one unit."""
    lengths = [count.total() for count in counts] if lengths is None else lengths
    mean = sum(lengths) / max(1, len(lengths)) or 1.0
    return [
        sum(
            rare * count[term] * (K1 + 1) / (count[term] + K1 * (1 - B + B * length / mean))
            for term, rare in rarity.items()
            if term in count
        )
        for count, length in zip(counts, lengths, strict=True)
    ]


def shares_of_best(query: Sequence[str], texts: Sequence[Sequence[str]]) -> list[float]:
    """Return 0..1 for each text, both given as words: its score among these texts as a share of the best one."""
    words = set(query)
    counts = [Counter(word for word in text if word in words) for text in texts]
    scores = bm25(counts, {word: idf(word, counts) for word in words}, [len(text) for text in texts])
    best = max(scores, default=0.0)
    return [score / best for score in scores] if best else scores
