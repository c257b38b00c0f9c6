"""A pytest plugin: which contract suite passed on which engine (`make test-services`)."""

import os
from collections import Counter
from collections.abc import Iterator

import pytest

from devservers.running import SERVICES
from devservers.supplies import SUPPLIES
from tests.engines import DECLARED, NAMED, asked_for

QDRANT = ("qdrant", "QDRANT_URL")  # a server that nobody starts here: its suites run where it is named
WIDTH = 28
NOT_CONFIGURED = "not configured"
MISSING = "MISSING"

Cell = tuple[str, str]  # suite, engine
counts: dict[Cell, Counter[str]] = {}
cells: dict[str, Cell] = {}  # by the id of a test

os.environ.setdefault(NAMED, ",".join([*SERVICES, *SUPPLIES, *([QDRANT[0]] if os.environ.get(QDRANT[1]) else [])]))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Note which test belongs to which engine of which suite."""
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            suite = item.function.__module__
            for engine in DECLARED.get(suite, ()):
                if any(isinstance(value, str) and value == engine for value in item.callspec.params.values()):
                    cells[item.nodeid] = (suite, engine)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count a test once: by its call, or by what failed or was skipped around it."""
    cell = cells.get(report.nodeid)
    if cell is not None and (report.when == "call" or report.outcome != "passed"):
        counts.setdefault(cell, Counter())[report.outcome] += 1


def state(suite: str, engine: str) -> str:
    """Return what a cell of the matrix says."""
    told = counts.get((suite, engine))
    if told:
        return ", ".join(f"{told[outcome]} {outcome}" for outcome in ("passed", "failed", "skipped") if told[outcome])
    server = engine in SERVICES or engine == QDRANT[0]
    return NOT_CONFIGURED if server and not asked_for(engine) else MISSING


def rows() -> Iterator[tuple[str, dict[str, str]]]:
    """Return each suite that was collected with what each of its engines says."""
    for suite, engines in sorted(DECLARED.items()):
        yield suite.rpartition(".test_")[2].replace("_", " "), {one: state(suite, one) for one in engines}


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail where an engine that was asked for ran nothing."""
    chosen = session.config.getoption("keyword") or session.config.getoption("markexpr")
    lost = any(one == MISSING for _, told in rows() for one in told.values())
    if lost and not chosen and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the matrix."""
    terminalreporter.section("contract suites by engine")
    for suite, told in rows():
        line = " | ".join(f"{engine}: {text}" for engine, text in told.items())
        terminalreporter.write_line(f"{suite:{WIDTH}}{line}")
