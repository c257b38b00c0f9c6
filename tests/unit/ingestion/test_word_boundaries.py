"""Spellings that stand across the borders of words, and those that are names where a segmenter errs."""

import pytest

from tools.story.names import Spellings
from wenmai.ingestion.names.names import boundary_crossing, crossings


def cut(name: str, text: str, *full: str) -> bool:
    return bool(list(crossings(Spellings.compile([name]), Spellings.compile(full), text)))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("奉宗", "臣愿奉宗庙社稷"),  # 宗庙社稷, by the dictionary a person's name, goes on behind it
        ("马相", "两马相交，战不数合"),
        ("子上", "请天子上马"),  # the end of 天子
        ("文行", "榜文行到涿县"),
        ("世英", "当世英雄"),
        ("子门", "明天子门生"),  # within 天子门生
    ],
)
def test_a_piece_of_a_word_is_no_name(name: str, text: str) -> None:
    """What the words of a clause leave of it."""
    assert cut(name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("奉宗", "陈祗字奉宗庙号"),  # 字 introduces a name
        ("王建", "相国王建入见"),  # 国王, but 相国 is a word
        ("玄武", "玄武池中"),  # the word goes on behind the name and begins with it
        ("孙权", "吴主孙权大喜"),  # 吴主孙, of three characters, is a person's by the dictionary
        ("宗庙", "臣愿奉宗庙社稷"),
        ("曹操", "曹操之兵"),
    ],
)
def test_a_name_stands_where_the_segmenter_errs(name: str, text: str) -> None:
    """Titles before names, names in longer words, guesses."""
    assert not cut(name, text)


def test_a_full_name_around_or_before_is_a_word() -> None:
    """操之 of 曹操之兵 is nobody where 曹操 is a name."""
    assert not cut("操之", "曹操之兵")
    assert cut("操之", "曹操之兵", "曹操")


def test_places_are_those_of_the_text() -> None:
    """A clause is read by itself."""
    text = "众人皆喜。请天子上马"
    assert [text[start:end] for start, end in crossings(Spellings.compile(["子上"]), Spellings.compile([]), text)] == [
        "子上"
    ]


def found(name: str, texts: list[str], *full: str) -> bool:
    return name in boundary_crossing(Spellings.compile([name]), Spellings.compile(full), texts).words


def test_an_alias_that_mostly_cuts_words_names_nobody_there() -> None:
    """At half of its places it may be the segmenter that errs."""
    assert found("子上", ["请天子上马。", "子上入见。", "请天子上车，天子上殿。"])
    assert not found("子上", ["请天子上马。", "子上入见。"])


def test_a_full_name_is_doubted_after_three_places() -> None:
    """It is given for a person."""
    assert found("马相", ["两马相交。"])
    assert not found("马相", ["两马相交。", "两马相交。"], "马相")
    assert found("马相", ["两马相交。", "两马相交。", "两马相交。"], "马相")


def test_only_two_characters_are_doubted() -> None:
    """Longer spellings seldom stand across borders by chance."""
    assert not found("天子上", ["请天子上马。"])
