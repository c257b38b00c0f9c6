"""What goes wrong at the desk: drafts that are withdrawn, questions cut off, programs in texts, very long threads."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.chromium import DESKTOP, PHONE, opened
from tests.browser.test_desk import CLOSE_TOASTS, ask
from tests.browser.test_first_view import problems_of
from tests.browser.test_reading import tasks_of
from tests.browser.test_troubles import ATTACKS, Restarted
from tests.integration.live_server import LiveServer, free_port, prepare

ANSWERED_MS = 30_000
MANY, FEW = 200, 20  # turns; about 4 are drawn at first, and 8 laid out at a time
TEXT = "灯塔在雾里。" * 60
MOST_SHIFT = 0.05
MOST_TASK_MS = 100
DRAWN = "() => document.querySelectorAll('[data-turn] .desk-answer').length"
SCROLLED = """async () => {
  const box = document.querySelector('.desk-talk');
  const isLaidOut = (one) => one.firstElementChild.checkVisibility({ contentVisibilityAuto: true });
  let most = 0;
  box.scrollTop = 0;
  for (let frames = 0; frames < 60; frames += 1, box.scrollTop += 400) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    most = Math.max(most, [...document.querySelectorAll('[data-turn]')].filter(isLaidOut).length);
  }
  return most;
}"""
# Until nothing has moved for some frames; what was shifted until then is no more counted.
SETTLED = """async () => {
  const turns = () => [...document.querySelectorAll('[data-turn]')];
  const places = () => turns().map((one) => one.getBoundingClientRect().top).join();
  for (let same = 0, before = ''; same < 20; same += 1) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const now = places();
    if (now !== before) same = 0;
    before = now;
  }
  window.shifted();
  window.shifts = 0;
}"""
SHIFTED = """async () => {
  for (let frames = 0; frames < 3; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  return window.shifted();
}"""
FIRST_IN_VIEW = """(wanted) => {
  const top = (one) => one.getBoundingClientRect().top;
  const all = [...document.querySelectorAll('[data-turn]')];
  const found = wanted ? all.find((one) => one.dataset.turn === wanted) : all.find((one) => top(one) > 300);
  return [found.dataset.turn, top(found)];
}"""
SAY = """async () => {
  const base = document.querySelector('script[type=module]').src;
  (await import(new URL('./parts/toast.js', base))).toast('已添加。');
}"""
STREAMING = """(events) => {
  const real = window.fetch;
  const encoder = new TextEncoder();
  const start = async (stream) => {
    for (const [name, data] of events) {
      stream.enqueue(encoder.encode(`event: ${name}\\ndata: ${JSON.stringify(data)}\\n\\n`));
      do await new Promise((resolve) => setTimeout(resolve, 20)); while (name === 'pause' && !window.isGoing);
      if (name === 'pause') window.isGoing = false;
    }
  };
  window.fetch = async (where, options) =>
    String(where).endsWith('/ask') ? new Response(new ReadableStream({ start })) : real(where, options);
  window.shifts = 0;
  const count = (entries) => {
    for (const one of entries) if (!one.hadRecentInput) window.shifts += one.value;
  };
  const observer = new PerformanceObserver((list) => count(list.getEntries()));
  observer.observe({ type: 'layout-shift' });
  window.shifted = () => (count(observer.takeRecords()), window.shifts);
}"""
GO_ON = "() => { window.isGoing = true; }"


def test_a_draft_is_seen_as_it_is_written_and_withdrawn(browser: Browser, server: LiveServer) -> None:
    """Thoughts are folded, what is withdrawn is struck with its reason, nothing jumps, who scrolls up stays there."""
    words = [("draft", {"text": f"第{number}句，灯塔在雾里。[1]\n\n"}) for number in range(1, 80)]
    events: list[tuple[str, Any]] = [
        ("step", {"node": "plan"}),
        ("pause", {}),
        ("thought", {"text": "先找灯塔。"}),
        ("draft", {"text": "先前的一稿。"}),
        ("reset", {"text": "这一稿未通过：深度不足"}),
        ("step", {"node": "plan"}),
        *words[:40],
        ("pause", {}),
        *words[40:],
    ]
    with opened(browser) as (page, watch):
        page.goto(f"{server.url}/#/library/sample/desk")
        page.evaluate(STREAMING, events)
        page.get_by_role("textbox", name="你的问题").fill("灯塔在哪里？")
        page.get_by_role("button", name="提问", exact=True).click()
        expect(page.locator(".desk-turn.is-live")).to_be_visible()
        page.evaluate(SETTLED)
        page.evaluate(GO_ON)
        expect(page.get_by_text("第40句")).to_be_in_viewport()
        page.mouse.move(600, 400)
        page.mouse.wheel(0, -1_500)
        expect(page.get_by_role("button", name="回到最新")).to_be_visible()
        page.evaluate(GO_ON)
        expect(page.get_by_text("第79句")).to_be_attached()
        expect(page.get_by_text("第79句")).not_to_be_in_viewport()
        assert page.evaluate(SHIFTED) < MOST_SHIFT
        page.get_by_text("撤回的草稿：这一稿未通过：深度不足").click()
        expect(page.locator("s")).to_have_text("先前的一稿。")
        expect(page.get_by_text("先找灯塔。")).to_be_hidden()
        expect(page.locator(".desk-draft span.desk-mark").first).to_have_text("1")
        assert page.locator("[aria-live]").filter(has_text="灯塔在雾里").count() == 0
        assert watch.complaints == []


def test_markdown_of_a_model_is_shown_as_what_it_is(browser: Browser, server: LiveServer) -> None:
    """PLA-134 LOP-14: tables, headings and rules; what the check doubts is marked in its sentence, with the reason."""
    table = "| 人 | 事 |\n|---|---|\n| 苏晚亭 | 守塔 |"
    answer = f"##人物\n\n{table}\n\n---\n\n他守着**“灯塔”**的灯。他九十岁。[存疑]他有一个妹妹。"
    note = {"action": "flagged", "reason": "number", "text": "他九十岁。", "evidence": []}
    turn = {"question": "谁？", "answer": answer, "status": "answer", "notes": [note], "citations": []}
    with opened(browser) as (page, watch):
        page.goto(f"{server.url}/#/library/sample/desk")
        page.evaluate(STREAMING, [("text", {"text": answer}), ("answer", turn)])
        page.get_by_role("textbox", name="你的问题").fill("谁？")
        page.keyboard.press("Enter")
        shown = page.locator(".desk-answer")
        expect(shown.get_by_role("columnheader")).to_have_text(["人", "事"])
        expect(shown.get_by_role("heading")).to_have_text("人物")
        expect(shown.locator("strong")).to_have_text("“灯塔”")
        expect(shown.locator("mark.desk-doubtful")).to_have_text("他九十岁")
        expect(shown.locator(".desk-doubt")).to_have_text("存疑：数字与依据不符")
        assert not [one for one in ("##", "---", "**", "[存疑]") if one in shown.inner_text()]
        assert problems_of(page) == []
        assert watch.complaints == []


def test_a_question_is_stopped_and_one_that_was_cut_off_is_offered_again(browser: Browser, server: LiveServer) -> None:
    """Stopped by its button; cut off where the stream ends without an answer, also after the page is loaded anew."""
    cut = 'event: thread\ndata: {"thread_id": "x"}\n\nevent: step\ndata: {"node": "plan"}\n\n'
    with opened(browser) as (page, _):
        page.goto(f"{server.url}/#/library/sample/desk")
        held: list[Route] = []
        page.route("**/ask", lambda route: held.append(route))
        page.get_by_role("textbox", name="你的问题").fill("谁点亮了灯塔？")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="停止").click()
        expect(page.get_by_text("你停止了这个问题")).to_be_visible()
        page.unroute("**/ask")
        page.reload()
        expect(page.get_by_text("你停止了这个问题")).to_be_visible()
        page.route("**/ask", lambda route: route.fulfill(body=cut, content_type="text/event-stream"))
        page.get_by_role("button", name="重新提问").click()
        expect(page.get_by_text("没有答完")).to_be_visible()
        page.unroute("**/ask")
        page.reload()
        expect(page.get_by_text("没有答完")).to_be_visible()
        page.get_by_role("button", name="重新提问").click()
        expect(page.locator('[data-turn="1"] .desk-answer')).to_be_visible(timeout=ANSWERED_MS)
        expect(page.get_by_text("没有答完")).to_have_count(0)


def test_questions_that_a_restart_cut_off_are_offered_again(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("restarted")
    prepare(folder)
    restarted = Restarted(folder, free_port())
    restarted.start()
    try:
        with opened(browser) as (page, _):
            page.goto(f"{restarted.url}/#/library/sample/desk")
            ask(page, "苏晚亭是谁？", 1)
            page.get_by_role("textbox", name="你的问题").fill("谁点亮了灯塔？")
            page.get_by_role("button", name="提问", exact=True).click()
            restarted.process.kill()
            restarted.process.wait()
            expect(page.get_by_role("alert")).to_contain_text("连不上服务器")
            page.get_by_role("textbox", name="你的问题").fill("罗盘给了谁？")
            page.get_by_role("button", name="提问", exact=True).click()
            expect(page.get_by_text("没有答完")).to_be_visible()
            expect(page.get_by_role("alert")).to_be_visible()
            restarted.start()
            expect(page.get_by_text("没有答完")).to_have_count(2, timeout=ANSWERED_MS)
            expect(page.get_by_role("alert")).to_have_count(0)
            for left in (1, 0):
                page.get_by_role("button", name="重新提问").first.click()
                expect(page.locator(f'[data-turn="{3 - left}"] .desk-answer')).to_be_visible(timeout=ANSWERED_MS)
                expect(page.get_by_text("没有答完")).to_have_count(left)
            expect(page.locator(".desk-answer").nth(1)).to_contain_text("灯塔")
            expect(page.get_by_role("heading", name="谁点亮了灯塔？")).to_have_count(1)
    finally:
        restarted.stop()


def test_programs_in_questions_and_answers_do_nothing(browser: Browser, server: LiveServer) -> None:
    """A hostile turn, as a model or another client could have left it: every part of it is text."""
    citation = {"n": 1, "evidence": ATTACKS, "quote": ATTACKS, "source": ATTACKS, "title": ATTACKS, "location": ATTACKS}
    notes = [{"action": "dropped", "reason": "code", "text": ATTACKS, "evidence": []}]
    turn = turn_of(1, ATTACKS, f"{ATTACKS}[1] [1](javascript:window.pwned=1)\x00\x1b[2J") | {
        "citations": [citation],
        "resolved_question": f"{ATTACKS}!",
        "warning": ATTACKS,
        "tool_calls": [{"call": 1, "tool": ATTACKS, "args": {"query": ATTACKS}, "ok": True, "items": 1}],
    }
    with opened(browser) as (page, watch):
        serve_turns(page, [turn], {"notes": notes})
        page.goto(f"{server.url}/#/library/sample/desk/8d5f4f3c-3c0e-4f5e-9d53-0d5f6f0f2a11?cite=1")
        expect(page.locator(".desk-pane mark")).to_have_text(ATTACKS)
        page.locator(".desk-verdict-word").click()
        page.locator("summary").first.click()
        expect(page.locator(".desk-grade")).to_contain_text("<script>")
        hrefs = {link.get_attribute("href") for link in page.locator(".desk-columns a").all()}
        assert hrefs <= {None, "https://example.org/"}
        hostile = page.locator(".desk-columns").locator("img, script, style, iframe, [onload], [onerror]")
        assert hostile.count() == 0
        for link in page.locator(".desk-answer a").all():
            if link.get_attribute("href") is None:
                link.click()
        assert page.evaluate("() => window.pwned") is None
        assert watch.complaints == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_long_thread_is_smooth_and_steady(browser: Browser, server: LiveServer, size: tuple[int, int]) -> None:
    """200 turns: few of them are drawn or laid out, no task of scrolling is long, what is read stays where it is."""
    words = [("draft", {"text": f"第{number}句，灯塔在雾里。[1]\n\n"}) for number in range(1, 60)]
    steps = [("step", {"node": name}) for name in ("resolve_pronouns", "plan", "tool_call", "plan")]
    turns = [
        cited(turn_of(number, f"第{number}问？", f"**答**{number}[1]\n\n" + TEXT)) for number in range(1, MANY + 1)
    ]
    with opened(browser, size=size) as (page, _):
        serve_turns(page, turns, {})
        page.goto(f"{server.url}/#/library/sample/desk/8d5f4f3c-3c0e-4f5e-9d53-0d5f6f0f2a11")
        newest = page.locator(f'[data-turn="{MANY}"]')
        expect(newest).to_be_in_viewport()
        page.evaluate(STREAMING, [steps[0], ("pause", {}), *steps[1:], *words, ("pause", {})])
        assert 0 < page.evaluate(DRAWN) < FEW
        browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline"])
        assert 0 < page.evaluate(SCROLLED) < FEW
        assert 0 < max(tasks_of(json.loads(browser.stop_tracing())["traceEvents"])) < MOST_TASK_MS
        page.evaluate(SETTLED)  # rows that come into view take their height
        number, place = page.evaluate(FIRST_IN_VIEW)
        page.evaluate(SAY)
        expect(page.locator(".toast")).to_be_visible()
        page.evaluate(SETTLED)
        assert abs(page.evaluate(FIRST_IN_VIEW, number)[1] - place) <= 1
        page.evaluate(CLOSE_TOASTS)  # it moves the head as it goes
        expect(page.locator(".toast")).to_have_count(0)
        page.get_by_role("button", name="回到最新").click()
        expect(newest).to_be_in_viewport()
        page.get_by_role("textbox", name="你的问题").fill("灯塔在哪里？")
        page.keyboard.press("Enter")
        expect(page.locator(".desk-turn.is-live")).to_be_in_viewport()
        page.evaluate(SETTLED)
        page.evaluate(GO_ON)
        expect(page.get_by_text("第59句")).to_be_in_viewport(timeout=ANSWERED_MS)
        assert page.evaluate(SHIFTED) < MOST_SHIFT


def cited(turn: dict[str, Any]) -> dict[str, Any]:
    """Return a turn with a citation."""
    citation = {
        "n": 1,
        "evidence": "e",
        "quote": "灯塔",
        "source": "雾港",
        "part": 1,
        "chapter": 1,
        "title": "雾港初遇",
    }
    return turn | {"citations": [citation], "resolved_question": turn["question"] + "！"}


def turn_of(number: int, question: str, answer: str) -> dict[str, Any]:
    """Return a turn as the API gives it."""
    judged = {"status": "answer", "confidence": 0.8, "passed": True, "grade": None, "trace_id": f"t{number}"}
    return {"number": number, "question": question, "answer": answer, "citations": [], "tool_calls": [], **judged}


def serve_turns(page: Page, turns: list[dict[str, Any]], record: dict[str, Any]) -> None:
    """Answer for the server with these turns."""
    pages = {"turns": turns, "evidence": [], "record": None}

    def answer(route: Route) -> None:
        name = route.request.url.partition("?")[0].rpartition("/")[2]
        items = pages.get(name)
        body = {"record": record} if items is None else {"items": items, "total": len(items), "next": None}
        route.fulfill(body=json.dumps(body), content_type="application/json")

    page.route(re.compile(r"/threads/[0-9a-f-]{36}(?!/ask)"), answer)
