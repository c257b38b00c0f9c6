"""The desk without a book: documents and networks are asked, threads are listed apart from those of books."""

import json
import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.browser.chromium import DESKTOP, PHONE, held_requests, opened
from tests.browser.test_desk import ANSWERED_MS, ask, turns_of
from tests.browser.test_first_view import problems_of
from tests.integration.live_server import LiveServer, prepare
from tests.integration.own_server import API, serving

SONGS = {
    "夜曲": [["夜曲", "歌手", "周杰伦"], ["夜曲", "时长", "3分46秒"]],
    "周杰伦": [["周杰伦", "职业", "歌手"], ["周杰伦", "代表作品", "夜曲"], ["周杰伦", "代表作品", "七里香"]],
}
BOATS = {"云雀号": [["云雀号", "船长", "何青"]]}
FERRY: FilePayload = {
    "name": "渡船.txt",
    "mimeType": "text/plain",
    "buffer": "渡船每天清晨六点从东码头开出。".encode(),
}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server with a book that is not opened, and a network."""
    folder = tmp_path_factory.mktemp("alone")
    prepare(folder)
    with serving(folder) as started:
        files = {"file": ("songs.json", json.dumps(SONGS, ensure_ascii=False).encode())}
        httpx.post(f"{started.url}{API}/networks/songs", files=files).raise_for_status()
        yield started


def add_document(page: Page) -> None:
    """Add the document to the thread."""
    page.get_by_role("button", name="会话的文档").click()
    page.locator("input[type=file]").set_input_files(FERRY)


def test_a_network_is_asked_from_the_shelf(browser: Browser, live: LiveServer) -> None:
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/shelf")
        page.get_by_role("link", name="问知识网络").click()
        expect(page.get_by_text("没有选书", exact=True)).to_be_visible()
        offered = page.locator(".desk-suggestions").get_by_role("button")
        asked = offered.first.inner_text()
        offered.first.click()
        answered = page.locator('[data-turn="1"]')
        expect(answered.locator(".desk-answer")).to_be_visible(timeout=ANSWERED_MS)
        name, told = re.findall(r"^(.+)的(.+)是什么？$", asked)[0]
        value = next(value for rows in SONGS.values() for row, label, value in rows if (row, label) == (name, told))
        expect(answered.locator(".desk-answer")).to_contain_text(value)
        answered = ask(page, "夜曲的歌手是谁？", 2)
        expect(answered.locator(".desk-answer")).to_contain_text("周杰伦")
        assert re.search(r"#/desk/[0-9a-f-]{36}$", page.url)
        expect(page.get_by_role("navigation", name="会话").get_by_role("listitem")).to_have_count(1)
        answered.locator("button.desk-mark").first.click()
        expect(page.locator(".desk-pane mark")).to_contain_text("周杰伦")
        page.get_by_role("link", name="回到书架").click()
        page.goto(f"{live.url}/#/library/sample/desk")
        expect(page.get_by_role("navigation", name="会话")).to_contain_text("还没有会话")
        assert watch.complaints == []


def test_networks_that_are_ticked_are_all_asked(browser: Browser, live: LiveServer) -> None:
    """One switch is enough, at a book as well, and the book stays on; a network without its tick is not asked."""
    files = {"file": ("boats.json", json.dumps(BOATS, ensure_ascii=False).encode())}
    httpx.post(f"{live.url}{API}/networks/boats", files=files).raise_for_status()
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk")
        page.get_by_role("switch", name="知识网络").click()
        for name in ("书", "知识网络"):
            expect(page.get_by_role("switch", name=name, exact=True)).to_be_checked()
        page.get_by_role("button", name="问哪些知识网络").click()
        boats = page.get_by_role("checkbox", name="boats")
        expect(boats).to_be_checked()
        boats.uncheck()
        page.keyboard.press("Escape")
        with page.expect_request(lambda sent: sent.url.endswith("/ask")) as asked:
            answered = ask(page, "夜曲的歌手是谁？", 1)
        assert (asked.value.post_data_json or {})["kn_ids"] == ["songs"]
        expect(answered.locator(".desk-answer")).to_contain_text("周杰伦")
        answered.locator("button.desk-mark").first.click()
        expect(page.locator(".desk-pane mark")).to_contain_text("周杰伦")
        page.get_by_role("switch", name="知识网络").click()
        expect(page.get_by_role("switch", name="知识网络")).not_to_be_checked()
        expect(page.get_by_role("switch", name="书", exact=True)).to_be_checked()
        assert watch.complaints == []
    httpx.delete(f"{live.url}{API}/networks/boats").raise_for_status()


def test_what_is_told_is_kept_where_the_user_ticks_it(browser: Browser, live: LiveServer) -> None:
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk")
        ask(page, "我叫林溪，住在青屿。", 1)
        assert httpx.get(f"{live.url}{API}/memories").json()["total"] == 0
        page.get_by_role("switch", name="记住我说的").click()
        ask(page, "我叫林溪，住在青屿。", 2)
        page.goto(f"{live.url}/#/memories")
        expect(page.get_by_role("main")).to_contain_text("青屿")
        assert watch.complaints == []


def test_a_question_waits_for_its_document(browser: Browser, live: LiveServer) -> None:
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/desk")
        with held_requests(page, "**/api/v1/documents"):
            add_document(page)
            page.get_by_role("textbox", name="你的问题").fill("渡船几点从东码头开出？")
            page.get_by_role("button", name="提问", exact=True).click()
            expect(page.get_by_text("文档读完后就会提问。")).to_be_visible()
            expect(page.locator(".desk-turn")).to_have_count(0)
            page.get_by_role("textbox", name="你的问题").fill("渡船几点从东码头开出")
            expect(page.get_by_text("文档读完后就会提问。")).to_have_count(0)  # who writes on has not asked yet
            page.get_by_role("button", name="提问", exact=True).click()
            expect(page.get_by_text("文档读完后就会提问。")).to_be_visible()
        expect(page.locator('[data-turn="1"] .desk-answer')).to_contain_text("六点", timeout=ANSWERED_MS)
        assert [one["source"] for one in turns_of(live, page)[0]["citations"]]
        assert watch.complaints == []


def test_nothing_is_said_of_a_book_that_was_not_asked(browser: Browser, live: LiveServer) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{live.url}/#/desk")
        add_document(page)
        answered = ask(page, "王大锤后来怎么样了？", 1)
        expect(answered.locator(".desk-verdict-word")).to_have_text("没有找到")
        expect(answered.locator(".desk-answer")).not_to_contain_text("书中")
        page.goto(f"{live.url}/#/library/sample/desk")
        answered = ask(page, "王大锤后来怎么样了？", 1)
        expect(answered.locator(".desk-verdict-word")).to_have_text("书中没有找到")
        expect(answered.locator(".desk-answer")).to_contain_text("书中没有提到“王大锤”")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_empty_desk_is_accessible(browser: Browser, live: LiveServer, size: tuple[int, int]) -> None:
    with opened(browser, size=size) as (page, watch):
        page.goto(f"{live.url}/#/desk")
        expect(page.get_by_text("不选书也可以提问")).to_be_visible()
        expect(page.get_by_role("switch", name="我的记忆")).to_be_visible()
        expect(page.get_by_role("switch", name="书", exact=True)).to_have_count(0)
        assert problems_of(page) == []
        assert page.evaluate("() => document.documentElement.scrollWidth") <= size[0]
        assert watch.complaints == []
