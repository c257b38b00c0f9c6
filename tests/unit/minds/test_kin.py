"""Kin that the graph tells answer the question for them."""

import pytest

from tests.graph.rig import piece
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.kin import asked_kin, telling_kin
from wenmai.minds.offline.ranker import Ranked

PEOPLE = ("何海", "何潮", "何汐", "何澜", "沈舟", "柳夫人")
TABLE = NameTable.build([Name(text=n, entity=n, kind="Character", mentions=9) for n in PEOPLE])
EDGES = (
    "何潮 --FAMILY_OF--> 何海: 之子 「何海即令子何潮」",
    "何汐 --FAMILY_OF--> 何海: 之子 「何海次子何汐」",
    "何海 --FAMILY_OF--> 何澜: 之兄 「其兄何海」",
    "柳夫人 --FAMILY_OF--> 何海: 之妻 「何海之妻柳夫人」",
    "沈舟 --FRIEND_OF--> 何海: 好友 「沈舟与何海交厚」",
    "何潮 --FAMILY_OF--> 沈舟: 之子 「书上说，沈舟曾想收何潮，即令子何潮读书」",
)


def kin(question: str) -> list[str | None]:
    ranked = [Ranked(piece(text, kind="relation", id=str(n)), 1.0, 1.0) for n, text in enumerate(EDGES)]
    return [lead.name for lead in telling_kin(analyse(question, TABLE), ranked)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("何海的儿子叫什么？", ["何潮", "何汐"]),
        ("何海的儿子有哪些？", ["何潮", "何汐"]),
        ("何潮的父亲是谁？", ["何海"]),
        ("何汐是谁的儿子？", ["何海"]),
        ("何海的弟弟是谁？", ["何澜"]),
        ("何澜的哥哥是谁？", ["何海"]),
        ("何海的妻子是谁？", ["柳夫人"]),
        ("柳夫人的丈夫是谁？", ["何海"]),
        ("沈舟的妻子是谁？", []),
        ("何海的女儿叫什么？", []),
    ],
)
def test_the_kin_that_edges_tell(question: str, expected: list[str]) -> None:
    """From either end of an edge; of two fathers the one who is named in the fewest words."""
    assert kin(question) == expected


@pytest.mark.parametrize(
    "question", ["何海的第三任妻子叫什么？", "何海的儿子为什么出海？", "何海和沈舟的儿子是谁？", "儿子是谁？"]
)
def test_other_questions_ask_for_no_kin(question: str) -> None:
    assert asked_kin(analyse(question, TABLE)) is None
