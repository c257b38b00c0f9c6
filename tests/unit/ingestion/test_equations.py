"""Names that the text itself equates."""

import pytest

from wenmai.ingestion.names.equations import equated


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
    assert {frozenset(pair) for pair in equated([text], ["沈知秋", "长夜"])} == {frozenset({"沈知秋", "长夜"})}


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
    assert equated([text], ["沈知秋", "长夜"]) == []


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
    assert {frozenset(pair) for pair in equated([text], ["John Turner", "The Fox"])} == {
        frozenset({"John Turner", "The Fox"})
    }


def test_english_names_of_two_people() -> None:
    assert equated(["John Turner called The Fox a fool."], ["John Turner", "The Fox"]) == []


def test_a_style_name_is_its_bearers() -> None:
    text = "此人姓张，名飞，字翼德。张翼德大怒。"

    assert equated([text], ["张飞", "翼德", "张翼德"]) == [("张飞", "翼德"), ("张飞", "张翼德")]
