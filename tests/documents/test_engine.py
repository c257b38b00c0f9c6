"""The document tools and both modes on Qdrant Edge: what the fake shows holds there too (PLA-28)."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import wenmai
from tests.documents.desk import HANDBOOK, USER, Desk
from tests.documents.test_tools import ALIEN, LISTS, MINE, OTHERS, run
from wenmai.stores.edge.collections import edge_documents


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    store = edge_documents(tmp_path, "fake")
    desk = Desk(documents=store)
    await desk.stock()
    yield desk
    await store.close()


async def test_the_tools_on_the_engine(desk: Desk) -> None:
    """S004-07 S004-08 S004-09: the shapes and the best rows are those of the fake."""
    fake = Desk()
    await fake.stock()
    semantic = {"query": "年假有几天", "top_k": 1}
    ours, theirs = await run(desk, "semantic_search", semantic), await run(fake, "semantic_search", semantic)
    assert ours["chunks"][0]["content"] == theirs["chunks"][0]["content"] == HANDBOOK[0]
    assert ours["chunks"][0]["score"] == pytest.approx(theirs["chunks"][0]["score"], abs=1e-3)
    keywords = {"keywords": "FIN-2071 报销"}
    assert await run(desk, "keyword_search", keywords) == await run(fake, "keyword_search", keywords)
    assert await run(desk, "list_documents", {}) == await run(fake, "list_documents", {})


@pytest.mark.parametrize("tool", LISTS)
async def test_isolation_on_the_engine(desk: Desk, tool: str) -> None:
    """DOC-07 S004-13: each session sees its own file of the name and no other's, forged arguments or not."""
    args = {"query": "年假 ZETA-9", "keywords": "年假", "top_k": 20, "session_id": "t2", "user_id": "乙"}
    mine = json.dumps((await run(desk, tool, args, MINE))[LISTS[tool]], ensure_ascii=False)
    theirs = json.dumps((await run(desk, tool, args, OTHERS))[LISTS[tool]], ensure_ascii=False)
    alien = json.dumps((await run(desk, tool, args, ALIEN))[LISTS[tool]], ensure_ascii=False)
    assert "ZETA" not in mine and "十五天" not in theirs and "手册.pdf" not in alien
    assert "手册.pdf" in mine and "手册.pdf" in theirs


@pytest.mark.parametrize("mode", ["rag", "agent"])
async def test_two_sessions_at_once_on_the_engine(desk: Desk, mode: str) -> None:
    """DOC-07: runs of two sessions beside each other never meet."""

    async def one(number: int) -> None:
        user, thread, secret = (USER, "t1", "ZETA") if number % 2 else ("乙", "t2", "十五天")
        result = await desk.ask("年假有几天？", thread, user_id=user, mode=mode)
        assert secret not in str(result) and "手册.pdf" in {piece["source"] for piece in result["evidence"]}

    for _ in range(3):
        await asyncio.gather(one(0), one(1))


async def test_get_context_chunks_of_an_agent(tmp_path: Path) -> None:
    """S004-22: question and session give texts; a session without documents gives none."""
    async with wenmai.open_agent(data_dir=tmp_path / "d", trace_dir=tmp_path / "t", google_api_key=None) as agent:
        texts = Desk(documents=agent.services.documents, embedder=agent.services.embedder)  # type: ignore[arg-type]  # the real one
        await texts.put("手册.pdf", *HANDBOOK)
        assert (await agent.get_context_chunks("年假有几天？", "t1", 1, user_id=USER)) == [HANDBOOK[0]]
        assert await agent.get_context_chunks("年假有几天？", "t2", user_id=USER) == []
