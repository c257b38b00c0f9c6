"""The recording LangSmith, and an agent on a small story that traces to it."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import langsmith
import pytest

from tests.fakes import FakeEmbedder
from tests.langsmith_service.server import LangSmithServer
from wenmai.agent import Agent, open_agent
from wenmai.app.container import Services
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import load_settings

KEY = "lsv2_pt_0123456789abcdef0123456789abcdef"
TOKEN = "knowledge-token-of-the-deployment"
STORY = """第一回 雾港初遇

清晨，陆沉舟走进雾港的码头，遇见了卖灯的姑娘苏晚照。苏晚照的哥哥苏晚亭是灯塔的守塔人。
"""
Opening = Callable[..., AbstractAsyncContextManager[Agent]]


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

    @asynccontextmanager
    async def opened(**settings: Any) -> AsyncIterator[Agent]:
        known = load_settings(
            data_dir=tmp_path / "data",
            trace_dir=tmp_path / "traces",
            langsmith_endpoint=smith.url,
            langsmith_api_key=KEY,
            langsmith_project="tests",
            knowledge_network_token=TOKEN,
            **settings,
        )
        story = tmp_path / "story.txt"
        story.write_text(STORY, encoding="utf-8")
        async with open_agent(known) as agent:
            await ingest(
                IngestRequest(path=story, library="river"),
                stores=agent.services.stores,
                embedder=agent.services.embedder,
                tagger=agent.services.reader,
            )
            yield agent

    yield opened
    langsmith.configure(client=None, enabled=None, project_name=None)
