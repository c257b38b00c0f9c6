"""Markdown and web pages: which marks are headings of chapters, and which are notes, code or links."""

from pathlib import Path

import pytest

from wenmai.ingestion.sources.decoding import read_bytes
from wenmai.ingestion.sources.loaders import LoadedSource, load_source

STORY = "他没有再说话，江上的雾一直不散，渡口的人都回家去了。"


def read(folder: Path, text: str, name: str = "b.md") -> LoadedSource:
    """Return what is read of a text."""
    (folder / name).write_text(text, encoding="utf-8")
    return load_source(folder / name, read_bytes)


@pytest.mark.parametrize(
    ("headings", "found"),
    [
        ("# 江雾/## 木匣/## 信/## 渡口", ["木匣", "信", "渡口"]),
        ("## 木匣/## 信", ["木匣", "信"]),
        ("# 江雾/## 上/### 木匣/### 信", ["木匣", "信"]),
        ("# 木匣/## 场/# 信/## 场", ["木匣", "信"]),
        ("# The Box/## The Storm/## The Letter", ["The Storm", "The Letter"]),
        ("木匣\n====/信\n====", ["木匣", "信"]),
        ("江雾\n====/木匣\n----/信\n----", ["木匣", "信"]),
        ("Chapter 1\n=========/Chapter 2\n=========", ["Chapter 1", "Chapter 2"]),
    ],
)
def test_the_highest_level_with_several_headings_is_the_chapters(
    tmp_path: Path, headings: str, found: list[str]
) -> None:
    rows = [f"{row}\n\n{STORY}" if any(title in row for title in found) else row for row in headings.split("/")]
    source = read(tmp_path, "\n\n".join(rows))
    assert [one.title for one in source.chapters] == found
    assert all(STORY in one.text and "==" not in one.text for one in source.chapters)


def test_headings_below_volumes(tmp_path: Path) -> None:
    half = f"## 木匣\n\n{STORY}\n\n## 信\n\n{STORY}"
    source = read(tmp_path, f"# 第一卷\n\n{half}\n\n# 第二卷\n\n{half}")
    assert [(one.task_name, one.title) for one in source.chapters] == [
        ("第一卷", "木匣"),
        ("第一卷", "信"),
        ("第二卷", "木匣"),
        ("第二卷", "信"),
    ]


@pytest.mark.parametrize(
    "block",
    [
        "```\n# 第二章 假的\n```",
        "~~~ text\n\n第二章 假的\n\n~~~",
        "<!--\n# 第二章 假的\n-->",
        "<!-- 第二章 假的 -->",
    ],
)
def test_no_heading_stands_in_code_or_comments(tmp_path: Path, block: str) -> None:
    source = read(tmp_path, f"# 第一章 匣\n\n{STORY}\n\n{block}\n\n{STORY}\n\n# 第二章 信\n\n{STORY}")
    assert [one.title for one in source.chapters] == ["第一章 匣", "第二章 信"]
    assert source.chapters[0].text.count(STORY) == 2


def test_a_fence_that_is_never_closed_hides_no_chapter(tmp_path: Path) -> None:
    source = read(tmp_path, f"# 匣\n\n```\n\n{STORY}\n\n# 信\n\n{STORY}")
    assert [one.title for one in source.chapters] == ["匣", "信"]


def test_footnotes_and_comments_are_notes(tmp_path: Path) -> None:
    text = f"# 匣\n\n老秦[^1]来了。{STORY}\n\n<!-- 改\n这里 -->\n\n# 信\n\n{STORY}\n\n[^1]: 渡口的船夫。"
    first, second = read(tmp_path, text).chapters
    assert (first.text, second.text) == (f"老秦来了。{STORY}", STORY)
    assert [(one.line, one.text) for one in first.notes] == [(5, "<!-- 改\n这里 -->")]
    assert [(one.kind, one.text) for one in second.notes] == [("footnote", "[^1]: 渡口的船夫。")]


@pytest.mark.parametrize("prose", [STORY, "雾散了。", "---\ntitle: 江雾"])
def test_marks_below_prose_are_no_underline(tmp_path: Path, prose: str) -> None:
    source = read(tmp_path, f"{prose}\n---\n\n# 匣\n\n{STORY}\n\n# 信\n\n{STORY}")
    assert [one.title for one in source.chapters if one.number] == ["匣", "信"]


def test_links_of_a_page_are_no_chapters(tmp_path: Path) -> None:
    body = f"<h1>江雾</h1><h2>第一章 匣</h2><p>{STORY}</p><h2>第二章 信</h2><p>{STORY}</p>"
    links = '<nav><ul><li><a href="#a">第一章</a></li><li><a href="#b">第二章 信</a></li></ul></nav>'
    source = read(tmp_path, f"<html><body>{links}{body}{links}</body></html>", "b.html")
    assert [(one.title, one.text) for one in source.chapters] == [("第一章 匣", STORY), ("第二章 信", STORY)]
    assert not source.odd
