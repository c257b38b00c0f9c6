"""Measure frames a second: `python -m tests.browser.frames URL LIBRARY`; the library needs about 400 related names.

The picture is panned with 40 to 400 nodes, the table is scrolled with the 5,000 entities that a made-up answer gives.
Files of the page come from the working tree.
"""

import sys
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Page, Route

from tests.browser.chromium import chromium, opened

SIZES = ("40", "100", "200", "400")
TURNS, PEOPLE = 3, 5_000
RUN = """async (act) => {
  const began = performance.now(); let frames = 0;
  await new Promise((done) => { const step = (now) => {
    frames += 1; act(frames); now - began < 3000 ? requestAnimationFrame(step) : done(); };
    requestAnimationFrame(step); });
  return frames / (performance.now() - began) * 1000; }"""
IDLE = f"() => ({RUN})(() => undefined)"
PAN = f"""() => {{ const cy = document.querySelector('.people-canvas')._cyreg.cy;
  return ({RUN})((frame) => cy.panBy({{ x: frame % 40 < 20 ? 6 : -6, y: 2 * Math.sin(frame / 9) }})); }}"""
SCROLL = f"""() => {{ const box = document.querySelector('.virtual-list'); const fast = 180;
  return ({RUN})(() => {{ box.scrollTop += fast; }}); }}"""
DRAWN = "() => document.querySelector('.people-canvas')._cyreg.cy.nodes().length"
ROWS = "() => document.querySelectorAll('.virtual-list li').length"


def main(arguments: Sequence[str]) -> int:
    """Print the figures."""
    url, library = arguments
    with chromium() as browser, opened(browser, from_disk=True) as (page, _):
        page.goto(f"{url}/#/library/{library}/people")
        page.locator(".people-canvas canvas").first.wait_for()
        print("nothing moves:", measured(page, IDLE))
        for most in SIZES:
            page.get_by_role("combobox", name="最多画").select_option(most)
            page.wait_for_timeout(1_500)
            print(page.evaluate(DRAWN), "nodes panned:", measured(page, PAN))
        page.route("**/entities?*", many)
        page.goto(f"{url}/#/library/{library}/people?show=table")
        page.reload()
        page.locator(".virtual-list li").first.wait_for()
        print(PEOPLE, "entities scrolled:", measured(page, SCROLL), "rows drawn:", page.evaluate(ROWS))
    return 0


def measured(page: Page, script: str) -> str:
    """Return the frames a second of some turns."""
    return ", ".join(f"{page.evaluate(script):.0f}" for _ in range(TURNS))


def many(route: Route) -> None:
    """Answer with more entities than a library has."""
    rows: list[dict[str, Any]] = [
        {"name": f"人物{n}", "kind": "Character", "aliases": [f"甲{n}"], "mentions": PEOPLE - n}
        | {"first_part": 1, "first_chapter": 1 + n % 100}
        for n in range(PEOPLE)
    ]
    route.fulfill(json={"items": rows, "total": PEOPLE, "next": None})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
