"""The tools over MCP by the official client: on the server with keys, without keys, and over stdin and stdout."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from benchmarks.server_house import THIEF, VICTIM
from tests.integration.conftest import Guarded
from tests.integration.live_server import LiveServer, environment
from tests.temporary import copied
from tools.recall.tools import REGISTRY
from tools.toolboxes import TOOLKITS

WHO, LATER, SAMPLE = "苏晚亭是谁？", "苏晚亭认出了什么？", {"library": "sample"}
TOOLS = {*TOOLKITS["story"], *TOOLKITS["narrative"], *TOOLKITS["documents"], *TOOLKITS["knowledge"], *REGISTRY}


@asynccontextmanager
async def client_of(url: str, key: str = "") -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=120) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        yield client


async def called(client: Client, name: str, **arguments: Any) -> tuple[bool, dict[str, Any], str]:
    """Return whether a call succeeded, its object and its text; the client checks the object by the tool's schema."""
    result: Any = await client.call_tool(name, arguments)
    assert isinstance(result.structured_content, dict)
    return not result.is_error, result.structured_content, result.content[0].text


async def test_the_tools_and_their_forms(either: Guarded) -> None:
    """PLA-30 S001-01 S002-23: single tools beside the agent, typed; nobody's identity is an argument."""
    async with client_of(either.server.url, either.tokens.victim) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {*TOOLS, "ask", "list_libraries", "recap"}
    for tool in tools.values():
        names = set(tool.input_schema["properties"])
        assert not names & {"user_id", "account", "account_type", "permissions"}, tool.name
        assert tool.output_schema or tool.name in TOOLKITS["knowledge"]
    assert tools["vector_search"].input_schema["required"] == ["query", "library"]
    assert tools["search_memories"].input_schema["properties"]["search_mode"]["enum"] == [
        "semantic",
        "keyword",
        "hybrid",
    ]


async def test_questions_and_steps(either: Guarded) -> None:
    """PLA-30 STO-19: the library is an argument, the guard holds, an answer is an object with its quotations."""
    async with client_of(either.server.url, either.tokens.victim) as client:
        ok, listed, _ = await called(client, "list_libraries")
        assert ok and [one["name"] for one in listed["libraries"]] == ["sample"]
        ok, asked, text = await called(client, "ask", question=WHO, **SAMPLE)
        assert ok and "守塔人" in asked["answer"] and "守塔人" in asked["citations"][0]["quote"]
        assert asked["status"] == "answer" and text.startswith(asked["answer"]) and "[1]" in text
        ok, asked, _ = await called(client, "ask", question=WHO, as_of_chapter=1, **SAMPLE)
        assert ok and "守塔人" not in str(asked)
        ok, found, _ = await called(client, "vector_search", query="灯塔", **SAMPLE)
        assert ok and any("灯塔" in one["text"] for one in found["evidence"])
        ok, early, _ = await called(client, "vector_search", query="灯塔", as_of_chapter=1, **SAMPLE)
        assert ok and all(one["chapter"] <= 1 for one in early["evidence"])
        ok, told, text = await called(client, "recap", **SAMPLE)
        assert ok and "守塔人" in str(told["sections"]) and "守塔人" in text
        ok, told, text = await called(client, "recap", as_of_chapter=1, **SAMPLE)
        assert ok and told["sections"] and "守塔人" not in str(told) and "守塔人" not in text


