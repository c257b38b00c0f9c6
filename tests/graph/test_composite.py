"""A composite question through the whole graph with the real story tools."""

from dataclasses import replace
from typing import Any

from langchain_core.messages import ToolMessage

from graph.builder import build_graph
from nodes.roles import Mind
from tests.graph.rig import Rig, ScriptedPlanner, calls, config, run_context, says, stop, strict_saver
from tests.shipped import shipped_reader
from tests.unit.tools.world import TEXTS, World
from tools.story.names import EntityLinker
from tools.toolboxes import toolbox_for
from wenmai.minds.offline.mind import offline_mind

QUESTION = "恰斯卡和卡齐娜的关系如何演变？"
TRIPLE = "恰斯卡 --friend_of--> 卡齐娜"
SCENES = [TEXTS[1][2], TEXTS[4][2], TEXTS[5][2]]  # where 恰斯卡 stands: chapters 1 and 4, then chapter 1 of part 2


async def asked(world: World, rig: Rig, mind: Mind) -> dict[str, Any]:
    """Ask the question with the toolkit `story` over the world's stores."""
    await world.stock()
    tools = world.tools()
    parts = replace(
        rig.parts(),
        mind=mind,
        linker=EntityLinker(world.graph),
        toolboxes=lambda toolkits: toolbox_for(toolkits, tools),
    )
    graph = build_graph(parts, strict_saver())
    given: Any = {"messages": [{"role": "user", "content": QUESTION}]}
    output = await graph.ainvoke(given, config(), context=run_context(toolkits=["story"]))
    result: dict[str, Any] = output["result"]
    return result


async def test_composite_as_the_model_calls_it() -> None:
    """S000-38: graph_search shows the triple, track_entity the scenes in order, stop; then the draft."""
    turns = [
        calls(("graph_search", {"entity": "恰斯卡", "relation": None, "depth": 2})),
        calls(("track_entity", {"entity": "恰斯卡", "chapter_range": [1, 10]})),
        stop(),
        says("恰斯卡与卡齐娜一见如故。[E1]"),
    ]
    rig = Rig(planner=ScriptedPlanner(turns))
    result = await asked(World(), rig, rig.parts().mind)
    last = rig.planner.history[3]
    network, journey, stopped = [message.text for message in last.transcript if isinstance(message, ToolMessage)]
    assert TRIPLE in network
    places = [journey.index(scene) for scene in SCENES]
    assert places == sorted(places)
    assert "检索已停止" in stopped and last.draft_only
    assert [(call["tool"], call["ok"]) for call in result["tool_calls"]] == [
        ("graph_search", True),
        ("track_entity", True),
        ("stop", True),
    ]
    assert result["passed"] and result["answer"] == "恰斯卡与卡齐娜一见如故。[1]"


async def test_composite_as_the_offline_mind_calls_it() -> None:
    """S000-38 LOP-09: the offline planner begins with the same two calls, stops, and answers from their results."""
    world = World()
    await world.stock()
    rig = Rig()
    result = await asked(
        world, rig, offline_mind(EntityLinker(world.graph), world.passages, world.embedder, reader=shipped_reader)
    )
    first = [call for call in result["tool_calls"] if call["attempt"] == 1]
    assert [(call["tool"], call["args"]) for call in first[:2]] == [
        ("graph_search", {"entity": "恰斯卡"}),
        ("track_entity", {"entity": "恰斯卡"}),
    ]
    assert first[-1]["tool"] == "stop"
    journey = first[1]
    assert (journey["ok"], journey["items"]) == (True, len(SCENES))
    assert {piece["kind"] for piece in result["evidence"]} == {"passage", "relation"}
    assert "卡齐娜" in result["answer"] and result["citations"]
