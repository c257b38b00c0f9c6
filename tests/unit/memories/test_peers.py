"""What the benchmark of memories compares with (benchmarks/public/memory_peers.py)."""

from benchmarks.public.memory_peers import LangGraphMemory
from tests.fakes import FakeEmbedder
from tests.unit.memories.desk import NOON
from tools.memory.records import Memory


async def test_a_talk_that_says_the_same_twice() -> None:
    """LangGraph's store counts vectors: a text that stands twice in one batch would stop it."""
    store = LangGraphMemory(FakeEmbedder())
    texts = ("谢谢", "备份方案", "谢谢", "谢谢")
    await store.put(
        "甲", [Memory(memory_key=f"k{n}", user_id="甲", content=t, created_at=NOON) for n, t in enumerate(texts)]
    )
    assert sorted(await store.search("甲", "谢谢", 3)) == ["k0", "k2", "k3"]
    assert (await store.search("甲", "备份方案", 1)) == ["k1"]
