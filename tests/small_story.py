"""An agent on a story of three sentences, for tests that watch what it sends."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from wenmai.agent import Agent, open_agent
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import load_settings

TOKEN = "knowledge-token-of-the-deployment"
STORY = """第一回 雾港初遇

清晨，陆沉舟走进雾港的码头，遇见了卖灯的姑娘苏晚照。苏晚照的哥哥苏晚亭是灯塔的守塔人。
"""
Opening = Callable[..., AbstractAsyncContextManager[Agent]]


@asynccontextmanager
async def opened_on_story(folder: Path, **settings: Any) -> AsyncIterator[Agent]:
    """Open an agent below a folder, with the story in its library `river`."""
    places = {"data_dir": folder / "data", "trace_dir": folder / "traces"}
    story = folder / "story.txt"
    story.write_text(STORY, encoding="utf-8")
    async with open_agent(load_settings(**places, knowledge_network_token=TOKEN, **settings)) as agent:
        await ingest(
            IngestRequest(path=story, library="river"),
            stores=agent.services.stores,
            embedder=agent.services.embedder,
            tagger=agent.services.reader,
        )
        yield agent
