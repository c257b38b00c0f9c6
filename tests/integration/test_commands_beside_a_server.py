"""Commands on the DATA_DIR of a running `wenmai serve`: they work through it, or say in one line that they cannot."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.integration.live_server import LiveServer, environment, wenmai
from tests.integration.own_server import API, serving
from tests.integration.test_mcp import called
from tests.temporary import copied
from wenmai import open as open_wenmai
from wenmai.client.client import Client as RemoteClient

STORY = "第一回 渡口\n\n阿满在渡口卖茶。阿满的哥哥叫周老三。\n"


@pytest.fixture(scope="module")
def live(prepared: Path) -> Iterator[LiveServer]:
    """A server that has opened the stores of its library and of a user."""
    with serving(copied(prepared, prepared.parent / "administered")) as server:
        with httpx.Client(base_url=server.url + API, timeout=60) as http:
            asked = {"question": "苏晚照的哥哥是谁？", "library": "sample"}
            assert "苏晚亭" in http.post("/ask", json=asked).text
            http.post("/memories", json={"content": "我养了一只猫"}).raise_for_status()
            file = {"file": ("first.md", "每年五天。".encode())}
            http.post("/documents", files=file, data={"thread_id": "s0"}).raise_for_status()
        yield server


def said(live: LiveServer, *arguments: str, code: int = 0) -> str:
    done = wenmai(live.folder, *arguments)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def test_memories(live: LiveServer) -> None:
    said(live, "memory", "add", "我下周搬去成都", "--type", "general")
    _, row = (json.loads(line) for line in said(live, "memory", "export").splitlines())
    assert row["content"] == "我下周搬去成都" and row["user_id"] == "local"
    key = row["memory_key"]
    assert key in said(live, "memory", "list") and "我下周搬去成都" in said(live, "memory", "show", key)
    assert key in said(live, "memory", "search", "我搬去哪里", "--min-score", "0")
    assert "记忆（含历史）：1" in said(live, "memory", "forget", key, "--yes")
    assert key not in said(live, "memory", "list")
    assert "local" in said(live, "memory", "list", "--user", "别人", code=2)


def test_documents(live: LiveServer) -> None:
    (live.folder / "leave.md").write_text("# 年假\n\n每年五天。", encoding="utf-8")
    (live.folder / "pay.md").write_text("# 工资\n\n每月十日。", encoding="utf-8")
    said(live, "docs", "add", "leave.md", "pay.md", "--session", "s1")
    listed = json.loads(said(live, "docs", "list", "--session", "s1", "--json"))
    assert {one["filename"] for one in listed["documents"]} == {"leave.md", "pay.md"} and listed["total"] == 2
    assert "会话 s1 中没有：other.md" in said(live, "docs", "remove", "other.md", "--session", "s1", "--yes", code=2)
    assert "leave.md" in said(live, "docs", "remove", "leave.md", "--session", "s1", "--yes")
    assert "pay.md" in said(live, "docs", "remove", "--all", "--session", "s1", "--yes")
    assert "没有文档" in said(live, "docs", "list", "--session", "s1")


def test_a_collection(live: LiveServer) -> None:
    """DOC-41: its folders by the command line, through a server."""
    (live.folder / "leave.md").write_text("# 年假\n\n每年五天。", encoding="utf-8")
    (live.folder / "new leave.md").write_text("# 年假\n\n每年十天。", encoding="utf-8")
    said(live, "docs", "add", "leave.md", "--folder", "手册")
    assert "文档库 / 手册" in said(live, "docs", "list", "--session", "s5")
    assert "leave.md" not in said(live, "docs", "list", "--folder", "")
    assert "替换了" in said(live, "docs", "add", "new leave.md", "--collection", "--replaces", "leave.md")
    assert "已移到文件夹 规定 ：new leave.md" in said(live, "docs", "move", "new leave.md", "--to", "规定")
    assert "文档库中没有：leave.md" in said(live, "docs", "remove", "leave.md", "--collection", "--yes", code=2)
    asked = said(live, "ask", "年假每年有几天？", "--toolkits", "documents", "--folder", "规定", "--json")
    assert "十天" in json.loads(asked)["answer"]
    assert "new leave.md" in said(live, "docs", "remove", "规定/new leave.md", "--collection", "--yes")


ASK_DOCUMENTS = ("--toolkits", "documents", "--json", "--session")


def test_a_session_by_name(live: LiveServer) -> None:
    """DOC-02 PLA-02: upload, then ask, under a name of one's own: the answer is the file's, and the talk goes on."""
    (live.folder / "travel.md").write_text("差旅报销要在三十天内提交发票，由财务处审核。", encoding="utf-8")
    said(live, "docs", "add", "travel.md", "--session", "demo")
    first = json.loads(said(live, "ask", "差旅报销要在几天内提交发票？", *ASK_DOCUMENTS, "demo"))
    assert "三十天" in first["answer"] and first["thread_id"] == "demo"
    second = json.loads(said(live, "ask", "由谁审核？", *ASK_DOCUMENTS, "demo"))
    assert "财务处" in second["answer"]
    other = json.loads(said(live, "ask", "差旅报销要在几天内提交发票？", *ASK_DOCUMENTS, "demo2"))
    assert other["citations"] == []


def test_a_session_before_beside_and_after_a_server(prepared: Path) -> None:
    """DOC-02: the same name is the same session, whoever holds the stores."""
    folder = copied(prepared, prepared.parent / "named")
    ask = ("ask", "钥匙在哪里？", *ASK_DOCUMENTS, "demo")

    def answer() -> str:
        done = wenmai(folder, *ask)
        assert done.returncode == 0, done.stderr
        return str(json.loads(done.stdout)["answer"])

    (folder / "key.md").write_text("钥匙在门卫室。", encoding="utf-8")
    (folder / "hat.md").write_text("帽子在衣柜里。", encoding="utf-8")
    assert wenmai(folder, "docs", "add", "key.md", "--session", "demo").returncode == 0
    with serving(folder) as live:
        assert "门卫室" in answer()
        said(live, "docs", "add", "hat.md", "--session", "demo")
    assert "门卫室" in answer()
    assert "hat.md" in wenmai(folder, "docs", "list", "--session", "demo").stdout


async def test_a_session_by_name_in_python(live: LiveServer) -> None:
    """DOC-02 PLA-02: the same through `wenmai.open`, and over the tools."""
    async with open_wenmai(data_dir=live.folder / "data") as app:
        assert isinstance(app, RemoteClient)
        await app.documents.upload("s1.md", content="钥匙在门卫室，由老赵保管。".encode(), thread_id="p1")
        fields: Any = {"thread_id": "p1", "toolkits": ["documents"]}
        assert "门卫室" in (await app.conversations.ask("钥匙在哪里？", **fields)).text
        assert [one.question for one in (await app.conversations.turns("p1")).items] == ["钥匙在哪里？"]
        found = await app.tools.call("semantic_search", {"query": "钥匙", "session_id": "p1"})
        assert "老赵" in found.text
        asked = {"question": "谁保管钥匙？", "thread": "p1", "toolkits": ["documents"]}
        assert "老赵" in (await app.tools.call("ask", asked)).text
        assert (await app.traces.list(thread="p1")).total == 2
        await app.conversations.delete("p1")
        assert (await app.documents.list(thread_id="p1")).items == []


def test_a_library_from_its_ingest_to_its_end(live: LiveServer) -> None:
    (live.folder / "ferry.txt").write_text(STORY, encoding="utf-8")
    assert "资料库 ferry：1 章" in said(live, "ingest", "ferry.txt", "--library", "ferry", "--title", "渡口")
    assert "没有变化" in said(live, "ingest", "ferry.txt", "--library", "ferry", "--title", "渡口")
    assert "ferry" in said(live, "libraries") and "苏晚照" in said(live, "entities", "list", "--library", "sample")
    assert "已删除资料库 ferry" in said(live, "delete", "ferry", "--yes")
    assert "ferry" not in said(live, "libraries")


def test_memories_that_come_and_go(live: LiveServer) -> None:
    """Import, keys of one's own, history, keywords and the guard, as on the stores."""
    said(live, "memory", "add", "借来的书在书房", "--key", "book")
    rows = [
        {"memory_key": "book", "content": "借来的书还了"},
        {"memory_key": "lamp", "content": "灯在阁楼", "summary": "灯"},
        {"memory_key": "old", "content": "灯在地窖", "is_active": False, "superseded_by": "lamp"},
    ]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (live.folder / "rows.jsonl").write_text(text, encoding="utf-8")
    assert "已导入 3 条记忆" in said(live, "memory", "import", "rows.jsonl")
    assert "已导入 0 条记忆" in said(live, "memory", "import", "rows.jsonl")
    assert "借来的书还了" in said(live, "memory", "show", "book")
    assert "灯在地窖" in said(live, "memory", "show", "lamp", "--history")
    assert "lamp" in said(live, "memory", "search", "灯", "--keyword", "阁楼", "--min-score", "0")
    assert "lamp" in said(live, "memory", "list", "--library", "sample", "--as-of-chapter", "2")
    (live.folder / "others.jsonl").write_text('{"user_id": "bob", "content": "x"}\n', encoding="utf-8")
    assert "local" in said(live, "memory", "import", "others.jsonl", "--user", "bob", code=2)
    said(live, "memory", "add", "口令", "--sensitive", "--key", "secret")
    assert "敏感记忆" in said(live, "memory", "export", code=1)  # never a file that has lost its texts
    said(live, "memory", "forget", "secret", "book", "lamp", "--yes")


