"""Follow-ups about things and places: what the newest turn tells, also where the segmenter cuts its name."""

import pytest

from tests.unit.minds.test_offline_resolver_sessions import follow_up
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.reading import read

NAMES = (
    *(("Character", name) for name in ("曹操", "孙策", "刘备", "张飞", "曹植", "关羽", "许攸", "黄祖", "太史慈")),
    *(("Location", name) for name in ("官渡", "新野", "江夏", "白马", "落凤坡")),
    ("Item", "青龙"),
)
TABLE = NameTable.build(Name(text=name, entity=name, kind=kind, mentions=9) for kind, name in NAMES)


@pytest.mark.parametrize(
    ("question", "exchange", "expected"),
    [
        ("那件宝贝后来呢？", ("孙策拿什么换兵？", "孙策拿传国玉玺换兵。"), "传国玉玺后来呢？"),
        ("这东西后来呢？", ("孙策拿什么换兵？", "孙策拿传国玉玺换兵。"), "传国玉玺后来呢？"),
        ("这座桥是谁拆的？", ("张飞在哪里喝退曹军？", "在当阳长坂桥。"), "长坂桥是谁拆的？"),
        ("这首诗是谁写的？", ("曹植写过什么？", "《七步诗》。"), "《七步诗》是谁写的？"),
        ("这首是谁写的？", ("曹植写过什么？", "《七步诗》。"), "《七步诗》是谁写的？"),
        ("这把刀有多重？", ("关羽用什么兵器？", "关羽用青龙偃月刀。"), "青龙偃月刀有多重？"),
        ("那一仗谁赢了？", ("周泰在濡须之战里救了谁？", "孙权。"), "濡须之战谁赢了？"),
        ("这个洞是谁发现的？", ("刘备藏在哪里？", "藏在水帘洞里。"), "水帘洞是谁发现的？"),
    ],
)
def test_things_of_the_newest_turn(question: str, exchange: tuple[str, str], expected: str) -> None:
    """LOP-09: nouns that stand for any thing, titles of what is written, names that the segmenter cuts up."""
    assert follow_up(question, exchange, table=TABLE) == expected


@pytest.mark.parametrize(
    ("question", "exchange", "expected"),
    [
        ("守在那儿的是谁？", ("许攸出了什么主意？", "许攸劝曹操派兵去乌巢烧粮。"), "守在乌巢的是谁？"),
        ("那边的守将是谁？", ("许攸献了什么计？", "劝曹操去劫烧乌巢的粮草。"), "乌巢的守将是谁？"),
        ("当时守那里的是谁？", ("太史慈攻哪座城？", "太史慈攻打合淝时中箭。"), "当时守合淝的是谁？"),
        ("当地的太守是谁？", ("黄祖死在哪里？", "黄祖死在江夏。"), "江夏的太守是谁？"),
        ("那里现在叫什么？", ("刘备在新野见了谁？", "徐庶。"), "新野现在叫什么？"),
    ],
)
def test_places_of_the_newest_turn_before_older_ones(question: str, exchange: tuple[str, str], expected: str) -> None:
    """LOP-09: where it happens as the last turn tells it, also a place that no table lists."""
    older = ("官渡在哪里？", "在中牟。")
    assert follow_up(question, older, exchange, table=TABLE) == expected


def test_what_is_ridden_is_no_place() -> None:
    """LOP-09: 骑的白马 is a horse, whatever town bears the name."""
    told = ("庞统死在什么地方？", "死在落凤坡。"), ("他骑的白马是谁的？", "刘备的白马。")
    assert follow_up("在那儿设伏的是谁？", *told, table=TABLE) == "在落凤坡设伏的是谁？"


@pytest.mark.parametrize("text", ["关羽拍马舞刀来战。", "张飞手挺长矛。", "各插一根羽毛作记号。"])
def test_what_is_done_with_a_weapon_is_no_name_of_it(text: str) -> None:
    """LOP-09: 马舞刀 is the segmenter's fault."""
    assert all(one.category == "person" for one in read(text, TABLE).named)
