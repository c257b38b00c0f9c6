"""What a server reports of its stores to a load balancer."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import FakeEmbedder
from tools.errors import LibraryNotFound, StoreLocked, StoreUnavailable
from wenmai.app import readiness
from wenmai.app.container import Services
from wenmai.app.readiness import stores_down
from wenmai.application.caller import Caller
from wenmai.application.settings import SettingsOperations
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import load_settings
from wenmai.stores.edge.passages import EdgePassageStore


@pytest.fixture
async def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Services]:
    """Services with a library of which no store has anything yet."""
    monkeypatch.setattr(Services, "embedder", FakeEmbedder())
    monkeypatch.setattr(readiness, "STORE_SECONDS", 60.0)  # a busy machine is no store that is down
    services = Services(load_settings(_env_file=None, data_dir=tmp_path / "data", trace_dir=tmp_path / "traces"))
    await services.catalog.create("river", "河", "fake", 8, "zh")
    yield services
    await services.close()


def failing(error: Exception) -> Any:
    async def fail(*args: Any) -> int:
        raise error

    return fail


async def test_a_store_that_is_down_is_named(
    services: Services, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """PLA-25: readiness names the store; why stands in the log alone."""
    monkeypatch.setattr(services.memories, "count", failing(StoreUnavailable("http://10.0.0.7:6333 是关的")))
    assert [name for name, is_down in (await stores_down(services)).items() if is_down] == ["memories"]
    assert "10.0.0.7" in caplog.text


async def test_every_store_is_asked(services: Services) -> None:
    """PLA-25: a library whose graph is still to be written makes no server unready."""
    down = await stores_down(services)
    assert set(down) == {"catalog", "passages", "story_graph", "memories", "documents", "disk"}
    assert not any(down.values())


@pytest.mark.parametrize("error", [StoreLocked("进程 7 正在写"), LibraryNotFound("没有名为 river 的资料库")])
async def test_a_store_that_somebody_writes_is_well(
    services: Services, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """PLA-25: an ingest beside the server, or before its end, is no reason to send questions elsewhere."""
    monkeypatch.setattr(services.passages, "count", failing(error))
    monkeypatch.setattr(services.graph, "counts", failing(error))
    assert not any((await stores_down(services)).values())


async def test_a_library_that_has_no_room_to_be_opened(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PLA-62: it is a warning while it is closed; the server is ready, and what is open is read on."""
    (tmp_path / "tale.txt").write_text("第一回 渡口\n\n阿满在渡口卖茶。", encoding="utf-8")
    request = IngestRequest(path=tmp_path / "tale.txt", library="tale")
    await ingest(request, stores=services.stores, embedder=services.embedder)
    monkeypatch.setattr("wenmai.stores.files.folder.OPENING_BYTES", 2**60)
    operations = SettingsOperations(services, Caller.local())
    assert (await operations.health()).warnings == []
    assert isinstance(services.passages, EdgePassageStore)
    await services.passages.release("tale")
    monkeypatch.setattr(readiness, "PAUSE_S", 0.0)
    found = await operations.health()
    assert found.ready and len(found.warnings) == 1 and "tale" in found.warnings[0] and "MB" in found.warnings[0]


@pytest.mark.parametrize("hangs", [True, False])
async def test_a_catalog_that_fails_is_down(services: Services, monkeypatch: pytest.MonkeyPatch, hangs: bool) -> None:
    """PLA-25: the catalog is asked once, within the time of every store, and its failure is an answer."""
    asked = 0

    async def libraries() -> list[Any]:
        nonlocal asked
        asked += 1
        if hangs:
            await asyncio.sleep(600)
        raise PermissionError("catalog.db")

    monkeypatch.setattr(readiness, "STORE_SECONDS", 3.0 if hangs else 60.0)
    monkeypatch.setattr(services.catalog, "libraries", libraries)
    async with asyncio.timeout(120):
        down = await stores_down(services)
    assert down["catalog"] and asked == 1 and "passages" not in down
