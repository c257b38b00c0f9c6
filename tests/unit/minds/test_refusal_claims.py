"""What a question takes for granted or asks by its sort, and no text tells: deeds, deaths, kin, sorts, names."""

from time import perf_counter

import pytest

from tests.unit.minds.rules import unopposed
from tools.records import Name
from tools.story.linking import NameTable

MOST_SECONDS = 10.0  # a quadratic pattern takes minutes
PEOPLE = ("恰斯卡", "卡齐娜", "玛薇卡", "希诺宁")
NAMES = [Name(text=n, entity=n, kind="Character", mentions=9) for n in PEOPLE]
TABLE = NameTable.build([*NAMES, Name(text="圣火谷", entity="圣火谷", kind="Location", mentions=9)])


def passes(question: str, *texts: str) -> bool:
    return unopposed(question, texts, TABLE)


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        (
            "恰斯卡在哪里杀死了卡齐娜？",
            "恰斯卡赶到桥边，一刀斩卡齐娜于马下。",
            "卡齐娜在桥边看见玛薇卡斩了一员将，恰斯卡也在。",
        ),
        ("恰斯卡在哪里杀死了卡齐娜？", "卡齐娜败走桥边，恰斯卡赶上斩之。", "卡齐娜败走，恰斯卡欲杀之，玛薇卡止之。"),
        ("恰斯卡为什么杀死卡齐娜？", "恰斯卡 --ENEMY_OF--> 卡齐娜: 斩杀", "卡齐娜 --ENEMY_OF--> 恰斯卡: 斩杀"),
        ("恰斯卡为什么鞭打卡齐娜？", "恰斯卡大怒，鞭卡齐娜二百。", "恰斯卡执鞭上马，卡齐娜相随。"),
        ("恰斯卡为什么收养卡齐娜？", "恰斯卡见卡齐娜无家，收为义子。", "恰斯卡见卡齐娜无家，叹了一口气。"),
        ("恰斯卡被卡齐娜活捉后关在哪里？", "卡齐娜手起一枪，生擒恰斯卡，关在谷中。", "恰斯卡活捉卡齐娜，关在谷中。"),
        ("恰斯卡和卡齐娜结拜那天谁在场？", "恰斯卡与卡齐娜结义，玛薇卡在场。", "恰斯卡与卡齐娜饮酒，玛薇卡在场。"),
    ],
)
def test_a_deed_is_told_of_its_doer_and_of_whom_it_befell(question: str, told: str, untold: str) -> None:
    """S003-D08: not where another one does it, nor the other way round, nor where it was only meant."""
    assert passes(question, told)
    assert not passes(question, untold)


