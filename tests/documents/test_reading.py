"""Every format: its text, its places, its chunks; read in this process."""

from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest

from tests.documents import files
from tools.documents.records import Location
from tools.errors import IngestError
from wenmai.documents.parsing.reading import read

STORY = "沈青在白石渡等了三年。"


def chunks_of(filename: str, data: bytes, size: int = 1000, overlap: int = 200) -> list[tuple[str, Location]]:
    """Return the chunks as (content, place), and check their offsets."""
    found: dict[str, Any] = read(filename, data, size, overlap)
    text = found["text"]
    end = 0
    for begin, stop, place in found["chunks"]:
        assert begin <= end <= stop, "the chunks leave something out"
        assert stop - begin <= size or (place.get("rows") and "\n" not in text[begin:stop].strip("\n"))
        end = stop
    assert end == len(text)
    return [(text[a:b], Location.from_plain(place)) for a, b, place in found["chunks"]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "big5hkscs", "utf-16"])
def test_text_of_usual_encodings(encoding: str) -> None:
    """DOC-02: a plain text in any usual encoding; a citation names its lines."""
    text = "他說的這個故事，我們都在這裡聽過。\r\n\r\n第二個人來了，大家都不知道他是誰。"
    [(content, place)] = chunks_of("a.txt", text.encode(encoding))
    assert content == "他說的這個故事，我們都在這裡聽過。\n\n第二個人來了，大家都不知道他是誰。\n"
    assert (place.label("zh"), place.label("en")) == ("第 1–3 行", "lines 1–3")


def test_titles_of_a_pdf() -> None:
    """DOC-02 DOC-12: titles of the outline are headings, of all pages below them; a citation has them and the page."""
    data = files.pdf(["Scope", "All ships."], ["Fees", "Ten crowns."], ["Five crowns at night."], ["End of the rules."])
    known = files.with_outline(data, ("Rules", 1), ("Fees", 2, "Rules"), ("Annex", 4))
    places = [(text.split("\n")[0], place.label("en")) for text, place in chunks_of("a.pdf", known)]
    assert places == [
        ("Rules", "Rules, page 1"),
        ("Fees", "Rules › Fees, page 2"),
        ("Five crowns at night.", "Rules › Fees, page 3"),
        ("Annex", "Annex, page 4"),
    ]
    assert [place.label("en") for _, place in chunks_of("a.pdf", data)] == [f"page {at}" for at in (1, 2, 3, 4)]


def test_titles_that_a_pdf_prints() -> None:
    """DOC-38: without an outline lines are headings that are larger, or bold and apart, and no others."""
    pages = (
        [
            "# Harbour Rules",
            "",
            "These are the rules of the harbour of Teal, for all.",
            "",
            "* Night fees. . . . . . 3",
        ],
        ["Head of the office", "## Fees of ships that stay", "## for a night", "Ten crowns and", "* no more than that"],
        ["Head of the office", "Five crowns at night.", "", "* Night fees", "One crown, paid at", "the gate."],
        ["Head of the office", "## Annex", "End of the rules, as they were read", "to all."],
    )
    found = chunks_of("a.pdf", files.pdf(*pages))
    places = list(dict.fromkeys(place.heading for _, place in found))
    assert places == [
        ("Harbour Rules",),
        ("Harbour Rules", "Fees of ships that stay for a night"),
        ("Harbour Rules", "Fees of ships that stay for a night", "Night fees"),
        ("Harbour Rules", "Annex"),
    ]
    assert found[4][0] == "Night fees\nOne crown, paid at the gate.\n"
    assert found[2][0] == "Fees of ships that stay for a night\nTen crowns and no more than that\n"


@pytest.mark.parametrize("head", ["# Harbour Rules", "# Harbour Rules | {page}", "* {page} Harbour Rules"])
def test_a_running_head_is_no_title(head: str) -> None:
    """DOC-38: be it large or bold, with the number of its page or without; a number of something else is in a title."""
    pages = [[head.format(page=page), "", f"Rule {page} is long and says what all ships pay."] for page in range(7, 11)]
    for page, number in zip(pages, (1, 2, 5, 6), strict=True):
        page += ["", f"## Annex {number}", "These are the fees of it, all of them."]
    headings = {place.heading for _, place in chunks_of("a.pdf", files.pdf(*pages))}
    assert headings == {(), *((f"Annex {number}",) for number in (1, 2, 5, 6))}


def test_titles_that_are_printed_below_an_outline_of_breaks() -> None:
    """DOC-38: an outline whose entries are no titles is none."""
    data = files.pdf(
        ["# Night Rain", "He walked into the rain of the harbour."], ["# A Lantern", "It burned all night."]
    )
    found = chunks_of("a.pdf", files.with_outline(data, ("***", 1), ("***", 2)))
    assert [place.heading for _, place in found] == [("Night Rain",), ("A Lantern",)]


