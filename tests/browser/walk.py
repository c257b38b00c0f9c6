"""A walk through the whole page, from an empty shelf to an empty shelf, with a screenshot of each place."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.browser.picture import drawn, expect_names, tap
from tests.browser.test_first_view import problems_of
from tests.browser.words import Words
from tests.integration.live_server import ROOT, LiveServer
from tests.integration.own_server import API

SCREENSHOTS = ROOT / "build" / "screenshots"
INGEST_MS, ANSWERED_MS = 1_800_000, 60_000
MOST_DRAWN = "400"
QUALITY = 60  # of a picture: some ten kB
SETTLE_MS = 250
FOLLOW_UPS = {"zh": "他们后来怎么样了？", "en": "What happened to them later?"}


def photographed(page: Page, folder: str, name: str) -> None:
    """Keep what the window shows."""
    page.screenshot(path=SCREENSHOTS / folder / f"{name}.jpg", type="jpeg", quality=QUALITY)


@dataclass(slots=True)
class Walk:
    """One visitor on an empty server.

    Attributes:
        name: the folder of its screenshots.
        token: an administrator's key, None where the server asks for none.
    """

    page: Page
    server: LiveServer
    book: Path
    words: Words
    name: str
    token: str | None
    library: str = ""
    shots: int = field(default=0)

    def api(self, path: str, **query: Any) -> Any:
        """Return an answer of the API."""
        reply = httpx.get(f"{self.server.url}{API}/{path}", params=query, headers=self.headers, timeout=60)
        assert reply.is_success, reply.text
        return reply.json()

    def rows(self, path: str, **query: Any) -> list[dict[str, Any]]:
        """Return the rows of a list of the library."""
        items: list[dict[str, Any]] = self.api(f"libraries/{self.library}/{path}", limit=500, **query)["items"]
        return items

    @property
    def headers(self) -> Mapping[str, str]:
        """What identifies the visitor."""
        return {"authorization": f"Bearer {self.token}"} if self.token else {}

    def button(self, key: str) -> Locator:
        """Return the buttons that say a message."""
        return self.page.get_by_role("button", name=self.words.any(key))

    def view(self, name: str) -> None:
        """Open a view by the navigation."""
        self.page.get_by_role("navigation", name=self.words("shell.navigation")).get_by_role(
            "link", name=self.words(f"shell.{name}")
        ).click()
        expect(self.page).to_have_url(re.compile(f"/{name}"))
        expect(self.page.get_by_role("heading", level=1)).to_be_visible()

    def seen(self, place: str) -> None:
        """Check a place as everybody needs it, and keep its picture."""
        self.page.wait_for_load_state("networkidle")
        self.page.wait_for_timeout(SETTLE_MS)
        self.shots += 1
        photographed(self.page, self.name, f"{self.shots:02}-{place}")
        assert problems_of(self.page) == [], place
        size = self.page.viewport_size
        assert size and self.page.evaluate("() => document.documentElement.scrollWidth") <= size["width"], place

    def arrive(self) -> None:
        """Open the page for the first time; where a key is asked for, enter it."""
        self.page.goto(self.server.url)
        if self.token:
            field = self.page.get_by_role("dialog").get_by_label(self.words("shell.key"), exact=True)
            expect(field).to_be_focused()
            self.seen("key")
            field.fill(self.token)
            field.press("Enter")
        expect(self.page.get_by_text(self.words("shelf.lead"))).to_be_visible()
        for way in ("shelf.choose", "shelf.trySample"):
            expect(self.button(way).first).to_be_visible()
        for way in ("shelf.toSettings", "shelf.askAlone"):
            expect(self.page.get_by_role("link", name=self.words(way))).to_be_visible()
        self.seen("welcome")

    def put_in(self) -> None:
        """Look over the chapters of the book, rename one, join one to another and take that back, accept."""
        self.page.locator("input[type=file]").first.set_input_files(self.book)
        rows = self.page.locator(".review-row.is-chapter")
        expect(rows.first).to_be_visible(timeout=ANSWERED_MS)
        self.seen("preview")
        before = rows.count()
        rows.nth(1).get_by_role("button", name=self.words.any("shelf.rename")).click()
        self.page.get_by_label(self.words("shelf.newTitle")).fill("Mended")
        self.button("shelf.apply").click()
        expect(rows.filter(has_text="Mended")).to_have_count(1)
        rows.nth(2).get_by_role("button", name=self.words.any("shelf.noHeading")).click()
        expect(rows).to_have_count(before - 1)
        self.button("parts.undo").click()
        expect(rows).to_have_count(before)
        assert self.api("libraries")["total"] == 0
        self.button("shelf.accept").click()
        expect(self.button("shelf.stop")).to_be_visible()
        self.seen("progress")
        expect(self.page.get_by_text(self.words("shelf.done"))).to_be_visible(timeout=INGEST_MS)
        expect(self.page.get_by_text(self.words("parts.moreFound"))).to_be_visible()
        self.seen("summary")
        (made,) = self.api("libraries")["items"]
        self.library = made["name"]
        assert made["chapters"] == before and "Mended" in [one["title"] for one in self.rows("chapters")]

    def ask(self) -> None:
        """Ask what is suggested, follow up, and open each citation at the words of the stored text."""
        self.page.get_by_role("link", name=self.words("shelf.askNow")).click()
        self.page.locator(".desk-suggestions button").first.click()
        expect(self.page.locator('[data-turn="1"] .desk-answer')).to_be_visible(timeout=ANSWERED_MS)
        self.page.get_by_role("textbox", name=self.words("desk.question")).fill(FOLLOW_UPS[self.words.language])
        self.page.get_by_role("button", name=self.words("desk.ask"), exact=True).click()
        expect(self.page.locator('[data-turn="2"] .desk-answer')).to_be_visible(timeout=ANSWERED_MS)
        self.seen("answered")
        turns = self.api(f"threads/{self.thread}/turns")["items"]
        resolved = turns[1].get("resolved_question")
        if resolved and resolved != turns[1]["question"]:
            expect(self.page.get_by_text(self.words("desk.understood"))).to_be_visible()
        known = turns[0]
        assert known["citations"]
        self.page.locator('[data-turn="1"] button.desk-mark').first.click()
        pane = self.page.get_by_role("complementary")
        for citation in known["citations"]:
            expect(pane.locator("mark.is-current")).to_have_text(self.text_at(citation))
            expect(pane.locator("mark.is-current")).to_be_in_viewport()
            following = pane.get_by_role("button", name=self.words("desk.next"))
            if following.is_enabled():
                following.click()
        self.seen("citation")
        self.page.keyboard.press("Escape")
        expect(pane).to_have_count(0)

    @property
    def thread(self) -> str:
        """The id of the thread that the address names."""
        found = re.search(r"/desk/([0-9a-f-]{36})", self.page.url)
        assert found is not None
        return found[1]

    def text_at(self, place: Mapping[str, Any]) -> str:
        """Return the words at a place of the stored text."""
        query = {key: place[key] for key in ("source", "part", "chapter")}
        text = self.api(f"libraries/{self.library}/chapters/text", **query)["text"]
        return str(text[place["start"] : place["end"]])

    def look_at_people(self) -> None:
        """Look at the picture, a line's passages, the list, the table with a card, and the events."""
        self.view("people")
        nodes, edges = drawn(self.page)
        ties = [one for one in self.rows("relations") if one["start"] is not None and one["source"] != one["target"]]
        assert nodes > 1 and bool(edges) == bool(ties)
        self.seen("picture")
        if ties:
            self.draw_all()
            tap(self.page, ties[0]["source"], ties[0]["target"])
            expect(self.page.get_by_role("dialog").locator("mark").first).to_be_visible()
            self.seen("passages")
            self.page.keyboard.press("Escape")
        else:
            self.add_tables()
        self.page.get_by_role("tab", name=self.words("people.list")).click()
        self.seen("relations")
        self.page.get_by_role("tab", name=self.words("people.table")).click()
        self.page.locator(".people-name").first.click()
        expect(self.page.get_by_role("complementary")).to_be_visible()
        self.seen("card")
        self.page.get_by_role("complementary").get_by_role("button", name=self.words("parts.close")).click()
        self.view("events")
        self.seen("events")

    def add_tables(self) -> None:
        """Where a book has no relations the people stand alone: follow the way to one's own tables."""
        expect(self.page.get_by_text(self.words("people.untied"))).to_be_visible()
        self.page.get_by_role("link", name=self.words("people.addTables")).click()
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_role("button", name=self.words("people.chooseTables")).wait_for()
        self.seen("tables")
        self.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)

    def draw_all(self) -> None:
        """Let the picture leave out nobody: as many as it can hold, and relations of every type."""
        self.page.get_by_role("combobox", name=self.words("people.most")).select_option(MOST_DRAWN)
        off = self.page.get_by_role("group", name=self.words("people.types")).get_by_role("button", pressed=False)
        while off.count():
            off.first.click()

    def move_guard(self) -> None:
        """Read up to the second chapter: desk, picture, table, events and shelf hold nothing of what follows."""
        self.button("parts.guard").click()
        slider = self.page.get_by_role("slider")
        slider.press("Home")
        slider.press("ArrowRight")
        self.seen("guard")
        self.page.keyboard.press("Escape")
        places = sorted({(one["part"], one["chapter"]) for one in self.rows("chapters") if one["chapter"] is not None})
        part, chapter = places[1]
        until = {"as_of_part": part, "as_of_chapter": chapter}
        events = {one["name"] for one in self.rows("events")} - {one["name"] for one in self.rows("events", **until)}
        for name in sorted(events)[:20]:
            expect(self.page.get_by_text(name, exact=True)).to_have_count(0)
        self.view("people")
        self.page.get_by_role("tab", name=self.words("people.table")).click()
        people = self.rows("entities", kind="Character", **until)
        expect(self.page.get_by_text(self.words("people.found", n=str(len(people))))).to_be_visible()
        self.seen("guarded-table")
        self.page.get_by_role("tab", name=self.words("people.picture")).click()
        tied = {end for one in self.rows("relations", **until) for end in (one["source"], one["target"])}
        if tied:
            self.draw_all()
            expect_names(self.page, tied)
        self.view("desk")
        expect(self.page.get_by_role("heading", level=1)).to_be_visible()
        late = {one["name"] for one in self.rows("entities", kind="Character")} - {one["name"] for one in people}
        offered = self.page.locator(".desk-suggestions")
        expect(offered).to_be_visible()
        assert not [name for name in late if name in str(offered.text_content())]
        self.seen("guarded-desk")
        self.button("parts.guard").click()
        self.page.get_by_role("button", name=self.words("parts.wholeButton")).click()
        self.page.keyboard.press("Escape")

    def merge_and_undo(self) -> None:
        """Merge two people of the table, and take it back."""
        before = [one["name"] for one in self.rows("entities", kind="Character")]
        name, other = before[-1], before[0]
        self.view("people")
        self.page.get_by_role("tab", name=self.words("people.table")).click()
        self.page.get_by_role("searchbox").fill(name)
        self.page.get_by_role("link", name=name, exact=True).click()
        self.button("people.merge").click()
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_role("combobox").fill(other)
        self.page.keyboard.press("Enter")
        dialog.get_by_role("radio", name=other, exact=True).check()
        self.seen("merge")
        dialog.get_by_role("button", name=self.words("people.mergeDo"), exact=True).click()
        undo = self.page.get_by_role("status").get_by_role("button", name=self.words("parts.undo"))
        expect(undo).to_be_visible(timeout=ANSWERED_MS)
        assert name not in [one["name"] for one in self.rows("entities", kind="Character")]
        undo.click()
        expect(self.page.get_by_role("complementary", name=name, exact=True)).to_be_visible(timeout=ANSWERED_MS)
        assert sorted(one["name"] for one in self.rows("entities", kind="Character")) == sorted(before)
        self.page.get_by_role("complementary").get_by_role("button", name=self.words("parts.close")).click()

    def export_and_delete(self, thread: str) -> None:
        """Export the thread, delete it, then the book, which says what it took."""
        turn = self.api(f"threads/{thread}/turns")["items"][0]
        self.page.goto(f"{self.server.url}/#/library/{self.library}/desk/{thread}")
        self.button("desk.threadMenu").click()
        with self.page.expect_download() as saved:
            self.page.get_by_role("menuitem", name=self.words("desk.export")).click()
        exported = saved.value.path().read_text(encoding="utf-8")
        assert turn["question"] in exported and turn["answer"] in exported
        self.button("desk.threadMenu").click()
        self.page.get_by_role("menuitem", name=self.words("desk.delete")).click()
        self.seen("delete-thread")
        self.page.get_by_role("dialog").get_by_role("button", name=self.words("desk.delete")).click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text(self.words("desk.newThread"))
        assert self.api("threads")["total"] == 0
        for name in ("memories", "settings", "shelf"):
            self.view(name)
            self.seen(name)
        self.button("shelf.menu").click()
        self.page.get_by_role("menuitem", name=self.words("shelf.delete")).click()
        self.page.get_by_role("dialog").get_by_role("button", name=self.words("shelf.delete")).click()
        dialog = self.page.get_by_role("dialog")
        expect(dialog).to_contain_text(self.words("shelf.removed"), timeout=ANSWERED_MS)
        self.seen("receipt")
        # Below it may stand what was done just before, with a button of its own.
        dialog.locator(".dialog-body").get_by_role("button", name=self.words("parts.close")).last.click()
        expect(self.page.get_by_text(self.words("shelf.lead"))).to_be_visible()
        assert self.api("libraries")["total"] == 0

    def run(self) -> None:
        """Walk from the first visit to the empty shelf."""
        self.arrive()
        self.put_in()
        self.ask()
        thread = self.thread
        self.look_at_people()
        self.move_guard()
        self.merge_and_undo()
        self.export_and_delete(thread)
