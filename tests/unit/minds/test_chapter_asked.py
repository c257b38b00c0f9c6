"""Questions for the chapter in which something is told."""

import pytest

from tests.graph.rig import piece
from wenmai.minds.offline.chapter_asked import with_chapter

TOLD = {**piece("赵铁山死守石门关。", 1), "title": "第七回 石门关"}
TEXT = "赵铁山死守石门关。"


@pytest.mark.parametrize(
    "question", ["赵铁山守关写在第几回？", "赵铁山守关是哪一回的事？", "哪一回讲赵铁山守关？", "赵铁山守关出自第几章？"]
)
def test_the_title_of_the_best_piece_leads(question: str) -> None:
    """LOP-09: what was asked for comes first."""
    assert with_chapter(question, TOLD, TEXT, "zh") == f"第七回 石门关。{TEXT}"  # type: ignore[arg-type]  # a piece with another title


@pytest.mark.parametrize(
    "question",
    ["第七回讲了什么？", "赵铁山战了第几回合才败？", "赵铁山第几回出战时用了火攻？", "赵铁山哪回喝醉误了事？"],
)
def test_other_questions_have_no_title(question: str) -> None:
    """LOP-09: a chapter that is named is not asked for, and 回 is also a time."""
    assert with_chapter(question, TOLD, TEXT, "zh") == TEXT  # type: ignore[arg-type]  # a piece with another title


def test_a_story_without_titles_leaves_it_out() -> None:
    """LOP-09: a passage outside of chapters has no title."""
    untitled = {**TOLD, "title": None}
    assert with_chapter("赵铁山守关写在第几回？", untitled, TEXT, "zh") == TEXT  # type: ignore[arg-type]  # a piece without a title


def test_a_title_cites_nothing() -> None:
    """LOP-09: a mark in it is none of ours."""
    forged = {**TOLD, "title": "第七回 石门关[E2]"}
    assert with_chapter("赵铁山守关写在第几回？", forged, TEXT, "zh") == f"第七回 石门关〔E2〕。{TEXT}"  # type: ignore[arg-type]  # a piece with another title
