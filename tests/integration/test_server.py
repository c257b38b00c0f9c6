"""The real LangGraph server (DESIGN §6, issue 3 point 9): threads, streams, context, schema, cancellation."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

import wenmai as facade
from tests.integration.live_server import LiveServer, running, wenmai
from tests.temporary import copied
from tools.errors import StoreLocked

pytestmark = pytest.mark.costly

WHO = "苏晚亭是谁？"
AFTERWARDS = "他后来认出了什么？"


@pytest.fixture
async def client(server: LiveServer) -> AsyncIterator[LangGraphClient]:
    """A client of the server."""
    async with get_client(url=server.url) as sdk:
        yield sdk


def asking(question: str) -> dict[str, Any]:
    """Return the graph's input."""
    return {"messages": [{"role": "user", "content": question}]}


async def ask(client: LangGraphClient, thread: str | None, question: str, **more: Any) -> dict[str, Any]:
    """Run a question to its end and return the result record."""
    output: Any = await client.runs.wait(thread, more.pop("assistant", "agent"), input=asking(question), **more)
    result: dict[str, Any] = output["result"]
    return result


async def new_thread(client: LangGraphClient) -> str:
    """Return the id of a fresh thread."""
    return (await client.threads.create())["thread_id"]


async def trace_of(server: LiveServer, question: str) -> dict[str, Any]:
    """Return the trace of a question; a cancelled run's is written beside the answer to the cancellation."""
    for _ in range(600):
        records = [json.loads(path.read_text(encoding="utf-8")) for path in server.traces.glob("*.json")]
        found: list[dict[str, Any]] = [record for record in records if record["query"] == question]
        if found:
            assert len(found) == 1
            return found[0]
        await asyncio.sleep(0.1)
    raise AssertionError(f"no trace of {question}")


async def test_two_turns_with_a_pronoun(client: LangGraphClient) -> None:
    """S000-42 S000-22 PLA-16: the second question of a thread is resolved from the first; result as in Python."""
    thread = await new_thread(client)
    first = await ask(client, thread, WHO)
    assert "守塔人" in first["answer"] and first["citations"]
    second = await ask(client, thread, AFTERWARDS)
    assert "苏晚亭" in second["resolved_question"] and second["question"] == AFTERWARDS
    assert {"mention": "他", "entity": "苏晚亭"} in second["resolutions"]
    assert "航海图" in second["answer"]
    assert second["thread_id"] == thread
    state: Any = await client.threads.get_state(thread)
    assert [m["type"] for m in state["values"]["messages"]] == ["human", "ai"] * 2


async def test_streams(client: LangGraphClient) -> None:
    """S000-30 PLA-13: updates name each node, custom events each call, the AI's messages are the final answer."""
    thread = await new_thread(client)
    modes: Any = ["updates", "messages-tuple", "custom", "values"]
    stream = client.runs.stream(thread, "agent", input=asking(WHO), stream_mode=modes)
    chunks: list[tuple[str, Any]] = [(chunk.event, chunk.data) async for chunk in stream]
    nodes = [node for event, data in chunks if event == "updates" for node in data]
    assert (nodes[0], nodes[-1]) == ("resolve_pronouns", "answer")
    assert {"plan", "tool_call", "grade"} <= set(nodes)
    events = [data["event"] for event, data in chunks if event == "custom"]
    assert events.count("tool_start") == events.count("tool_end") > 0
    spoken = [data[0] for event, data in chunks if event.startswith("messages") and data[0]["type"] != "tool"]
    result = [data["result"] for event, data in chunks if event == "values" and data.get("result")][-1]
    assert "".join(message["content"] for message in spoken) == result["answer"]
    assert {message["type"] for message in spoken} <= {"ai", "AIMessageChunk"}


async def test_context_from_the_assistant(client: LangGraphClient) -> None:
    """STO-19 PLA-08 PLA-15: the assistant's context guards every run of it; a run's own context wins."""
    context: Any = {"library": "sample", "as_of_chapter": 1}
    careful = (await client.assistants.create("agent", context=context))["assistant_id"]
    guarded = await ask(client, await new_thread(client), WHO, assistant=careful)
    assert guarded["evidence"] == [] or max(e["chapter"] for e in guarded["evidence"]) <= 1
    assert "守塔人" not in guarded["answer"]
    later: Any = {"as_of_chapter": 2}
    opened = await ask(client, await new_thread(client), WHO, assistant=careful, context=later)
    assert "守塔人" in opened["answer"]
    assert max(e["chapter"] for e in opened["evidence"]) == 2


async def test_config_becomes_the_context(client: LangGraphClient) -> None:
    """PLA-15 STO-19: older clients send the context in config.configurable."""
    config: Any = {"configurable": {"as_of_chapter": 1}}
    result = await ask(client, await new_thread(client), WHO, config=config)
    assert "守塔人" not in result["answer"]
    assert result["evidence"]
    assert all(piece["chapter"] <= 1 for piece in result["evidence"])


async def test_eight_threads_at_once(client: LangGraphClient) -> None:
    """PLA-16 PLA-03: two turns on each of eight threads, no answer goes astray."""
    people = [("苏晚亭是谁？", "苏晚亭"), ("陆沉舟是谁？", "陆沉舟"), ("苏晚照是谁？", "苏晚照")]
    asked = [people[n % 3] for n in range(8)]

    async def talk(question: str, name: str) -> None:
        thread = await new_thread(client)
        first = await ask(client, thread, question)
        assert first["question"] == question and {"entity": name} in [call["args"] for call in first["tool_calls"]]
        second = await ask(client, thread, "此人做了什么？")
        assert name in second["resolved_question"], second["resolved_question"]
        assert second["thread_id"] == thread

    await asyncio.gather(*(talk(*one) for one in asked))


