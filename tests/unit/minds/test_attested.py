"""Whom a follow-up means, by what the library's passages tell."""

from functools import partial

import pytest

from state.session import SessionTurn
from tests.unit.minds import talks
from tests.unit.tools.world import Passages
from tools.errors import StoreUnavailable
from tools.records import Horizon, Name, PassageFilter, Ranked
from tools.story.linking import NameTable
from wenmai.minds.offline.standing import owns_only
from wenmai.minds.offline.turns import view_of

PEOPLE = ("夏侯惇", "曹性", "高顺", "孔融", "太史慈", "管亥")
TEXTS = (
    (
        1,
        18,
        "曹性在阵中看见，暗地拈弓搭箭。高顺败走，两军大喊。夏侯惇急用手拔箭，不想连眼珠拔出，纳于口内啖之。",
        ("曹性", "夏侯惇"),
    ),
    (1, 11, "太史慈飞马出城，杀透重围，星夜投平原求救。孔融在城上望见，管亥自来赶他不上。", ("太史慈", "孔融", "管亥")),
)
TABLE = NameTable.build(Name(text=name, entity=name, kind="Character", mentions=9) for name in PEOPLE)
SHOT = ("夏侯惇的左眼是谁射瞎的？", "是高顺的部将曹性放箭射中的。")
SIEGE = ("孔融请太史慈做什么？", "请他出城，因为管亥围住了孔融。")


follow_up = partial(talks.follow_up, PEOPLE, TEXTS)


@pytest.mark.parametrize(
    ("question", "talk", "resolved"),
    [
        ("他把眼珠拔出来以后怎么办？", SHOT, "夏侯惇把眼珠拔出来以后怎么办？"),
        ("他暗地里怎么拈弓搭箭？", SHOT, "曹性暗地里怎么拈弓搭箭？"),
        ("他星夜去平原求救，杀透重围了吗？", SIEGE, "太史慈星夜去平原求救，杀透重围了吗？"),
    ],
)
async def test_who_does_in_the_story_what_is_asked_of_him(question: str, talk: tuple[str, str], resolved: str) -> None:
    """S000-22, LOP-09: the pronoun means whom the passages tell it of, though another was named later."""
    assert await follow_up(question, *talk, Passages()) == resolved


async def test_a_question_that_fits_everybody_asks_no_store() -> None:
    """LOP-09: 他后来怎么样了 is the talk's alone."""
    store = Passages()
    assert await follow_up("他后来怎么样了？", *SHOT, store) != "他后来怎么样了？"
    assert store.asked == []


async def test_a_question_that_refers_to_nobody_asks_no_store() -> None:
    """LOP-09: a self-contained question stays as it is, and costs nothing."""
    store = Passages()
    assert await follow_up("管亥的兵马有多少？", *SHOT, store) == "管亥的兵马有多少？"
    assert store.asked == []


async def test_the_passages_are_those_of_the_reader() -> None:
    """STO-19: the guard and the people of the talk stand in the query."""
    store, horizon = Passages(), Horizon(1, 8)
    await follow_up("他把眼珠拔出来以后怎么办？", *SHOT, store, horizon)
    ((_, where, _),) = store.asked
    assert where is not None and where.horizon == horizon
    assert set(where.any_entity) == {"夏侯惇", "曹性", "高顺"}


async def test_the_talk_decides_where_the_store_is_down() -> None:
    """LOP-09: a store that fails costs the hint, not the turn."""

    class Down(Passages):
        async def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
            raise StoreUnavailable("down")

    question = "他把眼珠拔出来以后怎么办？"
    assert await follow_up(question, *SHOT, Down()) in {
        f"{name}把眼珠拔出来以后怎么办？" for name in ("夏侯惇", "曹性", "高顺")
    }


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("是高顺部将曹性射的。", True),
        ("是高顺的弟弟曹性射的。", True),
        ("是高顺和曹性射的。", False),
        ("高顺部将曹性射了一箭，高顺大喜。", False),
    ],
)
def test_whose_another_is_was_not_talked_about(text: str, owner: bool) -> None:
    """LOP-09: 高顺 in 高顺部将曹性 only says whose 曹性 is."""
    turn = SessionTurn(question="谁射的？", resolved="谁射的？", answer=text, entities=[])
    assert owns_only(view_of(turn, TABLE), "高顺") is owner


async def test_who_is_asked_for_is_not_whom_the_pronoun_means() -> None:
    """S000-22, LOP-09: in 谁 … 他 the doer is asked for, and 他 is the one whom it befell."""
    talk = ("夏侯惇和曹性谁更厉害？", "夏侯惇与曹性都是武将。")
    assert await follow_up("谁暗地拈弓搭箭，让他拔出了眼珠？", *talk, Passages()) == (
        "谁暗地拈弓搭箭，让夏侯惇拔出了眼珠？"
    )
