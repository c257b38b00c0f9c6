"""What happened when: lanes, their passages, who is chosen, the guard, the list; nothing of a story is markup."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.cast import HOSTILE, HOSTILE_LIBRARY, LIBRARY
from tests.browser.chromium import DESKTOP, PHONE, Theme, opened
from tests.browser.test_first_view import problems_of
from tests.browser.test_people import api, go, read_up_to_first_chapter
from tests.integration.live_server import LiveServer


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that complained of nothing."""
    with opened(browser) as (made, watch):
        yield made
        assert watch.complaints == []


def marks(page: Page) -> Locator:
    return page.locator("svg [role=button]")


def lanes(page: Page) -> list[str]:
    return page.locator(".events-people span").all_text_contents()


def test_a_mark_opens_its_passage(page: Page, cast: LiveServer) -> None:
    """The sentence shows on the mark, a click opens the chapter at its words."""
    go(page, cast, "events?show=lanes")
    event = api(cast, "events")[0]
    mark = marks(page).and_(page.get_by_role("button", name=re.compile(re.escape(event["name"]))))
    mark.first.hover()
    expect(page.locator(".events-tip")).to_contain_text(event["evidence"][:20])
    mark.first.click()
    drawer = page.get_by_role("dialog", name=event["name"])
    expect(drawer.locator("mark")).to_have_text(event["evidence"])
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)


def test_the_keyboard_goes_through_the_lanes(page: Page, cast: LiveServer) -> None:
    """One stop of the tab key; arrows move, Enter opens, Escape takes the sentence away."""
    go(page, cast, "events?show=lanes")
    expect(page.locator("svg [role=button][tabindex='0']")).to_have_count(1)
    marks(page).first.focus()
    first = page.evaluate("() => document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    now = page.evaluate("() => document.activeElement.getAttribute('aria-label')")
    assert now != first and now.startswith(lanes(page)[1])
    expect(page.locator(".events-tip")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".events-tip")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").locator("mark")).to_be_visible()


def test_lanes_are_those_who_are_chosen(page: Page, cast: LiveServer) -> None:
    go(page, cast, "events?show=lanes")
    expect(marks(page).first).to_be_visible()
    assert len(lanes(page)) == 8 and lanes(page)[0] == "陆听雪"
    for name in ("季铁", "宋砚"):
        page.get_by_role("combobox", name="选人物").fill(name)
        page.keyboard.press("Enter")
    expect(page.locator(".events-people span")).to_have_text(["季铁", "宋砚"])
    page.reload()
    expect(page.locator(".events-people span")).to_have_text(["季铁", "宋砚"])
    page.get_by_role("button", name="去掉 季铁").click()
    expect(page.locator(".events-people span")).to_have_text(["宋砚"])
    own = len(api(cast, "events", entity="宋砚")) + len(api(cast, "relations", entity="宋砚", type="LOCATED_IN"))
    assert 0 < marks(page).count() <= own
    page.get_by_role("button", name="事件最多的人物").click()
    assert len(lanes(page)) == 8


def test_kinds_are_left_out(page: Page, cast: LiveServer) -> None:
    go(page, cast, "events?show=lanes")
    expect(marks(page).first).to_be_visible()
    before, lost = marks(page).count(), page.locator("svg [role=button].is-loss").count()
    page.get_by_role("group", name="事件类别").get_by_role("button", name="失去").click()
    expect(page.locator("svg [role=button].is-loss")).to_have_count(0)
    assert lost > 0 and marks(page).count() == before - lost
    for chip in page.get_by_role("group", name="事件类别").get_by_role("button").all():
        if chip.get_attribute("aria-pressed") == "true":
            chip.click()
    expect(page.get_by_text("筛选之后没有事件。")).to_be_visible()


def test_the_guard_is_obeyed(page: Page, cast: LiveServer) -> None:
    """Only the first chapter and its events are left, in the lanes and in the list."""
    go(page, cast, "events?show=lanes")
    expect(page.locator(".events-number")).to_have_count(len(api(cast, "chapters")))
    read_up_to_first_chapter(page)
    expect(page.locator(".events-number")).to_have_count(1)
    early = api(cast, "events", as_of_chapter=1)
    late = [one for one in api(cast, "events") if one["chapter"] != 1]
    page.get_by_role("tab", name="事件列表").click()
    expect(page.get_by_role("listitem").filter(has_text=early[0]["name"])).to_be_visible()
    shown = page.locator("main").inner_text()
    assert late and not [one["name"] for one in late if one["name"] in shown]


def test_without_events_it_says_why(page: Page, cast: LiveServer) -> None:
    go(page, cast, "events", "sample")
    read = page.get_by_role("button", name=re.compile("^读到"))
    expect(read).to_be_visible()
    page.route("**/events?*", lambda route: route.fulfill(json={"items": [], "total": 0, "next": None}))
    page.route("**/relations?*", lambda route: route.fulfill(json={"items": [], "total": 0, "next": None}))
    page.reload()
    expect(page.get_by_text("书里没有读出重大事件")).to_be_visible()
    read_up_to_first_chapter(page)
    expect(page.get_by_text("事件可能在后面的章节")).to_be_visible()


def test_hostile_events_are_text(page: Page, cast: LiveServer) -> None:
    go(page, cast, "events?show=lanes", HOSTILE_LIBRARY)
    marks(page).first.hover()
    expect(page.locator(".events-tip")).to_contain_text("<img")
    marks(page).first.click()
    expect(page.get_by_role("dialog").locator("mark")).to_contain_text(HOSTILE)
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="事件列表").click()
    expect(page.get_by_role("listitem").first).to_contain_text(HOSTILE)
    assert page.locator("#app img").count() == 0 and page.evaluate("() => window.pwned") is None


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_place_is_accessible(browser: Browser, cast: LiveServer, size: tuple[int, int], theme: Theme) -> None:
    """A phone begins with the list."""
    with opened(browser, size=size, theme=theme, language="en") as (page, watch):
        for place in ("events", "events?show=lanes", "events?show=list", "events?of=季铁"):
            go(page, cast, place)
            expect(page.locator(".events")).to_be_visible()
            assert problems_of(page) == [], place
            assert page.evaluate("() => document.documentElement.scrollWidth") <= size[0], place
        go(page, cast, "events")
        selected = page.get_by_role("tab", selected=True)
        expect(selected).to_have_text("List of events" if size == PHONE else "Lanes")
        assert watch.complaints == [] and LIBRARY in page.url
