"""A real LangGraph server: the steps of the newest turns, replay, forks, interrupts, and RemoteGraph."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.integration.live_server import LiveServer

pytestmark = pytest.mark.costly

WHO: dict[str, Any] = {"messages": [{"role": "user", "content": "苏晚亭是谁？"}]}
OTHER = "谁把铜罗盘送给了苏晚照？"
STEPS = ["resolve_pronouns", "plan", "tool_call", "plan", "grade", "answer"]


@pytest.fixture
async def client(server: LiveServer) -> AsyncIterator[LangGraphClient]:
    """A client of the server."""
    async with get_client(url=server.url) as sdk:
        yield sdk


async def asked(client: LangGraphClient, turns: int = 1) -> str:
    """Return a thread with turns."""
    thread = (await client.threads.create())["thread_id"]
    for _ in range(turns):
        await client.runs.wait(thread, "agent", input=WHO)
    return thread


async def test_the_steps_of_the_newest_turns_stay(client: LangGraphClient) -> None:
    """PLA-35: of seven turns five have their steps, all their ends."""
    history = await client.threads.get_history(await asked(client, 7), limit=100)
    ends = [state for state in history if not state["next"]]
    assert len(ends) == 7 and len(history) == 2 + 5 * (len(STEPS) + 2)


async def test_a_turn_is_replayed_from_before_a_node(client: LangGraphClient) -> None:
    thread = await asked(client)
    graded = next(one for one in await client.threads.get_history(thread) if one["next"] == ["grade"])
    updates = [
        list(part.data)
        async for part in client.runs.stream(
            thread, "agent", input=None, checkpoint=graded["checkpoint"], stream_mode="updates"
        )
        if part.event == "updates"
    ]
    assert updates == [["grade"], ["answer"]]


async def test_a_fork_goes_on_with_a_changed_state(client: LangGraphClient) -> None:
    thread = await asked(client)
    history: Any = await client.threads.get_history(thread)
    planned = next(one for one in history if one["next"] == ["plan"] and not dict(one["values"])["tool_calls"])
    forked: Any = await client.threads.update_state(
        thread, {"resolved_question": OTHER}, checkpoint=planned["checkpoint"]
    )
    output: Any = await client.runs.wait(thread, "agent", input=None, checkpoint=forked["checkpoint"])
    assert "陆沉舟" in output["result"]["answer"]


async def test_a_run_stops_before_a_node_and_goes_on(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "agent", input=WHO, interrupt_before=["grade"])
    stopped: Any = await client.threads.get_state(thread)
    assert stopped["next"] == ["grade"]
    output: Any = await client.runs.wait(thread, "agent", input=None)
    assert "守塔人" in output["result"]["answer"]


async def test_a_remote_graph_is_asked_like_a_local_one(client: LangGraphClient) -> None:
    remote = RemoteGraph("agent", client=client)
    output: Any = await remote.ainvoke(WHO, context={"library": "sample"})
    assert "守塔人" in output["result"]["answer"]
    drawn = await remote.aget_graph()
    assert set(STEPS) < set(drawn.nodes) and not any("error_handler" in name for name in drawn.nodes)


async def test_a_message_that_comes_again_is_a_new_question(client: LangGraphClient) -> None:
    """PLA-13."""
    remote = RemoteGraph("agent", client=client)
    thread: Any = {"configurable": {"thread_id": (await client.threads.create())["thread_id"]}}
    for question in ("苏晚亭是谁？", OTHER):
        message = {"role": "user", "content": question, "id": "q-1"}
        output: Any = await remote.ainvoke({"messages": [message]}, thread, context={"library": "sample"})
        assert output["result"]["question"] == question
    assert [one["type"] for one in output["messages"]] == ["human", "ai"] * 2
