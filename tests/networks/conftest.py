"""The port that the tool is tried on: the fake, and every adapter, with equal results."""

import pytest

from tests.gemini.fixtures import gemini, gemini_server
from tests.networks.rig import NetworkRig, fake_clinic

__all__ = ["gemini", "gemini_server"]


@pytest.fixture(params=["fake"])
async def rig(request: pytest.FixtureRequest) -> NetworkRig:
    """A session with the network `clinic` behind each port."""
    return NetworkRig(fake_clinic())
