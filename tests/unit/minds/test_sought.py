"""The words in which a question asks, and the odds that stories tell what they ask for."""

import pytest

from tools.linking import NameTable
from tools.records import Name
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.sought import log_odds, sought, word_weights

TABLE = NameTable.build([Name(text=n, entity=n, kind="Character", mentions=9) for n in ("赵铁山", "孙大勇")])


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("赵铁山的妻子叫什么名字？", {"妻子", "叫", "名字"}),
        ("赵铁山在石桥边埋了宝剑，他那年几岁？", {"几岁"}),
        ("赵铁山为什么走，孙大勇知道。", {"走"}),
        ("讲讲赵铁山", {"讲讲"}),
        ("赵铁山何时走的？孙大勇几乎不信。", {"走"}),
        ("赵铁山会背洛神赋吗？", {"会", "背"}),
    ],
)
def test_the_last_clause_that_asks_is_read_without_names(question: str, words: set[str]) -> None:
    """S003-D08: what is told before it is no part of what is asked for."""
    assert sought(analyse(question, TABLE)) == words


def test_odds_are_those_of_the_words_and_of_a_question_by_itself() -> None:
    """S003-D08: a word that few questions had weighs nothing."""
    weights = word_weights()
    assert log_odds(["名字", "无此词"], weights) == pytest.approx(weights[""] + weights["名字"])
    assert log_odds((), weights) == weights[""]


def test_deeds_are_told_oftener_than_names_of_kin() -> None:
    """S003-D08: 怎么走 against 妻子叫什么名字."""
    deed, name = (sought(analyse(text, TABLE)) for text in ("赵铁山怎么走的？", "赵铁山的妻子叫什么名字？"))
    weights = word_weights()
    assert log_odds(deed, weights) > log_odds(name, weights)