def test_chapters_of_a_text() -> None:
    """DOC-02: where a text has chapters, they are the place."""
    found = chunks_of("a.txt", f"第一回 归舟\n\n{STORY}\n\n第二回 对岸\n\n茶铺开张。".encode())
    assert [place.label() for _, place in found] == ["第一回 归舟", "第二回 对岸"]
    assert found[1][0].split() == ["第二回", "对岸", "茶铺开张。"]


def test_pages_of_a_pdf() -> None:
    """DOC-02: a PDF's place is its page; lines that the layout broke are whole again, also in Chinese."""
    broken = ["病人自述上呼吸道感染后出现上、下气", "道梗阻，伴有发热。", "第二段。"]
    found = chunks_of("a.pdf", files.pdf(["Hello page one"], broken, []))
    assert [(content, place.label()) for content, place in found] == [
        ("Hello page one\n", "第 1 页"),
        ("病人自述上呼吸道感染后出现上、下气道梗阻，伴有发热。\n第二段。\n", "第 2 页"),
    ]


def test_a_scanned_pdf() -> None:
    """DOC-02: pages without text are told for what they are: no OCR is offered."""
    with pytest.raises(IngestError, match=r"scan\.pdf：2 页都没有可提取的文字.*OCR"):
        read("scan.pdf", files.pdf([], []), 1000, 200)


def test_a_locked_pdf() -> None:
    """DOC-03: a password is named as the reason; an empty one opens."""
    with pytest.raises(IngestError, match="密码"):
        read("a.pdf", files.locked_pdf("geheim"), 1000, 200)
    assert chunks_of("a.pdf", files.locked_pdf(""))[0][0] == "secret\n"


def test_docx() -> None:
    """DOC-02: headings are places, tables keep their head with each row, in the order of the document."""
    table = [["姓名", "年龄"], ["张三", "30"], ["李四", "31"]]
    data = files.docx((1, "总则"), "第一条", (2, "人员"), "名单如下", table, (1, "附则"), "完")
    assert [(content, place.heading) for content, place in chunks_of("a.docx", data)] == [
        ("总则\n第一条\n", ("总则",)),
        ("人员\n名单如下\n姓名 | 年龄\n姓名: 张三 | 年龄: 30\n姓名: 李四 | 年龄: 31\n", ("总则", "人员")),
        ("附则\n完\n", ("附则",)),
    ]


def test_pptx() -> None:
    """DOC-02: a slide's place is its number; notes belong to it."""
    found = chunks_of("a.pptx", files.pptx(("开场", "内容一", ""), ("结尾", "内容二", "别忘了致谢")))
    assert [(content, place.label()) for content, place in found] == [
        ("开场\n内容一\n", "幻灯片第 1 张"),
        ("结尾\n内容二\n备注：别忘了致谢\n", "幻灯片第 2 张"),
    ]


def test_xlsx() -> None:
    """DOC-02: a row's place is its sheet and number; every row has its head, dates and numbers are as shown."""
    head, apples = ["品名", "单价", "日期"], ["苹果", 3.0, datetime(2026, 1, 2)]
    prices: list[list[Any]] = [head, apples, [None, None, None], ["梨", 4.5, None]]
    data = files.xlsx(价格=prices, 空=[], 数=[[1, 2], [3, 4]])
    found = chunks_of("a.xlsx", data)
    assert found[0][0] == "品名 | 单价 | 日期\n品名: 苹果 | 单价: 3 | 日期: 2026-01-02\n品名: 梨 | 单价: 4.5\n"
    assert [place.label() for _, place in found] == ["工作表 价格，第 1–4 行", "工作表 数，第 1–2 行"]
    assert found[1][0] == "1 | 2\n3 | 4\n"


def test_rows_are_not_cut() -> None:
    """DOC-02: a long table is cut between rows, and each chunk tells which rows it holds."""
    rows = [["编号", "内容"], *([f"N{n}", "甲" * 30] for n in range(2, 41))]
    found = chunks_of("a.xlsx", files.xlsx(表=rows), size=200, overlap=40)
    seen: list[int] = []
    for content, place in found:
        assert place.rows is not None
        lines = content.splitlines()
        assert len(lines) == place.rows[1] - place.rows[0] + 1
        assert all(line.startswith("编号: N") and line.endswith("甲" * 30) for line in lines if "内容: " in line)
        seen += range(place.rows[0], place.rows[1] + 1)
    assert seen == list(range(1, 41))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv(delimiter: str) -> None:
    """DOC-02: rows as a spreadsheet program counts them; formulas are text."""
    rows = [["姓名", "备注"], ["张三", "\"=cmd|' /C calc'!A0\""], ["李四", f'"两行{delimiter}\n文字"']]
    text = "\n".join(delimiter.join(row) for row in rows)
    [(content, place)] = chunks_of("a.csv", text.encode("gb18030"))
    shown = delimiter.strip()
    assert content.splitlines() == [
        "姓名 | 备注",
        "姓名: 张三 | 备注: =cmd|' /C calc'!A0",
        f"姓名: 李四 | 备注: 两行{shown} 文字",
    ]
    assert place.rows == (1, 3)


