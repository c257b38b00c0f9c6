"""The picture of who is who: a canvas, which no locator reads; what it draws is waited for.

Its words are on the page before its nodes are drawn, and the page's policy forbids `wait_for_function`.
"""

from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any

from playwright.sync_api import Page, expect

CY = "const cy = document.querySelector('.people-canvas')?._cyreg?.cy;"
COUNTS = f"() => {{ {CY} return cy ? [cy.nodes().length, cy.edges().length] : [0, 0]; }}"
NAMES = f"() => {{ {CY} return cy ? cy.nodes().map((node) => node.id()) : []; }}"
PLACES = f"() => {{ {CY} return cy.nodes().map((node) => [node.id(), node.position()]); }}"
TAP = f"""(ends) => {{ {CY} const [one, other] = ends.map((name) => cy.getElementById(name));
    one.edgesWith(other).emit('tap'); }}"""
MIDDLE = f"""(name) => {{ {CY}
    const at = cy.getElementById(name).renderedPosition(), box = cy.container().getBoundingClientRect();
    return [box.x + at.x, box.y + at.y]; }}"""
PATIENCE, STEP_MS = 10.0, 50


def drawn(page: Page) -> tuple[int, int]:
    """Return how many nodes and edges are drawn, as soon as there are any."""
    expect(page.locator(".people-canvas canvas").first).to_be_visible()
    nodes, edges = awaited(page, COUNTS, lambda counts: counts[0] > 0)
    assert nodes > 0, "nothing is drawn"
    return nodes, edges


def expect_names(page: Page, names: Iterable[str]) -> None:
    """Wait until these names are drawn, and no others."""
    wanted = set(names)
    assert set(awaited(page, NAMES, lambda found: set(found) == wanted)) == wanted


def tap(page: Page, one: str, other: str) -> None:
    """Click on the line between two names, once both are drawn."""
    found = awaited(page, NAMES, lambda names: {one, other} <= set(names))
    assert {one, other} <= set(found)
    page.evaluate(TAP, [one, other])


def awaited(page: Page, script: str, is_wanted: Callable[[Any], bool]) -> Any:
    """Return what a script says as soon as it is what is wanted; at last whatever it says."""
    end = monotonic() + PATIENCE
    while not is_wanted(found := page.evaluate(script)) and monotonic() < end:
        page.wait_for_timeout(STEP_MS)
    return found
