"""The reference of the API at `/docs`, under the policy of every page."""

from playwright.sync_api import Browser

from tests.browser.chromium import Watch
from tests.integration.live_server import LiveServer


def test_the_reference(browser: Browser, server: LiveServer) -> None:
    """It is styled, loads nothing from elsewhere, complains of nothing, and shows what a request looks like."""
    page, watch = browser.new_page(), Watch()
    watch.follow(page)
    page.goto(f"{server.url}/docs")
    shown = page.locator("#ask_ask_on")
    assert "POST /api/v1/threads/{thread}/ask" in shown.inner_text() and "苏晚照的哥哥是谁？" in shown.inner_text()
    page.get_by_role("link", name="networks", exact=True).click()
    assert page.url.endswith("#networks")
    assert page.evaluate("getComputedStyle(document.body).fontFamily") not in ("", "Times New Roman", "serif")
    assert not watch.complaints and {one.url.startswith(server.url) for one in watch.responses} == {True}
