"""What `wenmai serve` refuses, as it must neither drop nor guess it: arguments, guards, double fields, libraries."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.command_line import run_command
from tests.integration.live_server import LiveServer, environment
from tests.integration.own_server import API

WHO = "苏晚亭是谁？"
SAMPLE = {"library": "sample"}
OTHER = "other"
TWICE = '{"query":"谁？","library":"sample","as_of_chapter":1,"as_of_chapter":17}'


@pytest.fixture
async def http(own: LiveServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=own.url + API, timeout=120) as made:
        yield made


def over_mcp(own: LiveServer) -> Client:
    """Return a client, which is opened in the test: it must be closed in the task that opened it."""
    return Client(streamable_http_client(f"{own.url}/mcp"))


@pytest.fixture
async def two_libraries(http: httpx.AsyncClient) -> AsyncIterator[None]:
    assert (await http.post("/libraries", json={"name": OTHER, "title": "另一部"})).status_code == 201
    yield
    await http.delete(f"/libraries/{OTHER}")


WRONG_CALLS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("search_memory", {"query": "苏晚亭", **SAMPLE, "as_of_chaptr": 1}, "请写成 as_of_chapter"),
    ("ask", {"question": WHO, **SAMPLE, "as_of_chaptr": 1}, "请写成 as_of_chapter"),
    ("ask", {"question": WHO, **SAMPLE, "as_of": 3}, "as_of: 没有这个参数，可用的有 question、library"),
    ("list_libraries", {"chapter": 1}, "chapter"),
    ("search_memory", {"query": "苏晚亭", **SAMPLE, "as_of_part": 1}, "as_of_part: 需要与 as_of_chapter 一起使用"),
    ("ask", {"question": WHO, **SAMPLE, "as_of_part": 1}, "as_of_part: 需要与 as_of_chapter 一起使用"),
    ("list_libraries", {"as_of_part": 1}, "as_of_part"),
    ("ask", {"question": WHO, **SAMPLE, "as_of_chapter": True}, "as_of_chapter 必须是整数"),
    ("ask", {"question": " ？", **SAMPLE}, "question: "),
    ("knowledge_network_retrieval", {"query": "灯塔", "kn_ids": ["x"], "compact": "yes"}, "compact 必须是"),
    ("ask", {"question": WHO, "library": "../sample"}, "library: "),
)


@pytest.mark.parametrize(("tool", "arguments", "said"), WRONG_CALLS)
async def test_arguments_of_tools(
    http: httpx.AsyncClient, own: LiveServer, tool: str, arguments: dict[str, Any], said: str
) -> None:
    """PLA-30: the same refusal over HTTP and over MCP, with the name that was meant."""
    reply = await http.post(f"/tools/{tool}", json=arguments)
    assert reply.status_code == 422 and said in reply.json()["error"], reply.text
    async with over_mcp(own) as mcp:
        result: Any = await mcp.call_tool(tool, arguments)
    assert result.is_error and result.structured_content["error"] == reply.json()["error"]
    assert "context." not in reply.text and "messages" not in reply.json()["error"]


async def test_tools_speak_the_language_that_the_client_names(http: httpx.AsyncClient) -> None:
    """PLA-72: where the arguments are names alone, and where they are in another language."""
    for arguments in ({"library": "nowhere"}, {"library": "sample", "as_of": 3}):
        wrong = await http.post("/tools/list_characters", json=arguments, headers={"accept-language": "en"})
        assert wrong.status_code == 422 and wrong.json()["error"].isascii(), wrong.text
    wrong = await http.post(
        "/tools/ask", json={"question": WHO, "library": "nowhere"}, headers={"accept-language": "en"}
    )
    assert wrong.json()["error"].isascii(), wrong.text


async def test_many_wrong_fields_are_counted(http: httpx.AsyncClient) -> None:
    """PLA-72: the first of them are named."""
    wrong = await http.post("/ask", json=dict.fromkeys(map("f{}".format, range(60_000)), 1) | {"question": WHO})
    told = wrong.json()
    assert wrong.status_code == 422 and len(told["errors"]) == 20 and "59980" in told["detail"]
    assert len(wrong.content) < 10_000


async def test_two_lengths_of_a_body_are_refused(own: LiveServer) -> None:
    """What a proxy in front and this server would read as different requests."""
    host, _, port = own.url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    head = f"POST {API}/ask HTTP/1.1\r\nhost: {host}:{port}\r\ncontent-type: application/json\r\n"
    writer.write(f"{head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n".encode())
    assert b" 400 " in await reader.readline()
    writer.close()
    await writer.wait_closed()


async def test_a_text_for_a_library_that_is_not_there(http: httpx.AsyncClient) -> None:
    wrong = await http.post("/libraries/fog/sources", files={"file": ("a.txt", b"a")})
    assert wrong.status_code == 404 and "POST /api/v1/libraries" in wrong.json()["detail"]


def test_a_port_in_use_is_one_line(own: LiveServer, tmp_path: Path) -> None:
    done = run_command(
        ["serve", "--port", own.url.rpartition(":")[2]], folder=tmp_path, environment=environment(tmp_path)
    )
    assert done.returncode and "--port" in done.stderr and "Errno" not in done.stderr and "Traceback" not in done.stderr


WRONG_MEMORY_CALLS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("search_memories", {"query": "端口", "user_id": "alice"}, "搜索失败: user_id: 没有这个参数"),
    (
        "search_memories",
        {"query": "port", "limits": 3},
        "Search failed: limits: there is no such argument: write limit",
    ),
    ("search_memories", {"query": "port", "as_of_part": 1}, "Search failed: as_of_part: needs as_of_chapter"),
    ("search_memories", {"query": "端" * 4_001}, "搜索失败: query 有 4001 个字符，最多 4000 个"),
    ("search_memories", {"limit": 80, "search_mode": "fuzzy"}, "缺少必填参数 query; search_mode 必须是"),
    ("search_memories", {"limit": 80, "search_mode": "fuzzy"}, "limit 必须在 1..10 之间，收到 80"),
    ("get_memory_detail", {"memory_key": "k", "library": "nowhere", "as_of_chapter": 1}, "获取记忆详情失败: "),
    ("handoff", {"search_summary": "none", "confidence": 0, "foo": 1}, "iteration_used, context_window_used"),
    ("expand_context_window", {"reason": "少", "requested_size": 10, "current_size": 0}, "current_size 必须在 1..50"),
    ("expand_context_window", {"reason": "少", "requested_size": 10, "current_size": "5"}, "current_size 必须是整数"),
)
OWN_FORMS = {
    "search_memories": ["success", "total_found", "results", "message", "error_code"],
    "get_memory_detail": ["success", "memory_key", "summary", "content"],
    "handoff": ["success", "task_completed", "dropped_keys", "message", "error_code"],
    "expand_context_window": ["success", "approved", "new_size", "iteration", "max_iterations"],
}


@pytest.mark.parametrize(("tool", "arguments", "said"), WRONG_MEMORY_CALLS)
async def test_wrong_calls_of_memory_tools(
    http: httpx.AsyncClient, own: LiveServer, tool: str, arguments: dict[str, Any], said: str
) -> None:
    """S002-26 S002-25: whatever refuses a call, over HTTP and MCP, the answer has the tool's own form."""
    reply = await http.post(f"/tools/{tool}", json=arguments)
    answer, form = reply.json(), OWN_FORMS[tool]
    assert reply.status_code == 422 and said in answer["message"], reply.text
    assert list(answer)[: len(form)] == form and answer["error_code"] == "invalid_input" and not answer["success"]
    async with over_mcp(own) as mcp:
        result: Any = await mcp.call_tool(tool, arguments)
    assert result.is_error and result.structured_content == answer


