"""A forgotten memory leaves the threads that PostgreSQL keeps, as those of SQLite (memory.md §2)."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import empty_checkpoint

from tests.contracts.postgres import emptied
from tests.unit.memories.test_forgetting import OTHER, SECRET, House
from wenmai.checkpoints.postgres import open_postgres_checkpoints
from wenmai.memories.forgetting import Forgetting, ForgottenCounts
from wenmai.memories.postgres_threads import clean_postgres_threads

EVIDENCE = [{"id": "secret", "kind": "memory", "text": SECRET}, {"id": "p", "kind": "passage", "text": "原文"}]


@pytest.fixture
def uri() -> str:
    return emptied()


@pytest.fixture
async def house(tmp_path: Path, uri: str) -> AsyncIterator[House]:
    made = House(tmp_path)
    made.forget = Forgetting(
        made.keeper, made.store.collection, partial(clean_postgres_threads, uri), made.traces, made.caches.count
    )
    await made.keeper.add("甲", SECRET, memory_key="secret")
    await made.keeper.add("甲", OTHER, memory_key="other")
    yield made
    await made.store.close()


async def thread(uri: str, name: str, owner: str, answer: str) -> None:
    """Keep a turn of a thread that recalled a memory."""
    values: dict[str, Any] = {
        "owner": owner,
        "question": f"{answer}？",
        "messages": [HumanMessage(content="密码在哪"), AIMessage(content=f"你说过：{answer}。")],
        "evidence": EVIDENCE,
    }
    versions: dict[str, Any] = dict.fromkeys(values, f"1.{name}")
    point: Any = {**empty_checkpoint(), "channel_values": values, "channel_versions": versions}
    async with open_postgres_checkpoints(uri) as saver:
        config: Any = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
        saved = await saver.aput(config, point, {}, versions)
        await saver.aput_writes(saved, [("draft", answer)], "task")


async def kept(uri: str, name: str) -> dict[str, Any]:
    async with open_postgres_checkpoints(uri) as saver:
        found = await saver.aget_tuple({"configurable": {"thread_id": name}})
    assert found is not None
    return {**found.checkpoint["channel_values"], "writes": found.pending_writes}


async def test_threads_lose_what_was_forgotten(house: House, uri: str) -> None:
    """MEM-04 PLA-03: values, plain values and pending writes of the user's threads, and of nobody else's."""
    await thread(uri, "t1", "甲", SECRET)
    await thread(uri, "t2", "甲", OTHER)
    await thread(uri, "t9", "乙", SECRET)
    assert await house.forget("甲", ["secret"]) == ForgottenCounts(memories=1, threads=2, traces=0)
    values = await kept(uri, "t1")
    assert [row["id"] for row in values["evidence"]] == ["p"]
    assert (values["messages"][1].content, values["question"]) == ("你说过：[已删除]。", "[已删除]？")
    assert [value for _, _, value in values["writes"]] == ["[已删除]"]
    assert (await kept(uri, "t2"))["question"] == f"{OTHER}？"
    assert (await kept(uri, "t9"))["question"] == f"{SECRET}？"


async def test_a_database_without_threads(house: House, uri: str) -> None:
    """MEM-04: before the first thread there is none to clean."""
    assert await house.forget("甲", ["secret"]) == ForgottenCounts(memories=1, threads=0, traces=0)
    with psycopg.connect(uri) as base:
        assert base.execute("SELECT to_regclass('checkpoints')").fetchone() == (None,)
