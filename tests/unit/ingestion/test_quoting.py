"""Verbatim pieces of a chapter as evidence."""

import pytest

from wenmai.ingestion.patterns.quoting import quote_clauses

DROWNED = "They went to the old chapel that had been under water since before she was born and nobody spoke of it again"


@pytest.mark.parametrize("limit", [20, 33, 50, 64])
def test_a_long_english_sentence_is_cut_between_words(limit: int) -> None:
    start = DROWNED.index("she was born")
    found = quote_clauses(DROWNED, start, start + len("she was born"), 0, len(DROWNED), limit)

    assert "she was born" in found.text and len(found.text) <= limit
    assert DROWNED[found.start : found.start + len(found.text)] == found.text
    assert set(found.text.split()) <= set(DROWNED.split())


def test_a_long_chinese_sentence_is_cut_anywhere() -> None:
    text = "他说要走" * 30

    assert len(quote_clauses(text, 60, 64, 0, len(text), 50).text) == 50
