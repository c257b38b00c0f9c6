"""Questions that bring their own names, in ways of everyday speech: nothing of the talk belongs into them."""

import pytest

from tests.unit.minds.test_offline_resolver_shapes import asked

FELL = ("赵铁山是在哪里战死的？", "在石门关，他死守寨门而死。")


@pytest.mark.parametrize(
    "question",
    [
        "孙大勇他大哥李青云，后来去了哪里？",
        "孙大勇走石门关，拿住他的那个李青云是谁的部将？",
        "在河边，孙大勇把自己的马让给了谁？",
        "再说到李青云，孙大勇为什么敢喝他送来的酒？",
        "石门关那次，孙大勇拿什么骗开了城门？",
        "没了兵器，孙大勇还怎么打？",
        "石门关之战，孙大勇割了什么让李青云信他？",
        "孙大勇到了石门关，李青云问他想不想家，他怎么答的？",
        "那孙大勇呢，死在谁的刀下？",
    ],
)
def test_a_question_with_its_own_names_stays_as_it_is(question: str) -> None:
    """LOP-09: kin and who is pointed at by name, places, topics and occasions before a subject, what a deed makes."""
    assert asked(question, FELL) == question


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("射死他的那个李青云，后来埋在哪里？", "射死赵铁山的那个李青云，后来埋在哪里？"),
        ("他大哥后来去了哪里？", "赵铁山大哥后来去了哪里？"),
        ("逃到石门关，孙大勇是怎么对待的？", "赵铁山逃到石门关，孙大勇是怎么对待的？"),
        ("投奔孙大勇，孙大勇为什么不重用？", "赵铁山投奔孙大勇，孙大勇为什么不重用？"),
        ("孙大勇杀了他弟弟李青云以后，发生了什么？", "孙大勇杀了赵铁山的弟弟李青云以后，发生了什么？"),
        ("说到底，为什么要打孙大勇？", "赵铁山说到底，为什么要打孙大勇？"),
    ],
)
def test_a_pronoun_beside_a_name_still_goes_back(question: str, expected: str) -> None:
    """S000-22: whom the talk is about is put in where no name of the question stands before the pronoun."""
    assert asked(question, FELL) == expected
