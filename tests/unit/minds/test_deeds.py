"""Deeds that the graph tells answer by themselves, in the direction in which they are asked."""

import pytest

from state.schema import Evidence
from tests.graph.rig import piece
from tools.evidence import Edge, edge_of
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.composer import readable
from wenmai.minds.offline.deeds import telling_edges
from wenmai.minds.offline.ranker import Ranked

PEOPLE = ("恰斯卡", "卡齐娜", "玛薇卡")
TABLE = NameTable.build([Name(text=n, entity=n, kind="Character", mentions=9) for n in PEOPLE])
SAVED = "恰斯卡 --INTERACTS_WITH--> 卡齐娜: 舍命相救 「一把抱住了她」"


def edge(text: str) -> Evidence:
    return piece(text, kind="relation")


def name_of(question: str, text: str = SAVED) -> tuple[str | None, bool]:
    found = telling_edges(analyse(question, TABLE), [Ranked(edge(text), 1.0, 1.0)], TABLE)
    return (found[0].name, True) if found else (None, False)


def test_an_edge_is_read_back_from_its_evidence() -> None:
    """Ends, type and description, not the quotation; a passage is no edge."""
    read = Edge(source="恰斯卡", type="INTERACTS_WITH", target="卡齐娜", description="舍命相救")
    assert edge_of(edge(SAVED)) == read
    assert edge_of(piece(SAVED)) is None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("谁救了卡齐娜？", ("恰斯卡", True)),
        ("卡齐娜是被谁救的？", ("恰斯卡", True)),
        ("恰斯卡救了谁？", ("卡齐娜", True)),
        ("恰斯卡是怎么救卡齐娜的？", (None, True)),
        ("谁救了恰斯卡？", (None, False)),
        ("卡齐娜救了谁？", (None, False)),
        ("谁骗了卡齐娜？", (None, False)),
        ("玛薇卡是怎么救卡齐娜的？", (None, False)),
    ],
)
def test_a_deed_is_told_in_its_direction(question: str, answer: tuple[str | None, bool]) -> None:
    """The other end where somebody is asked for; no edge of another deed, direction or pair."""
    assert name_of(question) == answer


def test_to_cut_ones_way_is_not_to_kill() -> None:
    """玛薇卡 killed 卡齐娜, yet who broke into the town for her is not told by that."""
    slain = "玛薇卡 --ENEMY_OF--> 卡齐娜: 斩杀"
    assert name_of("谁杀了卡齐娜？", slain) == ("玛薇卡", True)
    assert name_of("是谁杀进城去替卡齐娜报信的？", slain) == (None, False)


def test_an_edge_is_told_to_a_reader_without_the_graphs_notation() -> None:
    """S003-D08: description and quotation; the type where nothing describes it."""
    assert readable(edge(SAVED)) == "恰斯卡 → 卡齐娜：舍命相救 「一把抱住了她」"
    assert readable(edge("恰斯卡 --FRIEND_OF--> 卡齐娜")) == "恰斯卡 → 卡齐娜：FRIEND_OF"
