"""Who a 谁-question asks for: the person nearest to its words, and nobody where two stand alike."""

import pytest

from tests.graph.rig import piece
from tools.linking import NameTable
from tools.records import Name
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.matching import Weights, terms_of
from wenmai.minds.offline.persons import answered
from wenmai.minds.offline.ranker import Ranked

PEOPLE = ("恰斯卡", "卡齐娜", "玛薇卡", "希诺宁")
TABLE = NameTable.build([Name(text=n, entity=n, kind="Character", mentions=9) for n in PEOPLE])


def name_of(question: str, *texts: str) -> str | None:
    analysis = analyse(question, TABLE)
    pieces = [piece(text, number) for number, text in enumerate(texts, 1)]
    terms = terms_of(analysis, TABLE)
    found = answered(analysis, [Ranked(p, 1.0, 1.0) for p in pieces], terms, Weights.of(terms, question, pieces), TABLE)
    return found.name if found else None


def test_the_person_beside_the_words_of_the_question_answers() -> None:
    """The one who did it, not the one who only stands in the same passage."""
    texts = ("玛薇卡点燃了圣火。众人散去，各自回家，街上再没有声音，夜也深了。卡齐娜还在路上。", "希诺宁在打铁。")
    assert name_of("圣火是谁点燃的？", *texts) == "玛薇卡"


@pytest.mark.parametrize(
    "question",
    ["玛薇卡是谁？", "圣火在哪里点燃？", "玛薇卡和卡齐娜是什么关系？", "玛薇卡的朋友都有谁？"],
)
def test_other_questions_name_nobody(question: str) -> None:
    """Who somebody is, where, a relation, a circle."""
    assert name_of(question, "玛薇卡点燃了圣火，希诺宁在旁边。") is None


def test_nobody_is_named_where_two_stand_alike() -> None:
    """A guess that is no better than another is not made."""
    assert name_of("圣火是谁点燃的？", "卡齐娜、希诺宁点燃了圣火。") is None
