"""Two API keys on a running server: what one user has is nothing to the other (benchmarks/server_isolation.py)."""

from pathlib import Path

import pytest

from benchmarks import crossing, server_isolation
from benchmarks.server_attempts import attempts
from tests.integration.conftest import Guarded

KINDS = {"thread", "run", "run started", "memory", "document", "store", "assistant", "trace", "door"}


@pytest.mark.costly
async def test_nothing_crosses(guarded: Guarded) -> None:
    """PLA-01 PLA-02 PLA-03: threads, runs, memories, documents, store items, assistants, cron jobs and traces.

    Hers are read before and after with her own key: she sees them all, unchanged.
    """
    rows = await server_isolation.run(guarded.server.url, guarded.tokens)
    assert len(rows) >= 60 and {row.kind for row in rows} > KINDS
    assert [(row.attempt, row.got) for row in rows if row.leaked] == []


def test_the_table_is_current() -> None:
    """PLA-03: docs/reports/server_isolation.md lists these attempts, none of which got anything."""
    page = (Path(__file__).parents[2] / "docs" / "reports" / "server_isolation.md").read_text(encoding="utf-8")
    missing = [one.what for one in attempts() if f"| {crossing.cell(one.what)} |" not in page]
    assert missing == [] and "| NO |" not in page
