"""`Agent.recall`: memories from Python, on the real engine."""

from pathlib import Path

from wenmai.agent import open_agent

TOLD = {"source": "turn", "library": "novel", "as_of": None}


async def test_the_guard_of_a_recall_from_python(tmp_path: Path) -> None:
    """MEM-02 STO-19: what a turn without a guard taught of a story is hidden from a guarded recall, and only there."""
    async with open_agent(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces") as agent:
        add = agent.services.memory_service.add
        await add("甲", "石敢的结局：他救下了孟鸢", memory_key="ending", memory_type="summary", content_metadata=TOLD)
        await add("甲", "我喜欢石敢这个人物", memory_key="liking")
        guarded = await agent.recall("石敢的结局", "甲", library="novel", as_of_chapter=1)
        whole = await agent.recall("石敢的结局", "甲", library="novel")
    assert "ending" not in {row["memory_key"] for row in guarded["memories"]}
    assert "ending" in {row["memory_key"] for row in whole["memories"]}
