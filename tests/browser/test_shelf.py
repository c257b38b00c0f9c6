"""The shelf: a book is looked over, mended, taken in, stopped, deleted; files that are none; names full of markup."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from tests.book_files import epub
from tests.browser.chromium import DESKTOP, PHONE, held_requests, opened
from tests.browser.test_first_view import problems_of
from tests.integration.live_server import COPIED, ROOT, STORY, LiveServer
from tests.integration.own_server import API, serving

BOOK = (ROOT / "data" / "sample" / "雾港纪事.txt").read_text(encoding="utf-8")
INGEST_MS = 240_000
MARKUP = "<img src=x onerror=window.pwned=1>"
TABLES = {"ship.csv": "ship_id,name,captain_id\n1,海棠号,7\n", "captain.csv": "captain_id,name\n7,陆沉舟\n"}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server without any library."""
    folder = tmp_path_factory.mktemp("shelf")
    for name in COPIED:
        (folder / name).symlink_to(ROOT / name)
    with serving(folder) as live:
        yield live


@pytest.fixture(autouse=True)
def emptied(empty: LiveServer) -> Iterator[None]:
    """Take away what a test has put on the shelf."""
    yield
    for job in httpx.get(f"{empty.url}{API}/jobs").json()["items"]:
        httpx.delete(f"{empty.url}{API}/jobs/{job['id']}")
    for kind, name in (("libraries", "name"), ("networks", "id")):
        for one in httpx.get(f"{empty.url}{API}/{kind}").json()["items"]:
            httpx.delete(f"{empty.url}{API}/{kind}/{one[name]}", timeout=60)


def payload(name: str, data: str | bytes) -> FilePayload:
    """Return a file that is chosen."""
    return {
        "name": name,
        "mimeType": "application/octet-stream",
        "buffer": data.encode() if isinstance(data, str) else data,
    }


def choose(page: Page, *files: FilePayload) -> None:
    """Choose files for the shelf."""
    page.locator("input[type=file]").first.set_input_files(list(files))


def times_of(jobs: list[dict[str, Any]], name: str) -> list[datetime]:
    """Return when jobs began or ended."""
    return [datetime.fromisoformat(one[name]) for one in jobs]


def row(page: Page, title: str) -> Locator:
    """Return a chapter of the look at a book."""
    return page.locator(".review-row").filter(has_text=title)


def libraries(server: LiveServer) -> list[dict[str, Any]]:
    """Return the libraries that the server has."""
    found: list[dict[str, Any]] = httpx.get(f"{server.url}{API}/libraries").json()["items"]
    return found


def test_a_first_book(browser: Browser, empty: LiveServer) -> None:
    """From the empty shelf to a receipt: nothing is stored before it is accepted, and every state is accessible."""
    with opened(browser) as (page, watch):
        page.goto(empty.url)
        expect(page.get_by_text("文脉读懂你的书")).to_be_visible()
        accessible(page, DESKTOP)
        choose(page, payload("夜航.txt", BOOK))
        expect(row(page, "第二章 盐市街")).to_be_visible()
        assert libraries(empty) == []
        accessible(page, DESKTOP)
        page.get_by_role("button", name="不是标题，并入上一章：第二章 盐市街").click()
        expect(row(page, "第二章 盐市街")).to_have_count(0)
        page.get_by_role("button", name="改名：第一章 雾里归人").click()
        page.get_by_label("新的标题").fill("归人")
        page.get_by_role("button", name="确定").click()
        expect(row(page, "归人").first).to_contain_text("3,4")
        page.get_by_label("书名").fill("夜航船")
        page.get_by_role("button", name="放上书架").click()
        expect(page.get_by_text("已放上书架")).to_be_visible(timeout=INGEST_MS)
        expect(page.locator(".shelf-import")).to_contain_text("16 章")
        expect(page.locator(".shelf-import").get_by_role("link", name="陆听雪")).to_be_visible()
        accessible(page, DESKTOP)
        (made,) = libraries(empty)
        assert (made["name"], made["title"], made["chapters"], made["language"]) == ("夜航船", "夜航船", 16, "zh")
        expect(page.get_by_role("link", name="开始提问")).to_have_attribute("href", re.compile("/desk$"))
        card = page.locator(".shelf-book")
        expect(card.get_by_role("link", name="提问")).to_have_attribute("href", re.compile("/desk$"))
        card.get_by_role("link", name="夜航船").click()
        expect(page.locator(".view-read h1")).to_be_visible()
        page.go_back()
        card.get_by_role("link", name="阅读").click()
        expect(page.locator(".view-read h1")).to_be_visible()
        page.go_back()
        page.get_by_role("button", name="更多操作：夜航船").click()
        page.get_by_role("menuitem", name="删除").click()
        page.get_by_role("dialog").get_by_role("button", name="删除").click()
        expect(page.get_by_role("dialog")).to_contain_text("16 章")
        accessible(page, DESKTOP)
        page.get_by_role("dialog").get_by_role("button", name="关闭").last.click()
        expect(page.get_by_text("文脉读懂你的书")).to_be_visible()
        assert libraries(empty) == [] and watch.complaints == []


