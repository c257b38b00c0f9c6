"""Wrong input on the real server: a 422 that names the field, before a run exists (issue 3 point 9)."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from tests.integration.live_server import LiveServer

pytestmark = pytest.mark.costly

QUESTION = "苏晚亭是谁？"
GOOD: dict[str, Any] = {"messages": [{"role": "user", "content": QUESTION}]}


@pytest.fixture
async def http(server: LiveServer) -> AsyncIterator[httpx.AsyncClient]:
    """A plain HTTP client of the server."""
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
        yield client


async def new_thread(http: httpx.AsyncClient) -> str:
    """Return the id of a fresh thread."""
    return str((await http.post("/threads", json={})).json()["thread_id"])


def run(**changed: Any) -> dict[str, Any]:
    """Return the body of a run."""
    return {"assistant_id": "agent", "input": GOOD} | changed


def said(content: object, role: str = "user") -> dict[str, Any]:
    """Return an input with one message."""
    return {"messages": [{"role": role, "content": content}]}


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"input": None}, "input"),
    ({"input": []}, "input"),
    ({"input": "苏晚亭是谁？"}, "input"),
    ({"input": {}}, "messages"),
    ({"input": {"messages": []}}, "messages"),
    ({"input": {"messages": 7}}, "messages"),
    ({"input": {"messages": [7]}}, "messages"),
    ({"input": {"messages": [{"text": "谁？"}]}}, "messages"),
    ({"input": {"messages": [{"role": "pirate", "content": "谁？"}]}}, "messages"),
    ({"input": said("")}, "messages"),
    ({"input": said("  \n\t")}, "messages"),
    ({"input": said([])}, "messages"),
    ({"input": said(None)}, "messages"),
    ({"input": said("谁？", "assistant")}, "messages"),
    ({"input": said("长" * 4_001)}, "messages"),
    ({"context": {"toolkits": ["knowledge"], "kn_ids": ["no-such-network"]}}, "context.kn_ids"),
    ({"input": GOOD | {"mesages": []}}, "input.mesages"),
    ({"input": GOOD | {"as_of_chapter": 3}}, "input.as_of_chapter"),
    ({"input": GOOD | {"session_context": {"topic": "x"}}}, "session_context.entities"),
    ({"input": GOOD | {"session_context": {"entities": "苏晚亭"}}}, "session_context.entities"),
    ({"input": GOOD | {"session_context": [1]}}, "session_context"),
    ({"context": {"as_of_chaptr": 3}}, "context.as_of_chaptr"),
    ({"context": {"as_of_chapter": "3"}}, "context.as_of_chapter"),
    ({"context": {"as_of_chapter": -1}}, "context.as_of_chapter"),
    ({"context": {"as_of_chapter": 1.5}}, "context.as_of_chapter"),
    ({"context": {"as_of_chapter": True}}, "context.as_of_chapter"),
    ({"context": {"as_of_part": 0}}, "context.as_of_part"),
    ({"context": {"toolkits": ["storry"]}}, "context.toolkits.0"),
    ({"context": {"toolkits": "story"}}, "context.toolkits"),
    ({"context": {"toolkits": []}}, "context.toolkits"),
    ({"context": {"mode": "chat"}}, "context.mode"),
    ({"context": {"language": "fr"}}, "context.language"),
    ({"context": {"max_attempts": 0}}, "context.max_attempts"),
    ({"context": {"search_limits": [21]}}, "context.search_limits.0"),
    ({"context": {"deadline_s": 0}}, "context.deadline_s"),
    ({"context": {"library": ""}}, "context.library"),
    ({"context": {"library": "../../etc"}}, "context.library"),
    ({"context": {"library": None}}, "context.library"),
    ({"context": {"library": "nowhere"}}, "context.library"),
    ({"context": [1]}, "context"),
    ({"context": None}, "context"),
    ({"metadata": {"as_of_chapter": 3}}, "metadata.as_of_chapter"),
    ({"config": {"configurable": {"as_of_chaptr": 3}}}, "config.configurable.as_of_chaptr"),
    ({"config": {"configurable": {"as_of_chapter": "3"}}}, "config.configurable.as_of_chapter"),
    ({"config": {"configurable": [1]}}, "config.configurable"),
    ({"config": 7}, "config"),
    ({"as_of_chapter": 3}, "as_of_chapter"),
    ({"as_of_chaptr": 3}, "as_of_chaptr"),
    ({"asOfChapter": 3}, "asOfChapter"),
    ({"contxt": {"as_of_chapter": 3}}, "contxt"),
    ({"configurable": {"as_of_chapter": 3}}, "configurable"),
    ({"config": {"as_of_chapter": 3}}, "config.as_of_chapter"),
    ({"config": {"as-of-chapter": 3}}, "config.as-of-chapter"),
    ({"config": {"context": {"as_of_chapter": 3}}}, "config.context"),
    ({"config": {"configurabel": {"as_of_chapter": 3}}}, "config.configurabel"),
]


@pytest.mark.parametrize(("changed", "field"), WRONG, ids=[f"{n}-{field}" for n, (_, field) in enumerate(WRONG)])
async def test_wrong_input_is_a_422_with_the_field(
    http: httpx.AsyncClient, changed: dict[str, Any], field: str
) -> None:
    """STO-19 PLA-08 S004-24: each wrong field by its name, one line that says what to do."""
    reply = await http.post("/runs/wait", json=run(**changed))
    assert reply.status_code == 422, reply.text[:300]
    (problem,) = reply.json()["detail"]
    assert set(problem) == {"field", "message"} and problem["message"]
    assert problem["field"].startswith(field), problem


RECALL_WRONG: list[tuple[dict[str, Any], str]] = [
    ({"input": {"query": " "}}, "query"),
    ({"input": {"query": 7}}, "query"),
    ({"input": {"query": "x", "user_id": "乙"}}, "input.user_id"),
    ({"input": {"query": "x", "history": [{"role": "system", "content": "x"}]}}, "history"),
    ({"context": {"user_id": 7}}, "context.user_id"),
    ({"context": {"permisions": ["sensitive_memory"]}}, "context.permisions"),
    ({"context": {"remember": "yes"}}, "context.remember"),
]


@pytest.mark.parametrize(("changed", "field"), RECALL_WRONG, ids=[field for _, field in RECALL_WRONG])
async def test_wrong_input_of_a_recall(http: httpx.AsyncClient, changed: dict[str, Any], field: str) -> None:
    """PLA-08 PLA-01 MEM-02: memory_recall is guarded like the agent; who asks is no part of its input."""
    body = {"assistant_id": "memory_recall", "input": {"query": "我的偏好"}} | changed
    reply = await http.post("/runs/wait", json=body)
    assert reply.status_code == 422, reply.text[:300]
    (problem,) = reply.json()["detail"]
    assert problem["field"].startswith(field)


async def test_a_recall_on_the_server(http: httpx.AsyncClient, server: LiveServer) -> None:
    """MEM-02 MEM-05 S003-24: the graph alone, traced: without a user nothing is read; a user may have no memories."""
    body = {"assistant_id": "memory_recall", "input": {"query": "我的偏好", "history": []}}
    nobody = (await http.post("/runs/wait", json=body)).json()
    assert nobody["recalled"]["error_code"] == "permission_denied" and nobody["calls"] == []
    somebody = (await http.post("/runs/wait", json=body | {"context": {"user_id": "林"}})).json()
    assert somebody["recalled"]["action"] == "NEED_MORE_INFO" and somebody["recalled"]["memories"] == []
    trace = json.loads((server.traces / Path(somebody["trace"]).name).read_text(encoding="utf-8"))
    assert trace["user_id"] == "林" and trace["recalled"] == somebody["recalled"] and trace["tool_calls"]


async def test_every_wrong_part_is_named(http: httpx.AsyncClient) -> None:
    """S004-24: question and context in one answer."""
    reply = await http.post("/runs/wait", json=run(input=said(""), context={"mode": "chat"}))
    assert [problem["field"] for problem in reply.json()["detail"]] == ["messages", "context.mode"]


@pytest.mark.parametrize("path", ["/runs", "/runs/stream", "/runs/wait", "/runs/crons"])
@pytest.mark.parametrize("threaded", [False, True])
async def test_every_route_that_starts_runs(http: httpx.AsyncClient, path: str, threaded: bool) -> None:
    """STO-19: a misspelled guard starts no run, on no route."""
    thread = await new_thread(http)
    body = run(context={"as_of_chaptr": 3}, schedule="0 0 * * *")
    reply = await http.post(f"/threads/{thread}{path}" if threaded else path, json=body)
    assert reply.status_code == 422, reply.text
    assert reply.json()["detail"][0]["field"] == "context.as_of_chaptr"
    assert (await http.get(f"/threads/{thread}/runs")).json() == []


async def test_batches(http: httpx.AsyncClient) -> None:
    """STO-19: one wrong run stops the whole batch and is named by its place."""
    reply = await http.post("/runs/batch", json=[run(), run(context={"as_of_chaptr": 3})])
    assert (reply.status_code, reply.json()["detail"][0]["field"]) == (422, "[1].context.as_of_chaptr")
    assert (await http.post("/runs/batch", json=run())).status_code == 422


@pytest.mark.parametrize(
    ("question", "expected"), [(QUESTION, "一次最多 20 个运行"), ("Who is Su?", "At most 20 runs")]
)
async def test_long_batches(http: httpx.AsyncClient, server: LiveServer, question: str, expected: str) -> None:
    """PLA-31: a batch beyond MAX_BATCH_RUNS starts nothing, and the refusal is in the question's language."""
    before = set(server.traces.glob("*.json"))
    reply = await http.post("/runs/batch", json=[run(input=said(question))] * 300)
    assert (reply.status_code, reply.json()["detail"][0]["field"]) == (422, "body")
    assert expected in reply.json()["detail"][0]["message"] and "300" in reply.text
    assert set(server.traces.glob("*.json")) == before


