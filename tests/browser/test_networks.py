"""From tables to an answer with its row: labels are mended, rows are searched and sorted, a citation is a row."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chromium import DESKTOP, PHONE, opened
from tests.browser.picture import drawn
from tests.browser.test_first_view import problems_of
from tests.integration.live_server import LiveServer
from tests.integration.own_server import API, serving_nothing

SHIPS = "id,name,t,house\ns1,云雀号,180,h1\ns2,长风号,210,h1\ns3,白鹭号,95,h2\n"
HOUSES = "id,name,seat\nh1,恒顺行,云州\nh2,合记,南屿\n"
SLOW_MS = 40_000
WORDS = {
    "zh": {
        **{"labels": "名称和 4 列的标签", "column": "“{type}”的 t 列叫什么", "import": "导入"},
        **{"find": "在“船”里找", "draw": "画出周围", "switch": "知识网络"},
        **{"name": "类型“{type}”的名称", "close": "关闭"},
    },
    "en": {
        **{"labels": "Names, and labels of columns (4)", "import": "Import"},
        **{
            "column": "Label of the column t of “{type}”",
            "find": "Find in “船”",
            "draw": "Draw what is around",
        },
        **{"switch": "Networks", "name": "Name of the type “{type}”", "close": "Close"},
    },
}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    with serving_nothing(tmp_path_factory.mktemp("networks")) as server:
        yield server


@pytest.mark.parametrize(("language", "size"), [("zh", DESKTOP), ("en", PHONE)], ids=["zh-desktop", "en-phone"])
def test_from_tables_to_an_answer_with_its_row(
    browser: Browser, live: LiveServer, tmp_path: Path, language: str, size: tuple[int, int]
) -> None:
    """KNO-101 KNO-102 KNO-103 KNO-104."""
    files, words = [tmp_path / "ships.csv", tmp_path / "houses.csv"], WORDS[language]
    for file, text in zip(files, (SHIPS, HOUSES), strict=True):
        file.write_text(text, encoding="utf-8")
    for one in httpx.get(f"{live.url}{API}/networks").json()["items"]:
        httpx.delete(f"{live.url}{API}/networks/{one['id']}").raise_for_status()
    with opened(browser, language=language, size=size) as (page, watch):
        page.goto(f"{live.url}/#/shelf")
        page.locator(".shelf-networks input[type=file]").first.set_input_files(files)
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_text(words["labels"])).to_be_visible(timeout=SLOW_MS)
        dialog.get_by_text(words["labels"]).click()
        dialog.get_by_label(words["column"].format(type="ship")).fill("载重")
        dialog.get_by_label(words["name"].format(type="ship")).fill("船")
        expect(dialog.get_by_label(words["column"].format(type="ship"))).to_be_enabled(timeout=SLOW_MS)
        dialog.get_by_label(words["name"].format(type="ship")).fill("船")
        page.keyboard.press("Tab")
        expect(dialog.get_by_label(words["name"].format(type="船"))).to_be_visible(timeout=SLOW_MS)
        assert problems_of(page) == []
        dialog.get_by_role("button", name=words["import"], exact=True).click()
        expect(dialog.get_by_role("button", name=words["import"], exact=True)).to_have_count(0, timeout=SLOW_MS)
        expect(dialog.get_by_text("载重")).to_be_visible(timeout=SLOW_MS)
        dialog.get_by_role("button", name=words["close"], exact=True).last.click()
        (kept,) = httpx.get(f"{live.url}{API}/networks").json()["items"]
        page.goto(f"{live.url}/#/shelf/networks/{kept['id']}?type=ship")
        names = page.locator(".network-table tbody th")
        expect(names).to_have_text(["云雀号", "长风号", "白鹭号"], timeout=SLOW_MS)
        expect(page.locator(".network-table tbody tr").first.locator("td")).to_have_text(["180", "恒顺行"])
        expect(names.first.get_by_role("link")).to_have_attribute("title", "s1")
        page.get_by_role("button", name="载重").click()
        expect(names).to_have_text(["白鹭号", "云雀号", "长风号"], timeout=SLOW_MS)
        page.get_by_role("button", name="载重").click()
        expect(names).to_have_text(["长风号", "云雀号", "白鹭号"], timeout=SLOW_MS)
        page.get_by_label(words["find"]).fill("云雀")
        page.keyboard.press("Enter")
        expect(names).to_have_text(["云雀号"], timeout=SLOW_MS)
        names.get_by_role("link").click()
        card = page.get_by_role("complementary", name="云雀号")
        expect(card.get_by_role("link", name="恒顺行")).to_be_visible(timeout=SLOW_MS)
        card.get_by_role("button", name=words["draw"]).click()
        assert drawn(page) == (2, 1)
        assert problems_of(page) == [] and page.evaluate("() => document.documentElement.scrollWidth") <= size[0]
        page.goto(f"{live.url}/#/desk")
        expect(page.get_by_role("switch", name=words["switch"], exact=True)).to_be_checked(timeout=SLOW_MS)
        page.locator(".desk-composer textarea").fill("云雀号的载重是多少？")
        page.locator(".desk-composer button[type=submit]").click()
        page.locator('[data-turn="1"] button.desk-mark').first.click(timeout=90_000)
        pane = page.locator(".desk-pane")
        expect(pane.get_by_role("heading", name="云雀号")).to_be_visible(timeout=SLOW_MS)
        expect(pane.get_by_role("link", name="恒顺行")).to_be_visible()
        expect(pane).not_to_contain_text(f"{kept['id']} / s1")
        assert problems_of(page) == [] and watch.complaints == []
