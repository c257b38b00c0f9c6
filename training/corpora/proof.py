"""The sentence that proves an answer."""

from functools import lru_cache

from tools.text.sentences import sentence_spans
from wenmai.language.spans import Span, covering


def sentence_around(text: str, span: Span) -> Span:
    """Return the sentence, or the run of sentences, that holds a span."""
    return covering(_sentences(text), span)


@lru_cache(maxsize=64)
def _sentences(text: str) -> list[Span]:
    return sentence_spans(text)
