"""Faults of files: c08 c10 c11."""

from collections.abc import Iterator

from tests.book_files import docx, epub, paragraph, point, run, table, text_box
from tests.public_faults.running import Case, Step

RAIN = "周屿在雨里捡到一只木匣。他没有再说话，江上的雾一直不散。"
LETTER = "老秦把信烧了，说写信的人是他的女儿秦晚。"
STORY = "\n".join(["第一章 雨", *[RAIN] * 9, "第二章 信", *[LETTER] * 9])


def broken(encoding: str, at: int = 300, byte: int = 0xFF, cut: int = 0) -> bytes:
    data = bytearray(STORY.encode(encoding))
    data[at] = byte
    return bytes(data[: len(data) - cut])


def stray_bytes() -> Iterator[Case]:
    cut = STORY.encode("utf-8")[:-1]
    files = {
        "gbk": broken("gbk"),
        "utf-8": broken("utf-8"),
        "gbk-cut": STORY.encode("gbk")[:-1],
        "utf-8-cut": cut,
        "big5": STORY.translate(str.maketrans("捡没说话雾书写儿", "撿沒說話霧書寫兒")).encode("big5", "ignore"),
        "gb18030-two": bytes(one if at not in (301, 401) else 0xFF for at, one in enumerate(STORY.encode("gb18030"))),
        "utf-8-bom": b"\xef\xbb\xbf" + broken("utf-8", at=303),
    }
    for name, data in files.items():
        warned = () if name == "big5" else ("无法解码的字节，以 � 代替",)
        asked = () if name == "big5" else (Step("ask 写信的人是谁？ --library x", ("秦晚",)),)
        yield Case("c08", name, {"b.txt": data}, (Step("ingest b.txt --library x", ("2 章", *warned)), *asked))


def page(*blocks: str) -> str:
    return "".join(blocks)


def heading(title: str, id: str, text: str) -> str:
    return f"<h2 id='{id}'>{title}</h2><p>{text}</p>"


def listed(*entries: tuple[str, str]) -> str:
    return "".join(f'<li><a href="{href}">{title}</a></li>' for href, title in entries)


def books() -> Iterator[Case]:
    pages = {
        "1.xhtml": page("<h1>第一卷 潮起</h1>", heading("雨夜", "a", RAIN), heading("旧伞", "b", "匣里有一把旧伞。")),
        "2.xhtml": page("<h1>第二卷 潮落</h1>", heading("归来", "c", LETTER)),
    }
    nav = listed(("1.xhtml#a", "雨夜"), ("1.xhtml#b", "旧伞"), ("2.xhtml#c", "归来"))
    more = "<dc:title>潮汐集</dc:title><dc:creator>林溪</dc:creator>"
    yield Case(
        "c10",
        "volumes",
        {"v.epub": epub(pages, nav=nav, more=more)},
        (
            Step("ingest v.epub --library v", ("3 章", "共 2 部：第一卷 潮起（2 章），第二卷 潮落（1 章）")),
            Step("ask 写信的人是谁？ --library v", ("[1] 林溪《潮汐集》第二卷 第一章 归来：",), ("v ·",)),
        ),
    )
    halves = {"1.xhtml": heading("雨夜", "a", RAIN), "2.xhtml": f"<p>{LETTER}</p>"}
    yield Case(
        "c10",
        "continued",
        {"v.epub": epub(halves, nav=listed(("1.xhtml", "雨夜")))},
        (Step("ingest v.epub --library v", ("1 章",)), Step("ask 写信的人是谁？ --library v", ("秦晚", "雨夜"))),
    )
    inner = point("雨夜", "1.xhtml#a") + point("旧伞", "1.xhtml#b")
    ncx = point("第一卷 潮起", "1.xhtml", inner) + point("第二卷 潮落", "2.xhtml", point("归来", "2.xhtml#c"))
    yield Case(
        "c10",
        "ncx",
        {"v.epub": epub(pages, ncx=ncx)},
        (
            Step("ingest v.epub --library v --title 潮", ("3 章", "第二卷 潮落（1 章）")),
            Step("ask 写信的人是谁？ --library v", ("《潮》第二卷 第一章 归来",)),
        ),
    )
    nested = (
        '<li><a href="1.xhtml">Part One</a><ol><li><a href="1.xhtml#a">Rain</a></li></ol></li>'
        '<li><a href="2.xhtml">Part Two</a><ol><li><a href="2.xhtml#b">The Tide</a></li></ol></li>'
    )
    parts = {
        "1.xhtml": page("<h1>Part One</h1>", heading("Rain", "a", "Tom Reed found a box under the old bridge.")),
        "2.xhtml": page("<h1>Part Two</h1>", heading("The Tide", "b", "The letter was written by Anna Holt.")),
    }
    yield Case(
        "c10",
        "nested",
        {"v.epub": epub(parts, nav=nested, more="<dc:title>The Ferry</dc:title>")},
        (
            Step("ingest v.epub --library v", ("2 章", "共 2 部")),
            Step("ask 'Who wrote the letter?' --library v", ("The Ferry, Part Two, Chapter 1: The Tide",)),
        ),
    )
    three = {"1.xhtml": heading("雨夜", "a", RAIN), "2.xhtml": "<p>匣里有一把旧伞。</p>", "3.xhtml": f"<p>{LETTER}</p>"}
    three["4.xhtml"] = heading("归来", "d", "船靠了岸，人都散了。")
    yield Case(
        "c10",
        "three-files",
        {"v.epub": epub(three, nav=listed(("1.xhtml", "雨夜"), ("4.xhtml", "归来")), lost="lost.otf")},
        (Step("ingest v.epub --library v", ("2 章",)), Step("ask 写信的人是谁？ --library v", ("秦晚", "雨夜"))),
    )


