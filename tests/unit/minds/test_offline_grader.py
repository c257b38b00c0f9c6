"""Depth of the offline grader: what each type of question asks of an answer."""

from collections.abc import Sequence

import pytest

from nodes.policy import DEPTH_GATE
from nodes.roles import GradeRequest
from state.schema import Evidence
from tests.graph.rig import LIBRARY, piece
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.grader import BARE_RELATION_MAX, depth

TABLE = NameTable.build([Name(text=n, entity=n, kind="Character", mentions=9) for n in ("恰斯卡", "卡齐娜")])
EDGE = piece("恰斯卡 --FRIEND_OF--> 卡齐娜", kind="relation")


def graded(question: str, draft: str, evidence: Sequence[Evidence]) -> int:
    request = GradeRequest(
        question=question, draft=draft, calls=[], evidence=evidence, library=LIBRARY, horizon=None, language="zh"
    )
    return depth(analyse(question, TABLE), request)


def test_a_relation_asks_for_events() -> None:
    """LOP-09: a bare edge fails the gate, a scene of both passes it, two scenes are deeper."""
    question = "恰斯卡和卡齐娜是什么关系？"
    scenes = [EDGE, piece("两人一见如故。", 1), piece("恰斯卡安慰了她。", 4)]
    bare = graded(question, "有互动关系。[E1]", scenes)
    one = graded(question, "朋友。[E1]\n两人一见如故。[E2]", scenes)
    two = graded(question, "朋友。[E1]\n两人一见如故。[E2]\n恰斯卡安慰了她。[E3]", scenes)
    assert bare == BARE_RELATION_MAX == 5 < DEPTH_GATE <= one < two


def test_a_fact_asks_for_precision_and_a_source() -> None:
    """LOP-09: the figure that was asked for counts; without a source there is no depth at all."""
    question = "卡齐娜几岁？"
    evidence = [piece("卡齐娜今年十六岁。")]
    vague, exact = graded(question, "卡齐娜还小。[E1]", evidence), graded(question, "卡齐娜今年十六岁。[E1]", evidence)
    assert DEPTH_GATE <= vague < exact
    assert graded(question, "卡齐娜今年十六岁。", evidence) == 0


@pytest.mark.parametrize(("places", "passes"), [(1, False), (2, True), (4, True)])
def test_a_journey_asks_for_several_places_of_the_story(places: int, passes: bool) -> None:
    """LOP-09: one chapter is no history."""
    evidence = [piece(f"第{n}件事。", n) for n in range(1, 5)]
    draft = "\n".join(f"第{n}件事。[E{n}]" for n in range(1, places + 1))
    assert (graded("恰斯卡的经历？", draft, evidence) >= DEPTH_GATE) is passes


def test_a_detail_asks_for_quotation() -> None:
    """LOP-09: the words themselves are deeper than a passage without them, and that than an edge."""
    question = "恰斯卡对卡齐娜说了什么？"
    evidence = [piece("恰斯卡说：“别哭。”"), EDGE]
    quoted = graded(question, "恰斯卡说：“别哭。”[E1]", evidence)
    assert quoted > graded(question, "恰斯卡安慰她。[E1]", evidence) >= DEPTH_GATE
    assert graded(question, "是朋友。[E2]", evidence) < DEPTH_GATE


def test_a_journey_out_of_order_is_less_deep() -> None:
    """S003-18, S003-D02: a history is ordered events; the gate is the same for every type."""
    evidence = [piece(f"第{n}件事。", n) for n in range(1, 5)]
    told = {
        order: graded("恰斯卡有过什么经历？", "\n".join(f"第{n}件事。[E{n}]" for n in order), evidence)
        for order in ((1, 2, 3, 4), (4, 3, 2, 1))
    }
    assert told[4, 3, 2, 1] < DEPTH_GATE <= told[1, 2, 3, 4]