async def test_schemas_name_all_arguments(http: httpx.AsyncClient, own: LiveServer) -> None:
    tools = (await http.get("/tools")).json()["items"]
    assert tools and all(one["arguments"]["additionalProperties"] is False for one in tools)
    async with over_mcp(own) as mcp:
        declared = (await mcp.list_tools()).tools
    assert len(declared) == len(tools)
    assert all(one.input_schema["additionalProperties"] is False for one in declared)


async def test_memories_over_mcp_without_keys(http: httpx.AsyncClient, own: LiveServer) -> None:
    """PLA-30: the user of this machine finds his own, as over HTTP."""
    kept = (await http.post("/memories", json={"content": "数据库的端口是 5433", "type": "general"})).json()
    async with over_mcp(own) as mcp:
        result: Any = await mcp.call_tool("search_memories", {"query": "数据库的端口", "min_relevance_score": 0})
    assert not result.is_error, result
    assert [one["memory_key"] for one in result.structured_content["results"]] == [kept["key"]]


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"question": WHO, **SAMPLE, "as_of_part": 1}, "as_of_part"),
        ({"question": WHO, **SAMPLE, "as_of_chapter": 1, "as_of_part": 9}, "as_of_part"),
        ({"question": WHO, **SAMPLE, "as_of_chapter": True}, "as_of_chapter"),
        ({"question": WHO, **SAMPLE, "as_of_chaptr": 1}, "as_of_chaptr"),
        ({"question": " ", **SAMPLE}, "question"),
        ({"question": "谁" * 4_001, **SAMPLE}, "question"),
        ({"question": WHO, "library": "../sample"}, "library"),
        ({"question": WHO, **SAMPLE, "toolkits": ["knowledge"]}, "kn_ids"),
        ([], "body"),
    ],
)
@pytest.mark.parametrize("accepted", ["application/json", "text/event-stream"])
async def test_fields_of_a_question(http: httpx.AsyncClient, sent: Any, field: str, accepted: str) -> None:
    """Each refusal names the field as the request has it."""
    reply = await http.post("/ask", json=sent, headers={"accept": accepted})
    problem = reply.json()
    assert reply.status_code == 422 and [one["field"] for one in problem["errors"]] == [field], reply.text
    assert not problem["detail"].startswith(":")