def accessible(page: Page, size: tuple[int, int]) -> None:
    """Check what axe finds, and that nothing is wider than the window."""
    page.wait_for_load_state("networkidle")
    assert problems_of(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= size[0]


def test_an_epub_is_divided_and_gets_a_part(browser: Browser, empty: LiveServer) -> None:
    """Title and author come from the book; a chapter begins at a line that is chosen, a part where it is named."""
    prose = [f"<p>{text}</p>" for text in STORY.split("\n") if len(text) > 20]
    pages = {"a.xhtml": f"<h1>起</h1>{''.join(prose[:2])}", "b.xhtml": f"<h1>落</h1>{''.join(prose[2:])}"}
    nav = '<li><a href="a.xhtml">起</a></li><li><a href="b.xhtml">落</a></li>'
    book = epub(
        pages, nav, more="<dc:title>雾中书</dc:title><dc:creator>佚名</dc:creator><dc:language>zh</dc:language>"
    )
    with opened(browser) as (page, watch):
        page.goto(empty.url)
        choose(page, payload("x.epub", book))
        expect(page.get_by_label("书名")).to_have_value("雾中书")
        expect(page.get_by_text("佚名")).to_be_visible()
        page.get_by_role("button", name="更多操作：落").click()
        page.get_by_role("menuitem", name="把这一章分开").click()
        page.get_by_role("searchbox").fill("沉船")
        page.locator(".review-cut").first.click()
        expect(page.locator(".review-row.is-chapter")).to_have_count(3)
        page.get_by_role("button", name="更多操作：落").click()
        page.get_by_role("menuitem", name="从这里起是新的一部").click()
        page.get_by_label("这一部的名称").fill("下篇")
        page.get_by_role("button", name="确定").click()
        expect(page.locator(".review-row.is-volume")).to_have_text("下篇")
        page.get_by_role("button", name="撤销").click()
        expect(page.locator(".review-row.is-volume")).to_have_count(0)
        page.get_by_role("button", name="取消").click()
        expect(page.get_by_role("heading", name="书架")).to_be_visible()
        assert libraries(empty) == [] and watch.complaints == []


def test_a_running_import_is_found_again_stopped_and_goes_on(browser: Browser, empty: LiveServer) -> None:
    with opened(browser) as (page, _):
        page.goto(empty.url)
        choose(page, payload("夜航.txt", BOOK))
        page.get_by_role("button", name="放上书架").click()
        expect(page.get_by_text(re.compile("正在找人名|正在读"))).to_be_visible(timeout=INGEST_MS)
        page.reload()
        stop = page.get_by_role("button", name="停止")
        stop.click(timeout=INGEST_MS)
        expect(page.get_by_text("已停止")).to_be_visible(timeout=INGEST_MS)
        assert httpx.get(f"{empty.url}{API}/jobs").json()["items"][0]["state"] == "cancelled"
        page.locator(".shelf-import input[type=file]").set_input_files([payload("夜航.txt", BOOK)])
        expect(page.get_by_text("已放上书架")).to_be_visible(timeout=INGEST_MS)
        assert [one["chapters"] for one in libraries(empty)] == [17]


def test_two_books_at_once_are_seen_in_a_second_tab(browser: Browser, empty: LiveServer) -> None:
    """PLA-139: what one tab begins, ends and deletes the other shows by itself."""
    with opened(browser) as (page, watch):
        other = page.context.new_page()
        for tab in (page, other):
            tab.goto(empty.url)
            expect(tab.get_by_text("文脉读懂你的书")).to_be_visible()
        choose(page, payload("甲.txt", BOOK[:8_000]), payload("乙.txt", BOOK[:8_000]))
        page.get_by_role("button", name="各成一本书").click()
        page.get_by_role("button", name="余下").click()
        expect(other.get_by_role("button", name="停止")).to_have_count(2, timeout=INGEST_MS)
        expect(other.get_by_text("已放上书架")).to_have_count(2, timeout=2 * INGEST_MS)
        begun = [one.json() for one in watch.responses if one.url.endswith("/sources") and one.request.method == "POST"]
        assert [(one["state"], one["is_waiting"]) for one in begun] == [("running", False)] * 2
        ended = httpx.get(f"{empty.url}{API}/jobs").json()["items"][:2]
        assert max(times_of(ended, "started_at")) < min(times_of(ended, "ended_at"))
        expect(other.locator(".shelf-book")).to_have_count(2)
        page.get_by_role("button", name="收起").first.click()
        expect(other.get_by_text("已放上书架")).to_have_count(1)
        page.locator(".shelf-book .menu button").first.click()
        page.get_by_role("menuitem", name="删除").click()
        page.get_by_role("dialog").get_by_role("button", name="删除").click()
        expect(other.locator(".shelf-book")).to_have_count(1)
        assert watch.complaints == []


def test_several_files_are_one_book_and_bad_ones_say_why(browser: Browser, empty: LiveServer) -> None:
    first, _, second = STORY.partition("第三回")
    with opened(browser, language="en") as (page, watch):
        page.goto(empty.url)
        choose(page, payload("empty.txt", ""), payload("x.exe", "MZ"))
        expect(page.get_by_role("alert").filter(has_text="empty.txt")).to_contain_text("no text")
        expect(page.get_by_role("alert").filter(has_text="x.exe")).to_contain_text("cannot be read")
        choose(page, payload("binary.txt", bytes(range(256)) * 40))
        expect(page.get_by_role("alert")).to_contain_text("UTF-8")
        page.get_by_role("button", name="Cancel").click()
        choose(page, payload("one.txt", first), payload("two.txt", f"第三回{second}"))
        page.get_by_role("button", name="Together they are one book").click()
        page.get_by_label("Title").fill("Both")
        page.get_by_role("button", name="Put it on the shelf").click()
        expect(page.get_by_text("Into “Both”")).to_be_visible()
        page.get_by_role("button", name="Put it on the shelf").click()
        expect(page.locator(".shelf-import.is-done")).to_have_count(1, timeout=INGEST_MS)  # the newest
        assert [(one["name"], one["title"], len(one["sources"])) for one in libraries(empty)] == [("Both", "Both", 2)]
        page.get_by_role("button", name="More for Both").click()
        page.get_by_role("menuitem", name="Texts").click()
        texts = page.get_by_role("dialog").get_by_role("listitem")
        texts.filter(has_text="two").get_by_role("button", name="Remove").click()
        page.get_by_role("button", name="Really remove").click()
        expect(page.get_by_role("dialog")).to_contain_text("Removed:")
        assert libraries(empty)[0]["sources"] == ["one"]
        assert all("422" in one for one in watch.complaints)  # the browser notes that the binary file was refused


def test_a_title_that_was_typed_stays(browser: Browser, empty: LiveServer) -> None:
    """What the server makes of a file does not replace the title that a quick reader has typed meanwhile."""
    with opened(browser, language="en") as (page, _):
        page.goto(empty.url)
        with held_requests(page, "**/previews"):
            choose(page, payload("one.txt", STORY))
            page.get_by_label("Title").fill("Mine")
            page.get_by_label("Language").select_option("en")
        expect(page.locator(".review-row")).not_to_have_count(0)
        expect(page.get_by_label("Title")).to_have_value("Mine")
        expect(page.get_by_label("Language")).to_have_value("en")


def test_a_table_beside_a_book_is_not_dropped_in_silence(browser: Browser, empty: LiveServer) -> None:
    """Of each file it is said what became of it, before and behind the look at the book."""
    with opened(browser, language="en") as (page, watch):
        page.goto(empty.url)
        choose(page, payload("one.txt", BOOK), payload("prices.csv", "a,b\n1,2\n"))
        said = page.get_by_role("alert").filter(has_text="prices.csv")
        expect(page.get_by_role("heading", name="Look over the chapters")).to_be_visible()
        expect(said).to_contain_text("knowledge network")
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_role("heading", name="Shelf")).to_be_visible()
        said.get_by_role("button", name="Close").click()
        expect(said).to_have_count(0)
        assert watch.complaints == []


