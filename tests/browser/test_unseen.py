"""Characters of a book that nobody sees turn nothing round, and a quote with them is marked where it stands."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.cast import ingest
from tests.browser.chromium import opened
from tests.browser.test_desk import ask
from tests.integration.live_server import LiveServer, prepare
from tests.integration.own_server import API, serving

TITLE = "Tower \u202eretrela"
STORY = """第一章 起

守塔人名叫\u202e沈观潮\u202c，\u2067住在\u2069北岸的灯塔里。

第二章 终

沈观潮离开了灯塔，带走了铜罗盘和旧航海图，沿着海岸一路向南，走过盐市街，在码头上了一条运煤的船。船长认得他的父亲，请他喝了一碗热汤。

天亮的时候雾散了，港口的人都说，那一夜的灯比往年都亮。
"""
MORE = "\n天亮的时候雾散了，港口的人都说，那一夜的灯比往年都亮，照得见海上每一条船。\n"
UNSEEN = "\u202e\u202c\u2067\u2069"
SIGNS = str.maketrans(dict.fromkeys(UNSEEN, "\ufffd"))


@pytest.fixture(scope="module")
def turned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server with a book that has such characters in its text and in its title."""
    folder = tmp_path_factory.mktemp("unseen")
    prepare(folder)
    (folder / "turned.txt").write_text(STORY + MORE * 6, encoding="utf-8")
    ingest(folder, "turned.txt", "turned", "--title", TITLE)
    with serving(folder) as live:
        yield live


def test_a_hostile_book_is_shown_as_it_reads(browser: Browser, turned: LiveServer) -> None:
    with opened(browser) as (page, watch):
        page.goto(f"{turned.url}/#/library/turned/desk")
        answered = ask(page, "守塔人住在哪里？", 1)
        assert not set(UNSEEN) & set(page.locator("body").inner_text())
        (thread,) = httpx.get(f"{turned.url}{API}/threads").json()["items"]
        (turn,) = httpx.get(f"{turned.url}{API}/threads/{thread['id']}/turns").json()["items"]
        quote = turn["citations"][0]["quote"]
        assert set(UNSEEN) & set(quote)
        answered.locator(".desk-mark").first.click()
        mark = page.locator(".desk-pane mark.is-current")
        expect(mark).to_have_text(quote.translate(SIGNS))
        assert not set(UNSEEN) & set(page.locator("body").text_content() or "")
        page.goto(f"{turned.url}/#/shelf")
        expect(page.get_by_role("link", name="Tower \ufffdretrela")).to_be_visible()
        assert not set(UNSEEN) & set(page.title())
        assert watch.complaints == []
