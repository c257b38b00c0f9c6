"""Each target sets up what its command reads, so that it works by itself in a fresh clone."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON, PAGE = "touch .venv/.installed", "touch tests/page/node_modules/.installed"


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize(
    ("target", "needed"),
    [
        ("test", {PYTHON}),
        ("coverage", {PYTHON}),
        ("docs", {PYTHON}),
        ("wheel", {PYTHON}),
        ("release", {PYTHON}),
        ("lint", {PYTHON, PAGE}),
        ("test-page", {PYTHON, PAGE}),
        ("test-services", {PYTHON, PAGE, ".venv/bin/python -m devservers up"}),
    ],
)
def test_a_target_sets_up_what_it_needs(target: str, needed: set[str]) -> None:
    """PLA-141: its commands are only listed here, as where nothing was made yet."""
    command = ["make", "--dry-run", "--always-make", target]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert needed <= set(done.stdout.splitlines())