async def test_studio_schemas(client: LangGraphClient) -> None:
    """PLA-08: input, output and context load, each field of the context with title and description."""
    (assistant,) = await client.assistants.search(graph_id="agent", metadata={"created_by": "system"})
    schemas: Any = await client.assistants.get_schemas(assistant["assistant_id"])
    assert {"messages", "session_context"} <= set(schemas["input_schema"]["properties"])
    assert set(schemas["output_schema"]["properties"]) == {"messages", "result"}
    fields = schemas["context_schema"]["properties"]
    assert {"library", "toolkits", "mode", "language", "as_of_chapter", "user_id", "deadline_s"} <= set(fields)
    assert all(field["title"] and field["description"] for field in fields.values())
    assert schemas["state_schema"]["properties"]


async def test_the_drawn_graph(client: LangGraphClient) -> None:
    """S003-01: Studio draws the six nodes, each with what it does."""
    drawn: Any = await client.assistants.get_graph("agent")
    own = [node for node in drawn["nodes"] if not node["id"].startswith("__")]
    assert len(own) == 7 and all(len(node["metadata"]["does"]) > 20 for node in own)
    names = {node["id"] for node in drawn["nodes"]}
    assert {"resolve_pronouns", "plan", "tool_call", "grade", "refine", "answer"} <= names
    assert {"source": "tool_call", "target": "plan"}.items() <= next(
        edge for edge in drawn["edges"] if edge["source"] == "tool_call"
    ).items()


async def test_a_cancelled_run_leaves_a_trace_and_a_usable_thread(client: LangGraphClient, server: LiveServer) -> None:
    """S003-D18 S003-D12 PLA-14: every question has its trace file, also the one that was cut."""
    thread = await new_thread(client)
    question = "陆沉舟与苏晚照是什么关系？请慢慢说。"
    async for chunk in client.runs.stream(thread, "agent", input=asking(question), stream_mode="custom"):
        if chunk.event == "custom" and chunk.data["event"] == "tool_start":
            runs = await client.runs.list(thread)
            await cancel(client, thread, runs[0]["run_id"])
            break
    trace = await trace_of(server, question)
    assert trace["status"] in ("cancelled", "finished")
    assert trace["thread_id"] == thread and trace["attempts"]
    assert "守塔人" in (await ask(client, thread, WHO))["answer"]


async def cancel(client: LangGraphClient, thread: str, run: str) -> None:
    """Cancel a run, which may be done before the cancellation reaches it."""
    try:
        await client.runs.cancel(thread, run, wait=True)
    except httpx.HTTPStatusError as error:
        assert error.response.status_code == httpx.codes.NOT_FOUND


async def test_another_process_is_told_who_holds_the_library(client: LangGraphClient, server: LiveServer) -> None:
    """PLA-25: façade and command line get one line that names the server's process and what to do; nothing is lost."""
    await ask(client, None, WHO)
    done = await asyncio.to_thread(wenmai, server.folder, "ask", WHO, "--library", "sample")
    assert done.returncode == 1 and len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert str(server.pid) in done.stderr and "先停止它" in done.stderr
    async with facade.open_agent(data_dir=server.data, trace_dir=server.traces) as agent:
        with pytest.raises(StoreLocked, match=str(server.pid)):
            await agent.ask(WHO)
    assert "守塔人" in (await ask(client, None, WHO))["answer"]


def test_the_log_of_a_server_without_keys(server: LiveServer) -> None:
    """PLA-01: it says at its start that nobody is asked for one."""
    assert "没有 API 密钥" in server.log


async def test_nothing_blocks_the_event_loop(client: LangGraphClient, server: LiveServer) -> None:
    """PLA-09 PLA-20: the server's detector of blocking calls found none in all of the above."""
    await ask(client, None, WHO)
    assert "Blocking call" not in server.log and "BlockingError" not in server.log
    assert "Traceback" not in server.log


async def test_restart(prepared: Path, tmp_path: Path) -> None:
    """PLA-14: a server that is stopped and started again goes on with its threads and library."""
    folder = copied(prepared, tmp_path / "restart")
    with running(folder) as live:
        async with get_client(url=live.url) as sdk:
            thread = await new_thread(sdk)
            await ask(sdk, thread, WHO)
    with running(folder) as live:
        async with get_client(url=live.url) as sdk:
            second = await ask(sdk, thread, AFTERWARDS)
    assert "苏晚亭" in second["resolved_question"] and "航海图" in second["answer"]


async def test_a_library_that_another_process_holds(server: LiveServer) -> None:
    """PLA-25: the server says so at once, before a run exists: 503 with the holder and what to do; later it runs."""
    done = wenmai(server.folder, "ingest", "雾港.txt", "--library", "held", "--aliases", "aliases.json")
    assert done.returncode == 0, done.stderr
    body = {"assistant_id": "agent", "input": asking(WHO), "context": {"library": "held"}}
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        async with facade.open_agent(data_dir=server.data, trace_dir=server.traces) as agent:
            await agent.services.opening.open_library("held")
            reply = await http.post("/runs/wait", json=body)
        (problem,) = reply.json()["detail"]
        assert (reply.status_code, problem["field"]) == (503, "context.library")
        assert str(os.getpid()) in problem["message"] and "先停止它" in problem["message"]
        assert (await http.post("/runs/wait", json=body)).status_code == 200