@pytest.mark.parametrize(
    ("path", "status", "field", "detail"),
    [
        ("/libraries?as_of_chaptr=1", 422, "query.as_of_chaptr", "as_of_chaptr"),
        ("/libraries?as_of_part=1", 422, "query.as_of_part", "as_of_chapter"),
        ("/libraries/sample/chapters/text?source=nope&chapter=1", 404, "chapter", "sample"),
    ],
)
async def test_what_a_query_names(http: httpx.AsyncClient, path: str, status: int, field: str, detail: str) -> None:
    """The line says which parameter is wrong; what does not exist has its own name."""
    problem = (await http.get(path)).json()
    assert (problem["status"], [one["field"] for one in problem["errors"]]) == (status, [field])
    assert detail in problem["detail"]


@pytest.mark.parametrize("path", ["/ask", "/tools/search_memory"])
async def test_a_field_that_comes_twice(http: httpx.AsyncClient, path: str) -> None:
    """Neither the first nor the last guard is taken."""
    reply = await http.post(path, content=TWICE.encode(), headers={"content-type": "application/json"})
    assert reply.status_code == 422 and reply.json()["errors"][0]["field"] == "as_of_chapter", reply.text


async def test_a_field_that_comes_twice_over_mcp(own: LiveServer) -> None:
    call = f'{{"name":"search_memory","arguments":{TWICE}}}'
    body = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{call}}}'
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient(timeout=60) as plain:
        reply = await plain.post(f"{own.url}/mcp", content=body.encode(), headers=headers)
    assert reply.status_code == 422 and "as_of_chapter" in reply.text, reply.text


async def test_the_only_library_is_meant(http: httpx.AsyncClient) -> None:
    """A question to the one library there is need not name it."""
    turn = (await http.post("/ask", json={"question": WHO})).json()
    assert turn["library"] == "sample" and "守塔人" in turn["answer"]
    early = (await http.post("/tools/ask", json={"question": WHO, "as_of_chapter": 1})).json()
    assert early["as_of"] == {"part": 1, "chapter": 1} and "守塔人" not in str(early)


@pytest.mark.usefixtures("two_libraries")
async def test_no_library_is_guessed(http: httpx.AsyncClient, own: LiveServer) -> None:
    """With several, those there are are named; what reads no story needs none."""
    reply = await http.post("/ask", json={"question": WHO})
    assert reply.status_code == 422 and reply.json()["errors"][0]["field"] == "library"
    named = reply.json()["detail"]
    assert OTHER in named and "sample" in named
    assert named in (await http.post("/tools/ask", json={"question": WHO})).json()["error"]
    async with over_mcp(own) as mcp:
        result: Any = await mcp.call_tool("ask", {"question": WHO})
    assert result.is_error and named in result.structured_content["error"]
    guarded = await http.post("/tools/search_memories", json={"query": "端口", "as_of_chapter": 1})
    assert guarded.status_code == 422 and named in guarded.json()["message"]
    memories = await http.post("/ask", json={"question": "数据库的端口是多少？", "toolkits": ["memory"]})
    assert memories.status_code == 200, memories.text
