"""What a text says of a question: looked for once in the whole, then in its sentences; a question is read once."""

import pytest

from nodes.sentences import sentence_spans
from tests.graph.rig import piece
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.matching import Heard, Term, Weights, coverage, overlap, terms_of

NAMES = [Name(text=n, entity="恰斯卡", kind="Character", mentions=9) for n in ("恰斯卡", "花翼", "Chasca")]
TABLE = NameTable.build(NAMES)
TEXT = "花翼飞过山谷，背着长弓。玛薇卡在集市上买了两张弓！ＣＨＡＳＣＡ没有买。“他把弓卖给了谁？”"


@pytest.mark.parametrize(
    "question", ["恰斯卡的长弓卖给了谁？", "集市上有什么？", "Who bought the bow of Chasca?", "啊？"]
)
def test_a_sentence_says_what_it_says_by_itself(question: str) -> None:
    """To look in a sentence for what its text has gives the very number that looking for everything gives."""
    terms = terms_of(analyse(question, TABLE), TABLE)
    weights = Weights.of(terms, question, [piece(TEXT, 1), piece("卡齐娜在集市上。", 2)])
    heard = Heard.of(TEXT, terms, weights)
    sentences = [(TEXT[start:end], start) for start, end in sentence_spans(TEXT)]
    assert len(sentences) > 3
    for sentence, start in sentences:
        assert heard.score(sentence, start) == coverage(sentence, terms, weights) + overlap(sentence, weights)


def test_the_surest_form_counts() -> None:
    """A word itself says more than a synonym or its half that stands in the same text."""
    term = Term("长弓", (("长弓", 1.0), ("弓箭", 0.7), ("弓", 0.5)))
    assert [term.said(text) for text in ("长弓", "弓箭", "一张弓", "剑")] == [1.0, 0.7, 0.5, 0.0]


def test_new_names_are_read_anew() -> None:
    """A table that was built after another ingest reads a question by its own names, equal or not."""
    question = "卡齐娜认识花翼吗？"
    more = NameTable.build([*NAMES, Name(text="卡齐娜", entity="卡齐娜", kind="Character", mentions=3)])
    assert analyse(question, TABLE).entities == ("恰斯卡",)
    assert analyse(question, more).entities == ("卡齐娜", "恰斯卡")
    assert analyse(question, TABLE).entities == ("恰斯卡",)
