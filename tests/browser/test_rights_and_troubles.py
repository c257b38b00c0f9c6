"""What visitors meet: a slow network, a key with few rights, books in other forms, what is taken back."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from benchmarks.server_isolation import said
from tests.book_files import docx, paragraph, run
from tests.browser.chromium import DESKTOP, PHONE, held_requests, opened
from tests.browser.test_first_view import problems_of
from tests.browser.test_people import api, go
from tests.browser.test_shelf import INGEST_MS, choose, payload, row
from tests.documents.files import pdf
from tests.integration.live_server import LiveServer, prepare
from tests.integration.own_server import API, serving

ANSWERED_MS = 60_000
FROM_API = f"**{API}/**"
CHAPTERS = [("Chapter 1", "Maren rowed out to the buoy."), ("Chapter 2", "Toby found the key in the office.")]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server of these tests alone."""
    folder = tmp_path_factory.mktemp("trials")
    prepare(folder)
    with serving(folder) as started:
        yield started


def rows(page: Page, name: str) -> Locator:
    """Return the rows of the table that a name leads."""
    return page.locator(".people-row").filter(has=page.get_by_role("link", name=name, exact=True))


def test_a_slow_network_at_the_desk(browser: Browser, live: LiveServer) -> None:
    """A click is answered before the server has it, a question asked twice in haste is one, and nothing is lost."""
    with opened(browser, language="en") as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk")
        expect(page.locator(".desk-suggestions")).to_be_visible()
        field = page.get_by_role("textbox", name="Your question")
        field.fill("苏晚亭是谁？")
        with held_requests(page, FROM_API):
            field.press("Enter")
            field.press("Enter")
            expect(page.get_by_role("heading", name="苏晚亭是谁？").last).to_be_visible()
            expect(page.get_by_role("button", name="Stop")).to_be_visible()
        expect(page.locator('[data-turn="1"] .desk-answer')).to_be_visible(timeout=ANSWERED_MS)
        with held_requests(page, FROM_API):
            page.locator('[data-turn="1"] button.desk-mark').first.click()
            expect(page.get_by_role("complementary")).to_be_visible()
        expect(page.locator(".desk-pane mark.is-current")).to_be_visible(timeout=ANSWERED_MS)
        threads = httpx.get(f"{live.url}{API}/threads").json()["items"]
        assert len(threads) == 1
        turns = httpx.get(f"{live.url}{API}/threads/{threads[0]['id']}/turns").json()["items"]
        assert len(turns) == 1 and watch.complaints == []


def test_a_slow_network_shows_nothing_beyond_the_guard(browser: Browser, cast: LiveServer) -> None:
    """What a guard hides is gone before the server answers."""
    late = next(one["name"] for one in api(cast, "entities", kind="Character") if (one["first_chapter"] or 0) > 1)
    with opened(browser) as (page, watch):
        go(page, cast, "people?show=table")
        page.get_by_role("searchbox").fill(late)
        expect(rows(page, late)).to_have_count(1)
        page.get_by_role("button", name=re.compile("^读到")).click()
        expect(page.get_by_role("slider")).to_be_visible()
        with held_requests(page, FROM_API):
            page.get_by_role("slider").press("Home")
            expect(rows(page, late)).to_have_count(0)
            expect(page.get_by_text("正在载入")).to_be_visible()
        expect(page.get_by_role("searchbox")).to_be_visible(timeout=ANSWERED_MS)
        expect(rows(page, late)).to_have_count(0)
        assert watch.complaints == []


def test_a_key_for_one_library(browser: Browser, tmp_path: Path) -> None:
    """It shows that one alone, reads and asks, and neither adds nor deletes; another one does not exist for it."""
    prepare(tmp_path)
    admin = said(tmp_path, "keys", "add", "--user", "editor", "--admin")
    token = said(tmp_path, "keys", "add", "--user", "reader", "--library", "sample")
    with serving(tmp_path) as live, opened(browser, language="en") as (page, _):
        body = {"name": "secret", "title": "The secret book", "language": "en"}
        httpx.post(
            f"{live.url}{API}/libraries", json=body, headers={"authorization": f"Bearer {admin}"}
        ).raise_for_status()
        page.goto(live.url)
        field = page.get_by_role("dialog").get_by_label("Key", exact=True)
        field.fill(token)
        field.press("Enter")
        expect(page.get_by_role("link", name="雾港")).to_be_visible()
        expect(page.get_by_text("The secret book")).to_have_count(0)
        for name in ("Choose files", "Choose tables", re.compile("^More for")):
            expect(page.get_by_role("button", name=name)).to_have_count(0)
        assert problems_of(page) == []
        page.locator(".shelf-go").first.click()
        page.get_by_role("textbox", name="Your question").fill("苏晚亭是谁？")
        page.keyboard.press("Enter")
        expect(page.locator('[data-turn="1"] .desk-answer')).to_be_visible(timeout=ANSWERED_MS)
        for view in ("people", "events"):
            page.evaluate(f"() => {{ location.hash = '#/library/secret/{view}'; }}")
            expect(page.get_by_role("alert").first).to_be_visible()
            expect(page.get_by_text("The secret book")).to_have_count(0)
        page.evaluate("() => { location.hash = '#/library/sample/people/苏晚亭?show=table'; }")
        expect(page.get_by_role("complementary", name="苏晚亭")).to_be_visible()
        expect(page.get_by_role("button", name="Hide")).to_be_visible()
        for name in ("Merge …", "Narrators …"):
            expect(page.get_by_role("button", name=name)).to_have_count(0)


