"""Readiness of the server of checkpoints, and how many libraries are in which state."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.integration.live_server import free_port
from tools.errors import LibraryNotFound, StoreCorrupt, StoreLocked
from wenmai.app.readiness import Looks, checkpoints_down
from wenmai.settings.settings import validate_config


async def test_checkpoints_in_the_data_folder() -> None:
    """There is no server to ask; the disk is looked at elsewhere."""
    assert await checkpoints_down(validate_config()) == {}


async def test_a_server_that_is_down() -> None:
    """It is named, without its address."""
    settings = validate_config(postgres_uri=f"postgresql://u:p@127.0.0.1:{free_port()}/x")
    assert await checkpoints_down(settings) == {"checkpoints": True}


async def test_states_of_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-63: one that is deleted meanwhile is not counted, a corrupt one is broken; one look in a while."""
    faults = {"gone": LibraryNotFound("gone"), "corrupt": StoreCorrupt("corrupt"), "taken": StoreLocked("taken")}
    looks = list[None]()

    async def libraries() -> list[Any]:
        looks.append(None)
        return [SimpleNamespace(name=name, problem=None) for name in (*faults, "whole")]

    async def is_unfinished(catalog: Any, info: Any) -> bool:
        if info.name in faults:
            raise faults[info.name]
        return False

    monkeypatch.setattr("wenmai.ingestion.library.known_state.is_unfinished", is_unfinished)
    engines: Any = SimpleNamespace(catalog=SimpleNamespace(libraries=libraries), spoilt={}, losses={})
    known = Looks(engines)
    counts = [await known.library_states() for _ in range(2)][-1]
    assert {state: count for state, count in counts.items() if count} == {"ready": 1, "in_use": 1, "broken": 1}
    assert len(looks) == 1
