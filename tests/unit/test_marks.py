"""Marks and sentences of drafts as models write them."""

import pytest

from nodes.citations import best_quote, with_plain_marks
from tests.graph.rig import piece
from tools.language import is_chinese


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("他走了[E1, E2]。", "他走了[E1][E2]。"),
        ("他走了［E1］。", "他走了[E1]。"),
        ("他走了【E1、3】。", "他走了[E1][E3]。"),
        ("他走了[E1][E2]。", "他走了[E1][E2]。"),
        ("他走了（E1-E3）。", "他走了[E1][E2][E3]。"),
        ("他走了[2]。", "他走了[E2]。"),
        ("[原文] 碑上刻着 [3]。", "[原文] 碑上刻着 [3]。"),
    ],
)
def test_marks_in_other_brackets_and_lists_are_marks(written: str, plain: str) -> None:
    """S003-D17: what names evidence is a citation, however it is written."""
    assert with_plain_marks(written, [piece("碑上刻着 [3]。")]) == plain


def test_an_english_text_with_curly_quotes_has_english_sentences() -> None:
    """LOP-08: a quote is the sentence, not the paragraph."""
    text = "The gate was shut. “Who’s Ada?” asked the café’s keeper. Nobody knew."
    assert not is_chinese(text)
    assert best_quote("Nobody knew", text)[0].startswith("Nobody knew")
    assert best_quote("The gate closed was shut", text)[0] == "The gate was shut."


def test_full_width_punctuation_is_chinese() -> None:
    """S004-D10: the language of messages follows the question."""
    assert is_chinese("？？")
    assert not is_chinese("What is in the café?")


def test_the_quote_of_an_extract_is_a_sentence_of_it() -> None:
    """An extract whose lines were joined is not quoted from elsewhere in its passage."""
    text = "“When is the lowest tide?” she asked.\n\n“Friday,” said Gran. She went down and asked for the lowest tide."
    quote, at = best_quote("“When is the lowest tide?” she asked. “Friday,” said Gran.", text)
    assert quote in ("“When is the lowest tide?”", "“When is the lowest tide?” she asked.")
    assert text[at : at + len(quote)] == quote
