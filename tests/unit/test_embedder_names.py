"""The name of a model from files is a hash of it: it is reckoned beside the event loop."""

import threading
from pathlib import Path

import pytest
from starlette.applications import Starlette

from state.context import Context
from tools.errors import ConfigError, LibraryNotFound
from wenmai.app.container import Services
from wenmai.settings.settings import load_settings
from wenmai.web import app as entry


class Slow:
    """An embedder that notes who asks for its name first, as one that hashes its files would be held up by it."""

    def __init__(self, error: ConfigError | None = None) -> None:
        self.error = error
        self.asked: list[threading.Thread] = []

    @property
    def name(self) -> str:
        self.asked.append(threading.current_thread())
        if self.error:
            raise self.error
        return "onnx/slow@0"

    @property
    def dimension(self) -> int:
        return 8

    async def close(self) -> None:
        """Hold nothing."""


@pytest.fixture
def services(tmp_path: Path) -> Services:
    """Services with a model from files."""
    return Services(load_settings(_env_file=None, data_dir=tmp_path / "data", embedding_model=str(tmp_path)))


async def test_a_library_is_opened_without_holding_up_others(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PLA-10: other questions go on while the first one learns which model it has."""
    embedder = Slow()
    monkeypatch.setattr(Services, "embedder", embedder)
    with pytest.raises(LibraryNotFound):
        await services.opening.open_library("river")
    await services.close()
    assert embedder.asked[0] is not threading.current_thread()


async def test_documents_are_opened_without_holding_up_others(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PLA-10: the store of documents is named after the model."""
    embedder = Slow()
    monkeypatch.setattr(Services, "embedder", embedder)
    await services.opening.open_documents(Context(toolkits=["documents"]))
    await services.close()
    assert embedder.asked[0] is not threading.current_thread()


@pytest.mark.parametrize("error", [None, ConfigError("没有 model.onnx")])
async def test_a_server_learns_it_at_its_start(
    services: Services, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: ConfigError | None
) -> None:
    """PLA-10: before the first question; a model that is missing is said, and what needs none goes on."""
    embedder = Slow(error)
    monkeypatch.setattr(Services, "embedder", embedder)
    monkeypatch.setattr("wenmai.app.container.process_services", lambda: services)
    async with entry.lifespan(Starlette()):
        assert embedder.asked and threading.current_thread() not in embedder.asked
    assert ("没有 model.onnx" in caplog.text) is (error is not None)
