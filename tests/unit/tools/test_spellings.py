"""Longest match of spellings."""

from tools.records import Name
from tools.story.names import NameTable, Spellings


def test_a_name_at_the_end_of_a_text_is_no_longer_spelling() -> None:
    """STO-07: 曹操 at the very end, where 曹操军 is a spelling too."""
    spellings = Spellings.compile(["曹操", "曹操军"])
    assert list(spellings.longest("来者正是曹操")) == [(4, 6)]
    assert list(spellings.every("曹操军中有曹操")) == [(0, 3), (0, 2), (5, 7)]


def test_a_name_that_is_used_far_more_often_is_not_cut_by_another_one() -> None:
    """STO-07: 中黄 is a name too, but who reads 战中黄盖 means 黄盖; a full name used as often stays whole."""
    names = [("中黄", 4), ("黄盖", 47), ("羽林", 9), ("关羽", 40)]
    table = NameTable.build(Name(text=n, entity=n, kind="Character", mentions=count) for n, count in names)
    assert [mention.entity for mention in table.find("赤壁之战中黄盖献计")] == ["黄盖"]
    assert [mention.entity for mention in table.find("关羽林中射猎")] == ["关羽"]
    assert [mention.entity for mention in table.find("中黄门")] == ["中黄"]


def test_a_barred_place_is_passed_over_and_what_stands_in_it_is_read() -> None:
    """No spelling stands there, but a shorter one may, or one that begins inside it."""
    spellings = Spellings.compile(["子上", "天子上", "天子", "上马"])
    text = "请天子上马"
    assert list(spellings.longest(text)) == [(1, 4)]
    assert list(spellings.longest(text, barred={(1, 4)})) == [(1, 3), (3, 5)]
    assert list(spellings.longest(text, barred={(1, 4), (1, 3)})) == [(2, 4)]


def test_a_name_that_is_a_number_is_none_where_it_counts() -> None:
    spellings = Spellings.compile(["十三"])
    text = "送往十三楼。第十三层，十三年前，二十三号，十三走到她面前。她看着十三。"
    assert [text[start - 1 : end + 1] for start, end in spellings.longest(text)] == ["，十三走", "着十三。"]
