"""Commands on the DATA_DIR of a running `wenmai serve`: they work through it, or say in one line that they cannot."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.integration.live_server import LiveServer, copied, wenmai
from tests.integration.own_server import API, serving

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


def test_a_library_from_its_ingest_to_its_end(live: LiveServer) -> None:
    (live.folder / "ferry.txt").write_text(STORY, encoding="utf-8")
    assert "资料库 ferry：1 章" in said(live, "ingest", "ferry.txt", "--library", "ferry", "--title", "渡口")
    assert "没有变化" in said(live, "ingest", "ferry.txt", "--library", "ferry", "--title", "渡口")
    assert "ferry" in said(live, "libraries") and "苏晚照" in said(live, "entities", "list", "--library", "sample")
    assert "已删除资料库 ferry" in said(live, "delete", "ferry", "--yes")
    assert "ferry" not in said(live, "libraries")


def test_what_cannot_be_done_through_a_server(live: LiveServer) -> None:
    """One line names the server; nothing was changed."""
    told = said(live, "entities", "merge", "苏晚照", "苏晚亭", "--library", "sample", code=1)
    assert live.url.removeprefix("http://") in told and told.count("\n") == 1
    told = said(live, "ingest", ".", "--library", "sample", code=1)
    assert "先停止服务器" in told and told.count("\n") == 1
