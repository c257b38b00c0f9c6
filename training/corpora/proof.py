"""The sentence that proves an answer."""

from functools import lru_cache

from training.examples import Span
from wenmai.language.sentences import sentence_spans


def sentence_around(text: str, span: Span) -> Span:
    """Return the sentence, or the run of sentences, that holds a span."""
    inside = [found for found in _sentences(text) if found[0] < span[1] and span[0] < found[1]]
    return (inside[0][0], inside[-1][1]) if inside else span


@lru_cache(maxsize=64)
def _sentences(text: str) -> list[Span]:
    return sentence_spans(text)
