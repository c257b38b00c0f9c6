"""Take screenshots: `python -m tests.browser.shots URL FOLDER [NAME=HASH ...]`, each for desktop, phone, light, dark.

The files of the page come from the working tree, so that the server need not start anew after a change. What the
page complains about is printed; then the exit code is 1.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.browser.chromium import DESKTOP, PHONE, Theme, chromium, opened

VIEWS = ("shelf", "read", "desk", "people", "events", "documents", "memories", "settings")
OF_LIBRARY = ("read", "desk", "people", "events")
SIZES = {"desktop": DESKTOP, "phone": PHONE}
THEMES: tuple[Theme, ...] = ("light", "dark")
SETTLE_MS = 300


def main(arguments: Sequence[str]) -> int:
    """Take the screenshots that the command line asks for."""
    url, folder, *chosen = arguments
    places = dict(one.split("=", 1) for one in chosen) or usual_places("sample")
    complaints: list[str] = []
    with chromium() as browser:
        for size in SIZES:
            for theme in THEMES:
                with opened(browser, size=SIZES[size], theme=theme, from_disk=True) as (page, watch):
                    for name, place in places.items():
                        page.goto(f"{url}/{place}")
                        page.wait_for_load_state("networkidle")
                        page.wait_for_timeout(SETTLE_MS)
                        page.screenshot(path=Path(folder) / f"{name}-{size}-{theme}.png")
                    complaints += watch.complaints
    print("\n".join(dict.fromkeys(complaints)) or "no complaints")
    return 1 if complaints else 0


def usual_places(library: str) -> dict[str, str]:
    """Return each view of a library."""
    return {name: f"#/library/{library}/{name}" if name in OF_LIBRARY else f"#/{name}" for name in VIEWS}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
