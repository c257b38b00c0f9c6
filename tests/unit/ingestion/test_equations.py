"""Names that the text itself equates."""

from collections.abc import Sequence

import pytest

from wenmai.ingestion.names import equations
from wenmai.ingestion.names.spans import Place


def equated_names(texts: Sequence[str], names: Sequence[str], relative: str = "") -> list[tuple[str, str]]:
    relatives = [relative] if relative else []
    own = {word: [Place(0, at) for at in range(len(texts[0])) if texts[0].startswith(word, at)] for word in relatives}
    return equations.equated_names(texts, dict.fromkeys([*names, *relatives], ()), own)


@pytest.mark.parametrize(
    "text",
    [
        "沈知秋，代号长夜，是总局的人。",
        "“总局派来的专员，代号长夜。”女人收起伞，“本名沈知秋，不过没有人这么叫我。”",
        "长夜是沈知秋的代号。",
        "沈知秋在这条街上卖花，大家都叫她长夜。",
        "沈知秋（长夜）没有说话。",
        "沈知秋，号长夜，杭州人。",
    ],
)
def test_chinese_names_of_one_person(text: str) -> None:
    assert {frozenset(pair) for pair in equated_names([text], ["沈知秋", "长夜"])} == {frozenset({"沈知秋", "长夜"})}


@pytest.mark.parametrize(
    "text",
    [
        "沈知秋叫长夜出去。",
        "沈知秋的女儿小名长夜。",
        "沈知秋来了。长夜也来了。",
        "“沈知秋？”被叫做长夜的人抬起头。",
        "沈知秋生一子，小名长夜。",
        "长夜是沈知秋的朋友。",
    ],
)
def test_chinese_names_of_two_people(text: str) -> None:
    assert equated_names([text], ["沈知秋", "长夜"]) == []


@pytest.mark.parametrize(
    "text",
    [
        "The Fox, whose real name was John\nTurner, laughed.",
        "John Turner, alias The Fox, laughed.",
        "John Turner was a poacher, and everybody called him The Fox.",
        "John Turner (The Fox) laughed.",
    ],
)
def test_english_names_of_one_person(text: str) -> None:
    assert {frozenset(pair) for pair in equated_names([text], ["John Turner", "The Fox"])} == {
        frozenset({"John Turner", "The Fox"})
    }


def test_english_names_of_two_people() -> None:
    assert equated_names(["John Turner called The Fox a fool."], ["John Turner", "The Fox"]) == []


def test_a_style_name_is_its_bearers() -> None:
    text = "此人姓张，名飞，字翼德。张翼德大怒。"

    assert equated_names([text], ["张飞", "翼德", "张翼德"]) == [("张飞", "翼德"), ("张飞", "张翼德")]


@pytest.mark.parametrize(
    "text",
    [
        "毛建国大名叫老猫。",
        "毛建国人称老猫。",
        "毛建国被街坊们叫做老猫。",
        "人们管毛建国叫老猫。",
        "大家都喊毛建国老猫。",
        "毛建国绰号“老猫”。",
        "老猫本来不叫老猫，他真名叫毛建国。",
        "毛建国爱吃鱼，街上的孩子给他起了个外号叫老猫。",
        "毛建国来了。他走路没有声音，镇上的人都叫他“老猫”。",
        "毛建国是赵虎的邻居，外号老猫。",
        "店里的伙计姓毛，名建国，本地人，绰号老猫。",
    ],
)
def test_a_nickname_is_its_bearers(text: str) -> None:
    pairs = {frozenset(pair) for pair in equated_names([text], ["毛建国", "老猫", "赵虎"])}
    assert pairs == {frozenset({"毛建国", "老猫"})}


@pytest.mark.parametrize(
    "text",
    [
        "毛建国叫老猫进来。",
        "毛建国和赵虎来了，大家都叫他老猫。",
        "赵虎打了毛建国，大家都叫他老猫。",
        "毛建国看见一个人，大家都叫他老猫。",
        "毛建国的儿子外号老猫。",
        "毛建国身后站着一个胖子，外号老猫。",
        "毛建国问他。大家都叫他老猫。",
        "毛建国说：“大家都叫他老猫。”",
        "赵虎告诉毛建国，他外号老猫。",
    ],
)
def test_where_two_may_be_meant_nobody_is(text: str) -> None:
    assert equated_names([text], ["毛建国", "老猫", "赵虎"]) == []


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("二舅叫孟守成。", True),
        ("我二舅孟守成来了。", True),
        ("二舅的名字叫孟守成。", True),
        ("孟守成是我二舅。", True),
        ("二舅叫孟守成来吃饭。", False),
        ("二舅叫孟守成，孟守成不应。", False),
        ("二舅、孟守成都来了。", False),
        ("二舅是孟守成的朋友。", False),
    ],
)
def test_the_name_of_a_relative(text: str, is_said: bool) -> None:
    assert bool(equated_names([text], ["孟守成"], "二舅")) == is_said


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("Barnabas Crake, whom everyone called Barnacle, laughed.", True),
        ("Barnabas Crake was known to his friends as Barnacle.", True),
        ("Barnabas Crake was old. Everybody called him Barnacle.", True),
        ("Barnabas Crake had a limp, so Tom Reed called him Barnacle.", True),
        ("Barnabas Crake, or Barnacle as we called him, laughed.", True),
        ("Barnabas Crake met Tom Reed, and everyone called him Barnacle.", False),
        ("Barnabas Crake's son was known as Barnacle.", False),
        ("Barnabas Crake saw a man whom everyone called Barnacle.", False),
        ("Barnabas Crake fed him. They called him Barnacle.", False),
        ("Barnabas Crake lived in a town known as Barnacle.", False),
        ("Barnabas Crake had nicknamed Barnacle a fool.", False),
        ("Barnabas Crake was known as Barnacle's friend.", False),
    ],
)
def test_an_english_nickname(text: str, is_said: bool) -> None:
    pairs = equated_names([text], ["Barnabas Crake", "Barnacle", "Tom Reed"])
    assert pairs == ([("Barnabas Crake", "Barnacle")] if is_said else [])
