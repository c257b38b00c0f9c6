"""What a history is told by: the passages that name whose it is, the most often first."""

from tests.graph.rig import piece
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.composer import of_subject
from wenmai.minds.offline.ranker import Ranked

TABLE = NameTable.build([Name(text=n, entity=n, kind="Character", mentions=9) for n in ("恰斯卡", "卡齐娜")])
OTHERS = "卡齐娜在集市上卖花，人人都来看。"
STAGES = ("恰斯卡初到集市。", "恰斯卡比武得胜，众人抬起恰斯卡。", "恰斯卡远行。")


def order(question: str, *texts: str) -> list[str]:
    """Return texts as a history of the question takes them, all of equal rank."""
    ranked = [Ranked(piece(text, number), 1.0, 1.0) for number, text in enumerate(texts, 1)]
    return [row.piece["text"] for row in of_subject(ranked, analyse(question, TABLE), TABLE)]


def test_a_history_leaves_out_what_does_not_name_its_subject() -> None:
    """A passage of the second person in the question is no stage of the first one's life."""
    told = order("恰斯卡从遇见卡齐娜到远行，经历了哪些事？", OTHERS, *STAGES)
    assert told == [STAGES[1], STAGES[0], STAGES[2]]


def test_the_change_of_a_relation_is_told_by_passages_of_either() -> None:
    assert set(order("恰斯卡和卡齐娜的关系经历了哪些变化？", OTHERS, *STAGES)) == {OTHERS, *STAGES}


def test_next_to_no_namings_leave_the_ranking_as_it_is() -> None:
    """Somebody whom two passages name in passing is told by what retrieval found."""
    assert order("恰斯卡经历了哪些事？", OTHERS, STAGES[0], OTHERS) == [OTHERS, STAGES[0], OTHERS]
