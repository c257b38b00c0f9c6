"""Memories and settings in the browser: kept, hidden, found, changed, forgotten and brought back; who answers."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from benchmarks.server_isolation import said
from tests.browser.chromium import DESKTOP, PHONE, opened
from tests.browser.test_first_view import problems_of
from tests.integration.live_server import COPIED, ROOT, LiveServer
from tests.integration.own_server import API, serving

SECRET = "口令是 天青色"
MANY = 40


def made(folder: Path) -> Path:
    """Return a folder that a server can run in."""
    for name in COPIED:
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server whose memories these tests change."""
    with serving(made(tmp_path_factory.mktemp("memories"))) as live:
        yield live


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_memory_from_first_to_last(browser: Browser, own: LiveServer, size: tuple[int, int]) -> None:
    with opened(browser, size=size) as (page, watch):
        page.goto(f"{own.url}/#/memories")
        expect(page.get_by_text("还没有记住什么")).to_be_visible()
        page.get_by_role("button", name="记一条").click()
        page.get_by_label("内容").fill("数据库的端口是 5433 <img src=x onerror=window.pwned=1>")
        assert problems_of(page) == []
        page.get_by_role("button", name="保存").click()
        kept = page.get_by_role("listitem").filter(has_text="数据库的端口")
        expect(kept).to_contain_text("<img src=x")
        assert page.locator("main img").count() == 0 and page.evaluate("() => window.pwned") is None
        assert problems_of(page) == []
        kept.get_by_role("button", name="修改").click()
        page.get_by_label("内容").fill("数据库的端口是 5432")
        page.get_by_role("button", name="保存").click()
        expect(kept).to_contain_text("5432")
        page.get_by_role("searchbox").fill("没有这几个字")
        page.get_by_role("searchbox").fill("5432")
        page.get_by_role("searchbox").press("Enter")
        expect(page.get_by_text("1 条", exact=True)).to_be_visible()
        with page.expect_download() as saved:
            page.get_by_role("button", name="导出").click()
        assert "5432" in saved.value.path().read_text(encoding="utf-8")
        kept.get_by_role("button", name="忘记").click()
        expect(page.get_by_text("已忘记：2 条记录")).to_be_visible()
        expect(page.get_by_text("还没有记住什么")).to_be_visible()
        page.get_by_role("button", name="撤销").click()
        expect(kept).to_be_visible()
        kept.get_by_role("button", name="忘记").click()
        expect(page.get_by_text("还没有记住什么")).to_be_visible()
        assert httpx.get(f"{own.url}{API}/memories").json()["total"] == 0 and watch.complaints == []


def test_many_memories_stay_few_in_the_page(browser: Browser, own: LiveServer) -> None:
    """Of many only those in view are drawn; the server withholds a sensitive one, and forgetting it asks first."""
    for number in range(MANY):
        httpx.post(f"{own.url}{API}/memories", json={"content": f"第 {number} 条", "keywords": ["条"]})
    httpx.post(f"{own.url}{API}/memories", json={"content": SECRET, "is_sensitive": True})
    with opened(browser) as (page, watch):
        page.goto(f"{own.url}/#/memories")
        expect(page.get_by_text(f"{MANY + 1} 条", exact=True)).to_be_visible()
        assert page.get_by_role("listitem").count() < MANY
        expect(page.get_by_text("需要 sensitive_memory 权限")).to_be_visible()
        assert SECRET not in page.content()
        page.get_by_role("button", name="忘记：敏感").click()
        page.get_by_role("dialog").get_by_role("button", name="忘记").click()
        expect(page.get_by_text("已忘记：1 条记录")).to_be_visible()
        expect(page.get_by_text(f"{MANY} 条", exact=True)).to_be_visible()
        assert watch.complaints == []


def test_a_sensitive_memory_shows_after_a_click(browser: Browser, tmp_path: Path) -> None:
    """With the permission its text is there, but covered until it is asked for."""
    folder = made(tmp_path)
    token = said(folder, "keys", "add", "--user", "alice", "--permission", "sensitive_memory")
    with serving(folder) as live, opened(browser, language="en") as (page, _):
        bearer = {"authorization": f"Bearer {token}"}
        httpx.post(f"{live.url}{API}/memories", json={"content": SECRET, "is_sensitive": True}, headers=bearer)
        page.goto(f"{live.url}/#/memories")
        page.get_by_role("dialog").get_by_label("Key").fill(token)
        page.keyboard.press("Enter")
        show = page.get_by_role("button", name="Show what is sensitive")
        expect(show).to_be_visible()
        expect(page.get_by_text(SECRET)).to_have_count(0)
        show.click()
        expect(page.get_by_text(SECRET)).to_be_visible()
        page.get_by_role("link", name="Settings").click()
        expect(page.get_by_text("alice")).to_be_visible()
        expect(page.get_by_text("Reads and asks")).to_be_visible()
        assert token not in page.content()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("dialog").get_by_label("Key")).to_be_visible()


def test_the_settings_say_who_answers_and_dress_the_page(browser: Browser, own: LiveServer) -> None:
    with opened(browser) as (page, watch):
        page.goto(f"{own.url}/#/settings")
        expect(page.get_by_text("离线推理", exact=True)).to_be_visible()
        expect(page.get_by_text("可以提问", exact=True)).to_be_visible()
        page.get_by_role("radio", name="深色").check()
        assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
        page.get_by_role("radio", name="English").check()
        expect(page.get_by_role("heading", name="Settings")).to_be_visible()
        assert problems_of(page) == [] and watch.complaints == []


def test_the_model_is_asked_at_a_click(browser: Browser, tmp_path: Path) -> None:
    """A service that is away is said in one line; neither its address nor its key is in the page."""
    place = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "sk-hidden", "OPENAI_MODEL": "tiny-model"}
    with serving(made(tmp_path), **place) as live, opened(browser, language="en") as (page, _):
        page.goto(f"{live.url}/#/settings")
        expect(page.get_by_text("tiny-model")).to_be_visible()
        page.get_by_role("button", name="Test the model").click()
        expect(page.get_by_text("The model does not answer")).to_be_visible(timeout=60_000)
        assert "sk-hidden" not in page.content()
