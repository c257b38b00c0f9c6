"""Attempts of one user to get at another's memories, each on the real engine (benchmarks/isolation.py)."""

from pathlib import Path

import pytest

from benchmarks import crossing, isolation
from benchmarks.isolation_attempts import attempts
from tests.fakes import FakeEmbedder
from wenmai.app.container import Services
from wenmai.settings.settings import load_settings


async def test_nothing_crosses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-01 PLA-03 MEM-06 S002-29 S002-D23: forged keys, named users, injections, obeying models, caches, threads."""
    monkeypatch.setattr(Services, "embedder", FakeEmbedder())
    rows = await isolation.run(load_settings(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces"))
    assert len(rows) >= 40 and {row.kind for row in rows} >= {"forged key", "injection", "prompt injection", "cache"}
    assert [row.attempt for row in rows if row.leaked] == []


def test_the_table_is_current() -> None:
    """MEM-06: docs/reports/isolation.md lists these attempts, none of which got anything."""
    page = (Path(__file__).parents[2] / "docs" / "reports" / "isolation.md").read_text(encoding="utf-8")
    listed = [crossing.cell(one.what) for one in attempts()]
    assert all(f"| {what} |" in page for what in listed) and "| NO |" not in page
