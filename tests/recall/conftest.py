"""One rig a test; the loopback Gemini for what needs it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.gemini.fixtures import gemini, gemini_server
from tests.recall.rig import RecallRig, remembering

__all__ = ["gemini", "gemini_server"]


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[RecallRig]:
    """A recall over an empty store of the real engine."""
    async with remembering(tmp_path) as made:
        yield made
