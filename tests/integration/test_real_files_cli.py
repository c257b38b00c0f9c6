"""Files that people really have, by the command line: what is read, what is said of the rest, what is quoted."""

import re

import pytest

from tests.book_files import docx, epub, paragraph, run, text_box
from tests.documents.files import pdf
from tests.integration.cli_story import Cli

RAIN = "周屿在雨里捡到一只木匣。他没有再说话，江上的雾一直不散。"
LETTER = "老秦把信烧了，说写信的人是他的女儿秦晚。"
STORY = "\n".join(["第一章 雨", *[RAIN] * 9, "第二章 信", *[LETTER] * 9])
ENGLISH = (
    "Chapter 1\nThe town called her Mrs. Gray. Mrs. Gray gave the green umbrella to Dr. Holt, 263.5 metres "
    "above the sea. Tom ran home.\n\nChapter 2\nDr. Holt lost it in the mill. “Where is it?” asked Mrs. Gray.\n"
)
TRADITIONAL = (
    "第一章 霧\n沈觀潮從懷裡掏出一隻銅羅盤，蓋子裡面刻著四個小字：霧散即歸。\n第二章 燈\n陸聽雪今年二十二歲。\n"
)


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    return Cli(tmp_path_factory.mktemp("files"))


def said(cli: Cli, *arguments: str) -> str:
    done = cli.run(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def ingested(cli: Cli, name: str, data: bytes, library: str) -> str:
    (cli.folder / name).write_bytes(data)
    return said(cli, "ingest", name, "--library", library)


@pytest.mark.parametrize("encoding", ["gbk", "utf-8"])
def test_a_stray_byte_costs_a_warning(cli: Cli, encoding: str) -> None:
    data = bytearray(STORY.encode(encoding))
    data[300] = 0xFF
    report = ingested(cli, "书.txt", bytes(data), encoding)
    assert "2 章" in report and "行有无法解码的字节，以 � 代替，共 1 处" in report
    assert LETTER in said(cli, "ask", "写信的人是谁？", "--library", encoding)


def test_volumes_of_an_epub_and_its_title(cli: Cli) -> None:
    pages = {
        "1.xhtml": f"<h1>第一卷 潮起</h1><h2 id='a'>雨夜</h2><p>{RAIN}</p><h2 id='b'>旧伞</h2><p>匣里有一把旧伞。</p>",
        "2.xhtml": f"<h1>第二卷 潮落</h1><h2 id='c'>归来</h2><p>{LETTER}</p>",
    }
    entries = (("1.xhtml#a", "雨夜"), ("1.xhtml#b", "旧伞"), ("2.xhtml#c", "归来"))
    nav = "".join(f'<li><a href="{href}">{title}</a></li>' for href, title in entries)
    more = "<dc:title>潮汐集</dc:title><dc:creator>林溪</dc:creator>"
    report = ingested(cli, "v.epub", epub(pages, nav=nav, more=more), "epub")
    assert "3 章" in report
    assert "潮汐集" in said(cli, "libraries")
    question = ("ask", "写信的人是谁？", "--library", "epub")
    assert f"[1] 林溪《潮汐集》第二卷 第一章 归来：「{LETTER}」" in said(cli, *question)
    assert "[1] 林溪, 潮汐集, Part 2, Chapter 1: 归来: " in said(cli, *question, "--language", "en")
    assert "没有变化" in said(cli, "ingest", "v.epub", "--library", "epub", "--title", "潮")
    assert "[1] 林溪《潮》第二卷 第一章 归来" in said(cli, *question)
    assert "[1] 林溪《潮》第二卷 第一章 归来" in said(cli, "trace", "latest")


def test_the_accepted_state_of_a_contract(cli: Cli) -> None:
    price = (run("违约金为"), '<w:del w:id="1"><w:r><w:delText>五千元</w:delText></w:r></w:del>')
    inserted = f'<w:ins w:id="2">{run("八千元")}</w:ins>'
    deposit = paragraph(run("押金可退"), '<w:r><w:footnoteReference w:id="2"/></w:r>')
    holder = f"<w:sdt><w:sdtContent>{paragraph(run('联系人：周屿'))}</w:sdtContent></w:sdt>"
    box = paragraph(text_box("门禁密码每月一号更换"))
    content = docx(
        paragraph(*price, inserted, run("，七日内付清。")), deposit, box, holder, notes={2: "仅限书面通知者"}
    )
    (cli.folder / "c.docx").write_bytes(content)
    said(cli, "docs", "add", "c.docx", "--session", "s1", "--user", "u1")
    where = ("--toolkits", "documents", "--session", "s1", "--user", "u1", "--mode", "agent")
    answer = said(cli, "ask", "违约金是多少？", *where)
    assert "八千元" in answer and "五千元" not in answer
    assert "周屿" in said(cli, "ask", "联系人是谁？", *where)


def test_a_quote_ends_where_its_sentence_ends(cli: Cli) -> None:
    ingested(cli, "e.txt", ENGLISH.encode(), "english")
    assert 'The town called her Mrs. Gray."' in said(cli, "ask", "Who is Mrs. Gray?", "--library", "english")
    given = said(cli, "ask", "To whom did Mrs. Gray give the green umbrella?", "--library", "english")
    assert '"Mrs. Gray gave the green umbrella to Dr. Holt, 263.5 metres above the sea."' in given


def test_a_question_in_either_script_finds_a_text_in_either(cli: Cli) -> None:
    """The quote stays as the book has it."""
    ingested(cli, "霧.txt", TRADITIONAL.encode(), "traditional")
    ingested(cli, "雾.txt", STORY.encode(), "simplified")
    for question in ("铜罗盘的盖子里刻着哪几个字？", "銅羅盤的蓋子裡刻著哪幾個字？"):
        assert "刻著四個小字：霧散即歸" in said(cli, "ask", question, "--library", "traditional")
    assert LETTER in said(cli, "ask", "寫信的人是誰？", "--library", "simplified")


def test_a_folder_and_what_was_not_read_of_it(cli: Cli) -> None:
    folder = cli.folder / "书架"
    folder.mkdir()
    (folder / "甲.html").write_text(f"<h2>第一章 雨</h2><p>{RAIN}</p>", "utf-8")
    (folder / "乙.pdf").write_bytes(pdf(["第一章 信", LETTER], []))
    (folder / "丙.doc").write_bytes(b"x")
    (folder / "丁.epub").write_bytes(b"PK broken")
    (folder / "戊.txt").write_bytes(b"")
    (folder / "己.docx").write_bytes(docx())
    (folder / "庚.txt").write_bytes(bytes(range(256)) * 9)
    report = said(cli, "ingest", "书架", "--library", "folder")
    for name, reason in (
        ("丁.epub", "已损坏"),
        ("戊.txt", "文件是空的"),
        ("己.docx", "正文"),
        ("庚.txt", "编码无法识别"),
    ):
        assert re.search(rf"注意：跳过 {name}：.*{reason}", report), report
    assert "[1] 《书架》乙 第一章 信：" in said(cli, "ask", "写信的人是谁？", "--library", "folder")
    assert "跳过 1 个文件：丙.doc（不支持 .doc）" in report
    assert "乙.pdf：第 2 页没有文字层，可能是扫描页，未读" in report and "2 章" in report