def test_html() -> None:
    """DOC-02: headings are places, scripts are dropped, blocks are lines, tables keep their head."""
    page = """<!DOCTYPE html><html><head><title>手册</title><script>alert('坏')</script></head><body>
    <h1>安装</h1><p>先<b>下载</b>安装包。</p><ul><li>一</li><li>二</li></ul>
    <table><tr><th>名</th><th>价</th></tr><tr><td>苹果</td><td>3</td></tr></table><h2>升级</h2>再来一次</body></html>"""
    found = chunks_of("a.html", page.encode())
    assert [place.label() for _, place in found] == ["手册 › 安装", "手册 › 安装 › 升级"]
    assert found[0][0] == "手册\n安装\n先下载安装包。\n一\n二\n名 | 价\n名: 苹果 | 价: 3\n"
    assert not any("alert" in content for content, _ in found)


def test_epub() -> None:
    """DOC-02: the chapters of a book in reading order, by their headings."""
    found = chunks_of("a.epub", files.epub("<h1>第一章</h1><p>雾港。</p>", "<h2>尾声</h2><p>天亮了。</p>"))
    assert [(content, place.label()) for content, place in found] == [
        ("第一章\n雾港。\n", "第一章"),
        ("尾声\n天亮了。\n", "尾声"),
    ]


def test_markdown() -> None:
    """DOC-02: the path of headings is the place; a comment in code is no heading, a table keeps its head."""
    text = "# 手册\n\n## 安装\n\n```sh\n# 不是标题\n```\n\n| 名 | 价 |\n|:--|--:|\n| 苹果 | 3 |\n\n## 使用\n后用"
    found = chunks_of("a.md", text.encode())
    assert [place.label() for _, place in found] == ["手册 › 安装", "手册 › 使用"]
    assert "# 不是标题" in found[0][0]
    assert "名: 苹果 | 价: 3" in found[0][0]


@pytest.mark.parametrize("name, make", [("x.txt", "pdf"), ("x.pdf", "docx"), ("x.docx", "text"), ("x", "html")])
def test_content_decides(name: str, make: str) -> None:
    """DOC-02: a wrong extension changes nothing: the content tells what a file is."""
    made = {
        "pdf": (files.pdf(["hello"]), "application/pdf"),
        "docx": (files.docx("hello"), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        "text": (b"hello", "text/plain"),
        "html": (b"<!doctype html><p>hello", "text/html"),
    }
    data, mime_type = made[make]
    found = read(name, data, 1000, 200)
    assert (found["mime_type"], found["text"]) == (mime_type, "hello\n")


def test_chunks_overlap_and_end_at_sentences() -> None:
    """DOC-03: chunks have at most CHUNK_SIZE characters, overlap by up to CHUNK_OVERLAP and begin at a sentence."""
    sentences = [f"第{n}句话说的是第{n}件事，事情很长很长。" for n in range(400)]
    found = chunks_of("a.txt", "".join(sentences).encode(), 1000, 200)
    assert len(found) > 5
    for (one, _), (next, _) in pairwise(found):
        shared = max(n for n in range(201) if one.endswith(next[:n]))
        assert 100 < shared <= 200
        assert next.startswith("第")
    long = chunks_of("a.txt", ("字" * 5000).encode(), 1000, 200)
    assert [len(content) for content, _ in long][:3] == [800, 1000, 1000]


@pytest.mark.parametrize("blank", [b"", b" \n\t\n", b"<html><body><script>x</script></body></html>"])
def test_nothing_to_read(blank: bytes) -> None:
    """DOC-03: a file without text is refused by name."""
    with pytest.raises(IngestError, match=r"a\.html"):
        read("a.html", blank, 1000, 200)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.pdf", "内容不是 PDF 文件"),
        ("a.DOCX", "内容不是 DOCX 文件"),
        ("a.epub", "内容不是 EPUB 文件"),
        ("a.txt", "不是文本"),
    ],
)
def test_what_is_no_text_is_not_what_its_name_says(name: str, said: str) -> None:
    """DOC-02: bytes of no format are refused by the format that their name promises, in one line with a way out."""
    with pytest.raises(IngestError, match=said) as caught:
        read(name, b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 20, 1000, 200)
    assert name in str(caught.value) and "请" in str(caught.value) and "\n" not in str(caught.value)
