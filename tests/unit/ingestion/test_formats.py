"""Books and documents as stories: chapters, volumes, notes, and what is said of what could not be read."""

from pathlib import Path

import pytest

from tests.book_files import docx, epub, paragraph, point, run, table, text_box
from tests.documents.files import packed, pdf, repacked, with_outline
from tools.errors import IngestError
from wenmai.ingestion.chapters.choice import NO_CHOICE, ChapterChoice, heading_rows
from wenmai.ingestion.chapters.records import Section, SourceChapter
from wenmai.ingestion.sources.decoding import unheard
from wenmai.ingestion.sources.files import declared_of, read_epub
from wenmai.ingestion.sources.loaders import load, load_source

VOLUMES = {
    "1.xhtml": "<h1>第一卷 潮起</h1><h2 id='a'>雨夜</h2><p>甲。</p><h2 id='b'>旧伞</h2><p>乙。</p>",
    "2.xhtml": "<h1>第二卷 潮落</h1><h2 id='c'>归来</h2><p>丙。</p>",
}
ANCHORS = "".join(
    f'<li><a href="{href}">{title}</a></li>'
    for href, title in (("1.xhtml#a", "雨夜"), ("1.xhtml#b", "旧伞"), ("2.xhtml#c", "归来"))
)


def loaded(tmp_path: Path, name: str, data: bytes, warnings: list[str] | None = None) -> list[SourceChapter]:
    path = tmp_path / name
    path.write_bytes(data)
    return load(path, warn=(warnings if warnings is not None else []).append)


def sections(data: bytes) -> list[Section]:
    return list(read_epub(Path("书.epub"), data, NO_CHOICE, unheard).sections)


def shown(chapters: list[SourceChapter]) -> list[tuple[str, int, str, str]]:
    return [(one.task_id, one.number, one.title, one.text) for one in chapters]


def test_chapters_of_a_navigation_document_and_volumes_above_them(tmp_path: Path) -> None:
    """A font that the archive does not hold is no reason to refuse."""
    chapters = loaded(tmp_path, "书.epub", epub(VOLUMES, nav=ANCHORS, lost="font.otf"))
    assert shown(chapters) == [
        ("书", 1, "雨夜", "甲。"),
        ("书", 2, "旧伞", "乙。"),
        ("书#2", 1, "归来", "丙。"),
    ]
    assert [one.task_name for one in chapters] == ["第一卷 潮起", "第一卷 潮起", "第二卷 潮落"]


def test_saved_headings_divide_a_book_as_its_contents_do(tmp_path: Path) -> None:
    path = tmp_path / "书.epub"
    path.write_bytes(epub(VOLUMES, nav=ANCHORS))
    chapters = load(path)
    rows = heading_rows(chapters)
    assert rows == ["== 第一卷 潮起", "雨夜", "旧伞", "== 第二卷 潮落", "归来"]
    chosen = load_source(path, choice=ChapterChoice(headings=tuple(rows))).chapters
    assert shown(list(chosen)) == shown(chapters)
    assert shown(list(load_source(path, choice=ChapterChoice("toc")).chapters)) == shown(chapters)
    assert len(load_source(path, choice=ChapterChoice("none")).chapters) == 1


def test_headings_stand_in_for_a_table_of_contents(tmp_path: Path) -> None:
    assert shown(loaded(tmp_path, "书.epub", epub(VOLUMES))) == [
        ("书", 1, "雨夜", "甲。"),
        ("书", 2, "旧伞", "乙。"),
        ("书#2", 1, "归来", "丙。"),
    ]


@pytest.mark.parametrize("entries", [1, 2])
def test_a_page_that_the_contents_do_not_name_continues_the_chapter(entries: int) -> None:
    pages = {"1.xhtml": "<h1>雨夜</h1><p>甲。</p>", "2.xhtml": "<p>甲续。</p>", "3.xhtml": "<h1>旧伞</h1><p>乙。</p>"}
    nav = '<li><a href="1.xhtml">雨夜</a></li><li><a href="3.xhtml">旧伞</a></li>'
    kept = dict(list(pages.items())[: entries + 1])
    found = sections(epub(kept, nav=nav.split("</li>")[0] + "</li>" if entries == 1 else nav))
    assert [(one.title, one.text) for one in found] == [("雨夜", "甲。\n甲续。"), ("旧伞", "乙。")][:entries]


