"""Two tabs on one desk: one guard for both; what one deletes, the other does not begin anew."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from tests.browser.chromium import DESKTOP, PHONE, held_requests, opened
from tests.browser.test_desk import ANSWERED_MS, ask, thread_of
from tests.browser.test_desk_troubles import STREAMING
from tests.browser.test_first_view import problems_of
from tests.integration.live_server import LiveServer, prepare, wenmai
from tests.integration.own_server import API, serving

VIEWS = ("desk", "people?show=table", "events")
PASSING = "borrowed"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server of these tests alone, with a second book to be deleted."""
    folder = tmp_path_factory.mktemp("tabs")
    prepare(folder)
    done = wenmai(folder, "ingest", "雾港.txt", "--library", PASSING, "--title", "借来的书")
    assert done.returncode == 0, done.stderr
    with serving(folder) as started:
        yield started


def write(page: Page, question: str) -> Locator:
    """Type a question and send it; return the box."""
    box = page.get_by_role("textbox", name="你的问题")
    box.fill(question)
    box.press("Enter")
    return box


def test_the_guard_of_one_tab_holds_in_all(browser: Browser, live: LiveServer) -> None:
    """Each view of another tab obeys at once, what it asks and what is on its way there, too."""
    with opened(browser) as (page, watch):
        others = {view: page.context.new_page() for view in VIEWS}
        for view, tab in others.items():
            tab.goto(f"{live.url}/#/library/sample/{view}")
            expect(tab.get_by_role("button", name="读到：全书")).to_be_visible()
        desk, people = others["desk"], others["people?show=table"]
        ask(desk, "苏晚亭点亮了什么？", 1)
        expect(people.get_by_role("listitem").filter(has_text="苏晚亭")).to_be_visible()
        page.goto(f"{live.url}/#/library/sample/desk")
        page.get_by_role("button", name="读到：全书").click()
        page.get_by_role("slider").press("Home")
        for tab in others.values():
            expect(tab.get_by_role("button", name=re.compile("读到：.*雾港初遇"))).to_be_visible()
        expect(desk.get_by_text("这个回答引用了你还没读到的章节")).to_be_visible()
        expect(people.get_by_role("listitem").filter(has_text="苏晚亭")).to_have_count(0)
        with desk.expect_request("**/ask") as asked:
            ask(desk, "陆沉舟遇见了谁？", 2)
        assert {"as_of_part": 1, "as_of_chapter": 1}.items() <= dict(asked.value.post_data_json or {}).items()
        page.bring_to_front()
        guard = page.get_by_role("button", name=re.compile("读到："))
        page.keyboard.press("Escape")  # the panel is open unless the focus went elsewhere
        expect(guard).to_have_attribute("aria-expanded", "false")
        guard.click()
        page.get_by_role("button", name="显示全书").click()
        expect(desk.get_by_role("button", name="读到：全书")).to_be_visible()
        assert watch.complaints == []


def test_an_answer_on_its_way_is_hidden_when_the_guard_is_set_back(browser: Browser, live: LiveServer) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{live.url}/#/library/sample/desk")
        page.evaluate(STREAMING, [("step", {"node": "plan"}), ("draft", {"text": "苏晚亭点亮了灯塔"}), ("pause", {})])
        write(page, "谁点亮了灯塔？")
        expect(page.get_by_text("苏晚亭点亮了灯塔")).to_be_visible()
        other = page.context.new_page()
        other.goto(f"{live.url}/#/library/sample/people")
        other.get_by_role("button", name="读到：全书").click()
        other.get_by_role("slider").press("Home")
        expect(page.get_by_text("防剧透位置已提前")).to_be_visible()
        expect(page.get_by_text("苏晚亭点亮了灯塔")).to_have_count(0)


def test_a_thread_that_another_tab_deleted_is_not_begun_anew(browser: Browser, live: LiveServer) -> None:
    """The question stays in the box, nothing is asked, and a new thread is offered."""
    with opened(browser) as (page, _):
        page.goto(f"{live.url}/#/library/sample/desk")
        ask(page, "苏晚亭是谁？", 1)
        thread = thread_of(page)
        httpx.delete(f"{live.url}{API}/threads/{thread}").raise_for_status()
        box = write(page, "他后来呢？")
        note = page.get_by_role("alert")
        expect(note).to_contain_text("这个会话已在别处删除。")
        expect(box).to_have_value("他后来呢？")
        expect(page.locator('[data-turn="1"]')).to_be_visible()
        assert httpx.get(f"{live.url}{API}/threads/{thread}").status_code == httpx.codes.NOT_FOUND
        assert problems_of(page) == []
        note.get_by_role("button", name="在新会话里提问").click()
        expect(page.locator('[data-turn="1"] .desk-question')).to_have_text("他后来呢？", timeout=ANSWERED_MS)
        assert thread_of(page) != thread
        page.goto(f"{live.url}/#/library/sample/desk/{thread}")
        expect(page.get_by_role("alert")).to_contain_text("这个会话已在别处删除。")
        page.get_by_role("alert").get_by_role("link", name="新会话").click()
        expect(page.get_by_text("问一问")).to_be_visible()


def test_a_book_that_another_tab_deleted_is_said_to_be_gone(browser: Browser, live: LiveServer) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{live.url}/#/library/{PASSING}/desk")
        expect(page.get_by_text("问一问《借来的书》")).to_be_visible()
        httpx.delete(f"{live.url}{API}/libraries/{PASSING}").raise_for_status()
        box = write(page, "苏晚亭是谁？")
        expect(page.get_by_role("alert")).to_contain_text("《借来的书》已不在书架上。")
        expect(box).to_have_value("苏晚亭是谁？")
        page.get_by_role("alert").get_by_role("link", name="回到书架").click()
        expect(page.get_by_role("heading", name="书架")).to_be_visible()


