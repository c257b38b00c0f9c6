"""Lines that name a volume and nothing more: they begin parts, and are entries of a table only in a table."""

from pathlib import Path

import pytest

from wenmai.ingestion.sources.decoding import read_bytes
from wenmai.ingestion.sources.loaders import LoadedSource, load_source

PROSE = "他没有再说话，江上的雾一直不散，渡口的人都回家去了。"
TABLES = [
    "",
    "VOLUME I/VOLUME II/",
    "VOLUME I/CHAPTER I/CHAPTER II/VOLUME II/CHAPTER I/CHAPTER II/",
    "VOLUME I/CHAPTER I/CHAPTER II/VOLUME II/CHAPTER I",
]


def loaded(folder: Path, headings: str, table: str = "") -> LoadedSource:
    """Return what is read of a text with prose under its chapters; volumes have none."""
    rows = [*table.split("/"), "献给母亲，她在等我。" if table else ""]
    for at, heading in enumerate(headings.split("/")):
        rows += [heading, *([] if heading.isupper() and "C" not in heading else [f"{PROSE}第{at}次。"])]
    (folder / "b.txt").write_text("\n\n".join(rows), encoding="utf-8")
    return load_source(folder / "b.txt", read_bytes)


def listed(source: LoadedSource) -> list[tuple[str, int]]:
    """Return the name of the part and the number of each chapter."""
    return [(chapter.task_name, chapter.number) for chapter in source.chapters]


@pytest.mark.parametrize("table", TABLES)
def test_bare_volumes_begin_parts(tmp_path: Path, table: str) -> None:
    source = loaded(tmp_path, "VOLUME I/CHAPTER I/CHAPTER II/VOLUME II/CHAPTER I/CHAPTER II", table)
    assert listed(source) == [("VOLUME I", 1), ("VOLUME I", 2), ("VOLUME II", 1), ("VOLUME II", 2)]
    assert "第1次" in source.chapters[0].text and "第4次" in source.chapters[2].text
    assert any(chapter.notes for chapter in source.chapters) == bool(table)


@pytest.mark.parametrize(
    ("first", "second", "chapters"),
    [
        ("PART ONE", "PART TWO", "Chapter 1/Chapter 2"),
        ("BOOK THE FIRST", "BOOK THE SECOND", "CHAPTER I/CHAPTER II"),
        ("第一卷", "第二卷", "第一章/第二章"),
        ("卷一", "卷二", "第一章 雨/第二章 伞"),
        ("VOLUME I.", "VOLUME II.", "CHAPTER I./CHAPTER II."),
    ],
)
def test_the_name_of_a_bare_volume_is_its_parts(tmp_path: Path, first: str, second: str, chapters: str) -> None:
    below = "\n\n".join(f"{one}\n\n{PROSE}" for one in chapters.split("/"))
    (tmp_path / "b.txt").write_text(f"{first}\n\n{below}\n\n{second}\n\n{below}", encoding="utf-8")
    source = load_source(tmp_path / "b.txt", read_bytes)
    assert listed(source) == [(first, 1), (first, 2), (second, 1), (second, 2)]
    assert not source.odd and not any(chapter.notes for chapter in source.chapters)


def test_parts_within_books_come_again(tmp_path: Path) -> None:
    half = "PART ONE/CHAPTER I/CHAPTER II/PART TWO/CHAPTER I"
    source = loaded(tmp_path, f"BOOK I/{half}/BOOK II/{half}")
    assert [number for _, number in listed(source)] == [1, 2, 1, 1, 2, 1]
    assert len({chapter.task_id for chapter in source.chapters}) == 4
