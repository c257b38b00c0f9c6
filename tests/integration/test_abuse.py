"""Random abuse of a real server (benchmarks/abuse.py): it is up or comes up, and nothing is lost, crossed or left."""

from pathlib import Path

import pytest

from benchmarks import abuse
from benchmarks.abuse_attacks import ATTACKS
from benchmarks.abuse_strikes import full_disk, killed, terminated


@pytest.mark.costly
def test_a_short_run_breaks_nothing() -> None:
    """PLA-62 PLA-66 PLA-69: kill -9, SIGTERM and a full disk under users, an operator and raw clients."""
    found = abuse.run(7, 25, 6, [killed, full_disk, terminated])
    assert found.faults == []
    assert found.outcomes["kill -9 under load"]["up again"]
    assert all(found.counts[name] for name in ("own", "turns", "traces", "log lines"))


def test_the_table_is_current() -> None:
    """docs/reports/abuse.md lists the attacks."""
    page = (Path(__file__).parents[2] / "docs" / "reports" / "abuse.md").read_text(encoding="utf-8")
    missing = [one.kind for one in ATTACKS if f"| {one.kind} |" not in page]
    assert missing == []
