"""What a chat page built on LangGraph's SDK sees: text in pieces, calls as messages, citations in the message."""

import sqlite3
from functools import reduce
from operator import add
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk, convert_to_messages
from langgraph_sdk import get_client

from tests.integration.live_server import LiveServer

pytestmark = pytest.mark.costly

WHO, AFTERWARDS = "苏晚亭是谁？", "他后来认出了什么？"
CONTEXT: Any = {"library": "sample"}
# What `useStream` asks for where a page reads its messages and takes events of its own.
MODES: Any = ["values", "messages-tuple", "custom"]
CITATION_BYTES = 4_000  # most that annotations add to a turn's message


def asked(*questions: str) -> Any:
    return {"messages": [{"type": "human", "content": [{"type": "text", "text": one}]} for one in questions]}


async def streamed(server: LiveServer, thread: Any, question: str) -> list[tuple[str, Any]]:
    async with get_client(url=server.url) as sdk:
        run = sdk.runs.stream(
            thread, "agent", input=asked(question), context=CONTEXT, stream_mode=MODES, if_not_exists="create"
        )
        return [(part.event, part.data) async for part in run]


def merged(events: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages of a stream as a page keeps them: pieces of one id together, in order of appearance."""
    found: dict[str, Any] = {}
    for event, data in events:
        if event == "messages":
            message = data[0]
            known = found.get(message["id"])
            found[message["id"]] = (
                message if known is None else known | {"content": known["content"] + message["content"]}
            )
    return list(found.values())


async def test_what_a_page_shows(server: LiveServer) -> None:
    """PLA-37: each call with its result, then the answer in pieces; in the state question and answer alone."""
    async with get_client(url=server.url) as sdk:
        thread = (await sdk.threads.create())["thread_id"]
        events = await streamed(server, thread, WHO)
        state: Any = await sdk.threads.get_state(thread)
    shown = merged(events)
    calls = {call["id"]: call["name"] for one in shown for call in one.get("tool_calls") or ()}
    results = [one for one in shown if one["type"] == "tool"]
    assert "search_memory" in calls.values()
    assert sorted(calls.items()) == sorted((one["tool_call_id"], one["name"]) for one in results)
    assert all(one["status"] == "success" and one["content"] for one in results)
    pieces = [data[0] for event, data in events if event == "messages" and data[0]["type"] == "AIMessageChunk"]
    human, answer = state["values"]["messages"]
    assert len(pieces) > 2 and {one["id"] for one in pieces} == {answer["id"]}
    whole = reduce(
        add, (AIMessageChunk(**{key: one[key] for key in ("content", "id", "additional_kwargs")}) for one in pieces)
    )
    assert whole.text == answer["content"] and (human["type"], answer["type"]) == ("human", "ai")
    assert whole.additional_kwargs == answer["additional_kwargs"]
    assert answer["tool_calls"] == [] and "守塔人" in answer["content"]
    last_values = [data for event, data in events if event == "values"][-1]
    assert [one["id"] for one in last_values["messages"]] == [human["id"], answer["id"]]
    order = [event if event != "messages" else data[0]["type"] for event, data in events]
    assert order.index("tool") < order.index("AIMessageChunk")


async def test_citations_in_the_message(server: LiveServer) -> None:
    """PLA-37: LangChain's annotations, on the characters of each mark; they are small."""
    events = await streamed(server, None, WHO)
    values = [data for event, data in events if event == "values"][-1]
    (_, answer) = convert_to_messages(values["messages"])
    cited = answer.additional_kwargs["annotations"]
    assert [answer.text[one["start_index"] : one["end_index"]] for one in cited][:2] == ["[1]", "[2]"]
    citations = {one["n"]: one for one in values["result"]["citations"]}
    for one in cited:
        citation = citations[one["extras"]["n"]]
        assert (one["type"], one["cited_text"], one["title"]) == ("citation", citation["quote"], citation["label"])
        assert one["extras"]["evidence"] == citation["evidence"]
    assert len(str(cited).encode()) < CITATION_BYTES


async def test_nothing_of_a_stream_is_kept(server: LiveServer) -> None:
    """PLA-37: a streamed turn's checkpoints are as large as those of one that nobody watches; stateless, none stay."""
    sizes = {}
    async with get_client(url=server.url) as sdk:
        watched: tuple[Any, ...] = (MODES, ["updates"])
        for mode in watched:
            thread = (await sdk.threads.create())["thread_id"]
            for question in (WHO, AFTERWARDS):
                run = sdk.runs.stream(thread, "agent", input=asked(question), context=CONTEXT, stream_mode=mode)
                assert [part async for part in run]
            sizes[len(mode)] = kept(server, thread)
    assert 0 < sizes[3] < sizes[1] * 1.05
    before = kept(server)
    await streamed(server, None, WHO)
    assert kept(server) == before


async def test_a_question_after_a_cancelled_one(server: LiveServer) -> None:
    """PLA-13: what a page adds for calls that it has not seen end does not enter the session."""
    added = {"type": "tool", "id": "do-not-render-1", "tool_call_id": "call-1", "name": "x", "content": "Successfully."}
    async with get_client(url=server.url) as sdk:
        thread = (await sdk.threads.create())["thread_id"]
        given: Any = {"messages": [added, *asked(WHO)["messages"]]}
        output: Any = await sdk.runs.wait(thread, "agent", input=given, context=CONTEXT)
    assert [one["type"] for one in output["messages"]] == ["human", "ai"]
    assert "守塔人" in output["result"]["answer"]


def kept(server: LiveServer, thread: str = "%") -> int:
    """Return the bytes that the checkpoints of a thread, or of all, hold."""
    with sqlite3.connect(f"file:{server.data / 'checkpoints.sqlite'}?mode=ro", uri=True) as base:
        rows = base.execute("SELECT sum(length(checkpoint)) FROM checkpoints WHERE thread_id LIKE ?", (thread,))
        return int(rows.fetchone()[0] or 0)
