"""A forgotten memory is nowhere any more: store, files, checkpoints, traces (memory.md §2)."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import empty_checkpoint

from tests.fakes import FakeEmbedder
from tests.unit.memories.desk import NOON
from tools.errors import InputError, StoreFull
from tools.memory.service import MemoryService
from tools.recall.context import MemoryCaches
from wenmai.checkpoints.sqlite import open_checkpoints
from wenmai.language.segmenting import cut
from wenmai.memories.forgetting import Forgetting, ForgottenCounts
from wenmai.memories.threads import clean_threads
from wenmai.stores.edge.collections import edge_memories
from wenmai.stores.files.moving import COLLECTIONS, PENDING_FILE

SECRET = "生产库的密码放在老王的保险柜里，每周五轮换"
OTHER = "下周三去体检，早上不能吃饭"


class House:
    """The stores of a data folder, and threads and traces beside them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.traces = folder / "traces"
        self.traces.mkdir()
        self.store = edge_memories(folder, "fake")
        self.dropped: list[str] = []
        keys = (f"history-{n}" for n in range(100))
        self.keeper = MemoryService(
            self.store, FakeEmbedder(), cut, lambda: NOON, lambda: next(keys), self.dropped.append
        )
        self.caches = MemoryCaches()
        self.forget = Forgetting(
            self.keeper, self.store.collection, partial(clean_threads, folder), self.traces, self.caches.count
        )

    async def thread(self, thread: str, owner: str, answer: str, key: str = "secret") -> None:
        """Keep a turn of a thread that recalled a memory."""
        evidence = [{"id": key, "kind": "memory", "text": answer}, {"id": "p", "kind": "passage", "text": "原文"}]
        values: dict[str, Any] = {
            "owner": owner,
            "messages": [HumanMessage(content="密码在哪"), AIMessage(content=f"你说过：{answer}。")],
            "evidence": evidence,
            "result": {"answer": answer, "evidence": evidence},
        }
        point = {**empty_checkpoint(), "channel_values": values}
        async with open_checkpoints(self.folder) as saver:
            config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
            saved = await saver.aput(config, point, {}, {})  # type: ignore[arg-type]  # plain values
            await saver.aput_writes(saved, [("draft", answer)], "task")

    async def values(self, thread: str) -> dict[str, Any]:
        async with open_checkpoints(self.folder) as saver:
            found = await saver.aget_tuple({"configurable": {"thread_id": thread}})
            assert found is not None
            return {**found.checkpoint["channel_values"], "writes": found.pending_writes}

    def trace(self, name: str, thread: str | None, text: str) -> Path:
        path = self.traces / f"{name}.json"
        known = {"trace_id": name, "thread_id": thread, "final_response": text}
        path.write_text(json.dumps(known, ensure_ascii=False), "utf-8")
        return path

    def holds(self, text: str) -> list[str]:
        """Return the files of the folder in which a text stands."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return sorted(path.name for path in files if text.encode() in path.read_bytes())


@pytest.fixture
async def house(tmp_path: Path) -> Any:
    made = House(tmp_path)
    await made.keeper.add("甲", SECRET, memory_key="secret")
    await made.keeper.add("甲", OTHER, memory_key="other")
    yield made
    await made.store.close()


async def test_nothing_is_found_afterwards(house: House) -> None:
    """MEM-04: the receipt counts; the threads lose the evidence, quotes of it are [已删除], no file holds the text."""
    await house.thread("t1", "甲", SECRET)
    await house.thread("t2", "甲", OTHER, "other")
    mine, gone = house.trace("a", "t1", f"答：{SECRET}"), house.trace("b", "已清理的会话", f"secret：{SECRET}")
    assert await house.forget("甲", ["secret"]) == ForgottenCounts(memories=1, threads=1, traces=2)
    assert await house.keeper.history("甲", "secret") == []
    assert (await house.store.get("甲", ["other"]))[0].content == OTHER
    values = await house.values("t1")
    assert [row["id"] for row in values["evidence"]] == ["p"]
    assert values["messages"][1].content == "你说过：[已删除]。"
    assert values["result"]["answer"] == "[已删除]"
    assert [value for _, _, value in values["writes"]] == ["[已删除]"]
    assert json.loads(mine.read_text("utf-8"))["final_response"] == "答：[已删除]"
    assert SECRET not in gone.read_text("utf-8")
    assert (await house.values("t2"))["result"]["answer"] == OTHER
    assert house.holds(SECRET) == house.holds(SECRET[:12]) == []
    assert "甲" in house.dropped


async def test_other_users_keep_what_they_said(house: House) -> None:
    """MEM-06 PLA-03: the same key and the same words in another user's store, threads and traces stay."""
    await house.keeper.add("乙", SECRET, memory_key="secret")
    await house.thread("t1", "甲", SECRET)
    await house.thread("t9", "乙", SECRET)
    theirs = house.trace("c", "t9", SECRET)
    assert (await house.forget("甲", ["secret"])).threads == 1
    assert (await house.store.get("乙", ["secret"]))[0].content == SECRET
    assert (await house.values("t9"))["result"]["answer"] == SECRET
    assert json.loads(theirs.read_text("utf-8"))["final_response"] == SECRET


