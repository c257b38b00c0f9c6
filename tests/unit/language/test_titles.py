"""Where a name stands, and what of it tells its bearer from others."""

import pytest

from wenmai.language.titles import telling_part


@pytest.mark.parametrize(
    ("text", "found", "name", "part"),
    [
        ("Who is Mr. Darcy?", "Mr. Darcy", "Mr. Darcy", "Darcy"),
        ("Where is Miss Nora Brandt's hat?", "Nora Brandt", "Nora Brandt", "Brandt"),
        ("who is darcy?", "darcy", "darcy", ""),
        ("张三丰在哪？", "三丰", "张三丰", "张三丰"),
        ("诸葛果在哪？", "葛果", "诸葛果", "诸葛果"),
        ("李医生在哪？", "李医生", "李医生", "李"),
        ("老李在哪？", "老李", "老李", "李"),
        ("邹场长在哪？", "邹场长", "邹场长", "邹"),
        ("护士在哪？", "护士", "护士", ""),
        ("他把它挂在哪？", "把它", "把它", ""),
        ("马践踏麦田", "马践", "马践", ""),
    ],
)
def test_what_tells_a_name_from_others(text: str, found: str, name: str, part: str) -> None:
    start = text.index(found)
    span, told = telling_part(text, (start, start + len(found)))
    assert (text[slice(*span)], told) == (name, part)
