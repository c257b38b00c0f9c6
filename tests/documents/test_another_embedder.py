"""A question to documents or memories that were embedded by another model: what to do is said before the run."""

import asyncio
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

import wenmai
from tests.embedders.tiny import write_folder
from tools.errors import EmbedderMismatch


def agent_with(folder: Path, model: Path) -> AbstractAsyncContextManager[wenmai.Agent]:
    """Open an agent that embeds by a model."""
    return wenmai.open_agent(
        data_dir=folder / "data", trace_dir=folder / "traces", google_api_key=None, embedding_model=str(model)
    )


async def test_what_another_embedder_made_is_not_searched(tmp_path: Path) -> None:
    """PLA-10: neither an apology nor 未能找到, but one line that names both embedders and the remedy."""
    first, second = write_folder(tmp_path / "first"), write_folder(tmp_path / "second", dimension=16)
    file = tmp_path / "灯塔.md"
    await asyncio.to_thread(file.write_text, "灯塔停在海上，夜里有雾。", encoding="utf-8")
    async with agent_with(tmp_path, first) as agent:
        await agent.upload(file, thread_id="t1", user_id="甲")
        await agent.services.memory_service.add("甲", "我喜欢灯塔。")
    async with agent_with(tmp_path, second) as agent:
        for mode in ("rag", "agent"):
            with pytest.raises(EmbedderMismatch, match=r"first@.*8 维.*second@.*16 维.*reembed --documents"):
                await agent.ask("灯塔停在哪里？", thread_id="t1", user_id="甲", toolkits=["documents"], mode=mode)
        with pytest.raises(EmbedderMismatch, match="reembed --memories"):
            await agent.ask("我喜欢什么？", user_id="甲", toolkits=["memory"])
        with pytest.raises(EmbedderMismatch):
            await agent.upload(file, thread_id="t2", user_id="甲")
        assert [one.filename for one in await agent.documents(thread_id="t1", user_id="甲")] == ["灯塔.md"]