def test_nested_points_of_an_ncx_are_volumes_and_parts_of_a_numbered_chapter_are_none() -> None:
    pages = {
        "v.xhtml": "<h1>上卷</h1>",
        "1.xhtml": "<h2>第一章 雨</h2><p>甲。</p><h3 id='s'>一</h3><p>子。</p>",
        "2.xhtml": "<h2>第二章 伞</h2><p>乙。</p>",
    }
    inner = point("第一章 雨", "1.xhtml", point("一", "1.xhtml#s")) + point("第二章 伞", "2.xhtml")
    found = sections(epub(pages, ncx=point("上卷", "v.xhtml", inner)))
    assert [(one.number, one.volume, one.text) for one in found] == [(1, "上卷", "甲。\n一\n子。"), (2, "上卷", "乙。")]


def test_entries_without_a_text_of_their_own_are_volumes() -> None:
    pages = {
        "p1.xhtml": "<h1>Part One</h1>",
        "1.xhtml": "<h1>Chapter 1</h1><p>A.</p>",
        "p2.xhtml": "<h1>Part Two</h1>",
        "2.xhtml": "<h1>Chapter 1</h1><p>B.</p>",
    }
    names = ("Part One", "Chapter 1", "Part Two", "Chapter 1")
    nav = "".join(f'<li><a href="{page}">{name}</a></li>' for page, name in zip(pages, names, strict=True))
    found = sections(epub(pages, nav=nav))
    assert [(one.title, one.volume) for one in found] == [("Chapter 1", "Part One"), ("Chapter 1", "Part Two")]


def test_notes_and_covers_are_no_story() -> None:
    """Notes of a page, of a page of notes, and of one beside the order of reading; their marks go too."""
    pages = {
        "cover.xhtml": "<p>封面画</p>",
        "1.xhtml": '<h1>雨夜</h1><p>甲<a epub:type="noteref" href="#n">1</a>。</p>'
        '<aside epub:type="footnote" id="n"><p>甲注。</p></aside>',
        "2.xhtml": '<h1>旧伞</h1><p>乙<sup><a href="notes.xhtml#m">[2]</a></sup>。</p>'
        '<p>丙<a href="aside.xhtml#k">①</a>。</p>',
        "notes.xhtml": '<h1>注释</h1><p id="m"><a href="2.xhtml#r">[2]</a>乙注。</p>',
        "aside.xhtml": '<p id="k">丙注。</p>',
    }
    nav = '<li><a href="cover.xhtml">封面</a></li>' + "".join(
        f'<li><a href="{page}.xhtml">{title}</a></li>'
        for page, title in (("1", "雨夜"), ("2", "旧伞"), ("notes", "注释"))
    )
    found = sections(epub(pages, nav=nav, asides=["aside.xhtml"]))
    assert [(one.title, one.text) for one in found] == [("雨夜", "甲。"), ("旧伞", "乙。\n丙。")]
    notes = [(note.kind, note.text) for one in found for note in one.notes]
    assert notes == [("front", "封面画"), ("footnote", "甲注。"), ("footnote", "乙注。"), ("footnote", "丙注。")]


def test_a_missing_page_is_named_and_a_locked_book_refused(tmp_path: Path) -> None:
    warnings: list[str] = []
    import io
    import zipfile

    data = epub(VOLUMES, nav=ANCHORS)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        kept = {name: archive.read(name) for name in archive.namelist() if name != "OPS/2.xhtml"}
    assert len(loaded(tmp_path, "书.epub", packed(dict(kept)), warnings)) == 2
    assert "缺少书中的 1 个文件：OPS/2.xhtml" in warnings[0]
    uri = '<encryption><EncryptedData><CipherReference URI="{}"/></EncryptedData></encryption>'
    assert loaded(tmp_path, "书.epub", repacked(data, {"META-INF/encryption.xml": uri.format("OPS/font.otf")}))
    with pytest.raises(IngestError, match="DRM"):
        loaded(tmp_path, "书.epub", repacked(data, {"META-INF/encryption.xml": uri.format("OPS/1.xhtml")}))


