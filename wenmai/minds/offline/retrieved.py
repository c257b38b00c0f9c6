"""What retrieval says of a piece: how high the searches found it, and how much of their words it has."""

from collections import Counter
from collections.abc import Sequence

from state.schema import CallRecord, Evidence
from tools.documents.bm25 import bm25, idf
from tools.documents.words import words_of
from tools.story.linking import fold
from tools.story.retrieval import FUSION_CONSTANT

SEARCHES = ("search_memory", "vector_search")
BY_TIME = "time"  # an order of search_memory that says nothing of relevance


def found_high(calls: Sequence[CallRecord]) -> dict[str, float]:
    """Return 0..1 for each piece: the fused reciprocal ranks of the searches, 1 for what each of them found first."""
    rankings = [call["evidence"] for call in calls if is_search(call)]
    found: dict[str, float] = {}
    for ranking in rankings:
        for rank, id in enumerate(ranking, 1):
            share = (FUSION_CONSTANT + 1) / (FUSION_CONSTANT + rank) / len(rankings)
            found[id] = found.get(id, 0.0) + share
    return found


def is_search(call: CallRecord) -> bool:
    """Tell whether a call searched passages, and its rows stand in the order of their relevance."""
    return call["tool"] in SEARCHES and call["ok"] and call["executed"] and call["args"].get("sort_by") != BY_TIME


def worded(query: str, evidence: Sequence[Evidence]) -> list[float]:
    """Return 0..1 for each piece: the BM25 of a query among these pieces, as a share of the best.

    Only the words of the query are counted, wherever they stand: to cut all the texts into words would take longer.
    """
    words = set(words_of(query))
    texts = [fold(piece["text"]) for piece in evidence]
    counts = [Counter({word: text.count(word) for word in words if word in text}) for text in texts]
    scores = bm25(counts, {word: idf(word, counts) for word in words}, [len(text) for text in texts])
    best = max(scores, default=0.0)
    return [score / best for score in scores] if best else scores