def test_names_full_of_markup_do_nothing(browser: Browser, empty: LiveServer) -> None:
    """In the name of a file, in headings, titles and reasons markup is text."""
    chapters = (MARKUP, "陆沉舟走进雾港的码头。"), ("javascript:alert(1)", "苏晚照把灯递给陆沉舟。")
    text = "\n\n".join(f"第{number}章 {title}\n\n{told}" for number, (title, told) in enumerate(chapters, 1))
    with opened(browser) as (page, watch):
        page.goto(empty.url)
        choose(page, payload(f"{MARKUP}.txt", text))
        expect(row(page, MARKUP)).to_be_visible()
        page.get_by_label("书名").fill(MARKUP)
        page.get_by_role("button", name="放上书架").click()
        expect(page.get_by_text("已放上书架")).to_be_visible(timeout=INGEST_MS)
        expect(page.get_by_role("link", name=MARKUP)).to_be_visible()
        choose(page, payload(f"{MARKUP}.exe", "MZ"))
        expect(page.get_by_role("alert")).to_contain_text(MARKUP)
        assert page.locator("main img, main script").count() == 0 and page.evaluate("() => window.pwned") is None
        assert watch.complaints == []


def test_the_sample_is_one_click_away(browser: Browser, empty: LiveServer) -> None:
    with opened(browser, language="en") as (page, watch):
        page.goto(empty.url)
        page.get_by_role("button", name="Try the story").click()
        expect(page.locator(".shelf-import h2")).to_be_focused()
        expect(page.get_by_text("ready for questions")).to_be_visible(timeout=INGEST_MS)
        expect(page.locator(".shelf-import h2")).to_be_focused()
        expect(page.get_by_role("link", name="Fog Harbor")).to_be_visible()
        page.get_by_role("link", name="Ask a question").click()
        expect(page.get_by_role("textbox", name="Your question")).to_be_focused()
        expect(page).to_have_title("Fog Harbor · Desk · Wenmai")
        assert watch.complaints == []