async def test_a_thread_of_ones_own(either: Guarded) -> None:
    """PLA-02: the same name goes on with it; another user's thread of that name is another one."""
    name = f"talk-{uuid4()}"
    async with client_of(either.server.url, either.tokens.victim) as client:
        await called(client, "ask", question=WHO, thread=name, **SAMPLE)
        ok, asked, _ = await called(client, "ask", question="他认出了什么？", thread=name, **SAMPLE)
    assert ok and "苏晚亭" in asked["resolved_question"] and asked["thread"] == name
    async with client_of(either.server.url, either.tokens.thief) as client:
        ok, asked, _ = await called(client, "ask", question="他认出了什么？", thread=name, **SAMPLE)
    assert ok and "苏晚亭" not in asked["resolved_question"]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("ask", {"question": WHO, "library": "nowhere"}, "没有名为 nowhere 的资料库"),
        ("ask", {"question": "Who is Su?" * 500, "library": "sample"}, "the limit is 4000"),
        ("ask", {"question": " ", **SAMPLE}, "question"),
        ("ask", {"question": WHO, "toolkits": ["knowledge"]}, "知识网络"),
        ("vector_search", {"query": "灯塔"}, "library"),
        ("vector_search", {"query": "灯" * 4_001, **SAMPLE}, "query 有 4001 个字符，最多 4000 个"),
        ("keyword_search", {"keywords": "lamp " * 1_000, "session_id": "s"}, "the limit is 4000"),
        ("vector_search", {"query": "灯塔", "library": "../sample"}, "资料库"),
        ("vector_search", {"query": "灯塔", "top_k": 99, **SAMPLE}, "top_k"),
        ("list_characters", {"library": "nowhere"}, "nowhere"),
        ("no_such_tool", {}, "Unknown tool: no_such_tool"),
    ],
)
async def test_refusals(either: Guarded, tool: str, arguments: dict[str, Any], said: str) -> None:
    """PLA-07: what is wrong is the result of the call, an object that names it."""
    async with client_of(either.server.url, either.tokens.victim) as client:
        result: Any = await client.call_tool(tool, arguments)
    assert result.is_error and said in result.structured_content["error"], result
    assert result.structured_content["tool"] == tool


async def test_chapters_by_their_addresses(either: Guarded) -> None:
    """PLA-30: a table of contents for each library, and the texts that offsets of evidence refer to."""
    async with client_of(either.server.url, either.tokens.victim) as client:
        assert [one.uri for one in (await client.list_resources()).resources] == ["wenmai://sample"]
        [template] = (await client.list_resource_templates()).resource_templates
        table: Any = (await client.read_resource("wenmai://sample")).contents[0]
        places = json.loads(table.text)
        assert [one["chapter"] for one in places] == [1, 2, 3, 4] and "雾港初遇" in places[0]["title"]
        uri = template.uri_template.format(library="sample", part=1, chapter=2)
        chapter: Any = (await client.read_resource(uri)).contents[0]
        assert uri == places[1]["uri"] and "守塔人" in chapter.text and "陆沉舟走进" not in chapter.text
        for wrong in ("wenmai://nowhere/1/1", "wenmai://sample/1/9", "wenmai://sample/1", "file:///etc/passwd"):
            with pytest.raises(MCPError):
                await client.read_resource(wrong)


async def test_memories_are_those_of_the_key(either: Guarded) -> None:
    """S002-06 PLA-01: an owner finds hers in the tools' own form, another user none; arguments name nobody."""
    async with client_of(either.server.url, either.tokens.victim) as client:
        ok, mine, _ = await called(client, "search_memories", query="数据库配置", min_relevance_score=0)
        assert ok and mine["returned"] >= 1 and mine["results"][0]["memory_key"]
        key = mine["results"][0]["memory_key"]
        ok, detail, _ = await called(client, "get_memory_detail", memory_key=key)
        assert ok and detail["success"] and detail["memory_key"] == key and detail["content"]
        ended = {"search_summary": "找到了", "confidence": 0.9, "relevant_memory_keys": [key, "none"]}
        ok, handed, _ = await called(client, "handoff", **ended)
        assert ok and handed["task_completed"] and handed["dropped_keys"] == ["none"]
        ok, words, _ = await called(client, "extract_search_keywords", query="灯塔的钥匙放在哪里？")
        assert ok and {"keyword", "weight", "type"} <= set(words["keywords"][0])
        wider = {"reason": "太少", "current_size": 5, "requested_size": 10}
        ok, window, _ = await called(client, "expand_context_window", **wider)
        assert ok and window["approved"] and (window["new_size"], window["iteration"]) == (10, 2)
        ok, window, _ = await called(client, "expand_context_window", **wider | {"current_size": 10})
        assert ok and not window["approved"] and window["message"] == "请求的窗口大小必须大于当前大小 (10)"
        counted = {**ended, "iteration_used": 2, "context_window_used": 10}
        assert (await called(client, "handoff", **counted))[1] == handed
    async with client_of(either.server.url, either.tokens.thief) as client:
        as_her = {"user_id": VICTIM, "permissions": ["sensitive_memory"], "account": VICTIM}
        for name, value in as_her.items():
            ok, refused, _ = await called(client, "search_memories", query="数据库配置", **{name: value})
            assert not ok and refused["message"].startswith(f"搜索失败: {name}: ") and key not in str(refused)
            assert list(refused) == ["success", "total_found", "results", "message", "error_code"]
        _, theirs, _ = await called(client, "search_memories", query="数据库配置", min_relevance_score=0)
        assert key not in str(theirs) and VICTIM != THIEF
        ok, detail, _ = await called(client, "get_memory_detail", memory_key=key)
        assert not ok and detail["error_code"] == "not_found" and not detail["content"]


