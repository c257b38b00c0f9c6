import pytest

from tools.text.numerals import parse_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("一", 1), ("十", 10), ("十二", 12), ("二十", 20), ("廿三", 23), ("卅", 30), ("卅六", 36), ("一百", 100),
        ("一百零五", 105), ("一百一", 101), ("一百十", 110), ("一百十九", 119), ("一百二十", 120), ("两百", 200),
        ("二〇三", 203), ("三千零一", 3001), ("12", 12), ("１２", 12), ("XIV", 14), ("iv", 4), ("Ⅻ", 12),
        ("twelve", 12),
        ("Twenty-One", 21),
    ],
)  # fmt: skip
def test_numbers_of_headings(text: str, number: int) -> None:
    """S000-41: the chapter is an integer, whatever notation its heading has."""
    assert parse_number(text) == number


@pytest.mark.parametrize("text", ["", "甲", "第一", "hello", "十a"])
def test_no_number(text: str) -> None:
    assert parse_number(text) is None
