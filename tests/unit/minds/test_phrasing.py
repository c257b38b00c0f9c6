"""The pieces of a question's phrasing, and the odds that stories tell what is asked so."""

import pytest

from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.phrasing import log_odds, piece_weights, pieces

TABLE = NameTable.build([Name(text=n, entity=n, kind="Character", mentions=9) for n in ("赵铁山", "孙大勇")])


def phrased(question: str) -> frozenset[str]:
    return pieces(analyse(question, TABLE))


def test_pairs_and_triples_and_what_stands_at_the_question_word_are_pieces() -> None:
    """Names, spaces and the mark of the question are left out."""
    assert phrased("赵铁山 的妻子是谁？") == {
        "的妻", "妻子", "子是", "是谁", "的妻子", "妻子是", "子是谁",
        "<是谁", "<子是谁", "<妻子是谁", "谁>",
    }  # fmt: skip


def test_the_last_question_word_asks() -> None:
    """谁 of 为什么走, 谁知道; 几乎 counts nothing, 任何人 asks for nobody."""
    assert "谁几>" in phrased("为什么走，谁几乎知道？")
    assert "什么走>" not in phrased("为什么走，谁几乎知道？")
    assert "<为什么" in phrased("为什么不告诉任何人？")


@pytest.mark.parametrize(
    ("question", "found"), [("赵铁山", set()), ("谁？", {"<谁", "谁>"}), ("曹冲走", set()), ("走了", {"走了"})]
)
def test_short_questions_have_few_pieces(question: str, found: set[str]) -> None:
    """Or none; a name that the story does not have is no piece either."""
    assert phrased(question) == found


def test_odds_are_those_of_the_pieces_and_of_a_question_by_itself() -> None:
    """S003-D08: a piece that few questions had weighs nothing."""
    weights = piece_weights()
    assert log_odds(["后来", "无此片"], weights) == pytest.approx(weights[""] + weights["后来"])
    assert log_odds((), weights) == weights[""]


def test_who_did_it_is_told_oftener_than_what_a_wife_was_called() -> None:
    """S003-D08: 被谁杀 against 妻子叫什么名字."""
    deed, name = (phrased(text) for text in ("赵铁山被谁杀死的？", "赵铁山的妻子叫什么名字？"))
    assert log_odds(deed, piece_weights()) > log_odds(name, piece_weights())


@pytest.mark.parametrize("name", ["关羽", "嵇康", "貂蝉", "桃园", "武松", "八戒", "宝玉", "银屏"])
def test_no_piece_is_of_one_story(name: str) -> None:
    """The model knows how people ask, not whom or what they ask about."""
    assert not [piece for piece in piece_weights() if name in piece]