def test_documents_of_everybody(live: LiveServer) -> None:
    (live.folder / "house.md").write_text("# 规矩\n\n雾起关灯。", encoding="utf-8")
    said(live, "docs", "add", "house.md", "--preloaded")
    assert "house.md" in said(live, "docs", "list") and "house.md" in said(live, "docs", "list", "--session", "s9")
    assert "预置文档中没有：x" in said(live, "docs", "remove", "x", "--preloaded", "--yes", code=2)
    assert "house.md" in said(live, "docs", "remove", "house.md", "--preloaded", "--yes")
    assert "house.md" not in said(live, "docs", "list", "--preloaded")


def test_names_are_merged_and_split(live: LiveServer) -> None:
    told = said(live, "entities", "merge", "苏晚亭", "苏晚照", "--library", "sample")
    assert "新增别名：" in told and "苏晚亭" in told and "全库实体：3" in told
    assert "苏晚亭" in said(live, "entities", "split", "苏晚亭", "--library", "sample")
    assert "没有实体" in said(live, "entities", "merge", "无此人", "苏晚照", "--library", "sample", code=2)


def test_what_is_shown_of_a_library(live: LiveServer) -> None:
    assert "另存的注记" in said(live, "notes", "--library", "sample")
    assert "苏晚照" in said(live, "entities", "list", "--library", "sample", "--as-of-chapter", "1")
    told = said(live, "libraries", "--as-of-chapter", "1")
    assert "sample" in told and "可用" in told


