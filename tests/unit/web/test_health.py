"""Readiness of the server of checkpoints."""

from tests.integration.live_server import free_port
from wenmai.app.readiness import checkpoints_down
from wenmai.settings.settings import validate_config


async def test_checkpoints_in_the_data_folder() -> None:
    """There is no server to ask; the disk is looked at elsewhere."""
    assert await checkpoints_down(validate_config()) == {}


async def test_a_server_that_is_down() -> None:
    """It is named, without its address."""
    settings = validate_config(postgres_uri=f"postgresql://u:p@127.0.0.1:{free_port()}/x")
    assert await checkpoints_down(settings) == {"checkpoints": True}