async def test_networks(either: Guarded) -> None:
    """S001-11 S001-10: errors in the specification's own form, with its status codes."""
    tool = "knowledge_network_retrieval"
    async with client_of(either.server.url, either.tokens.victim) as client:
        ok, wrong, _ = await called(client, tool, query="灯塔", kn_ids=["no-such"], compact=True)
        assert not ok and wrong["status_code"] == 404 and {"error", "detail"} <= set(wrong)
        ok, wrong, _ = await called(client, tool, query="灯塔", enable_keyword_context=True, kn_ids=["no-such"])
        assert not ok and (wrong["status_code"], wrong["detail"]) == (400, {})
        assert wrong["error"] == "session_id参数必须提供，用于存储和检索schema信息"


@pytest.mark.costly
async def test_without_keys_the_user_is_local(server: LiveServer) -> None:
    """PLA-30: as over HTTP; identity is authentication's alone, memories of a named user cannot be asked for."""
    async with client_of(server.url) as client:
        ok, found, _ = await called(client, "search_memories", query="记忆")
        assert ok and found["results"] == []
        ok, refused, _ = await called(client, "search_memories", query="记忆", user_id="u1")
        assert not ok and refused["message"].startswith("搜索失败: user_id: ")
        ok, asked, _ = await called(client, "ask", question=WHO, **SAMPLE)
        assert ok and "守塔人" in asked["answer"]


@pytest.mark.costly
async def test_a_foreign_page_and_no_key(guarded: Guarded, server: LiveServer) -> None:
    """The guard of origins and the keys stand in front of it, as of every route."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with httpx.AsyncClient(timeout=120) as http:
        evil = {"origin": "https://evil.example", "accept": "application/json, text/event-stream"}
        assert (await http.post(f"{server.url}/mcp", json=body, headers=evil)).status_code == 403
        assert (await http.post(f"{guarded.server.url}/mcp", json=body)).status_code == 401


async def test_over_stdin_and_stdout(prepared: Path, tmp_path: Path) -> None:
    """A desktop client starts the command; the user is the command's."""
    folder = copied(prepared, tmp_path / "desk")
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "wenmai", "mcp", "--user", "alice"], cwd=folder, env=environment(folder)
    )
    async with Client(stdio_client(command)) as client:
        ok, asked, _ = await called(client, "ask", question=WHO, thread="t", **SAMPLE)
        assert ok and "守塔人" in asked["answer"]
        ok, asked, _ = await called(client, "ask", question="他认出了什么？", thread="t", **SAMPLE)
        assert ok and "苏晚亭" in asked["resolved_question"]
        ok, found, _ = await called(client, "search_memories", query="记忆")
        assert ok and found["total_found"] == 0


async def test_prompts_and_annotations(either: Guarded) -> None:
    """PLA-68: three prompts for people; each tool says that it only reads, but ask, which may keep a thread."""
    async with client_of(either.server.url, either.tokens.victim) as client:
        tools = (await client.list_tools()).tools
        hints = {one.name: one.annotations.read_only_hint for one in tools if one.annotations}
        assert set(hints) == {one.name for one in tools} and [name for name, only in hints.items() if not only] == [
            "ask"
        ]
        prompts = {one.name: one for one in (await client.list_prompts()).prompts}
        assert set(prompts) == {"ask_a_book", "recap_so_far", "who_is_who"}
        assert [one.name for one in prompts["recap_so_far"].arguments or () if one.required] == ["library"]
        recap = await client.get_prompt("recap_so_far", {"library": "sample", "chapter": "2"})
        text: Any = recap.messages[0].content
        assert "sample" in text.text and "as_of_chapter=2" in text.text
        for name, given in (("unknown", {}), ("ask_a_book", {"library": "sample"})):
            with pytest.raises(MCPError):
                await client.get_prompt(name, given)
