"""Exact wordings in long texts."""

import pytest

from tools.story.names import fold
from wenmai.language.wordings import Texts, fold_table, wording_pattern

SAID = "她說：「燈塔，還亮著。」\nHe said:  “The LIGHT\nhouse”. ＡＢＣ１２３"


@pytest.mark.parametrize(
    ("wording", "found"),
    [
        ("灯塔还亮着", "燈塔，還亮著"),
        ("燈塔還亮", "燈塔，還亮"),
        ("她说灯塔", "她說：「燈塔"),
        ("the light house", "The LIGHT\nhouse"),
        ("abc123", "ＡＢＣ１２３"),
        ("said the", "said:  “The"),
        ("ight", "IGHT"),
    ],
)
def test_script_case_width_and_signs_do_not_count(wording: str, found: str) -> None:
    """STO-121: what is found is what stands there."""
    [(at, start, end)] = Texts([SAID]).find(wording)
    assert (at, SAID[start:end]) == (0, found)


@pytest.mark.parametrize("wording", ["thelight", "lighthouse", "灯亮", "……", "  "])
def test_other_words_are_not_found(wording: str) -> None:
    """STO-121: between words there are blanks or signs; what has no letter is nowhere."""
    assert [*Texts([SAID]).find(wording)] == []


def test_no_wording_goes_over_the_border_of_two_texts() -> None:
    assert [*Texts(["灯塔。", "", "还亮着 灯塔"]).find("灯塔还亮")] == []
    assert [*Texts(["灯塔。", "", "还亮着 灯塔"]).find("灯塔")] == [(0, 0, 2), (2, 4, 6)]


def test_a_long_text_is_folded_as_a_short_one() -> None:
    """The table says what the fold of names says, lone surrogates and signs beyond the first plane too."""
    text = SAID + "İßŒ𠀀😀\ud800・Ａ" + "".join(map(chr, range(0x3400, 0x3500)))
    assert fold_table().fold(text) == fold(text)
    assert wording_pattern("。") is None