def test_who_is_hidden_and_who_is_split_off_come_back(browser: Browser, live: LiveServer) -> None:
    """By the button of the line that says so."""
    with opened(browser, language="en") as (page, watch):
        go(page, live, "people/苏晚亭?show=table", "sample")
        undo = page.get_by_role("status").get_by_role("button", name="Undo")
        page.get_by_role("button", name="More for 苏晚亭").click()
        page.get_by_role("menuitem", name="Hide", exact=True).click()
        expect(rows(page, "苏晚亭")).to_have_count(0)
        undo.click()
        expect(rows(page, "苏晚亭")).to_have_count(1)
        httpx.post(
            f"{live.url}{API}/libraries/sample/merges", json={"name": "苏晚照", "into": "苏晚亭"}
        ).raise_for_status()
        page.reload()
        page.get_by_text("Is an alias wrong?").click()
        page.get_by_role("button", name="Split off “苏晚照”").click()
        expect(rows(page, "苏晚照")).to_have_count(1, timeout=ANSWERED_MS)
        undo.click()
        expect(rows(page, "苏晚照")).to_have_count(0, timeout=ANSWERED_MS)
        page.get_by_role("button", name="Split off “苏晚照”").click()
        expect(rows(page, "苏晚照")).to_have_count(1, timeout=ANSWERED_MS)
        assert watch.complaints == []


@pytest.mark.parametrize(
    ("name", "size"), [("tide.docx", DESKTOP), ("tide.pdf", PHONE)], ids=["docx-desktop", "pdf-phone"]
)
def test_a_book_in_another_form(browser: Browser, live: LiveServer, name: str, size: tuple[int, int]) -> None:
    """Looked over, mended, taken in, asked, and stopped on the way: it goes on by a button."""
    headed = [
        paragraph(run(text), style="H1" if text.startswith("Chapter") else "") for one in CHAPTERS for text in one
    ]
    data = docx(*headed, styles={"H1": "heading 1"}) if name.endswith("docx") else pdf(*CHAPTERS)
    with opened(browser, language="en", size=size) as (page, watch):
        page.goto(live.url)
        choose(page, payload(name, data))
        expect(row(page, "Chapter 2")).to_be_visible(timeout=ANSWERED_MS)
        assert problems_of(page) == []
        page.get_by_label("Title").fill(f"Tide {name}")
        page.get_by_role("button", name="Rename: Chapter 2").click()
        page.get_by_label("New title").fill("The key")
        page.get_by_role("button", name="Apply").click()
        expect(row(page, "The key")).to_be_visible()
        page.get_by_role("button", name="Put it on the shelf").click()
        expect(page.get_by_text("ready for questions")).to_be_visible(timeout=INGEST_MS)
        page.get_by_role("link", name="Ask a question").click()
        page.get_by_role("textbox", name="Your question").fill("What did Toby find?")
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.locator('[data-turn="1"] .desk-answer')).to_contain_text("key", timeout=ANSWERED_MS)
        assert watch.complaints == []


def test_an_upload_is_stopped_on_its_way_and_goes_on(browser: Browser, live: LiveServer) -> None:
    """Before the server has it all, nothing is there; going on sends it again."""
    with opened(browser, language="en") as (page, _):
        page.goto(live.url)
        choose(page, payload("stopped.txt", "\n\n".join(f"{title}\n\n{text}" for title, text in CHAPTERS)))
        page.get_by_role("button", name="Put it on the shelf").click(trial=True)
        held = list[Route]()
        page.route("**/sources", lambda route: held.append(route))
        with page.expect_request("**/sources"):  # not stopped before it has set out
            page.get_by_role("button", name="Put it on the shelf").click()
        expect(page.get_by_text("Uploading")).to_be_visible()
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(page.get_by_text("Stopped.")).to_be_visible()
        held[0].abort()  # else Chromium may send on what is held when nothing is intercepted any more
        page.unroute("**/sources")
        page.get_by_role("button", name="Go on", exact=True).click()
        expect(page.get_by_text("ready for questions")).to_be_visible(timeout=INGEST_MS)