def test_what_a_book_says_of_itself() -> None:
    more = "<dc:title>潮  汐</dc:title><dc:creator>周一</dc:creator><dc:creator>周二</dc:creator>"
    more += "<dc:language>zh-CN</dc:language>"
    found = declared_of(Path("书.epub"), epub(VOLUMES, more=more))
    assert (found.title, found.authors, found.language) == ("潮 汐", ("周一", "周二"), "zh-CN")


CHANGED = (
    paragraph(
        run("违约金为"),
        '<w:del w:id="1"><w:r><w:delText>五千元</w:delText></w:r></w:del>',
        f'<w:ins w:id="2">{run("八千元")}</w:ins>',
        run("。"),
    ),
    paragraph(run("押金可退"), '<w:r><w:footnoteReference w:id="2"/></w:r>', run("。")),
    paragraph(text_box("门禁密码每月一号更换")),
    f"<w:sdt><w:sdtContent>{paragraph(run('联系人：周屿'))}</w:sdtContent></w:sdt>",
    table(("人物", "身份"), ("周屿", "船工")),
)


def test_a_docx_is_read_in_its_accepted_state(tmp_path: Path) -> None:
    """Text boxes once, content controls, tables with their head, footnotes apart."""
    [chapter] = loaded(tmp_path, "书.docx", docx(*CHANGED, notes={2: "仅限提前三十天书面通知者"}))
    assert chapter.text == (
        "违约金为八千元。\n押金可退。\n门禁密码每月一号更换\n联系人：周屿\n人物 | 身份\n人物: 周屿 | 身份: 船工"
    )


LINK = (
    '<w:hyperlink xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="lost">{}'
    "</w:hyperlink>"
)


@pytest.mark.parametrize(
    "lost",
    [
        LINK.format(run("雨")),
        f'{run("雨")}<w:r><w:footnoteReference w:id="77"/></w:r>',
        f'{run("雨")}<w:r><w:endnoteReference w:id="77"/></w:r>',
    ],
)
def test_a_docx_that_refers_to_what_is_missing_is_read(tmp_path: Path, lost: str) -> None:
    [chapter] = loaded(tmp_path, "书.docx", docx(paragraph(lost), paragraph(run("他在雨里站了一夜。"))))
    assert chapter.text == "雨\n他在雨里站了一夜。"


def test_a_docx_of_broken_xml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="不是可读的 DOCX"):
        loaded(tmp_path, "书.docx", docx(paragraph('<x:r x:id="1"/>')))


def test_a_docx_nested_without_end_is_refused(tmp_path: Path) -> None:
    depth = 3_000
    nested = "<w:sdt><w:sdtContent>" * depth + paragraph(run("深")) + "</w:sdtContent></w:sdt>" * depth
    with pytest.raises(IngestError, match="嵌套太深"):
        loaded(tmp_path, "书.docx", docx(nested))


@pytest.mark.parametrize("name", ["heading 1", "Heading 1", "标题 1"])
def test_headings_of_a_docx_are_chapters(tmp_path: Path, name: str) -> None:
    blocks = (
        paragraph(run("雨夜"), style="h"),
        paragraph(run("甲。")),
        paragraph(run("旧伞"), style="h"),
        paragraph(run("乙。")),
    )
    assert shown(loaded(tmp_path, "书.docx", docx(*blocks, styles={"h": name}))) == [
        ("书", 1, "雨夜", "甲。"),
        ("书", 2, "旧伞", "乙。"),
    ]


