"""The offline agent over the sample network."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from wenmai.agent import Agent, open_agent
from wenmai.app.sample import NETWORK, sample_folder
from wenmai.knowledge.files import read_network
from wenmai.stores.networks.local import KnowledgeFolders, import_content

NOT_FOUND = "抱歉，未能找到相关信息。"
HARBOR: dict[str, Any] = {"toolkits": ["knowledge"], "kn_ids": [NETWORK]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample network, imported."""
    made = tmp_path_factory.mktemp("harbor")
    import_content(KnowledgeFolders(made), read_network(sample_folder() / NETWORK, None), lambda done, total: None)
    return made


@pytest.fixture
async def agent(folder: Path, tmp_path: Path) -> AsyncIterator[Agent]:
    """The offline agent over it; no library is there."""
    async with open_agent(data_dir=folder, trace_dir=tmp_path, google_api_key=None) as opened:
        yield opened


async def said(agent: Agent, question: str, thread: str | None = None) -> dict[str, Any]:
    """Ask, and return the record."""
    return (await agent.ask(question, thread_id=thread, **HARBOR)).record


async def played(agent: Agent, talk: Sequence[tuple[str, str, str]]) -> None:
    """Ask a talk's questions in one thread; each must be resolved to a text, and its answer must tell something."""
    for question, asked, told in talk:
        record = await said(agent, question, "t1")
        assert record["resolved_question"] == asked and told in record["answer"], question
