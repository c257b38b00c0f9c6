"""A support folder of ten documents: asked with its page beside the citation, and one replaced by a newer version."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import DESKTOP, PHONE, Theme, opened
from tests.browser.test_first_view import problems_of
from tests.documents.files import pdf
from tests.integration.live_server import LiveServer
from tests.integration.own_server import API, serving_nothing

SLOW_MS = 60_000
COLLECTION = {"collection": "true"}
TOPICS = ("Parcels", "Payment", "Warranty", "Repairs", "Opening hours", "Accounts", "Privacy", "Batteries")
WORDS = {
    "zh": {
        **{"new": "新文件夹", "folder": "文件夹", "open": "打开", "count": "10 个文档", "ask": "向这些文档提问"},
        **{"menu": "《{name}》的操作", "version": "换成新版本……", "documents": "文档", "add": "添加文档"},
        **{
            "replaced": "《returns 2024.md》替换了《returns 2023.md》。",
            "page": "《lamp.pdf》第 2 页",
            "move": "移动……",
            "rename": "重命名文件夹……",
            "remove": "删除文件夹",
        },
    },
    "en": {
        **{"new": "New folder", "folder": "Folder", "open": "Open", "count": "10 documents"},
        **{"ask": "Ask these documents", "menu": "Actions for {name}", "version": "Replace by a new version…"},
        **{"documents": "Documents", "add": "Add documents", "page": "Page 2 of lamp.pdf", "move": "Move…"},
        **{"rename": "Rename the folder…", "remove": "Remove the folder"},
        **{"replaced": "returns 2024.md replaced returns 2023.md."},
    },
}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    with serving_nothing(tmp_path_factory.mktemp("documents")) as server:
        yield server


def support_folder(folder: Path) -> list[Path]:
    """Write ten documents of a support desk and return them."""
    texts = {f"{topic}.md": f"# {topic}\n\nThis page is about {topic.lower()} and nothing else.\n" for topic in TOPICS}
    texts["returns 2023.md"] = "# Returns\n\nA lamp may be sent back within 30 days of the purchase.\n"
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "lamp.pdf").write_bytes(
        pdf(["The lamp stands on the table."], ["Hold the red button for seven seconds to reset the lamp."])
    )
    return sorted(folder.iterdir())


def asked(page: Page, question: str, number: int) -> None:
    page.locator(".desk-composer textarea").fill(question)
    page.locator(".desk-composer button[type=submit]").click()
    expect(page.locator(f'[data-turn="{number}"] button.desk-mark').first).to_be_visible(timeout=SLOW_MS)


def require_clean(page: Page, size: tuple[int, int]) -> None:
    assert problems_of(page) == [] and page.evaluate("() => document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize(
    ("language", "size", "theme"),
    [("zh", DESKTOP, "light"), ("en", PHONE, "dark")],
    ids=["zh-desktop", "en-phone"],
)
def test_a_support_folder(
    browser: Browser, live: LiveServer, tmp_path: Path, language: str, size: tuple[int, int], theme: Theme
) -> None:
    """DOC-41 DOC-42 PLA-138."""
    words, files = WORDS[language], support_folder(tmp_path)
    httpx.delete(f"{live.url}{API}/documents", params=COLLECTION).raise_for_status()
    newer = tmp_path / "returns 2024.md"
    newer.write_text("# Returns\n\nA lamp may be sent back within 14 days of the purchase.\n", encoding="utf-8")
    with opened(browser, language=language, size=size, theme=theme) as (page, watch):
        page.goto(f"{live.url}/#/shelf")
        page.locator(".shelf-documents a").click()
        page.get_by_role("button", name=words["new"]).click()
        page.get_by_role("dialog").get_by_label(words["folder"]).fill("Support")
        page.get_by_role("button", name=words["open"], exact=True).click()
        page.locator(".documents-head input[type=file]").set_input_files(files)
        expect(page.locator(".documents-row")).to_have_count(10, timeout=SLOW_MS)
        expect(page.get_by_text(words["count"], exact=True)).to_be_visible()
        require_clean(page, size)
        page.get_by_role("button", name=words["ask"]).click()
        expect(page.get_by_role("switch", name=words["documents"], exact=True)).to_be_checked()
        asked(page, "How long do I hold the red button to reset the lamp?", 1)
        turn = page.locator('[data-turn="1"]')
        expect(turn.locator(".desk-answer")).to_contain_text("seven seconds")
        expect(turn.locator(".desk-verdict-word")).to_be_visible()
        turn.locator("button.desk-mark").first.click()
        picture = page.locator(".desk-pane img")
        expect(picture).to_have_attribute("alt", words["page"], timeout=SLOW_MS)
        assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 300
        expect(page.locator(".desk-pane mark.is-current")).to_contain_text("seven seconds")
        require_clean(page, size)
        page.goto(f"{live.url}/#/documents/Support")
        row = page.locator(".documents-row", has_text="returns 2023.md")
        row.get_by_role("button", name=words["menu"].format(name="returns 2023.md")).click()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("menuitem", name=words["version"]).click()
        chooser.value.set_files(newer)
        expect(page.get_by_text(words["replaced"])).to_be_visible(timeout=SLOW_MS)
        expect(page.locator(".documents-row", has_text="returns 2024.md")).to_be_visible(timeout=SLOW_MS)
        expect(page.get_by_text(words["count"], exact=True)).to_be_visible()
        page.get_by_role("button", name=words["ask"]).click()
        asked(page, "Within how many days may a lamp be sent back?", 1)
        expect(page.locator('[data-turn="1"] .desk-answer')).to_contain_text("14 days")
        expect(page.locator('[data-turn="1"] .desk-answer')).not_to_contain_text("30 days")
        assert watch.complaints == []


@pytest.mark.parametrize(
    ("language", "size", "theme"),
    [("zh", DESKTOP, "light"), ("en", PHONE, "dark")],
    ids=["zh-desktop", "en-phone"],
)
def test_an_empty_folder_is_listed(
    browser: Browser, live: LiveServer, language: str, size: tuple[int, int], theme: Theme
) -> None:
    """PLA-138: also elsewhere and after a reload, renamed and removed."""
    words = WORDS[language]
    with opened(browser, language=language, size=size, theme=theme) as (page, watch):
        page.goto(f"{live.url}/#/documents")
        page.get_by_role("button", name=words["new"]).click()
        page.get_by_role("dialog").get_by_label(words["folder"]).fill("Later")
        page.get_by_role("button", name=words["open"], exact=True).click()
        chip = page.locator(".documents-folders").get_by_role("link", name="Later 0")
        expect(chip).to_have_attribute("aria-current", "page")
        page.locator(".documents-folders a").first.click()
        page.reload()
        chip.click()
        assert "Later" not in page.evaluate("() => JSON.stringify({ ...localStorage })"), "it outlives its user"
        page.locator(".documents-tools .menu button").first.click()
        page.get_by_role("menuitem", name=words["rename"]).click()
        page.get_by_role("dialog").get_by_label(words["folder"]).fill("Soon")
        page.get_by_role("dialog").locator("button[type=submit]").click()
        expect(page.locator(".documents-folders").get_by_role("link", name="Soon 0")).to_be_visible()
        expect(chip).to_have_count(0)
        require_clean(page, size)
        page.locator(".documents-tools .menu button").first.click()
        page.get_by_role("menuitem", name=words["remove"]).click()
        expect(page.locator(".documents-folders").get_by_role("link", name="Soon 0")).to_have_count(0)
        assert watch.complaints == []
