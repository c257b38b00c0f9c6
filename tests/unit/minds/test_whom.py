"""Who of the quoted passages answers a 谁-question."""

import pytest

from state.schema import Evidence
from tests.graph.rig import piece
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.asked_part import asked_part, noun_asked
from wenmai.minds.offline.bare_names import names_in
from wenmai.minds.offline.reading import read
from wenmai.minds.offline.scenes import Scene
from wenmai.minds.offline.signs import signs_of, weighted
from wenmai.minds.offline.whom import WEIGHTS, whom

PEOPLE = ("周泰", "孙权", "孙策", "黄忠", "夏侯渊", "魏延", "刘备", "孙夫人", "赵云", "蔡琰", "许昌")
TABLE = NameTable.build([Name(text=name, entity=name, kind="Character", mentions=9) for name in PEOPLE])
RESCUE = (
    "却说孙权与周泰守宣城，忽山贼窃发，四面杀至。时值更深，不及抵敌，泰抱权上马。泰赤体步行，提刀杀贼。孙策闻之大喜。"
)
BATTLE = "夏侯渊措手不及，被黄忠赶到麾盖之下，大喝一声。渊未及相迎，黄忠宝刀已落。魏延亦引军来。"


def told(*texts: str) -> list[Evidence]:
    return [piece(text) for text in texts]


def test_a_bare_given_name_is_whoever_was_named_in_full() -> None:
    """泰抱权上马 names 周泰 and 孙权; a character inside a word or another name is nobody."""
    bare = [(one.name, RESCUE[one.start : one.end]) for one in names_in(RESCUE, (), TABLE) if one.end - one.start == 1]
    assert bare == [("周泰", "泰"), ("孙权", "权"), ("周泰", "泰")]
    assert names_in("权且忍耐，泰山崩于前。", ("孙权", "周泰"), TABLE) == []


@pytest.mark.parametrize(
    ("question", "text", "name"),
    [
        ("宣城被围时，是谁赤体步行救出孙权的？", RESCUE, "周泰"),
        ("夏侯渊被谁斩了？", BATTLE, "黄忠"),
        ("刘备娶的夫人是谁？", "刘备与赵云同到甘露寺，与孙夫人成亲。赵云佩剑在侧。", "孙夫人"),
        ("刘备拜访的才女是谁？", "刘备与赵云到庄上，原来邕女蔡琰居此，出迎刘备。赵云佩剑在侧。", "蔡琰"),
        ("刘备生病时，魏延推荐了哪位神卜？", "刘备生病，魏延自许昌来，向刘备推荐神卜赵云。", "赵云"),
    ],
)
def test_the_likeliest_answer_stands_in_the_asked_part(question: str, text: str, name: str) -> None:
    """Where the question is told, as the one who does it, a woman where one is asked for."""
    assert list(whom(question, told(text), TABLE))[:1] == [name]


@pytest.mark.parametrize("lead", ["上" * 5_000 + "山", "上里" * 2_500 + "，", "后来" * 2_500 + "山"])
def test_a_long_question_is_read_in_one_go(lead: str) -> None:
    """A lead of words that may open a clause has many readings as a sequence of them; its end decides alone."""
    asked = asked_part(read(f"{lead}谁救了孙权？", TABLE))
    assert asked is not None and asked.doer
    assert list(whom(f"谁救了孙权？{lead}", told(RESCUE), TABLE))[:1] == ["周泰"]


def test_a_name_outside_every_sentence_costs_no_answer() -> None:
    """What no sentence covers counts without one: a hint is weaker then, and the turn is kept."""
    asked = asked_part(read("谁救了孙权？", TABLE))
    assert asked is not None
    named = names_in("周泰抱孙权上马", (), TABLE)
    scenes = [Scene.of("周泰抱孙权上马", named, asked, rows) for rows in ([], [(0, 7, 1.0)])]
    rows = [row for scene in scenes for row in signs_of([scene], asked, TABLE, ["周泰"])]
    outside, inside = (weighted(signs, WEIGHTS) for _, signs in rows)
    assert outside < inside


@pytest.mark.parametrize(
    ("question", "text", "is_told"),
    [
        ("谁杀了黄忠？", "魏延斩黄忠于马下", True),
        ("谁杀了黄忠？", "魏延杀出重围", False),
        ("谁杀了黄忠？", "魏延杀进城去", False),
        ("谁救了黄忠？", "魏延救出黄忠", True),
    ],
)
def test_to_cut_ones_way_is_no_deed(question: str, text: str, is_told: bool) -> None:
    """杀进 and 杀出 slay nobody, as in the claims of a question; to bring out is to save."""
    asked = asked_part(read(question, TABLE))
    assert asked is not None and asked.deed is not None
    assert bool(asked.deed.search(text)) is is_told


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("张飞被哪个部将害了？", "部将"),
        ("被哪个贴身随从拿刀砍死？", "随从"),
        ("哪个掌管玉玺的官员拒绝交玺？", "官员"),
        ("最后被哪个跟他有旧仇的部将斩杀？", "部将"),
        ("他是哪个县的县令？", ""),
        ("献了哪个计策？", ""),
        ("在哪个地方被抓？", ""),
    ],
)
def test_a_noun_behind_which_asks_for_somebody(question: str, noun: str) -> None:
    """哪个 asks for somebody by what stands behind it, for a place or a thing elsewhere."""
    assert noun_asked(question) == noun


def test_who_is_called_by_the_asked_noun_is_likelier() -> None:
    """The story gives the office beside the name; a speaker is likelier where words are asked for."""
    told_of = told("魏延与主簿赵云同来。黄忠大怒。赵云谏曰：“不可出战。”黄忠不听。")
    assert list(whom("黄忠出战前，哪个主簿劝他不要去？", told_of, TABLE))[:1] == ["赵云"]


def test_nobody_is_guessed_where_nobody_is_asked_for() -> None:
    """A place, a reason, or who somebody is who stands in the question."""
    assert whom("孙权守的是哪座城？", told(RESCUE), TABLE) == {}
    assert whom("周泰是谁？", told(RESCUE), TABLE) == {}
    assert whom("谁救了孙权？", [], TABLE) == {}


@pytest.mark.parametrize(
    ("question", "doer"),
    [
        ("谁杀了黄忠？", True),
        ("黄忠是被谁杀的？", True),
        ("救出孙权的是谁？", True),
        ("黄忠杀了谁？", False),
        ("刘备拜访的是哪位？", False),
        ("孙权把这件事告诉了谁？", False),
    ],
)
def test_the_asked_part_is_the_doers_or_not(question: str, doer: bool) -> None:
    """The doer of a deed, or whom it befalls."""
    asked = asked_part(read(question, TABLE))
    assert asked is not None and asked.doer is doer
