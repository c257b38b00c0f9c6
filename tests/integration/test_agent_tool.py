"""`agent.tool`: the tools of MCP in Python."""

from pathlib import Path

from tests.temporary import copied
from wenmai.agent import open_agent

SAMPLE = {"library": "sample"}


async def test_tools_in_python(prepared: Path, tmp_path: Path) -> None:
    """Stories under the guard, whole questions, memories of the named user; errors in the form of the tool."""
    folder = copied(prepared, tmp_path / "python")
    async with open_agent(data_dir=folder / "data", trace_dir=folder / "traces") as agent:
        found = await agent.tool("vector_search", query="灯塔", **SAMPLE)
        assert any("灯塔" in one["text"] for one in found["evidence"])
        early = await agent.tool("vector_search", query="灯塔", as_of_chapter=1, **SAMPLE)
        assert early["evidence"] and all(one["chapter"] <= 1 for one in early["evidence"])
        asked = await agent.tool("ask", question="苏晚亭是谁？", **SAMPLE)
        assert "守塔人" in asked["answer"]
        nobody = await agent.tool("search_memories", query="端口", search_mode="semantic", user_id=None)
        assert nobody["error_code"] == "permission_denied"
        alice = await agent.tool("search_memories", user_id="alice", query="端口", search_mode="semantic")
        assert alice["success"] and alice["total_found"] == 0
        assert "nope" in (await agent.tool("vector_search", query="灯塔", library="nope"))["error"]
        assert "Unknown tool" in (await agent.tool("nothing"))["error"]