@pytest.mark.parametrize(("word", "expected"), [("长", "最多 4000 个"), ("long ", "the limit is 4000")])
async def test_long_questions(http: httpx.AsyncClient, word: str, expected: str) -> None:
    """PLA-31: a question beyond MAX_QUESTION_CHARS is refused at once, in its own language."""
    reply = await http.post("/runs/wait", json=run(input=said(word * 4_001)), timeout=120)
    assert reply.status_code == 422 and expected in reply.json()["detail"][0]["message"]


@pytest.mark.parametrize("body", [b"", b"{bad", b"[1]", b'"text"', b"\xff\xfe", b"[" * 5000 + b"]" * 5000])
async def test_bad_json(http: httpx.AsyncClient, body: bytes) -> None:
    """S004-24: what is no JSON object is a 422 too, never a 500."""
    reply = await http.post("/runs/wait", content=body, headers={"content-type": "application/json"})
    assert (reply.status_code, reply.json()["detail"][0]["field"]) == (422, "body")


async def test_large_bodies_are_not_read(http: httpx.AsyncClient) -> None:
    """S004-24: over MAX_REQUEST_BYTES the answer is 413, also when the length is not announced, whatever the type."""

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(64):
            yield b" " * 65_536

    for content in (b" " * 1_200_000, endless()):
        reply = await http.post("/runs/wait", content=content)
        assert (reply.status_code, reply.json()["detail"][0]["field"]) == (413, "body")


