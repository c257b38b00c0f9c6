"""Questions for the chapter in which something is told."""

import pytest

from tests.graph.rig import piece
from wenmai.minds.offline.chapter_asked import chapter_lines
from wenmai.minds.offline.ranker import Ranked

CHOSEN = [
    Ranked({**piece("赵铁山死守石门关。", 1), "title": "第七回 石门关"}, 1.0, 1.0),
    Ranked({**piece("赵铁山归天。", 2), "title": "第八回 归天"}, 0.5, 0.5),
]
NUMBERS = {CHOSEN[0].piece["id"]: 3, CHOSEN[1].piece["id"]: 1}


@pytest.mark.parametrize("question", ["赵铁山守关写在第几回？", "哪一回讲赵铁山守关？", "赵铁山守关出自第几章？"])
def test_the_title_of_the_best_piece_leads(question: str) -> None:
    """STO-01 LOP-09: what was asked for comes first, with its mark."""
    assert chapter_lines(question, CHOSEN, NUMBERS, "zh") == ["第七回 石门关。[E3]"]


@pytest.mark.parametrize("question", ["第七回讲了什么？", "赵铁山战了第几回合才败？", "赵铁山守的是哪座关？"])
def test_other_questions_have_no_title(question: str) -> None:
    """LOP-09: a chapter that is named is not asked for."""
    assert chapter_lines(question, CHOSEN, NUMBERS, "zh") == []


def test_a_story_without_titles_leaves_it_out() -> None:
    """LOP-09: a passage outside of chapters has no title."""
    untitled = [Ranked({**row.piece, "title": None}, 1.0, 1.0) for row in CHOSEN]
    assert chapter_lines("赵铁山守关写在第几回？", untitled, NUMBERS, "zh") == []
