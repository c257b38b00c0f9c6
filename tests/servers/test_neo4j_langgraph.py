"""The LangGraph server on a Neo4j that is killed: every question ends with a line of ours, none with a broken run."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from devservers.running import crash, start
from tests.engines import settings_of
from tests.integration.live_server import LiveServer, prepare, running
from tests.neo4j_rig import emptied

ERROR = "抱歉，处理您的问题时出错，请重试。"
DOWN = "没有响应"
LATER_S = 3  # a run that waits so long has been let in while the server was there
AT_ONCE = 8
DOWN_S = 120  # until each of them has met the dead server, whose driver waits before it gives up


@pytest.fixture
async def empty() -> AsyncIterator[None]:
    """A Neo4j server without a library, and again at the end."""
    async with emptied():
        pass
    yield
    await asyncio.to_thread(start, "neo4j")
    async with emptied():
        pass


@pytest.fixture
def server(empty: None, tmp_path: Path) -> Iterator[LiveServer]:
    """The real `langgraph dev` whose story graph is on the server."""
    lines = [f"{name}={value}" for name, value in settings_of("neo4j").items()]
    (tmp_path / ".env").write_text("\n".join(lines), encoding="utf-8")
    prepare(tmp_path)
    with running(tmp_path) as live:
        yield live


def asking(question: str) -> Any:
    """Return the input and the context of a run."""
    return {
        "input": {"messages": [{"role": "user", "content": question}]},
        "context": {"library": "sample"},
    }


async def asked(client: LangGraphClient, thread: str) -> str:
    """Ask and return the answer with its warning, or the words of a refusal."""
    try:
        output: Any = await client.runs.wait(thread, "agent", **asking("苏晚亭后来认出了什么？"))
    except httpx.HTTPStatusError as error:
        assert error.response.status_code == 503
        return error.response.text
    return f"{output['result']['answer']} {output['result']['warning']}"


async def asked_until_down(client: LangGraphClient, thread: str) -> list[str]:
    """Ask again and again until a question meets the dead server; return what the ones before were told."""
    before: list[str] = []
    while DOWN not in (told := await asked(client, thread)):
        before.append(told)
    return before


async def test_killed_while_questions_run(server: LiveServer) -> None:
    """PLA-28 LOP-05 S004-D10: each question is told what is down, and the next one is answered."""
    async with get_client(url=server.url) as client:
        threads = [(await client.threads.create())["thread_id"] for _ in range(AT_ONCE)]
        assert "航海图" in await asked(client, threads[0])
        waiting = await client.runs.create(threads[1], "agent", **asking("苏晚亭是谁？"), after_seconds=LATER_S)
        running_ones = [asyncio.create_task(asked_until_down(client, thread)) for thread in threads[2:]]
        await asyncio.sleep(0.2)
        await asyncio.to_thread(crash, "neo4j")
        await client.runs.join(threads[1], waiting["run_id"])
        state: Any = await client.threads.get_state(threads[1])
        result = state["values"]["result"]
        assert result["answer"] == ERROR and DOWN in result["warning"] and "NEO4J_URI" in result["warning"]
        assert (await client.runs.get(threads[1], waiting["run_id"]))["status"] == "success"
        async with asyncio.timeout(DOWN_S):
            for before in await asyncio.gather(*running_ones):
                assert all("航海图" in told for told in before)
        assert DOWN in await asked(client, threads[0])
        await asyncio.to_thread(start, "neo4j")
        assert "航海图" in await asked(client, threads[1])
    assert "An internal error occurred" not in server.log
