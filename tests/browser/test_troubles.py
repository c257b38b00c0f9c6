"""What goes wrong: a server that restarts, a page older than its server, text that would be a program."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chromium import opened
from tests.integration.live_server import LiveServer, free_port, launched, prepare, stop, wait_for

ATTACKS = """**bold** <img src=x onerror="window.pwned=1"> <script>window.pwned=1</script>
[link](javascript:window.pwned=1) [data](data:text/html,x) [good](https://example.org/) <a href="JaVaScRiPt:1">a</a>
![picture](https://example.org/x.png) <svg onload="window.pwned=1"><style>*{display:none}</style></svg>

<form action="/x"><input name=y></form> <b style="color:red">b</b>"""
MARKDOWN = """async (text) => {
  const base = document.querySelector('script[type=module]').src;
  const [{ html, render }, { Markdown }] = await Promise.all(
    ['./lib.js', './parts/markdown.js'].map((name) => import(new URL(name, base))));
  const box = document.createElement('div');
  box.id = 'tried';
  document.body.append(box);
  render(html`<${Markdown} text=${text} />`, box);
}"""
PICTURE = """async () => {
  const base = document.querySelector('script[type=module]').src;
  const { default: cytoscape } = await import(new URL('./vendor/cytoscape.js', base));
  const container = document.createElement('div');
  container.style.height = '200px';
  document.body.append(container);
  const elements = [{ data: { id: 'a' } }, { data: { id: 'b' } }, { data: { source: 'a', target: 'b' } }];
  const picture = cytoscape({ container, elements, layout: { name: 'grid' } });
  return picture.nodes().length;
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("troubled")
    prepare(made)
    return made


@pytest.fixture
def restarted(folder: Path) -> Iterator["Restarted"]:
    """A server that can be stopped and started again at its address."""
    made = Restarted(folder, free_port())
    made.start()
    yield made
    made.stop()


class Restarted:
    """A server at one port."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port, self.url = folder, port, f"http://127.0.0.1:{port}"

    def start(self) -> None:
        self.process = launched(self.folder, [sys.executable, "-m", "wenmai", "serve"], {}, self.port)
        wait_for(LiveServer(self.url, self.folder, self.process.pid), self.process, "/health")

    def stop(self) -> None:
        stop(self.process)


def test_a_restart_is_shown_and_lists_come_back(browser: Browser, restarted: Restarted) -> None:
    with opened(browser, language="en") as (page, _):
        page.goto(restarted.url)
        expect(page.get_by_role("link", name="雾港")).to_be_visible()
        restarted.stop()
        page.get_by_role("link", name="Settings").click()
        expect(page.get_by_text("Reconnecting")).to_be_visible()
        restarted.start()
        expect(page.get_by_text("Reconnecting")).to_be_hidden(timeout=20_000)
        expect(page.get_by_text("Version")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)


def test_a_page_older_than_its_server_offers_to_load_anew(browser: Browser, server: LiveServer) -> None:
    with opened(browser, language="en") as (page, _):
        page.goto(server.url)
        expect(page.get_by_role("link", name="雾港")).to_be_visible()
        page.route("**/views/memories.js", lambda route: route.fulfill(status=404))
        page.get_by_role("link", name="Memories").click()
        expect(page.get_by_role("button", name="Load anew")).to_be_visible()


def test_markup_does_nothing(browser: Browser, server: LiveServer) -> None:
    """What a model or a book writes becomes a few harmless elements, and the policy stops what would be left."""
    with opened(browser) as (page, watch):
        page.goto(server.url)
        page.evaluate(MARKDOWN, ATTACKS)
        tried = page.locator("#tried")
        expect(tried).to_contain_text("<script>window.pwned=1</script>")
        expect(tried.locator("strong")).to_have_text("bold")
        hrefs = [link.get_attribute("href") for link in tried.locator("a").all()]
        assert [one for one in hrefs if one] == ["https://example.org/"]
        assert tried.locator("img, script, svg, style, form, input, [style], [onload], [onerror]").count() == 0
        assert page.evaluate("() => window.pwned") is None
        assert watch.complaints == []


def test_the_picture_needs_no_inline_style(browser: Browser, server: LiveServer) -> None:
    with opened(browser) as (page, watch):
        page.goto(server.url)
        assert page.evaluate(PICTURE) == 2
        assert watch.complaints == []
