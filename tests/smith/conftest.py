"""The recording LangSmith, and an agent on a small story that traces to it."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import langsmith
import pytest

from tests.fakes import FakeEmbedder
from tests.langsmith_service.server import LangSmithServer
from tests.small_story import Opening, opened_on_story
from wenmai.app.container import Services

KEY = "lsv2_pt_0123456789abcdef0123456789abcdef"


@pytest.fixture
def smith() -> Iterator[LangSmithServer]:
    """A fresh record."""
    server = LangSmithServer().start()
    yield server
    server.stop()


@pytest.fixture
def opening(smith: LangSmithServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opening]:
    """What opens an agent that traces; what langsmith keeps for the process is put back."""
    monkeypatch.setattr(Services, "embedder", FakeEmbedder())
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    traced = {"langsmith_endpoint": smith.url, "langsmith_api_key": KEY, "langsmith_project": "tests"}
    yield partial(opened_on_story, tmp_path, **traced)
    langsmith.configure(client=None, enabled=None, project_name=None)
