"""What a novelist mends on the page: who somebody is, an alias, the narrator, tables, a newer manuscript; and menus."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, Position, expect

from tests.browser.chromium import DESKTOP, PHONE, opened
from tests.browser.test_first_view import problems_of
from tests.integration.live_server import LiveServer, wenmai
from tests.integration.own_server import API, serving

STORY = (
    "第一章 渡口\n\n我在渡口卖茶。阿满坐在我旁边，阿满的哥哥叫周老三，人称三郎。\n\n三郎坐在渡口，不说话。\n\n"
    "第二章 过河\n\n周老三撑船送阿满过河。临江镇在对岸，阿满问周老三：“临江镇远吗？”\n\n"
    "第三章 归来\n\n三郎回来了，阿满哭了。"
)
EDITED = STORY.replace("阿满哭了", "阿满笑了")
ALIASES = '{"mention": {"周老三": ["三郎"], "阿满": [], "临江镇": []}, "type": {"临江镇": "地名"}}'
SLOW_MS = 30_000


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    folder = tmp_path_factory.mktemp("mending")
    (folder / "ferry.txt").write_text(STORY, encoding="utf-8")
    (folder / "aliases.json").write_text(ALIASES, encoding="utf-8")
    done = wenmai(folder, "ingest", "ferry.txt", "--library", "ferry", "--title", "渡口", "--aliases", "aliases.json")
    assert done.returncode == 0, done.stderr
    with serving(folder) as server:
        yield server


def api(live: LiveServer, what: str) -> list[dict[str, object]]:
    found = httpx.get(f"{live.url}{API}/libraries/ferry/{what}").raise_for_status().json()
    return found.get("items") or found.get("changes") or found.get("chapters") or []


def card(page: Page, live: LiveServer, name: str) -> Locator:
    page.goto(f"{live.url}/#/library/ferry/people/{name}?show=table")
    found = page.get_by_role("complementary", name=name)
    expect(found.get_by_role("button", name="类别……")).to_be_visible(timeout=SLOW_MS)
    return found


def test_who_somebody_is_is_mended_and_stays_undoable(browser: Browser, live: LiveServer) -> None:
    """STO-131: a kind, no name, an alias, a narrator; after a new visit each is taken back from the list of changes."""
    with opened(browser) as (page, watch):
        shown = card(page, live, "临江镇")
        shown.get_by_role("button", name="类别……").click()
        page.get_by_role("dialog").get_by_text("组织", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="确定").click()
        expect(page.get_by_role("status").get_by_text("“临江镇”现在是组织。")).to_be_visible(timeout=SLOW_MS)
        shown = card(page, live, "周老三")
        shown.get_by_text("别名有误？").click()
        shown.get_by_role("button", name="分出“三郎”").click()
        expect(page.get_by_role("status").get_by_text("已把“三郎”从“周老三”分出。")).to_be_visible(timeout=SLOW_MS)
        shown = card(page, live, "阿满")
        shown.get_by_role("button", name="更多：阿满").click()
        page.get_by_role("menuitem", name="叙述者就是他……").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("radio", name="阿满")).to_be_checked()
        dialog.get_by_role("button", name="指定", exact=True).click()
        expect(page.get_by_role("status").get_by_text("叙述者：阿满")).to_be_visible(timeout=SLOW_MS)
        shown = card(page, live, "三郎")
        shown.get_by_role("button", name="更多：三郎").click()
        page.get_by_role("menuitem", name="这不是名字").click()
        expect(page.get_by_role("status").get_by_text("“三郎”不再算作名字。")).to_be_visible(timeout=SLOW_MS)
        assert {one["id"] for one in api(live, "changes")} == {
            *("kind:临江镇", "alias:三郎", "kind:三郎", "narrator::::阿满"),
        }
        assert watch.complaints == []
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/library/ferry/people?show=table")
        page.get_by_role("button", name="改动", exact=True).click()
        dialog = page.get_by_role("dialog")
        for left in (4, 3, 2, 1):
            expect(dialog.get_by_role("listitem")).to_have_count(left, timeout=SLOW_MS)
            assert left < 4 or problems_of(page) == []
            dialog.get_by_role("button", name="撤销").last.click()
        expect(dialog.get_by_text("还没有改动。")).to_be_visible(timeout=SLOW_MS)
        assert api(live, "changes") == [] and watch.complaints == []


def test_tables_are_added_to_a_book_that_is_there(browser: Browser, live: LiveServer, tmp_path: Path) -> None:
    """STO-134: aliases and relations of one's own."""
    names, kin = tmp_path / "names.csv", tmp_path / "kin.csv"
    names.write_text("name,alias\n茶客,老客\n", encoding="utf-8")
    kin.write_text("source,type,target,chapter\n周老三,FAMILY_OF,阿满,1\n,FAMILY_OF,阿满,1\n", encoding="utf-8")
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/library/ferry/people?show=table")
        page.get_by_role("button", name="加入别名和关系").click()
        assert problems_of(page) == []
        page.get_by_role("dialog").locator("input[type=file]").set_input_files([names, kin])
        expect(page.get_by_text("已加入 1 个名字、1 条关系、0 个事件。")).to_be_visible(timeout=SLOW_MS)
        expect(page.get_by_role("dialog").get_by_text("kin.csv:3")).to_be_visible()
        assert ("周老三", "阿满") in {(one["source"], one["target"]) for one in api(live, "relations")}
        assert watch.complaints == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_newer_manuscript_takes_the_place_of_the_older(
    browser: Browser, live: LiveServer, tmp_path: Path, size: tuple[int, int]
) -> None:
    """STO-133: the review sees that the book is here, replaces it by default, and keeps what was mended."""
    text = EDITED if size == DESKTOP else EDITED.replace("三郎回来了", "三郎终于回来了")
    file = tmp_path / "渡口.txt"
    file.write_text(text, encoding="utf-8")
    httpx.post(f"{live.url}{API}/libraries/ferry/renames", json={"name": "阿满", "to": "小满"}, timeout=60)
    with opened(browser, size=size) as (page, watch):
        page.goto(f"{live.url}/#/shelf")
        page.locator(".shelf-drop input[type=file]").set_input_files(file)
        expect(page.get_by_text("书架上已有同名的书。替换它吗？")).to_be_visible(timeout=SLOW_MS)
        expect(page.get_by_role("radio", name="替换《渡口》里的“ferry”")).to_be_checked()
        assert problems_of(page) == [] and page.evaluate("() => document.documentElement.scrollWidth") <= size[0]
        page.get_by_role("button", name="放上书架").click()
        expect(page.locator(".shelf-import.is-done")).to_be_visible(timeout=60_000)
        assert watch.complaints == []
    (book,) = httpx.get(f"{live.url}{API}/libraries").json()["items"]
    assert (book["sources"], book["chapters"]) == (["ferry"], 3)
    assert "小满" in {one["name"] for one in api(live, "entities")}


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_words_of_a_menu_set_what_they_say(browser: Browser, live: LiveServer, size: tuple[int, int]) -> None:
    """PLA-131: a click, or a finger, on words inside a panel does not close it; one elsewhere does."""
    with opened(browser, size=size) as (page, watch):
        page.goto(f"{live.url}/#/library/ferry/desk")
        page.get_by_role("button", name="会话的文档").click()
        hint = page.locator(".desk-popover-panel p.muted")
        corner: Position = {"x": 5, "y": 5}  # further on there is a link
        (hint.tap if size == PHONE else hint.click)(position=corner)
        expect(hint).to_be_visible()
        page.locator(".desk-talk").click(position=corner)
        expect(hint).to_have_count(0)
        switch = page.get_by_role("switch", name="我的记忆")
        (switch.tap if size == PHONE else switch.click)()
        expect(switch).to_be_checked()
        expect(page.get_by_role("switch", name="书", exact=True)).to_be_checked()
        assert problems_of(page) == [] and watch.complaints == []
        page.reload()
        expect(page.get_by_role("switch", name="我的记忆")).to_be_checked()
