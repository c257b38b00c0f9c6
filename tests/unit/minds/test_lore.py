"""Descriptions that the library's passages explain: 那位司徒, 盗书的人."""

from functools import partial

import pytest

from tests.unit.minds import talks
from tests.unit.tools.world import Passages
from tools.errors import StoreUnavailable
from tools.records import Horizon, Name, PassageFilter, Ranked
from tools.story.linking import NameTable
from wenmai.minds.offline.lore import told

PEOPLE = ("貂蝉", "吕布", "王允", "周瑜", "蒋干", "曹操")
TEXTS = (
    (1, 8, "司徒王允归到府中，忽见貂蝉长吁短叹。", ("王允", "貂蝉")),
    (1, 45, "蒋干伏枕难眠，便盗了书信，连夜下船。周瑜大笑。", ("蒋干", "周瑜")),
)


follow_up = partial(talks.follow_up, PEOPLE, TEXTS)


TABLE = NameTable.build(Name(text=name, entity=name, kind="Character", mentions=9) for name in PEOPLE)
WED = ("貂蝉先被许给了谁？", "貂蝉先被许给吕布，这是王允的主意。")
TALKED = ("周瑜宴请了谁？", "周瑜宴请了蒋干，曹操在江北等他。")


async def test_an_office_is_looked_up_in_the_passages() -> None:
    """S000-22, LOP-09: 那位司徒 is whom the story calls 司徒王允, not who was named last."""
    asked = "后来那位司徒为什么跳楼？"
    assert await follow_up(asked, *WED, Passages()) == "后来王允为什么跳楼？"


async def test_who_does_what_the_description_says() -> None:
    """S000-22, LOP-09: 盗走书信的人 is who does so in the story."""
    asked = "盗走书信的人后来怎么样了？"
    assert await follow_up(asked, *TALKED, Passages()) == "蒋干后来怎么样了？"


async def test_a_reader_is_told_no_more_than_he_has_read() -> None:
    """STO-19: the guard stands in the query of every search that looks for a description."""
    store, horizon = Passages(), Horizon(1, 8)
    await follow_up("盗走书信的人后来怎么样了？", *TALKED, store, horizon)
    assert store.asked and all(where is not None and where.horizon == horizon for _, where, _ in store.asked)


async def test_a_question_without_a_description_asks_no_store() -> None:
    """LOP-09: a pronoun costs no search."""
    store = Passages()
    assert await follow_up("他后来怎么样了？", *WED, store) != "他后来怎么样了？"
    assert store.asked == []


async def test_the_session_speaks_where_the_store_is_down() -> None:
    """LOP-09: without the passages a description is resolved by the session's own words."""

    class Down(Passages):
        async def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
            raise StoreUnavailable("down")

    assert (
        await follow_up("献计的那个人怎么死的？", "是谁向曹操献计的？", "王允向曹操献计。", Down()) == "王允怎么死的？"
    )


@pytest.mark.parametrize(
    ("sentence", "content", "doer"),
    [
        ("蒋干盗了书信便走，周瑜大笑。", "盗走书信", "蒋干"),
        ("周瑜被曹操放箭射中左臂。", "射中左臂", "曹操"),
        ("蒋干回船去了。", "盗走书信", None),
    ],
)
def test_the_doer_stands_before_the_deed(sentence: str, content: str, doer: str | None) -> None:
    """LOP-09: of a sentence that says enough the last person before the deed did it."""
    found = told(sentence, list(content), TABLE, passive=False)
    assert max(found, key=lambda name: found[name], default=None) == doer
