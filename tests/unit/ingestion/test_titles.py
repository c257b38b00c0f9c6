"""Title and author of a text: from its first lines, else from the name of its file."""

from pathlib import Path

import pytest

from wenmai.ingestion.sources.loaders import load_source

PROSE = "话说天下大势，分久必合，合久必分。他说：“我来了，你们都不知道这个人。”"
CHAPTERS = f"第一回 风起\n{PROSE}\n\n第二回 云涌\n{PROSE}\n"
ENGLISH = "He went down to the river in the evening and stayed there until the boats came home again."
ENGLISH_CHAPTERS = f"Chapter 1\n{ENGLISH}\n\nChapter 2\n{ENGLISH}\n"


@pytest.mark.parametrize(
    ("head", "title", "authors"),
    [
        ("渡口风云\n林溪 著\n\n", "渡口风云", ("林溪",)),
        ("《渡口风云》\n作者：林溪\n\n", "渡口风云", ("林溪",)),
        ("渡口风云\n林溪\n\n", "渡口风云", ("林溪",)),
        ("渡口风云　作者：林溪\n\n", "渡口风云", ("林溪",)),
        ("渡口风云\n\n", "渡口风云", ()),
        (f"渡口风云\n{PROSE}\n{PROSE}\n\n", "a b", ()),
        ("目录\n\n", "a b", ()),
    ],
)
def test_first_lines(tmp_path: Path, head: str, title: str, authors: tuple[str, ...]) -> None:
    """DOC-33"""
    assert declared(tmp_path, "a_b.txt", head + CHAPTERS) == (title, authors)


@pytest.mark.parametrize(
    ("head", "title", "authors"),
    [
        ("THE LAST FERRY\n\nby Ada Finch\n\n\n", "THE LAST FERRY", ("Ada Finch",)),
        ("The Last Ferry\nAda Finch\n\n", "The Last Ferry", ("Ada Finch",)),
        ("The Last Ferry by Ada Finch\n\n", "The Last Ferry", ("Ada Finch",)),
        ("# The Last Ferry\n\n", "The Last Ferry", ()),
        ("The Last Ferry\nWritten by Ada Finch\nTranslated by Tom Reed\n\n", "The Last Ferry", ("Ada Finch",)),
        ("Selected Tales by Ada Finch\n\n", "Selected Tales", ("Ada Finch",)),
        ("The House by the Quay\n\n", "The House by the Quay", ()),
    ],
)
def test_first_lines_in_english(tmp_path: Path, head: str, title: str, authors: tuple[str, ...]) -> None:
    """DOC-33"""
    assert declared(tmp_path, "x.txt", head + ENGLISH_CHAPTERS) == (title, authors)


@pytest.mark.parametrize(
    ("name", "title", "authors"),
    [
        ("《渡口风云》（精校版全本）作者：林溪.txt", "渡口风云", ("林溪",)),
        ("[某站]渡口风云_全本.txt", "渡口风云", ()),
        ("渡口风云 作者：林溪.txt", "渡口风云", ("林溪",)),
        ("the_last_ferry.txt", "the last ferry", ()),
        ("The Last Ferry by Ada Finch.txt", "The Last Ferry", ("Ada Finch",)),
        ("The_Last_Ferry_by_Ada_Finch.txt", "The Last Ferry", ("Ada Finch",)),
        ("渡口风云 by 林溪.txt", "渡口风云", ("林溪",)),
        ("Stand_by_Me.txt", "Stand by Me", ()),
    ],
)
def test_names_of_files(tmp_path: Path, name: str, title: str, authors: tuple[str, ...]) -> None:
    """DOC-33"""
    assert declared(tmp_path, name, CHAPTERS) == (title, authors)


def test_a_plain_name_says_nothing_of_its_own(tmp_path: Path) -> None:
    """DOC-33"""
    path = tmp_path / "雾港.txt"
    path.write_text(CHAPTERS, encoding="utf-8")
    assert not load_source(path).books


def declared(folder: Path, name: str, text: str) -> tuple[str, tuple[str, ...]]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    book = load_source(path).books[path.stem]
    return book.title, book.authors


def test_tales_of_a_collection_are_chapters_of_their_volumes(tmp_path: Path) -> None:
    """STO-22"""
    tales = [("卷一", "考城隍"), ("卷一", "耳中人"), ("卷二", "陆判"), ("卷二", "婴宁")]
    path = tmp_path / "志异.txt"
    path.write_text("\n\n".join(f"{volume} {name}\n{PROSE}" for volume, name in tales), encoding="utf-8")
    found = [(one.volume, one.number, one.title) for one in load_source(path).chapters]
    assert found == [("卷一", 1, "考城隍"), ("卷一", 2, "耳中人"), ("卷二", 1, "陆判"), ("卷二", 2, "婴宁")]
