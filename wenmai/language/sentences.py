"""Sentences of a text, by a library that knows abbreviations, decimals and quotation marks of many languages."""

import re

# pyright does not see through its compiled module.
from sentencex import get_sentence_boundaries  # pyright: ignore[reportAttributeAccessIssue]

from tools.language import HAN
from wenmai.language.spans import Span

_INNER_END = re.compile(r"[。！？…]+[”’」』]*|[!?][\"”’]?\s+")


def sentence_spans(text: str) -> list[Span]:
    """Return the half-open spans of a text's sentences, without the white space around them."""
    language = "zh" if HAN.search(text) else "en"
    spans = []
    for boundary in get_sentence_boundaries(language, text):
        start, end = boundary["start_index"], boundary["end_index"]
        body = text[start:end]
        if body.strip():
            spans.append((start + len(body) - len(body.lstrip()), start + len(body.rstrip())))
    return spans


def statement_spans(text: str) -> list[Span]:
    """Return the spans of sentences, those inside a quotation apart: a speech of five sentences has five."""
    spans = []
    for first, last in sentence_spans(text):
        start = first
        for end in _INNER_END.finditer(text, first, last):
            if end.end() < last:
                spans.append((start, end.end()))
                start = end.end()
        spans.append((start, last))
    return [(start, end) for start, end in spans if text[start:end].strip()]
