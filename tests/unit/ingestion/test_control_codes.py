"""Control codes in a text cost their characters and a warning that names the line, not the book."""

from pathlib import Path

import pytest

from tools.errors import IngestError
from wenmai.ingestion.sources.decoding import read_bytes
from wenmai.ingestion.sources.loaders import load_source

STORY = "他没有再说话，江上的雾一直不散，渡口的人都回家去了。"


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16"])
@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("第一章 \x1b[31m匣\x1b[0m", "第一章 匣"),
        ("\x1b]0;x\x07第一章 匣", "第一章 匣"),
        ("第一章\x01 匣\x02\x7f", "第一章 匣"),
        ("第一章 匣\0子", "第一章 匣\ufffd子"),
    ],
)
def test_codes_in_a_heading(tmp_path: Path, heading: str, title: str, encoding: str) -> None:
    (tmp_path / "b.txt").write_bytes(f"书名\n{heading}\n{STORY}\n第二章 信\n{STORY}".encode(encoding))
    warnings: list[str] = []
    source = load_source(tmp_path / "b.txt", read_bytes, warn=warnings.append)
    assert [(one.title, one.text) for one in source.chapters] == [(title, STORY), ("第二章 信", STORY)]
    (warning,) = warnings
    assert "第 2 行" in warning


def test_codes_and_stray_bytes_are_counted_apart(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(f"第一章 匣\n{STORY}\x02\x03\n{STORY}\0\n{STORY * 9}".encode())
    warnings: list[str] = []
    load_source(tmp_path / "b.txt", read_bytes, warn=warnings.append)
    assert [("第 2 行" in one, "共 2 处" in one) for one in warnings] == [(True, True), (False, False)]
    assert "第 3 行" in warnings[1] and "共 1 处" in warnings[1]


@pytest.mark.parametrize(
    "content",
    [
        bytes(range(1, 32)) * 9,
        f"{STORY}\0\x01\x02\x03".encode() * 40,
        STORY.encode() * 20 + STORY.encode("gb18030") * 20,
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01",
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b.txt").write_bytes(content)
    with pytest.raises(IngestError, match="不是文本，或编码无法识别"):
        load_source(tmp_path / "b.txt", read_bytes)