def test_what_is_done_for_somebody_befalls_another() -> None:
    """S003-D08: 替卡齐娜杀… claims nothing of 卡齐娜."""
    assert passes("恰斯卡为什么替卡齐娜骂玛薇卡？", "恰斯卡因卡齐娜受屈，骂玛薇卡不公。")


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("恰斯卡死后谁守边境？", "恰斯卡病重而亡，卡齐娜守边境。", "恰斯卡命卡齐娜守边境，敌将死于阵前。"),
        ("恰斯卡死后谁守边境？", "玛薇卡射死恰斯卡。卡齐娜守边境。", "恰斯卡令太子卡齐娜守边境而死战。"),
        ("恰斯卡战死圣火谷以后谁守边境？", "圣火谷一战，恰斯卡阵亡，卡齐娜守边境。", "恰斯卡在家阵亡，卡齐娜守边境。"),
        ("恰斯卡做了统领以后见了谁？", "恰斯卡升为统领，见了希诺宁。", "恰斯卡见了希诺宁。卡齐娜升为统领。"),
    ],
)
def test_a_death_or_an_office_that_is_taken_for_granted_must_be_told(question: str, told: str, untold: str) -> None:
    """S003-D08: of this one, and at the place that the question gives."""
    assert passes(question, told)
    assert not passes(question, untold)


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("恰斯卡请卡齐娜喝的是什么酒？", "恰斯卡请卡齐娜喝御酒三杯。", "恰斯卡置酒请卡齐娜，喝了三杯。"),
        ("恰斯卡在谷中种的是什么花？", "恰斯卡在谷中种满桃花。", "恰斯卡在谷中种满了花。"),
        ("恰斯卡弹的是什么曲子？", "恰斯卡弹了一曲《长风》。", "恰斯卡在楼上弹琴。"),
        ("恰斯卡家里的童子叫什么名字？", "恰斯卡唤童子，名唤阿吉。", "恰斯卡唤童子，童子不应。"),
        ("给恰斯卡看门的老军叫什么名字？", "老军希诺宁给恰斯卡看门。", "老军给恰斯卡看门，希诺宁在旁。"),
    ],
)
def test_a_sort_or_a_name_of_the_nameless_must_be_told(question: str, told: str, untold: str) -> None:
    """S003-D08: which wine, which flower, which tune; what a page or an envoy is called."""
    assert passes(question, told)
    assert not passes(question, untold)


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("恰斯卡骑的马是什么颜色的？", "恰斯卡骑一匹白马。", "卡齐娜骑着赤马，恰斯卡拍马而来。"),
        ("恰斯卡身高多少？", "恰斯卡身长八尺。", "恰斯卡回头，见卡齐娜身长八尺。"),
        ("恰斯卡的铁矛有多重？", "恰斯卡用的铁矛，重三十斤。", "恰斯卡拿着铁矛。那块石头有三十斤。"),
        ("恰斯卡的铁矛有多长？", "恰斯卡的铁矛长五尺。", "恰斯卡拿着铁矛走了。墙长五尺。"),
    ],
)
def test_a_measure_belongs_to_what_is_asked_about(question: str, told: str, untold: str) -> None:
    """S003-D08: another one's horse, stature or load is no answer."""
    assert passes(question, told)
    assert not passes(question, untold)


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("恰斯卡的侄子叫什么？", "恰斯卡之侄卡齐娜来了。", "恰斯卡来了。玛薇卡之侄卡齐娜也来了。"),
        ("恰斯卡和卡齐娜是什么亲戚？", "恰斯卡的表兄卡齐娜来了。", "恰斯卡见卡齐娜来了，玛薇卡之弟也来了。"),
    ],
)
def test_a_word_for_kin_stands_beside_its_person(question: str, told: str, untold: str) -> None:
    """S003-D08: in two sentences with both people is not near enough."""
    assert passes(question, told)
    assert not passes(question, untold)


def test_everybody_of_a_question_is_in_the_chapter_that_it_names() -> None:
    """S003-D08: one of the two is not enough."""
    texts = ("恰斯卡在集市上卖花。", "卡齐娜在比赛中落败，恰斯卡在旁。")
    assert not passes("第1章里恰斯卡和卡齐娜做了什么？", *texts)
    assert passes("第2章里恰斯卡和卡齐娜做了什么？", *texts)


def test_the_time_of_a_sort_is_no_question_for_the_sort() -> None:
    """S003-D08: 喝什么酒的时候 asks when, so the wine need not be named."""
    assert passes("恰斯卡喝什么酒的时候见到了卡齐娜？", "恰斯卡饮酒之间，卡齐娜来见。")


def test_a_hostile_question_takes_no_time() -> None:
    """Of a question of 100,000 characters the claims are read at its beginning."""
    for part in ("恰斯卡被", "恰斯卡死了", "恰斯卡当上城主以后", "恰斯卡杀卡齐娜", "“", "什么酒", "说“花"):
        started = perf_counter()
        passes("集市上有什么？" + part * (100_000 // len(part)), "恰斯卡在集市上卖花。")
        assert perf_counter() - started < MOST_SECONDS


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("恰斯卡骂死卡齐娜之后做了什么？", "恰斯卡在阵前骂死卡齐娜，收兵回营。"),
        ("恰斯卡诈死以后，卡齐娜中计了吗？", "恰斯卡诈死，卡齐娜果然中计。"),
        ("恰斯卡当晚逃走之后，卡齐娜追了吗？", "恰斯卡当晚逃走，卡齐娜追之不及。"),
    ],
)
def test_somebody_elses_death_and_an_hour_are_no_claims_of_ones_own(question: str, told: str) -> None:
    """S003-D08: who scolded another to death lives on; 当晚 is no office."""
    assert passes(question, told)
