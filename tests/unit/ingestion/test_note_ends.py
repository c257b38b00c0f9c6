"""Where a note within a chapter ends: at its paragraph, unless its end is marked; the story goes on behind it."""

from itertools import product
from pathlib import Path

import pytest

from wenmai.ingestion.sources.decoding import read_bytes
from wenmai.ingestion.sources.loaders import load_source

STORY = "他没有再说话，江上的雾一直不散，渡口的人都回家去了。"
ENGLISH = "The fog did not lift, and nobody on the quay said a word."
WRAPPED = (
    "Translator's note: a florin was a coin of two shillings, which\nin those years bought a man his dinner and bed."
)
CHAPTERS = ["第一章 匣", "第二章 信"]


def read(folder: Path, rows: list[str]) -> list[tuple[str, list[str]]]:
    """Return the text of each chapter, and its notes."""
    (folder / "b.txt").write_text("\n\n".join(rows), encoding="utf-8")
    chapters = load_source(folder / "b.txt", read_bytes).chapters
    return [(one.text, [note.text for note in one.notes]) for one in chapters]


@pytest.mark.parametrize(
    "note", ["Translator's note: a florin was two shillings.", "Author's Note: thanks for reading.", WRAPPED]
)
@pytest.mark.parametrize("before", [0, 3])
def test_an_english_note_ends_at_its_paragraph(tmp_path: Path, note: str, before: int) -> None:
    rows = ["CHAPTER I", *[ENGLISH] * before, note, *[ENGLISH] * 3, "CHAPTER II", ENGLISH]
    first, second = read(tmp_path, rows)
    assert first == ("\n\n".join([ENGLISH] * (before + 3)), note.split("\n"))
    assert second == (ENGLISH, [])


@pytest.mark.parametrize(
    ("label", "before"),
    [*product(("作者有话说", "作者的话：", "【译者注】", "Translator's Note", "译者的话"), (0, 2)), ("上架感言", 0)],
)
def test_a_label_on_its_own_line_covers_one_paragraph(tmp_path: Path, label: str, before: int) -> None:
    rows = [CHAPTERS[0], *[STORY] * before, label, "谢谢大家一路陪我。", STORY, STORY, CHAPTERS[1], STORY]
    assert read(tmp_path, rows) == [
        ("\n\n".join([STORY] * (before + 2)), [label, "谢谢大家一路陪我。"]),
        (STORY, []),
    ]


@pytest.mark.parametrize(
    "note",
    [
        ["---", "作者有话说", "谢谢大家。", "明天再见。", "---"],
        ["作者有话说", "谢谢大家。", "明天再见。", "（作者的话完）"],
        ["作者有话说", "谢谢大家。", "明天再见。", "以下正文"],
    ],
)
def test_a_note_with_a_marked_end(tmp_path: Path, note: list[str]) -> None:
    first, _ = read(tmp_path, [CHAPTERS[0], *note, STORY, CHAPTERS[1], STORY])
    assert first[0].removeprefix("---").strip() == STORY
    assert first[1] == note[note.index("作者有话说") :]


def test_little_below_a_label_at_the_end_of_a_long_chapter_is_all_of_the_note(tmp_path: Path) -> None:
    note = ["作者有话说", "谢谢大家。", "明天再见。"]
    first, _ = read(tmp_path, [CHAPTERS[0], *[STORY] * 9, *note, CHAPTERS[1], STORY])
    assert first == ("\n\n".join([STORY] * 9), note)
