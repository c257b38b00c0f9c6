"""The desk: a question watched, its follow-up, citations at their words, threads, documents, keys."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from tests.browser.chromium import DESKTOP, PHONE, opened
from tests.browser.test_first_view import problems_of
from tests.integration.live_server import LiveServer, prepare
from tests.integration.own_server import API, serving

ANSWERED_MS = 30_000
CLOSE_TOASTS = "() => document.querySelectorAll('.toast .icon-button').forEach((one) => one.click())"
FIRST_STEP = "() => performance.getEntriesByName('desk:first-step').length"
HELD_ANSWER = """() => {
  const real = window.fetch;
  const gate = () => {
    let rest = '';
    return new TransformStream({
      async transform(text, stream) {
        const blocks = (rest + text).split(/(?<=\\r?\\n\\r?\\n)/);
        rest = blocks.pop();
        for (const block of blocks) {
          while (/^event: (draft|text|answer)/.test(block) && !window.isGoing) {
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
          stream.enqueue(block);
        }
      },
      flush: (stream) => stream.enqueue(rest),
    });
  };
  window.fetch = async (where, options) => {
    const reply = await real(where, options);
    if (!String(where).endsWith('/ask')) return reply;
    const text = reply.body.pipeThrough(new TextDecoderStream()).pipeThrough(gate());
    return new Response(text.pipeThrough(new TextEncoderStream()), reply);
  };
}"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server of these tests alone, for they leave threads behind."""
    folder = tmp_path_factory.mktemp("desk")
    prepare(folder)
    with serving(folder) as started:
        yield started


def ask(page: Page, question: str, turn: int) -> Locator:
    """Ask, and return the answered turn."""
    page.get_by_role("textbox", name="你的问题").fill(question)
    page.get_by_role("button", name="提问", exact=True).click()
    answered = page.locator(f'[data-turn="{turn}"]')
    expect(answered.locator(".desk-answer")).to_be_visible(timeout=ANSWERED_MS)
    return answered


def turns_of(live: LiveServer, page: Page) -> list[dict[str, Any]]:
    """Return the turns of the thread that the page shows, from the API."""
    rows: list[dict[str, Any]] = httpx.get(f"{live.url}{API}/threads/{thread_of(page)}/turns").json()["items"]
    return rows


def thread_of(page: Page) -> str:
    """Return the id of the thread that the address names."""
    found = re.search(r"/desk/([0-9a-f-]{36})", page.url)
    assert found is not None
    return found[1]


def words_of(live: LiveServer, citation: dict[str, Any]) -> str:
    """Return what stands at the place of a citation in the stored text."""
    query = {key: citation[key] for key in ("source", "part", "chapter")}
    text = httpx.get(f"{live.url}{API}/libraries/sample/chapters/text", params=query).json()["text"]
    return str(text[citation["start"] : citation["end"]])


def test_a_question_is_watched_and_followed_to_its_words(browser: Browser, live: LiveServer) -> None:
    """Steps before the answer, a follow-up understood and corrected, the citations at their words, and the next one."""
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk")
        page.evaluate(HELD_ANSWER)
        page.get_by_role("textbox", name="你的问题").fill("苏晚亭是谁？")
        page.keyboard.press("Enter")
        page.wait_for_function(FIRST_STEP)
        expect(page.locator(".desk-turn.is-live .desk-trail li")).not_to_have_count(0)
        page.evaluate("() => { window.isGoing = true; }")
        first = page.locator('[data-turn="1"]')
        expect(first.locator(".desk-answer")).to_be_visible(timeout=ANSWERED_MS)
        expect(first.locator("summary").first).to_contain_text("检索")
        second = ask(page, "他的妹妹是谁？", 2)
        expect(second.get_by_text("理解为：")).to_contain_text("苏晚亭")
        known = [one for one in turns_of(live, page) if len(one["citations"]) > 1][-1]
        shown = page.locator(f'[data-turn="{known["number"]}"]')
        shown.locator("button.desk-mark").first.click()
        pane = page.get_by_role("complementary", name="引文与原文")
        for citation in known["citations"]:
            expect(pane.locator("mark.is-current")).to_have_text(words_of(live, citation))
            expect(pane.locator("mark.is-current")).to_be_in_viewport()
            expect(page).to_have_url(re.compile(f"turn={known['number']}&cite={citation['n']}$"))
            following = pane.get_by_role("button", name="下一处引文")
            if following.is_enabled():
                following.click()
        page.reload()
        expect(pane.locator("mark.is-current")).to_have_text(words_of(live, known["citations"][-1]))
        page.keyboard.press("Escape")
        expect(pane).to_have_count(0)
        page.locator('[data-turn="2"]').get_by_role("button", name="改正理解").click()
        page.get_by_label("你的意思是").fill("苏晚照的哥哥是谁？")
        page.get_by_role("button", name="重新提问").click()
        expect(page.locator('[data-turn="3"] .desk-answer')).to_be_visible(timeout=ANSWERED_MS)
        assert watch.complaints == []


def test_what_else_a_question_may_mean_is_asked_by_a_click(browser: Browser, live: LiveServer) -> None:
    """S000-D10: the candidates of a reference are choices; one asks the question again with that name."""
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk")
        ask(page, "苏晚亭和苏晚照是什么关系？", 1)
        second = ask(page, "她后来去了哪里？", 2)
        choices = second.get_by_role("group", name="你指的是：").get_by_role("button")
        name = choices.first.inner_text()
        choices.first.click()
        third = page.locator('[data-turn="3"]')
        expect(third.locator(".desk-answer")).to_be_visible(timeout=ANSWERED_MS)
        expect(third).to_contain_text(f"{name}后来去了哪里？")
        assert turns_of(live, page)[1]["candidates"][0]["entity"] == name
        assert watch.complaints == []


def test_a_mark_shows_its_quote_and_the_book_reads_on(browser: Browser, live: LiveServer) -> None:
    """By keyboard: the tooltip says the quote, Escape takes it away, Enter opens it; the next chapter follows."""
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk")
        turn = ask(page, "陆沉舟在码头遇见了谁？", 1)
        known = turns_of(live, page)[0]["citations"][0]
        mark = turn.locator("button.desk-mark").first
        mark.focus()
        expect(page.get_by_role("tooltip")).to_contain_text(known["quote"])
        page.keyboard.press("Escape")
        expect(page.get_by_role("tooltip")).to_have_count(0)
        mark.press("Enter")
        pane = page.get_by_role("complementary", name="引文与原文")
        chapters = pane.locator(".desk-chapter h3")
        pane.get_by_role("combobox", name="章节").select_option("0")
        expect(chapters.first).to_have_text(re.compile("雾港初遇"))
        pane.get_by_role("button", name=re.compile("接着读")).click()
        expect(pane.locator(".desk-chapter").nth(1)).to_contain_text("苏晚亭点亮了灯塔")
        pane.get_by_role("button", name="关闭引文").click()
        expect(mark).to_be_focused()
        assert watch.complaints == []


def test_the_guard_hides_what_was_answered_from_later_chapters(browser: Browser, live: LiveServer) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{live.url}/#/library/sample/desk")
        ask(page, "苏晚亭点亮了什么？", 1)
        assert any(one["chapter"] > 1 for one in turns_of(live, page)[0]["citations"])
        page.goto(f"{page.url}?cite=1")
        expect(page.get_by_role("complementary", name="引文与原文")).to_be_visible()
        page.get_by_role("button", name="读到：全书").click()
        page.get_by_role("slider").press("Home")
        expect(page.get_by_text("这个回答引用了你还没读到的章节")).to_be_visible()
        assert "灯塔，照见" not in page.inner_text("main")
        page.get_by_role("button", name="仍然显示").click()
        expect(page.locator(".desk-answer")).to_be_visible()


def test_a_thread_is_renamed_exported_and_deleted(browser: Browser, live: LiveServer) -> None:
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk")
        ask(page, "航海图是谁找到的？", 1)
        answer = turns_of(live, page)[0]["answer"]
        thread = thread_of(page)

        def choose(action: str) -> None:
            page.get_by_role("button", name=re.compile("的操作$")).click()
            page.get_by_role("menuitem", name=action).click()

        choose("重命名")
        page.get_by_role("dialog").get_by_label("名称").fill("图/与人")
        page.get_by_role("button", name="保存").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("图/与人")
        page.get_by_role("searchbox").fill("与人")
        expect(page.get_by_role("navigation", name="会话").get_by_role("listitem")).to_have_count(1)
        with page.expect_download() as saved:
            choose("导出为 Markdown")
        assert saved.value.suggested_filename == "图 与人.md"
        exported = saved.value.path().read_text(encoding="utf-8")
        assert exported.startswith("# 图/与人\n") and "## 航海图是谁找到的？" in exported and answer in exported
        choose("删除")
        page.get_by_role("dialog").get_by_role("button", name="删除").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("新会话")
        assert httpx.get(f"{live.url}{API}/threads/{thread}").status_code == httpx.codes.NOT_FOUND
        assert watch.complaints == []


def test_a_document_of_the_thread_is_added_asked_and_removed(browser: Browser, live: LiveServer) -> None:
    with opened(browser) as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk")
        file: FilePayload = {
            "name": "渡船.txt",
            "mimeType": "text/plain",
            "buffer": "渡船每天清晨六点从东码头开出。".encode(),
        }
        page.get_by_role("button", name="会话的文档").click()
        page.locator("input[type=file]").set_input_files(file)
        expect(page.get_by_role("button", name="移除《渡船.txt》")).to_be_visible(timeout=ANSWERED_MS)
        page.reload()
        expect(page.get_by_role("button", name="会话的文档：1 个")).to_be_visible()
        ask(page, "渡船几点从东码头开出？", 1)
        cited = [one for one in turns_of(live, page)[0]["citations"] if "六点" in one["quote"]]
        page.locator(f'button.desk-mark[data-n="{cited[0]["n"]}"]').first.click()
        pane = page.get_by_role("complementary", name="引文与原文")
        expect(pane.locator("mark")).to_contain_text("清晨六点")
        expect(pane.get_by_text("文档", exact=True)).to_be_visible()
        page.get_by_role("button", name=re.compile("会话的文档")).click()
        expect(pane.get_by_text("这个文档已经移除")).to_have_count(0)
        page.get_by_role("button", name="移除《渡船.txt》").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.get_by_role("button", name="移除《渡船.txt》").click()
        page.get_by_role("dialog").get_by_role("button", name="移除", exact=True).click()
        expect(page.get_by_role("button", name="移除《渡船.txt》")).to_have_count(0)
        expect(page.get_by_role("button", name="添加文档")).to_be_focused()
        expect(pane.get_by_text("这个文档已经移除")).to_be_visible()
        expect(pane.locator("mark")).to_contain_text("清晨六点")
        assert watch.complaints == []


def test_suggestions_obey_the_guard(browser: Browser, live: LiveServer) -> None:
    with opened(browser) as (page, _):
        page.goto(f"{live.url}/#/library/sample/desk")
        offered = page.locator(".desk-suggestions")
        expect(offered).to_contain_text("苏晚亭")
        page.get_by_role("button", name="读到：全书").click()
        page.get_by_role("slider").press("Home")
        expect(offered).not_to_contain_text("苏晚亭")
        expect(offered).to_contain_text("第1章讲了什么？")
        offered.get_by_role("button", name="第1章讲了什么？").click()
        expect(page.locator('[data-turn="1"] .desk-answer')).to_contain_text("雾港初遇", timeout=ANSWERED_MS)


def test_keys_of_the_composer(browser: Browser, live: LiveServer) -> None:
    """Shift+Enter breaks a line, what an input method composes is not sent, ArrowUp brings the last question back."""
    with opened(browser) as (page, _):
        page.goto(f"{live.url}/#/library/sample/desk")
        field = page.get_by_role("textbox", name="你的问题")
        field.fill("罗盘")
        field.press("Shift+Enter")
        expect(field).to_have_value("罗盘\n")
        field.dispatch_event("keydown", {"key": "Enter", "isComposing": True, "bubbles": True})
        expect(page.locator(".desk-turn")).to_have_count(0)
        field.fill("罗盘给了谁？")
        field.press("Enter")
        expect(page.locator('[data-turn="1"] .desk-answer')).to_be_visible(timeout=ANSWERED_MS)
        field.press("ArrowUp")
        expect(field).to_have_value("罗盘给了谁？")
        field.fill("那铜罗")
        page.reload()
        expect(field).to_have_value("那铜罗")


def test_an_answer_is_copied_and_asked_again(browser: Browser, live: LiveServer) -> None:
    """PLA-134: the words alone, Markdown with citations; the question again as it is, and changed."""
    with opened(browser) as (page, watch):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto(f"{live.url}/#/library/sample/desk")
        turn = ask(page, "苏晚照送给陆沉舟什么？", 1)
        answer = turns_of(live, page)[0]["answer"]

        def copied(what: str) -> str:
            page.evaluate(CLOSE_TOASTS)
            expect(page.get_by_text("已复制")).to_have_count(0)
            turn.get_by_role("button", name="复制").click()
            page.get_by_role("menuitem", name=what).click()
            expect(page.get_by_text("已复制")).to_have_count(1)
            return str(page.evaluate("() => navigator.clipboard.readText()"))

        assert "[1]" in answer and copied("复制文字") == re.sub(r"\s?\[\d+\]", "", answer).strip()
        assert answer in (markdown := copied("复制 Markdown")) and "> [1] 《" in markdown
        turn.get_by_role("button", name="再问一次").click()
        expect(page.locator('[data-turn="2"] .desk-answer')).to_be_visible(timeout=ANSWERED_MS)
        turn.get_by_role("button", name="改一改再问").click()
        field = page.get_by_role("textbox", name="你的问题")
        expect(field).to_be_focused()
        expect(field).to_have_value("苏晚照送给陆沉舟什么？")
        page.evaluate(
            "() => { window.print = () => { window.printed = document.querySelectorAll('.desk-quotes').length; }; }"
        )
        page.locator(".desk-head").get_by_role("button", name="的操作").click()
        page.get_by_role("menuitem", name="打印").click()
        page.wait_for_function("() => window.printed === 2")
        page.keyboard.press("Shift")  # a browser that sends no afterprint
        expect(page.locator(".desk-quotes")).to_have_count(0)
        page.emulate_media(media="print")
        expect(page.get_by_role("navigation", name="会话")).to_be_hidden()
        expect(field).to_be_hidden()
        page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
        expect(turn.locator(".desk-quotes")).to_contain_text("《雾港》")
        page.evaluate("() => dispatchEvent(new Event('afterprint'))")
        expect(page.locator(".desk-quotes")).to_have_count(0)
        assert watch.complaints == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_open_pane_and_the_panels_are_accessible(browser: Browser, live: LiveServer, size: tuple[int, int]) -> None:
    with opened(browser, size=size, theme="dark") as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk")
        turn = ask(page, "苏晚照送给陆沉舟什么？", 1)
        turn.locator(".desk-verdict-word").click()
        turn.locator("summary").first.click()
        turn.locator("button.desk-mark").first.click()
        expect(page.locator(".desk-pane mark.is-current")).to_be_in_viewport()
        assert problems_of(page) == []
        assert page.evaluate("() => document.documentElement.scrollWidth") <= size[0]
        page.keyboard.press("Escape")
        page.get_by_role("textbox", name="你的问题").click()
        expect(page.get_by_role("switch", name="我的记忆")).to_be_visible()
        assert problems_of(page) == []
        page.keyboard.press("Escape")
        if size == PHONE:
            page.get_by_role("button", name="会话", exact=True).click()
            expect(page.get_by_role("dialog", name="会话").get_by_role("listitem").first).to_be_visible()
            assert problems_of(page) == []
        assert watch.complaints == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_on_a_phone_most_of_the_window_is_the_answer_s(browser: Browser, live: LiveServer, language: str) -> None:
    """PLA-131: once asked the composer is one line until it is used; what is tapped beside it does not move away."""
    with opened(browser, language=language, size=(390, 844)) as (page, watch):
        page.goto(f"{live.url}/#/library/sample/desk")
        box, switches = page.locator(".desk-composer textarea"), page.locator(".desk-sources")
        expect(switches).to_be_visible()
        box.fill("苏晚照送给陆沉舟什么？")
        page.locator(".desk-composer button[type=submit]").click()
        expect(page.locator('[data-turn="1"] .desk-answer')).to_be_visible(timeout=ANSWERED_MS)
        expect(switches).to_be_hidden()
        expect(page.locator(".desk-composer-row")).to_be_hidden()
        assert page.locator(".desk-talk").evaluate("(talk) => talk.clientHeight") > 844 * 2 / 3
        assert problems_of(page) == []
        box.tap()
        expect(switches).to_be_visible()
        switches.get_by_role("switch").last.tap()
        expect(switches.get_by_role("switch").last).to_be_checked()
        page.locator('[data-turn="1"] button.desk-mark').first.tap()
        expect(page.locator(".desk-pane mark.is-current")).to_be_in_viewport()
        expect(switches).to_be_hidden()
        page.locator(".desk-pane-head button").last.click()
        box.fill("x")
        page.locator(".desk-talk").tap(position={"x": 5, "y": 5})
        expect(page.locator(".desk-composer button[type=submit]")).to_be_visible()
        assert watch.complaints == []