async def test_assistants_are_checked_when_they_are_stored(http: httpx.AsyncClient) -> None:
    """STO-19 PLA-08: a stored context guards many runs, so a wrong one is refused at once."""
    for body in ({"context": {"as_of_chaptr": 3}}, {"config": {"configurable": {"as_of_chaptr": 3}}}):
        reply = await http.post("/assistants", json={"graph_id": "agent"} | body)
        assert reply.status_code == 422 and reply.json()["detail"][0]["field"].endswith("as_of_chaptr")
    made = (await http.post("/assistants", json={"graph_id": "agent", "context": {"as_of_chapter": 1}})).json()
    path = f"/assistants/{made['assistant_id']}"
    assert (await http.patch(path, json={"context": {"mode": "chat"}})).status_code == 422
    assert (await http.patch(path, json={"context": {"as_of_chapter": 2}})).status_code == 200
    missing = run(assistant_id=made["assistant_id"], context={"library": "nowhere"})
    assert (await http.post("/runs/wait", json=missing)).status_code == 422


async def test_cron_changes_are_checked(http: httpx.AsyncClient) -> None:
    """STO-19: a changed job is as good as a new one."""
    path = "/runs/crons/00000000-0000-4000-8000-000000000000"
    for body in ({"context": {"as_of_chaptr": 3}}, {"input": said("")}):
        assert (await http.patch(path, json=body)).status_code == 422