def test_every_lost_question_is_offered_again_at_its_place(browser: Browser, live: LiveServer) -> None:
    cut = 'event: thread\ndata: {"thread_id": "x"}\n\n'
    with opened(browser) as (page, _):
        page.goto(f"{live.url}/#/library/sample/desk")
        ask(page, "苏晚亭是谁？", 1)
        page.route("**/ask", lambda route: route.fulfill(body=cut, content_type="text/event-stream"))
        asked = page.get_by_role("button", name="重新提问")
        for count, question in enumerate(("谁点亮了灯塔？", "罗盘给了谁？"), 1):
            write(page, question)
            expect(page.get_by_role("heading", name=question)).to_be_visible()
            expect(asked).to_have_count(count)  # until then the desk takes no other question
        page.reload()
        expect(asked).to_have_count(2)
        page.unroute("**/ask")
        asked.first.click()
        expect(page.locator('[data-turn="2"] .desk-answer')).to_contain_text("灯塔", timeout=ANSWERED_MS)
        expect(asked).to_have_count(1)
        expect(page.locator(".desk-question")).to_have_text(["苏晚亭是谁？", "罗盘给了谁？", "谁点亮了灯塔？"])


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_what_was_done_is_said_beside_the_rest(browser: Browser, live: LiveServer, size: tuple[int, int]) -> None:
    """A line covers neither the composer nor the talk, and what is read stays where it is."""
    with opened(browser, size=size) as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk")
        page.get_by_role("button", name="会话的文档").click()
        file: FilePayload = {"name": "渡船.txt", "mimeType": "text/plain", "buffer": "渡船每天清晨六点开出。".encode()}
        page.locator("input[type=file]").set_input_files(file)
        said = page.get_by_text("已添加《渡船.txt》。")
        expect(said).to_be_visible(timeout=ANSWERED_MS)
        page.keyboard.press("Escape")
        assert page.evaluate(COVERED) == []
        assert problems_of(page) == []
        assert watch.complaints == []


def test_keys_lead_to_the_question_and_away_from_it(browser: Browser, live: LiveServer) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{live.url}/#/shelf")
        page.locator(".shelf-go").first.click()
        box = page.get_by_role("textbox", name="你的问题")
        expect(box).to_be_focused()
        box.press("Escape")
        expect(box).not_to_be_focused()
        page.keyboard.type("?")
        expect(page.get_by_role("dialog").get_by_text("写问题")).to_be_visible()
        page.keyboard.press("Escape")
        page.evaluate("() => document.activeElement?.blur()")
        page.keyboard.type("a")
        expect(box).to_be_focused()
        expect(box).to_have_value("")


def test_the_panel_of_the_guard_closes_by_itself(browser: Browser, live: LiveServer) -> None:
    """Escape after its button went off, the focus elsewhere, another view by keys; its words fit the whole book."""
    with opened(browser) as (page, _):
        page.goto(f"{live.url}/#/library/sample/people")
        chip = page.get_by_role("button", name=re.compile("^读到："))
        slider = page.get_by_role("slider")
        chip.click()
        expect(page.get_by_text("什么都不隐藏")).to_be_visible()
        slider.press("Home")
        expect(page.get_by_text("什么都不隐藏")).to_have_count(0)
        page.get_by_role("button", name="显示全书").click()
        expect(slider).to_be_focused()
        page.keyboard.press("Escape")
        expect(slider).to_have_count(0)
        expect(chip).to_be_focused()
        chip.click()
        page.keyboard.press("Shift+Tab")
        expect(slider).to_have_count(0)
        chip.click()
        page.keyboard.type("ge")
        expect(page).to_have_url(re.compile("/events$"))
        expect(slider).to_have_count(0)


def test_a_view_that_comes_late_leaves_the_focus_where_its_reader_is(browser: Browser, live: LiveServer) -> None:
    """Who has opened the guard's panel keeps it; who waits for the desk may write at once."""
    with opened(browser) as (page, watch):
        slider, box = page.get_by_role("slider"), page.get_by_role("textbox", name="你的问题")
        with held_requests(page, "**/views/desk/*"):
            page.goto(f"{live.url}/#/library/sample/desk")
            page.get_by_role("button", name="读到：全书").click()
            slider.focus()
        expect(box).to_be_visible()
        expect(slider).to_be_focused()
        slider.press("Home")
        expect(page.get_by_role("button", name=re.compile("读到：.*雾港初遇"))).to_be_visible()
        page.reload()
        expect(box).to_be_focused()
        with held_requests(page, "**/views/people*"):
            page.get_by_role("link", name="人物").click()
            page.get_by_role("button", name=re.compile("^读到")).click()
            slider.focus()
        expect(page.get_by_role("heading", level=1, name="人物")).to_be_visible()
        expect(slider).to_be_focused()
        page.get_by_role("link", name="书桌").click()
        expect(box).to_be_focused()
        assert watch.complaints == []


COVERED = """() => {
  const line = document.querySelector('.toast').getBoundingClientRect();
  const meets = (one) => {
    const box = one.getBoundingClientRect();
    return box.height > 0 && box.top < line.bottom - 1 && box.bottom > line.top + 1;
  };
  const others = '.top, .library-bar, .desk-head, .desk-talk, .desk-composer, .navigation';
  return [...document.querySelectorAll(others)].filter(meets).map((one) => one.className);
}"""
