"""Debian's Chromium, driven by Playwright: how pages are opened, and what they complain about."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, Page, Request, Response, Route, sync_playwright

PROGRAM = "chromium"
FOLDER = Path(__file__).parents[2] / "wenmai" / "web" / "page"
ABORTED = "net::ERR_ABORTED"
ASSETS = "**/page/*/**"
DESKTOP, PHONE = (1280, 800), (360, 740)
LANGUAGES = {"zh": "zh-CN", "en": "en-US"}
Theme = Literal["light", "dark"]


@dataclass(slots=True)
class Watch:
    """What a page said and loaded since it was opened."""

    complaints: list[str] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)

    def follow(self, page: Page) -> None:
        """Note errors of scripts, of the console (a violated policy is one) and of requests."""
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on(
            "console", lambda said: self.complaints.append(said.text) if said.type in ("error", "warning") else None
        )
        page.on("requestfailed", lambda request: self.complaints.extend(failures(request)))
        page.on("response", lambda response: self.responses.append(response))

    @property
    def bytes(self) -> int:
        """How many bytes of bodies and headers came."""
        sizes = [one.request.sizes() for one in self.responses]
        return sum(one["responseBodySize"] + one["responseHeadersSize"] for one in sizes)


def failures(request: Request) -> list[str]:
    """Return why a request failed, nothing for one that the page itself gave up."""
    return [] if request.failure == ABORTED else [f"{request.url}: {request.failure}"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run the browser; as root it needs to go without its sandbox."""
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which(PROGRAM), args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: Browser,
    *,
    language: str = "zh",
    size: tuple[int, int] = DESKTOP,
    theme: Theme = "light",
    from_disk: bool = False,
) -> Iterator[tuple[Page, Watch]]:
    """Open an empty page of a new visitor; `from_disk` shows the files of the working tree on any server."""
    is_phone = size[0] < DESKTOP[0] // 2
    options: dict[str, Any] = {"viewport": {"width": size[0], "height": size[1]}, "locale": LANGUAGES[language]}
    context = browser.new_context(**options, color_scheme=theme, has_touch=is_phone, is_mobile=is_phone)
    try:
        page, watch = context.new_page(), Watch()
        watch.follow(page)
        if from_disk:
            page.route(ASSETS, served_from_disk)
        yield page, watch
    finally:
        context.close()


@contextmanager
def held_requests(page: Page, pattern: str) -> Iterator[None]:
    """Let no such request through within the block: what is seen there has waited for no server."""
    held, is_open = list[Route](), False

    def meet(route: Route) -> None:
        if is_open:
            route.continue_()
        else:
            held.append(route)

    page.route(pattern, meet)
    yield
    is_open = True
    for route in held:
        route.continue_()


def served_from_disk(route: Route) -> None:
    """Answer with the file of the working tree."""
    file = FOLDER / route.request.url.partition("/page/")[2].partition("/")[2].partition("?")[0]
    if file.is_file():
        route.fulfill(path=file)
    else:
        route.fulfill(status=404)
