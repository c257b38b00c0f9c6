"""Longest match of spellings."""

from tools.spellings import Spellings


def test_a_name_at_the_end_of_a_text_is_no_longer_spelling() -> None:
    """STO-07: 曹操 at the very end, where 曹操军 is a spelling too."""
    spellings = Spellings.compile(["曹操", "曹操军"])
    assert list(spellings.longest("来者正是曹操")) == [(4, 6)]
    assert list(spellings.every("曹操军中有曹操")) == [(0, 3), (0, 2), (5, 7)]
