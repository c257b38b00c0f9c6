"""One rig a test; the loopback services for what needs them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.gemini.fixtures import gemini, gemini_server
from tests.openai_service.fixtures import openai, openai_server, service
from tests.recall.rig import RecallRig, remembering

__all__ = ["gemini", "gemini_server", "openai", "openai_server", "service"]


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[RecallRig]:
    """A recall over an empty store of the real engine."""
    async with remembering(tmp_path) as made:
        yield made