def test_a_talk(live: LiveServer) -> None:
    """`wenmai chat` on the server: a follow-up knows what was said before."""
    words = [sys.executable, "-m", "wenmai", "chat", "--library", "sample"]
    asked = "苏晚亭是谁？\n他后来认出了什么？\n"
    told = subprocess.run(
        words, cwd=live.folder, env=environment(live.folder), input=asked, capture_output=True, text=True, check=True
    ).stdout
    assert live.url in told and "守塔人" in told and "航海图" in told


@pytest.mark.costly
async def test_a_desktop_client(live: LiveServer) -> None:
    """`wenmai mcp` hands on to the server that holds the stores."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "wenmai", "mcp"], cwd=live.folder, env=environment(live.folder)
    )
    async with Client(stdio_client(command)) as client:
        assert "vector_search" in {tool.name for tool in (await client.list_tools()).tools}
        ok, asked, _ = await called(client, "ask", question="苏晚亭是谁？", library="sample")
        assert ok and "守塔人" in asked["answer"]
        (table,) = (await client.list_resources()).resources
        assert "第二回 灯塔之约" in str(await client.read_resource(table.uri))


@pytest.mark.costly
def test_a_library_with_everything(prepared: Path, tmp_path: Path) -> None:
    """What asked a library is told, and goes with it where that is wanted; a thread on another one stays."""
    folder = copied(prepared, tmp_path / "everything")
    (folder / "ferry.txt").write_text(STORY, encoding="utf-8")
    assert wenmai(folder, "ingest", "ferry.txt", "--library", "ferry").returncode == 0
    with serving(folder) as live, httpx.Client(base_url=live.url + API, timeout=60) as http:
        for library in ("sample", "sample", "ferry"):
            http.post("/ask", json={"question": "苏晚亭是谁？", "library": library}).raise_for_status()
        told = said(live, "delete", "sample", "--source", "雾港", "--yes")
        assert "2 个会话" in told and "2 份轨迹" in told
        receipt = http.delete("/libraries/sample").json()
        assert (receipt["threads"], receipt["traces"], receipt["is_cleared"]) == (2, 2, False)
        assert http.delete("/libraries/sample").status_code == 404 and http.get("/threads").json()["total"] == 3
        assert "2 个会话和 2 份轨迹" in said(live, "delete", "sample", "--everything", "--yes")
        (left,) = http.get("/threads").json()["items"]
        assert left["library"] == "ferry" and http.get(f"/threads/{left['id']}/turns").json()["total"] == 1
        receipt = http.delete("/libraries/ferry", params={"everything": True}).json()
        assert (receipt["threads"], receipt["is_cleared"], receipt["passages"]) == (1, True, 1)
        assert http.get("/threads").json()["total"] == 0 and not list(live.traces.glob("*.json"))
        assert http.delete("/libraries/ferry", params={"everything": True}).status_code == 404


def test_what_cannot_be_done_through_a_server(live: LiveServer) -> None:
    """One line names the server; nothing was changed."""
    for words in (
        ("experiment", "--library", "sample", "--limit", "1"),
        ("backup", "out"),
        ("delete", "sample", "--abandoned", "--yes"),
        ("ingest", ".", "--library", "sample"),
    ):
        told = said(live, *words, code=1)
        assert live.url in told and "先停止" in told and told.count("\n") == 1, told


def test_a_second_server_on_the_same_stores_says_where_the_first_one_is(live: LiveServer) -> None:
    told = said(live, "serve", "--port", "1", code=1)
    assert live.url in told and "已在使用数据文件夹" in told and len(told.splitlines()) == 1
