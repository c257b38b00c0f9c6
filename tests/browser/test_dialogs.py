"""Every dialog, in both sizes and themes: accessible, not wider than the window, ready to type in, closed by Escape."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chromium import DESKTOP, PHONE, Theme, opened
from tests.browser.test_first_view import problems_of
from tests.browser.test_shelf import choose, payload
from tests.browser.walk import photographed
from tests.integration.live_server import STORY, LiveServer, prepare
from tests.integration.own_server import API, serving

TABLES = payload("ship.csv", "ship_id,name,port_id\n1,Petrel,1\n"), payload("port.csv", "port_id,name\n1,Northwick\n")

BEGINS = """(one) => document.activeElement ===
    (one.querySelector('input:not([type=file]), textarea, select') ?? one.querySelector('h2'))"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server with a book, a network and a thread."""
    folder = tmp_path_factory.mktemp("dialogs")
    prepare(folder)
    with serving(folder) as started, httpx.Client(base_url=f"{started.url}{API}", timeout=60) as http:
        files = [("file", (one["name"], one["buffer"])) for one in TABLES]
        http.post("/networks/fleet", files=files).raise_for_status()
        http.post("/ask", json={"question": "苏晚亭是谁？", "library": "sample"}).raise_for_status()
        yield started


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_dialog(browser: Browser, live: LiveServer, size: tuple[int, int], theme: Theme) -> None:
    thread = httpx.get(f"{live.url}{API}/threads").json()["items"][0]["id"]
    with opened(browser, size=size, theme=theme, language="en") as (page, watch):

        def shown(name: str) -> None:
            """Check the open dialog and leave it."""
            dialog = page.get_by_role("dialog")
            expect(dialog).to_be_visible()
            assert dialog.evaluate(BEGINS), name
            page.wait_for_load_state("networkidle")
            photographed(page, f"dialogs-{'phone' if size == PHONE else 'desktop'}-{theme}", name)
            assert problems_of(page) == [], name
            assert page.evaluate("() => document.documentElement.scrollWidth") <= size[0], name
            inner = dialog.evaluate("(one) => one.scrollWidth - one.clientWidth")
            assert inner <= 0, name
            page.keyboard.press("Escape")
            expect(dialog).to_have_count(0)

        def chosen(menu: str, item: str) -> None:
            page.get_by_role("button", name=menu).click()
            page.get_by_role("menuitem", name=item, exact=True).click()

        page.goto(f"{live.url}/#/shelf")
        expect(page.get_by_role("link", name="雾港")).to_be_visible()
        page.keyboard.press("?")
        shown("help")
        chosen("More for 雾港", "Texts")
        shown("texts")
        chosen("More for 雾港", "Delete")
        shown("delete-book")
        chosen("More for fleet", "What it holds")
        shown("network")
        chosen("More for fleet", "Delete")
        shown("delete-network")
        page.get_by_label("Choose tables").last.set_input_files(list(TABLES))
        expect(page.get_by_role("combobox", name="Key of ship")).to_be_visible()
        shown("new-network")
        choose(page, payload("one.txt", STORY), payload("two.txt", STORY))
        shown("several-files")
        page.goto(f"{live.url}/#/library/sample/people/苏晚亭?show=table")
        for name in ("Merge …", "Rename …", "Narrators …"):
            page.get_by_role("button", name=name).click()
            shown(name.split()[0].lower())
        page.goto(f"{live.url}/#/library/sample/desk/{thread}")
        for name in ("Rename", "Delete"):
            chosen("Actions for the thread", name)
            shown(f"{name.lower()}-thread")
        page.goto(f"{live.url}/#/memories")
        page.get_by_role("button", name="Add a memory").click()
        shown("memory")
        assert watch.complaints == []


def test_what_is_typed_at_once_is_meant_for_the_field(browser: Browser, live: LiveServer) -> None:
    """Nobody has to look for the field, and Enter does what the dialog is for."""
    thread = httpx.get(f"{live.url}{API}/threads").json()["items"][0]["id"]
    with opened(browser, language="en") as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk/{thread}")
        page.get_by_role("button", name="Actions for the thread").click()
        page.get_by_role("menuitem", name="Rename", exact=True).click()
        expect(page.get_by_role("dialog").get_by_role("textbox")).to_be_focused()
        page.keyboard.type("hello")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("hello")
        page.goto(f"{live.url}/#/library/sample/people/苏晚亭?show=table")
        page.get_by_role("button", name="Rename …").click()
        expect(page.get_by_role("dialog").get_by_role("textbox")).to_be_focused()
        page.keyboard.type("苏大人")
        page.keyboard.press("Enter")
        expect(page.get_by_role("complementary", name="苏大人")).to_be_visible()
        page.get_by_role("button", name="Merge …").click()
        expect(page.get_by_role("dialog").locator("input").first).to_be_focused()
        page.keyboard.type("陆沉舟")
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog").get_by_role("radio", name="陆沉舟")).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_have_count(0)
        merged = httpx.get(f"{live.url}{API}/libraries/sample/entities/陆沉舟").json()
        assert "苏大人" in merged["aliases"]
        assert watch.complaints == []
