"""The whole page walked through: Chinese and English, desktop and phone, without keys and with them.

Another book than the sample stories is walked through where WENMAI_WALK_BOOK names its file.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from benchmarks.server_isolation import said
from tests.browser.chromium import DESKTOP, PHONE, Theme, opened
from tests.browser.walk import Walk
from tests.browser.words import Words
from tests.integration.live_server import COPIED, ROOT, LiveServer
from tests.integration.own_server import serving

STORIES = {"zh": "雾港纪事.txt", "en": "fog_harbor_en.txt"}
SIZES = {"desktop": DESKTOP, "phone": PHONE}
THEMES: dict[str, Theme] = {"open": "light", "keys": "dark"}
NAMED = "WENMAI_WALK_BOOK"
PAIRS = [("open", "zh", "desktop"), ("keys", "en", "phone")]
"""A walk takes a minute or two; single places have tests of their own in every look."""


@pytest.fixture(scope="module")
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveServer, str]]:
    """An empty server, and the key of its administrator, '' where it asks for none."""
    folder = tmp_path_factory.mktemp("walk")
    for name in COPIED:
        (folder / name).symlink_to(ROOT / name)
    token = said(folder, "keys", "add", "--user", "editor", "--admin") if request.param == "keys" else ""
    with serving(folder) as live:
        yield live, token


@pytest.mark.parametrize(("house", "language", "size"), PAIRS, indirect=["house"])
def test_the_whole_page(browser: Browser, house: tuple[LiveServer, str], language: str, size: str) -> None:
    """From the first visit to the deleted book; every place is accessible, and nothing complains."""
    server, token = house
    kind = "keys" if token else "open"
    book = Path(os.environ.get(NAMED, ROOT / "data" / "sample" / STORIES[language]))
    with opened(browser, language=language, size=SIZES[size], theme=THEMES[kind]) as (page, watch):
        name = f"{language}-{size}-{kind}-{THEMES[kind]}"
        Walk(page, server, book, Words(language), name, token or None).run()
        assert [one for one in watch.complaints if not (token and "401" in one)] == []