async def test_what_other_graphs_get_is_not_ours(http: httpx.AsyncClient) -> None:
    """PLA-08: an unknown assistant is the server's own 422 or 404, not a field of ours."""
    for name in ("other", "00000000-0000-4000-8000-000000000000"):
        reply = await http.post("/runs/wait", json=run(assistant_id=name, input={"x": 1}))
        assert reply.status_code in (404, 422) and isinstance(reply.json()["detail"], str)


async def test_resuming_needs_something_to_resume(http: httpx.AsyncClient) -> None:
    """PLA-14: `input: null` is legal on a thread with an open step or a checkpoint; else a question is missing."""
    thread = await new_thread(http)
    path = f"/threads/{thread}/runs/wait"
    empty = await http.post(path, json=run(input=None))
    assert (empty.status_code, empty.json()["detail"][0]["field"]) == (422, "input")
    stopped = await http.post(path, json=run(interrupt_before=["answer"]))
    assert stopped.status_code == 200
    wrong = await http.post(path, json=run(input=None, context={"as_of_chaptr": 3}))
    assert wrong.status_code == 422
    resumed = await http.post(path, json=run(input=None))
    assert "守塔人" in resumed.json()["result"]["answer"]
    again = await http.post(path, json=run(input=None, command={"goto": "answer"}, context={"mode": "chat"}))
    assert again.status_code == 422


async def test_commands_of_the_event_protocol(http: httpx.AsyncClient) -> None:
    """STO-19: run.start brings input and config; its `context`, which the server would drop, is refused."""
    path = f"/threads/{await new_thread(http)}/commands"
    for params, field in (
        (run(input=said("")), "messages"),
        (run(config={"configurable": {"as_of_chaptr": 3}}), "config.configurable.as_of_chaptr"),
        (run(context={"as_of_chapter": 3}), "context"),
    ):
        reply = await http.post(path, json={"id": 1, "method": "run.start", "params": params})
        assert (reply.status_code, reply.json()["detail"][0]["field"]) == (422, field)
    good = await http.post(path, json={"id": 1, "method": "run.start", "params": run()})
    assert good.json()["type"] == "success", good.text


async def test_commands_of_a_websocket(http: httpx.AsyncClient, server: LiveServer) -> None:
    """STO-19: the same over the full-duplex connection, which stays open."""
    url = f"{server.url.replace('http', 'ws')}/threads/{await new_thread(http)}/stream/events"
    async with connect(url, proxy=None) as socket:
        wrong = run(config={"configurable": {"as_of_chaptr": 3}})
        await socket.send(json.dumps({"id": 7, "method": "run.start", "params": wrong}))
        refused = json.loads(await asyncio.wait_for(socket.recv(), 120))
        assert (refused["type"], refused["id"], refused["error"]) == ("error", 7, "invalid_argument")
        assert refused["detail"][0]["field"] == "config.configurable.as_of_chaptr"
        await socket.send(json.dumps({"id": 8, "method": "run.start", "params": run()}))
        answers = [json.loads(await asyncio.wait_for(socket.recv(), 120)) for _ in range(1)]
        assert answers[0].get("type") != "error"


async def test_refusals_carry_cors_headers(http: httpx.AsyncClient) -> None:
    """S004-24: Studio, on another origin, can read why a run was refused."""
    reply = await http.post("/runs/wait", json=run(input=said("")), headers={"origin": "https://smith.langchain.com"})
    assert reply.status_code == 422 and reply.headers["access-control-allow-origin"]


async def test_right_input_still_runs(http: httpx.AsyncClient, server: LiveServer) -> None:
    """PLA-08 S000-28: every form of message that the server takes, session_context, and a stream that is a stream."""
    forms: list[Any] = [
        QUESTION,
        GOOD["messages"][0],
        [["user", QUESTION]],
        [{"type": "human", "content": [{"type": "text", "text": QUESTION}]}],
    ]
    for messages in forms:
        reply = await http.post("/runs/wait", json=run(input={"messages": messages}))
        assert "守塔人" in reply.json()["result"]["answer"]
    session = GOOD | {"session_context": {"entities": ["苏晚亭"], "topic": None}}
    assert (await http.post("/runs/wait", json=run(input=session))).status_code == 200
    async with http.stream("POST", "/runs/stream", json=run(stream_mode=["updates"])) as stream:
        assert stream.status_code == 200
        lines = [line async for line in stream.aiter_lines() if line.startswith("event:")]
    assert len(lines) > 3
    assert "Blocking call" not in server.log and "Traceback" not in server.log
