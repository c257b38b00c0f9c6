"""A look at a file: a pattern that is refused stays to be mended, and a look that reached nobody is made again."""

from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import opened
from tests.browser.test_shelf import choose, payload, row
from tests.integration.live_server import STORY, LiveServer

PREVIEWS = "**/api/v1/previews"
WAY, PATTERN = "How chapters are found", "By a regular expression"


def looked_over(page: Page, server: LiveServer) -> None:
    """Open the look at a story."""
    page.goto(f"{server.url}/#/shelf")
    choose(page, payload("story.txt", STORY))
    expect(row(page, "第一回")).to_be_visible()


def test_a_refused_pattern_can_be_mended(browser: Browser, server: LiveServer) -> None:
    with opened(browser, language="en") as (page, _):
        looked_over(page, server)
        way, field = page.get_by_role("combobox", name=WAY), page.get_by_role("textbox", name=PATTERN)
        way.select_option("pattern")
        field.fill("第(.+回")
        field.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("regular expression")
        expect(field).to_have_value("第(.+回")
        expect(way).to_have_value("pattern")
        field.fill("^第二回.*")
        field.press("Enter")
        expect(page.get_by_role("alert")).to_have_count(0)
        expect(row(page, "第二回")).to_have_count(1)
        expect(field).to_have_value("^第二回.*")
        page.get_by_role("button", name="Undo").click()
        expect(way).to_have_value("auto")


def test_a_pattern_takes_the_place_of_a_mended_list(browser: Browser, server: LiveServer) -> None:
    with opened(browser, language="en") as (page, _):
        looked_over(page, server)
        way, field = page.get_by_role("combobox", name=WAY), page.get_by_role("textbox", name=PATTERN)
        rows = page.locator(".review-row")
        before = rows.count()
        for left in (before - 1, before - 2):
            page.get_by_role("button", name="No heading").last.click()
            expect(rows).to_have_count(left)
        page.get_by_role("button", name="Undo").click()
        expect(rows).to_have_count(before - 1)
        expect(way).to_have_value("list")
        way.select_option("pattern")
        expect(field).to_have_value("")
        expect(way).to_have_value("pattern")
        way.select_option("list")
        expect(field).to_have_count(0)


def test_a_look_is_made_again_when_the_server_is_back(browser: Browser, server: LiveServer) -> None:
    with opened(browser, language="en") as (page, _):
        page.goto(f"{server.url}/#/shelf")
        page.route(PREVIEWS, lambda route: route.abort())
        page.route("**/health", lambda route: route.abort())
        choose(page, payload("story.txt", STORY))
        alert = page.get_by_role("alert").filter(has_text="cannot be reached")
        expect(alert).to_be_visible()
        page.unroute(PREVIEWS)
        page.unroute("**/health")
        expect(row(page, "第一回")).to_be_visible(timeout=20_000)
        expect(alert).to_have_count(0)
