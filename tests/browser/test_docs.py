"""The reference of the API at `/docs`, under the policy of every page."""

from playwright.sync_api import Browser, expect

from tests.browser.chromium import Watch
from tests.integration.live_server import LiveServer


def test_the_reference(browser: Browser, server: LiveServer) -> None:
    """Every operation is shown and can be tried out; nothing is loaded from elsewhere, nothing complained of."""
    page, watch = browser.new_page(), Watch()
    watch.follow(page)
    page.goto(f"{server.url}/docs")
    operations = page.locator(".opblock")
    operations.first.wait_for()
    document = page.request.get(f"{server.url}/api/v1/openapi.json").json()
    expect(operations).to_have_count(sum(len(methods) for methods in document["paths"].values()))
    asking = page.locator("#operations-ask-ask_ask_on")
    asking.get_by_role("button").first.click()
    expect(asking).to_contain_text("/api/v1/threads/{thread}/ask")
    expect(asking).to_contain_text("苏晚照的哥哥是谁？")
    health = page.locator("#operations-server-settings_health")
    health.get_by_role("button").first.click()
    health.get_by_role("button", name="Try it out").click()
    health.get_by_role("button", name="Execute").click()
    health.locator(".live-responses-table .response-col_status", has_text="200").wait_for()
    assert not watch.complaints and {one.url.startswith(server.url) for one in watch.responses} == {True}