PRICE = (run("违约金为"), '<w:del w:id="1"><w:r><w:delText>五千元</w:delText></w:r></w:del>')
INSERTED = f'<w:ins w:id="2">{run("八千元")}</w:ins>'
DEPOSIT = paragraph(run("押金可退"), '<w:r><w:footnoteReference w:id="2"/></w:r>')
HOLDER = f"<w:sdt><w:sdtContent>{paragraph(run('联系人：周屿'))}</w:sdtContent></w:sdt>"
BOX = paragraph(text_box("门禁密码每月一号更换"))
ALONE = paragraph(text_box("门禁密码每月一号更换", fallback=False))
WHERE = "--toolkits documents --session s1 --user u1 --mode agent"
ADD = Step("docs add c.docx --session s1 --user u1")


def contract(*blocks: str) -> dict[str, bytes]:
    price = paragraph(*PRICE, INSERTED, run("，七日内付清。"))
    return {"c.docx": docx(price, *blocks, notes={2: "仅限提前三十天书面通知者"})}


def documents() -> Iterator[Case]:
    yield Case(
        "c11",
        "row",
        contract(DEPOSIT, BOX, HOLDER),
        (
            ADD,
            Step(f"ask 违约金是多少？ {WHERE}", ("八千元",), ("五千元",)),
            Step(f"ask 联系人是谁？ {WHERE}", ("周屿",)),
            Step(f"ask 门禁密码什么时候更换？ {WHERE}", ("每月一号",)),
        ),
    )
    yield Case(
        "c11",
        "footnote",
        contract(DEPOSIT),
        (ADD, Step(f"ask 押金退还有什么条件？ {WHERE}", ("提前三十天书面通知者",))),
    )
    yield Case(
        "c11",
        "box-without-fallback",
        contract(ALONE),
        (ADD, Step(f"ask 门禁密码什么时候更换？ {WHERE}", ("每月一号",))),
    )
    yield Case(
        "c11",
        "story-with-a-table",
        {
            "s.docx": docx(
                paragraph(run("第一章 雨"), style=""),
                paragraph(run(RAIN)),
                table(("人物", "身份"), ("老秦", "渡口的船夫")),
            )
        },
        (Step("ingest s.docx --library s", ("1 章",)), Step("ask 老秦的身份是什么？ --library s", ("船夫",))),
    )
    moved = (
        f'<w:p><w:moveFrom w:id="3">{run("租期一年")}</w:moveFrom></w:p>'
        f'<w:p><w:moveTo w:id="3">{run("租期两年")}</w:moveTo></w:p>'
    )
    yield Case(
        "c11",
        "moved",
        contract(moved),
        (ADD, Step(f"ask 租期多久？ {WHERE}", ("两年",), ("一年",))),
    )
    inner = f"<w:sdt><w:sdtContent>{run('甲方：白石商行')}</w:sdtContent></w:sdt>"
    yield Case(
        "c11",
        "control-in-a-line",
        contract(f"<w:p>{inner}</w:p>", table(("项目", "金额"), ("押金", "三千元"))),
        (ADD, Step(f"ask 甲方是谁？ {WHERE}", ("白石商行",)), Step(f"ask 押金的金额是多少？ {WHERE}", ("三千元",))),
    )


CASES = (*stray_bytes(), *books(), *documents())
