"""`agent.tool`: the tools of MCP in Python."""

from itertools import chain
from pathlib import Path

from tests.temporary import copied
from tools.toolboxes import TOOLKITS
from wenmai.agent import open_agent

SAMPLE = {"library": "sample"}


async def test_tools_in_python(prepared: Path, tmp_path: Path) -> None:
    """Stories under the guard, whole questions, memories of the named user; errors in the form of the tool."""
    folder = copied(prepared, tmp_path / "python")
    async with open_agent(data_dir=folder / "data", trace_dir=folder / "traces") as agent:
        listed = {one.name: one for one in await agent.tools()}
        assert {*chain.from_iterable(TOOLKITS[kit] for kit in ("story", "narrative"))} <= listed.keys()
        assert all(one.description and one.arguments["properties"] for one in listed.values())
        assert listed["vector_search"].arguments["required"] == ["query", "library"]
        assert listed["vector_search"].results
        found = await agent.tool("vector_search", query="灯塔", **SAMPLE)
        assert any("灯塔" in one["text"] for one in found["evidence"])
        early = await agent.tool("vector_search", query="灯塔", as_of_chapter=1, **SAMPLE)
        assert early["evidence"] and all(one["chapter"] <= 1 for one in early["evidence"])
        asked = await agent.tool("ask", question="苏晚亭是谁？", **SAMPLE)
        assert "守塔人" in asked["answer"]
        nobody = await agent.tool("search_memories", query="端口", search_mode="semantic")
        assert nobody["error_code"] == "permission_denied"
        alice = await agent.tool("search_memories", user_id="alice", query="端口", search_mode="semantic")
        assert alice["success"] and alice["total_found"] == 0
        assert "nope" in (await agent.tool("vector_search", query="灯塔", library="nope"))["error"]
        assert "Unknown tool" in (await agent.tool("nothing"))["error"]
