"""A collector, a chat service, and a small story that an agent answers from."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.fakes import FakeEmbedder
from tests.gemini.fixtures import gemini, gemini_server
from tests.openai_service.fixtures import openai, openai_server, service
from tests.small_story import Opening, opened_on_story
from tests.telemetry.collector import Collector
from wenmai.app.container import Services

__all__ = ["gemini", "gemini_server", "openai", "openai_server", "service"]


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A fresh record."""
    collector = Collector().start()
    yield collector
    collector.listening.stop()


@pytest.fixture
def opening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opening:
    """What opens an agent on a small story."""
    monkeypatch.setattr(Services, "embedder", FakeEmbedder())
    return partial(opened_on_story, tmp_path)
