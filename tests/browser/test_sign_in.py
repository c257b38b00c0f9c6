"""The dialog that asks for a key."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.chromium import opened
from tests.integration.live_server import prepare, wenmai
from tests.integration.own_server import serving


def test_a_key_that_opens_nothing_is_named(browser: Browser, tmp_path: Path) -> None:
    """The field has the focus; what no header takes is not sent; a wrong key is called wrong."""
    prepare(tmp_path)
    wenmai(tmp_path, "keys", "add", "--user", "alice")
    with serving(tmp_path, WENMAI_REQUIRE_KEYS="true") as live, opened(browser) as (page, _):
        page.goto(live.url)
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("请输入 API 密钥")
        field = dialog.get_by_label("密钥", exact=True)
        expect(field).to_be_focused()
        field.fill("密钥")
        field.press("Enter")
        assert field.evaluate("(one) => one.validity.patternMismatch")
        field.fill("wrong")
        field.press("Enter")
        expect(dialog).to_contain_text("这个密钥无效")