def test_a_network_of_tables(browser: Browser, empty: LiveServer, tmp_path: Path) -> None:
    """A folder of tables becomes a network that says what it holds, and goes again."""
    folder = tmp_path / "Fleet"
    folder.mkdir()
    for name, text in TABLES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with opened(browser) as (page, watch):
        page.goto(empty.url)
        page.locator("input[webkitdirectory]").set_input_files(folder)
        expect(page.get_by_label("标识")).to_have_value("fleet")
        expect(page.get_by_role("dialog")).to_contain_text("主键和关系由表头和数据推断")
        page.get_by_role("button", name="导入").click()
        expect(page.get_by_role("dialog")).to_contain_text("2 个实例")
        assert problems_of(page) == []
        page.get_by_role("dialog").get_by_role("button", name="关闭").last.click()
        page.get_by_role("button", name="更多操作：fleet").click()
        page.get_by_role("menuitem", name="删除").click()
        page.get_by_role("dialog").get_by_role("button", name="删除").click()
        expect(page.get_by_text("已删除 fleet：2 个实例")).to_be_visible()
        assert watch.complaints == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_network_is_put_right_before_it_is_stored(browser: Browser, empty: LiveServer, size: tuple[int, int]) -> None:
    """A key that does not hold is refused, another one taken and taken back; a relation is added and sent elsewhere."""
    tables = (
        payload("ship.csv", "ship_id,name,home\n1,Petrel,N\n2,Tern,N\n"),
        payload("port.csv", "port_id,letter\n1,N\n"),
    )
    with opened(browser, language="en", size=size) as (page, _):
        page.goto(empty.url)
        page.get_by_label("Choose tables").last.set_input_files(list(tables))
        dialog = page.get_by_role("dialog")
        key = dialog.get_by_role("combobox", name="Key of ship")
        expect(key).to_have_value("ship_id")
        accessible(page, size)
        key.select_option("home")
        expect(dialog.get_by_role("alert")).to_be_visible()
        expect(key).to_have_value("ship_id")
        key.select_option("name")
        expect(key).to_have_value("name")
        dialog.get_by_role("button", name="Undo").click()
        expect(key).to_have_value("ship_id")
        dialog.get_by_role("combobox", name="Key of port").select_option("letter")
        dialog.get_by_role("combobox", name="A column …").select_option("ship home")
        dialog.get_by_role("combobox", name="goes to …").select_option("port")
        dialog.get_by_role("button", name="Add").click()
        expect(dialog.get_by_text("2 relations")).to_be_visible()
        added = dialog.get_by_role("combobox", name="ship · home goes to")
        added.select_option("ship")
        expect(dialog.get_by_text("0 relations")).to_be_visible()
        added.select_option("port")
        expect(dialog.get_by_text("2 relations")).to_be_visible()
        dialog.get_by_label("Name", exact=True).fill("The fleet")
        assert httpx.get(f"{empty.url}{API}/networks").json()["total"] == 0
        accessible(page, size)
        dialog.get_by_role("button", name="Import").click()
        expect(dialog).to_contain_text("3 instances")
        (made,) = httpx.get(f"{empty.url}{API}/networks").json()["items"]
        assert (made["name"], made["relations"]) == ("The fleet", 2)
