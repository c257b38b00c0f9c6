"""A collector, a chat service, and a small story that an agent answers from."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import FakeEmbedder
from tests.gemini.fixtures import gemini, gemini_server
from tests.openai_service.fixtures import openai, openai_server, service
from tests.telemetry.collector import Collector
from wenmai.agent import Agent, open_agent
from wenmai.app.container import Services
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import load_settings

__all__ = ["gemini", "gemini_server", "openai", "openai_server", "service"]

TOKEN = "knowledge-token-of-the-deployment"
STORY = """第一回 雾港初遇

清晨，陆沉舟走进雾港的码头，遇见了卖灯的姑娘苏晚照。苏晚照的哥哥苏晚亭是灯塔的守塔人。
"""
Opening = Callable[..., AbstractAsyncContextManager[Agent]]


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

    @asynccontextmanager
    async def opened(**settings: Any) -> AsyncIterator[Agent]:
        places = {"data_dir": tmp_path / "data", "trace_dir": tmp_path / "traces"}
        story = tmp_path / "story.txt"
        story.write_text(STORY, encoding="utf-8")
        async with open_agent(load_settings(**places, knowledge_network_token=TOKEN, **settings)) as agent:
            await ingest(
                IngestRequest(path=story, library="river"),
                stores=agent.services.stores,
                embedder=agent.services.embedder,
                tagger=agent.services.reader,
            )
            yield agent

    return opened
