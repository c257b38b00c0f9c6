"""The dialog that asks for a key."""

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import DESKTOP, PHONE, Theme, opened
from tests.browser.test_first_view import problems_of
from tests.integration.live_server import prepare, wenmai
from tests.integration.own_server import API, serving

WORDS = {
    "zh": {
        **{
            "key": "密钥",
            "keys": "密钥",
            "new": "新密钥",
            "user": "用户",
            "make": "生成",
            "copy": "复制",
            "close": "关闭",
        },
        **{"title": "停用“{user}”的密钥？", "end": "停用", "ended": "已停用", "out": "退出密钥"},
    },
    "en": {
        **{
            "key": "Key",
            "keys": "Keys",
            "new": "New key",
            "user": "User",
            "make": "Make the key",
            "copy": "Copy",
            "close": "Close",
        },
        **{"title": "End the key of {user}?", "end": "End", "ended": "ended", "out": "Sign out"},
    },
}


def sign_in(page: Page, address: str, key: str, label: str = "密钥") -> None:
    """Open a place of the page and give the key that it asks for."""
    page.goto(address)
    page.get_by_role("dialog").get_by_label(label, exact=True).fill(key)
    page.keyboard.press("Enter")


def test_a_key_that_opens_nothing_is_named(browser: Browser, tmp_path: Path) -> None:
    """The field has the focus; what no header takes is not sent; a wrong key is called wrong, and the page stays."""
    prepare(tmp_path)
    right = wenmai(tmp_path, "keys", "add", "--user", "alice").stdout.strip()
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
        expect(field).to_have_value("")
        page.evaluate("() => { window.isSame = true; }")
        field.fill(right)
        field.press("Enter")
        expect(page.get_by_role("link", name="雾港")).to_be_visible()
        assert page.evaluate("() => window.isSame")


@pytest.mark.parametrize(
    ("language", "size", "theme"), [("zh", DESKTOP, "light"), ("en", PHONE, "dark")], ids=["zh-desktop", "en-phone"]
)
def test_a_key_is_asked_for_once_and_an_admin_makes_others(
    browser: Browser, tmp_path: Path, language: str, size: tuple[int, int], theme: Theme
) -> None:
    """PLA-140: not after a reload or in another tab; a new key is shown once, and ended it opens nothing."""
    words = WORDS[language]
    admin = wenmai(tmp_path, "keys", "add", "--user", "ann", "--admin").stdout.strip()
    with serving(tmp_path) as live, opened(browser, language=language, size=size, theme=theme) as (page, _):
        sign_in(page, f"{live.url}/#/settings", admin, words["key"])
        expect(page.get_by_role("heading", name=words["keys"], exact=True)).to_be_visible()
        kept = page.evaluate("() => JSON.stringify([{ ...localStorage }, document.cookie])")
        assert admin not in kept + page.content() + page.url and not page.context.cookies()
        page.reload()
        expect(page.get_by_role("heading", name=words["keys"], exact=True)).to_be_visible()
        other = page.context.new_page()
        other.goto(f"{live.url}/#/settings")
        expect(other.get_by_role("heading", name=words["keys"], exact=True)).to_be_visible()
        page.get_by_role("button", name=words["new"]).click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label(words["user"]).fill("bo")
        assert problems_of(page) == []
        dialog.get_by_role("button", name=words["make"], exact=True).click()
        made = dialog.get_by_label(words["key"], exact=True).input_value()
        assert made.startswith("wm_") and problems_of(page) == []
        dialog.get_by_role("button", name=words["copy"], exact=True).click()
        expect(dialog.locator(".toast")).to_be_in_viewport()
        dialog.get_by_role("button", name=words["close"], exact=True).nth(1).click()
        asked = {"authorization": f"Bearer {made}"}
        assert httpx.get(f"{live.url}{API}/me", headers=asked).json()["user_id"] == "bo"
        page.get_by_role("button", name=words["title"].format(user="bo")).click()
        page.get_by_role("dialog").get_by_role("button", name=words["end"], exact=True).click()
        expect(page.locator(".settings-key-list")).to_contain_text(words["ended"])
        assert httpx.get(f"{live.url}{API}/me", headers=asked).status_code == 401
        assert problems_of(page) == [] and page.evaluate("() => document.documentElement.scrollWidth") <= size[0]
        page.get_by_role("button", name=words["out"]).click()
        expect(other.get_by_role("dialog")).to_be_visible()


def test_a_tab_that_was_put_away_is_signed_out_too(browser: Browser, tmp_path: Path) -> None:
    """PLA-140: it hears nothing meanwhile; brought back, it has neither the key nor the draft of who has signed out."""
    ann = wenmai(tmp_path, "keys", "add", "--user", "ann").stdout.strip()
    with serving(tmp_path) as live, opened(browser) as (page, _):
        sign_in(page, f"{live.url}/#/settings", ann)
        expect(page.get_by_role("button", name="退出密钥")).to_be_visible()
        other, early = page.context.new_page(), page.context.new_page()
        early.route(f"**{API}/**", lambda _: None)  # it is put away before it has learnt that it needs a key
        for tab in (other, early):
            tab.goto(f"{live.url}/#/desk")
            tab.get_by_role("textbox", name="你的问题").fill("安的草稿")
        other.wait_for_function(f"() => JSON.stringify({{ ...sessionStorage }}).includes('{ann}')")
        for tab in (other, early):
            tab.goto("about:blank")
        page.get_by_role("button", name="退出密钥").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        early.unroute_all(behavior="ignoreErrors")
        for tab in (other, early):
            tab.goto(f"{live.url}/#/desk")
            expect(tab.get_by_role("dialog").get_by_label("密钥", exact=True)).to_be_visible()
            kept = tab.evaluate("() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }])")
            assert ann not in kept and "安的草稿" not in kept


def test_nothing_of_a_user_is_left_for_the_next(browser: Browser, tmp_path: Path) -> None:
    """Who signs out takes the drafts along, in all tabs; Escape in one tab signs no other out."""
    ann, bo = (wenmai(tmp_path, "keys", "add", "--user", user).stdout.strip() for user in ("ann", "bo"))
    with serving(tmp_path) as live, opened(browser) as (page, _):
        sign_in(page, f"{live.url}/#/desk", ann)
        other = page.context.new_page()
        other.goto(f"{live.url}/#/desk")
        field = other.get_by_role("textbox", name="你的问题")
        field.fill("安的草稿")
        page.goto(f"{live.url}/#/settings")
        page.get_by_role("button", name="退出密钥").click()
        dialog = other.get_by_role("dialog")
        dialog.get_by_label("密钥", exact=True).fill(bo)
        dialog.get_by_label("密钥", exact=True).press("Enter")
        expect(dialog).to_have_count(0)
        expect(field).to_have_value("")
        assert "安的草稿" not in other.evaluate("() => JSON.stringify({ ...sessionStorage })")
        expect(page.get_by_text("bo", exact=True)).to_be_visible()
        third = page.context.new_page()
        third.route("**/api/v1/**", lambda route: route.fulfill(status=401, json={"detail": "no"}))
        third.goto(f"{live.url}/#/desk")
        expect(third.get_by_role("dialog")).to_be_visible()
        third.keyboard.press("Escape")
        expect(third.get_by_role("dialog")).to_have_count(0)
        third.close()
        page.reload()
        expect(page.get_by_text("bo", exact=True)).to_be_visible()
