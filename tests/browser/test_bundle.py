"""The page as the wheel has it: few requests, few bytes, and every view works."""

import sys
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.cast import LIBRARY, prepare_cast
from tests.browser.chromium import opened
from tests.browser.shots import usual_places
from tests.fresh_install import built_wheel
from tests.integration.live_server import LiveServer, started

FIRST_BYTES, FIRST_REQUESTS, PICTURE_BYTES = 200_000, 40, 300_000


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server that runs on the files of the wheel."""
    folder, site = tmp_path_factory.mktemp("bundled"), tmp_path_factory.mktemp("site")
    prepare_cast(folder)
    ZipFile(built_wheel(site)).extractall(site)
    with started(folder, [sys.executable, "-P", "-m", "wenmai", "serve"], "/health", {"PYTHONPATH": str(site)}) as live:
        assert Path(site, "wenmai", "web", "page", "page.css").is_file(), "esbuild is missing: npm ci in tests/page"
        yield live


def test_the_first_place_is_small_and_the_picture_is_not_much_more(browser: Browser, bundled: LiveServer) -> None:
    """PLA-143: bytes and requests of the shelf; what the picture of people adds."""
    with opened(browser) as (page, watch):
        page.goto(bundled.url)
        expect(page.locator(".shelf-book").first).to_be_visible()
        page.wait_for_load_state("networkidle")
        first = watch.bytes
        assert first <= FIRST_BYTES and len(watch.responses) <= FIRST_REQUESTS
        page.goto(f"{bundled.url}/#/library/{LIBRARY}/people")
        expect(page.locator("canvas").first).to_be_visible()
        page.wait_for_load_state("networkidle")
        assert watch.bytes - first <= PICTURE_BYTES and watch.complaints == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_view_is_in_it(browser: Browser, bundled: LiveServer, language: str) -> None:
    with opened(browser, language=language) as (page, watch):
        for place in usual_places(LIBRARY).values():
            page.goto(f"{bundled.url}/{place}")
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            page.wait_for_load_state("networkidle")
        page.goto(f"{bundled.url}/docs")
        expect(page.get_by_text("/api/v1/libraries", exact=True).first).to_be_visible()
        assert watch.complaints == []