def test_moved_text_stands_where_it_went(tmp_path: Path) -> None:
    moved = (
        f'<w:moveFrom w:id="1">{run("旧处")}</w:moveFrom>',
        run("留下"),
        f'<w:moveTo w:id="2">{run("新处")}</w:moveTo>',
    )
    [chapter] = loaded(tmp_path, "书.docx", docx(paragraph(*moved)))
    assert chapter.text == "留下新处"


def test_chapters_of_a_web_page(tmp_path: Path) -> None:
    page = "<html><head><title>书</title><script>x()</script></head><body><h1>书</h1><h2>雨夜</h2><p>他走\n进雨里。</p>"
    page += "<h2>旧伞</h2><p>乙。</p>"
    assert shown(loaded(tmp_path, "书.html", page.encode("gb18030"))) == [
        ("书", 1, "雨夜", "他走进雨里。"),
        ("书", 2, "旧伞", "乙。"),
    ]


def test_chapters_of_a_pdf_and_the_pages_without_a_text(tmp_path: Path) -> None:
    warnings: list[str] = []
    pages: tuple[list[str], ...] = (
        ["第一章 雨", "他走进雨里，一直走到江边，江上的雾还没有散", "1"],
        [],
        ["，他没有说话。", "第二章 伞", "乙。", "3"],
    )
    chapters = loaded(tmp_path, "书.pdf", pdf(*pages), warnings)
    assert shown(chapters) == [
        ("书", 1, "第一章 雨", "他走进雨里，一直走到江边，江上的雾还没有散，他没有说话。"),
        ("书", 2, "第二章 伞", "乙。"),
    ]
    assert warnings == ["书.pdf：第 2 页没有文字层，可能是扫描页，未读"]


def test_chapters_of_a_pdf_by_its_outline(tmp_path: Path) -> None:
    """STO-22: titles that no rule knows are chapters where the outline has them, also one that only stands there.

    A page's head that repeats the title begins no chapter, and no paragraph goes on in a title.
    """
    data = pdf(
        ["Night Rain", "He walked into the rain, down to the river where the fog"],
        ["Night Rain", "lay on the water, and he said nothing at all that night."],
        ["The Old Umbrella", "She found it behind the door."],
        ["Nobody came to the ferry."],
    )
    contents = ("Night Rain", 1), ("The Old Umbrella", 3), ("A Ferry without a Ferryman", 4)
    chapters = loaded(tmp_path, "book.pdf", with_outline(data, *contents))
    assert [(one.number, one.title) for one in chapters] == list(enumerate([title for title, _ in contents], 1))
    assert chapters[2].text == "Nobody came to the ferry." and "She found it" not in chapters[0].text
    assert len(loaded(tmp_path, "plain.pdf", data)) == 1


def test_a_title_of_the_outline_after_a_broken_line(tmp_path: Path) -> None:
    """STO-22: a page that ends within a sentence and a page that begins with a title stay apart."""
    data = pdf(
        ["Night Rain", "He walked into the rain, down to the river where the fog"],
        ["The Old Umbrella", "She found it behind the door, where the dust"],
        ["Nobody came to the ferry."],
    )
    contents = ("Night Rain", 1), ("The Old Umbrella", 2), ("A Ferry without a Ferryman", 3)
    chapters = loaded(tmp_path, "book.pdf", with_outline(data, *contents))
    assert [(one.title, one.text.split()[-1]) for one in chapters] == [
        ("Night Rain", "fog"),
        ("The Old Umbrella", "dust"),
        ("A Ferry without a Ferryman", "ferry."),
    ]


def test_parts_over_chapters_in_an_outline(tmp_path: Path) -> None:
    """STO-22: of an outline of two levels the lower one has the chapters, the upper one the volumes."""
    data = pdf(
        ["Part of the River", "Night Rain", "He walked into the rain."],
        ["The Old Umbrella", "She found it behind the door."],
        ["Part of the Hill", "A Lantern", "It burned until the morning."],
        ["The Way Down", "Nobody came with him."],
    )
    chapters = ("Night Rain", 1), ("The Old Umbrella", 2), ("A Lantern", 3), ("The Way Down", 4)
    parts = ("Part of the River", 1), ("Part of the Hill", 3)
    below = [(title, page, parts[page > 2][0]) for title, page in chapters]
    found = loaded(tmp_path, "book.pdf", with_outline(data, *parts, *below))
    assert [(one.title, one.volume) for one in found] == [(title, part) for title, _, part in below]


