"""The first view: quick, small, silent, in both languages, sizes and themes; keyboard, guard, accessibility."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import DESKTOP, PHONE, Theme, opened
from tests.browser.shots import usual_places
from tests.integration.live_server import LiveServer

MOST_BYTES, MOST_MS, VISITS = 300_000, 3_000, 3
AXE = Path(__file__).parents[1] / "page" / "node_modules" / "axe-core" / "axe.min.js"
FADED_IN = """() => Promise.all([...document.querySelectorAll('.loading')]
    .flatMap((one) => one.getAnimations()).map((one) => one.finished.catch(() => null)))"""
"""What fades in is there whole: words half there have too little contrast."""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SHOWN = (
    "() => performance.getEntriesByType('resource').find((one) => one.name.includes('/api/v1/libraries')).responseEnd"
)
SENT_AGAIN = """() => performance.getEntriesByType('resource')
    .filter((one) => one.name.includes('/page/') && one.transferSize > 0).map((one) => one.name)"""


def problems_of(page: Page) -> list[Any]:
    """Return what axe finds. Its source runs as the browser's own, which a policy of the page does not reach."""
    page.evaluate(FADED_IN)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(f"() => axe.run({{runOnly: {RULES}}})")
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]]


def test_a_first_visit(browser: Browser, server: LiveServer) -> None:
    """The shelf is there within 300 kB, and within a second where nothing else keeps the machine busy."""
    times = []
    for _ in range(VISITS):
        with opened(browser) as (page, watch):
            page.goto(server.url)
            expect(page.get_by_role("link", name="雾港")).to_be_visible()
            times.append(page.evaluate(SHOWN))
            assert watch.complaints == [] and watch.bytes < MOST_BYTES
    assert min(times) < MOST_MS


def test_a_second_visit_asks_for_the_document_alone(browser: Browser, server: LiveServer) -> None:
    with opened(browser) as (page, watch):
        page.goto(server.url)
        expect(page.get_by_role("link", name="雾港")).to_be_visible()
        page.reload()
        expect(page.get_by_role("link", name="雾港")).to_be_visible()
        assert page.evaluate(SENT_AGAIN) == [] and watch.complaints == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_view_is_accessible(browser: Browser, server: LiveServer, size: tuple[int, int], theme: Theme) -> None:
    """No view breaks WCAG A or AA, complains, or is wider than the window."""
    with opened(browser, size=size, theme=theme) as (page, watch):
        for place in usual_places("sample").values():
            page.goto(f"{server.url}/{place}")
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            page.wait_for_load_state("networkidle")
            assert problems_of(page) == [], place
            assert page.evaluate("() => document.documentElement.scrollWidth") <= size[0], place
        assert watch.complaints == []


BROKEN_WORDS = """() => [...document.querySelectorAll('.navigation span')].flatMap(({ firstChild }) =>
  [...firstChild.data.matchAll(/[^ ]+/g)].filter(({ 0: word, index }) => {
    const range = document.createRange();
    range.setStart(firstChild, index);
    range.setEnd(firstChild, index + word.length);
    return range.getClientRects().length > 1;
  }).map(([word]) => word))"""


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_word_of_the_navigation_breaks_on_a_phone(browser: Browser, server: LiveServer, language: str) -> None:
    with opened(browser, language=language, size=PHONE) as (page, _):
        page.goto(server.url)
        expect(page.locator(".navigation a").first).to_be_visible()
        assert page.evaluate(BROKEN_WORDS) == []


def test_the_language_follows_the_browser_and_is_remembered(browser: Browser, server: LiveServer) -> None:
    with opened(browser, language="en") as (page, _):
        page.goto(server.url)
        expect(page.get_by_role("heading", name="Shelf")).to_be_visible()
        page.get_by_role("button", name="中文").click()
        expect(page.get_by_role("heading", name="书架")).to_be_visible()
        page.reload()
        expect(page.get_by_role("heading", name="书架")).to_be_visible()
        assert page.evaluate("() => document.documentElement.lang") == "zh-Hans"


def test_the_keyboard_leads_everywhere(browser: Browser, server: LiveServer) -> None:
    """`g` and a letter open a view, `?` the list of shortcuts, Escape leaves the question box and closes the list."""
    with opened(browser) as (page, _):
        page.goto(f"{server.url}/#/library/sample/desk")
        box = page.get_by_role("textbox", name="你的问题")
        expect(box).to_be_focused()
        page.keyboard.press("Escape")
        for letter, view in zip(
            "srpemcd", ("shelf", "read", "people", "events", "memories", "settings", "desk"), strict=True
        ):
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            page.keyboard.type(f"g{letter}")
            expect(page).to_have_url(re.compile(f"/{view}(?:/|$)"))
        expect(box).to_be_focused()
        page.keyboard.press("Escape")
        page.keyboard.type("?")
        expect(page.get_by_role("dialog").get_by_text("书架")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_guard_is_obeyed_and_remembered(browser: Browser, server: LiveServer) -> None:
    """With the slider at the first chapter whoever comes later is not there."""
    with opened(browser) as (page, watch):
        page.goto(f"{server.url}/#/library/sample/people?show=table")
        late = page.get_by_role("listitem").filter(has_text="苏晚亭")
        expect(late).to_be_visible()
        page.get_by_role("button", name="读到：全书").click()
        slider = page.get_by_role("slider")
        slider.press("Home")
        expect(page.get_by_role("button", name=re.compile("读到：.*雾港初遇"))).to_be_visible()
        expect(late).to_have_count(0)
        page.reload()
        expect(page.get_by_role("listitem").filter(has_text="陆沉舟")).to_be_visible()
        expect(late).to_have_count(0)
        assert watch.complaints == []


def test_a_question_is_answered(browser: Browser, server: LiveServer) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{server.url}/#/library/sample/desk")
        page.get_by_role("textbox").fill("苏晚亭是谁？")
        page.get_by_role("button", name="提问").click()
        expect(page.get_by_text("守塔人").first).to_be_visible(timeout=30_000)
        expect(page).to_have_url(re.compile("/desk/[0-9a-f-]{36}$"))
