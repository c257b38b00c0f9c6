"""Stray bytes, and lines that only a layout has broken."""

from pathlib import Path

import pytest

from tests.unit.test_marks import DUTIES, POEM
from wenmai.formats.wrapping import layout_of, unwrapped
from wenmai.ingestion.sources.decoding import decode
from wenmai.ingestion.sources.loaders import load

PROSE = "\n".join(
    ["第一章 雨"]
    + ["周屿在雨里捡到一只木匣。他没有再说话，江上的雾一直不散，渡口的人都已经走了。"] * 9
    + ["第二章 信"]
    + ["老秦把信烧了，说写信的人是他的女儿秦晚。"] * 9
)
PARAGRAPH = (
    "He had not slept, and the lamp in the window of the old house by the mill was still burning when the first "
    "cart came down the hill. Nobody had told him that the road was closed. He went on, slowly, counting the trees."
)


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "utf-8", "utf-8-sig"])
def test_a_stray_byte_costs_one_character_wherever_it_is(encoding: str) -> None:
    data = PROSE.encode(encoding)
    for at in range(3, len(data), 7):
        warnings: list[str] = []
        text = decode(Path("书.txt"), data[:at] + b"\xff" + data[at + 1 :], warnings.append).removeprefix("\ufeff")
        assert len(text) == len(PROSE) and sum(a != b for a, b in zip(text, PROSE, strict=True)) == 1
        line = PROSE.count("\n", 0, text.index("\ufffd")) + 1
        assert warnings == [f"书.txt：第 {line} 行有无法解码的字节，以 \ufffd 代替，共 1 处"]


@pytest.mark.parametrize(("encoding", "cut"), [("gbk", 1), ("utf-8", 1), ("utf-8", 2), ("utf-16", 1)])
def test_a_file_that_is_cut_within_a_character_is_read(encoding: str, cut: int) -> None:
    assert decode(Path("书.txt"), PROSE.encode(encoding)[:-cut]) == PROSE[:-1] + "\ufffd"


def test_an_added_and_a_lost_byte(tmp_path: Path) -> None:
    data = PROSE.encode("gb18030")
    added = PROSE[:150].encode("gb18030") + b"\xff" + PROSE[150:].encode("gb18030")
    assert decode(Path("书.txt"), added) == PROSE[:150] + "\ufffd" + PROSE[150:]
    path = tmp_path / "书.txt"
    path.write_bytes(data[:301] + b"\xff" + data[302:])
    assert [one.title for one in load(path)] == ["第一章 雨", "第二章 信"]


def wrapped(text: str, columns: int) -> str:
    """Return a text in lines of so many characters, broken anywhere."""
    return "\n".join(text[at : at + columns] for at in range(0, len(text), columns))


@pytest.mark.parametrize("columns", [16, 32])
@pytest.mark.parametrize("indent", ["", "\u3000\u3000"])
def test_chinese_lines_of_a_layout_are_joined_without_a_blank(indent: str, columns: int) -> None:
    paragraphs = [indent + "".join(PROSE.split("\n")[1 : 2 + n]) for n in range(1, 5)]
    text = ("\n" if indent else "\n\n").join(wrapped(one, columns) for one in paragraphs)
    layout = layout_of([text])
    assert layout is not None
    assert [one for one in unwrapped(text, layout).split("\n") if one] == paragraphs


def test_english_lines_are_joined_with_one_blank_and_short_ones_stay(tmp_path: Path) -> None:
    import textwrap

    lines = textwrap.fill(PARAGRAPH, 68)
    path = tmp_path / "book.txt"
    path.write_text(f"Chapter 1\n\n{lines}\n\nDear Ada,\nCome soon.\n\n{lines}\n", "utf-8")
    assert load(path)[0].text == f"{PARAGRAPH}\n\nDear Ada,\nCome soon.\n\n{PARAGRAPH}"


def test_joined_lines_leave_headings_at_their_places_in_the_file(tmp_path: Path) -> None:
    import textwrap

    lines = textwrap.fill(PARAGRAPH, 68)
    path = tmp_path / "book.txt"
    path.write_text(f"Chapter 1\n\n{lines}\n\nChapter 2\n\n{lines}\n", "utf-8")
    assert [(one.line, one.text) for one in load(path)] == [(1, PARAGRAPH), (lines.count("\n") + 5, PARAGRAPH)]


SPEECH = "\n".join(f"“{one}，你到底打算什么时候才把那封信交给渡口的老秦呢？”他问。" for one in "甲乙丙丁戊己")
SONNET = "\n".join(
    f"Shall I compare thee to a summer's day number {n},\nAnd often is his gold complexion dimmed by it" for n in "abcd"
)


@pytest.mark.parametrize("text", [POEM * 3, DUTIES, SPEECH, SONNET, PROSE])
def test_verses_lists_speech_and_paragraphs_have_no_layout(text: str) -> None:
    assert layout_of([text]) is None