def test_chapters_of_a_pdf_by_its_print(tmp_path: Path) -> None:
    """STO-22: titles that no rule and no outline knows are chapters where they are larger than the text."""
    data = pdf(
        ["# 雨夜", "他走进雨里，一直走到江边，江上的雾还没有散"],
        ["，他没有说话。", "", "# 旧伞", "她在门后找到了它。"],
        ["# 孤灯", "灯亮到天明，没有人来关，也没有人说话。"],
    )
    assert shown(loaded(tmp_path, "书.pdf", data)) == [
        ("书", 1, "雨夜", "他走进雨里，一直走到江边，江上的雾还没有散，他没有说话。"),
        ("书", 2, "旧伞", "她在门后找到了它。"),
        ("书", 3, "孤灯", "灯亮到天明，没有人来关，也没有人说话。"),
    ]


def test_a_title_of_the_outline_has_no_nul(tmp_path: Path) -> None:
    """STO-22"""
    data = with_outline(pdf(["He walked into the rain."], ["It burned."]), ("Night\0Rain", 1), ("A Lantern", 2))
    assert [one.title for one in loaded(tmp_path, "book.pdf", data)] == ["Night Rain", "A Lantern"]


@pytest.mark.parametrize("head", ["# The Book of Ferries {page}", "* {page} | The Book of Ferries"])
def test_a_printed_running_head_with_a_page_number_begins_no_chapter(tmp_path: Path, head: str) -> None:
    """STO-22"""
    text = "He walked into the rain, down to the river where the fog lay on the water."
    data = pdf(*([head.format(page=page), "", text] for page in range(1, 5)))
    assert len(loaded(tmp_path, "book.pdf", data)) == 1


def test_a_title_of_the_outline_is_no_running_head(tmp_path: Path) -> None:
    """STO-22: where half of the pages begin with a title, each keeps it, also above a running head, which goes."""
    titles = ["Night Rain", "The Old Umbrella", "A Lantern"]
    broken = "They went along the river without a word until"
    data = pdf(*([head, f"{number} {broken}"] for number in range(6) for head in ["The Book of Ferries"]))
    contents = [(title, 1 + 2 * at) for at, title in enumerate(titles)]
    found = loaded(tmp_path, "book.pdf", with_outline(data, *contents))
    assert [one.title for one in found] == titles
    assert all(one.text.startswith(str(2 * at)) and "Ferries" not in one.text for at, one in enumerate(found))


def test_a_title_without_letters_in_an_outline(tmp_path: Path) -> None:
    """STO-22: a break in an outline is no title, and makes none of the lines that look like it."""
    pages = (
        ["Night Rain", "He walked into the rain.", "* * *", "The fog lay."],
        ["A Lantern", "It burned.", "---", "End."],
    )
    contents = ("Night Rain", 1), ("***", 1), ("***", 2), ("A Lantern", 2)
    found = loaded(tmp_path, "book.pdf", with_outline(pdf(*pages), *contents))
    assert [one.title for one in found] == ["Night Rain", "A Lantern"]
    assert found[0].text.endswith("The fog lay.") and found[1].text.endswith("End.")


def test_a_folder_says_what_it_skipped(tmp_path: Path) -> None:
    (tmp_path / "甲.txt").write_text("第一章 雨\n甲。", "utf-8")
    (tmp_path / "乙.doc").write_bytes(b"x")
    (tmp_path / "图.png").write_bytes(b"x")
    (tmp_path / ".DS_Store").write_bytes(b"x")
    warnings: list[str] = []
    assert [one.task_id for one in load(tmp_path, warn=warnings.append)] == ["甲"]
    assert warnings == ["跳过 2 个文件：乙.doc（不支持 .doc）、图.png（不支持 .png）"]