async def test_traces_of_recalls(house: House) -> None:
    """MEM-04 PLA-03: the trace of a recall belongs to the user whom it names, whatever thread it ran on."""
    found = json.dumps({"results": [{"memory_key": "secret", "content_preview": SECRET}]}, ensure_ascii=False)
    for user in ("甲", "乙"):
        trace: dict[str, Any] = {
            "trace_id": user,
            "user_id": user,
            "thread_id": None,
            "query": "密码",
            "tool_calls": [{"result": found}],
        }
        trace["recalled"] = {"memories": [{"memory_key": "secret", "content": SECRET}], "message": "- secret"}
        (house.traces / f"{user}.json").write_text(json.dumps(trace, ensure_ascii=False), "utf-8")
    assert (await house.forget("甲", ["secret"])).traces == 1
    mine, theirs = (json.loads((house.traces / f"{user}.json").read_text("utf-8")) for user in ("甲", "乙"))
    assert mine["recalled"]["memories"] == [] and SECRET not in mine["tool_calls"][0]["result"]
    assert theirs["recalled"]["memories"] and theirs["tool_calls"][0]["result"] == found


async def test_the_history_goes_along(house: House) -> None:
    """MEM-04 S002-D21: what a memory said before an update is forgotten with it."""
    await house.keeper.update("甲", "secret", content="密码现在由小李保管，每月换一次")
    await house.thread("t1", "甲", SECRET)
    assert await house.forget("甲", ["secret"]) == ForgottenCounts(memories=2, threads=1, traces=0)
    assert (await house.values("t1"))["result"]["answer"] == "[已删除]"
    assert house.holds(SECRET) == []


async def test_an_unknown_key_changes_nothing(house: House) -> None:
    """S002-08: unknown and foreign keys are the same error, also beside known ones."""
    await house.keeper.add("乙", "乙的", memory_key="theirs")
    for keys in (["无"], ["theirs"], ["secret", "无"]):
        with pytest.raises(InputError, match="未找到记忆："):
            await house.forget("甲", keys)
    assert (await house.store.get("甲", ["secret"]))[0].content == SECRET
    assert (await house.store.get("乙", ["theirs"]))[0].content == "乙的"


async def test_a_crash_before_the_rewrite_is_made_up_for(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """MEM-04: killed between deletion and rewrite, the next use of the store takes the text out of its files."""

    async def killed() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(house.store.collection, "rewrite", killed)
    with pytest.raises(KeyboardInterrupt):
        await house.forget("甲", ["secret"])
    await house.store.close()
    again = edge_memories(house.folder, "fake")
    assert [row.memory_key for row in await again.get("甲", ["secret", "other"])] == ["other"]
    await again.close()
    assert house.holds(SECRET) == []


async def test_on_a_full_disk_the_text_leaves_the_files_later(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """MEM-04: the memory is forgotten at once, and a deletion beside the rewriting of another keeps its own note."""

    def full(*given: object, **named: object) -> None:
        raise StoreFull("full")

    with monkeypatch.context() as disk:
        disk.setattr("wenmai.stores.edge.shards.require_space", full)
        receipt = await house.forget("甲", ["secret"])
        assert (receipt.memories, receipt.in_files) == (1, 1)
    assert house.holds(SECRET)
    await house.store.collection.clean()
    assert house.holds(SECRET) == []
    note = house.folder / COLLECTIONS / "memories" / PENDING_FILE
    assert not note.exists()
    await house.store.delete("甲", ["other"])
    assert note.exists()


async def test_the_receipt_counts_what_caches_kept(house: House) -> None:
    """S002-D16: the user's entries are counted, another user's are not."""
    for user in ("甲", "甲", "乙"):
        house.caches.contents.put(user, len(house.caches.contents), (await house.store.get("甲", ["secret"]))[0])
    assert (await house.forget("甲", ["secret"])).caches == 2
