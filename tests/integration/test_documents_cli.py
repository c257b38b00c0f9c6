"""`wenmai docs` as a user runs it, and `agent.upload` on the same folder."""

import json
from pathlib import Path
from typing import Any

import pytest

import wenmai
from tests.documents import files
from tests.integration.cli_story import Cli
from tools.documents.records import DocumentOwner
from tools.errors import InputError

SESSION = ("--session", "s1")


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    return Cli(tmp_path_factory.mktemp("documents"))


def said(cli: Cli, *arguments: str, code: int = 0) -> str:
    done = cli.run("docs", *arguments)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_add_list_remove(cli: Cli) -> None:
    """DOC-02 DOC-03 DOC-04 S004-D17: one session's documents from their first day to their last, with a receipt."""
    (cli.folder / "报告.pdf").write_bytes(files.pdf(["Hello page one"], ["第二页说的是气道。"]))
    (cli.folder / "价格.xlsx").write_bytes(files.xlsx(价格=[["品名", "单价"], ["苹果", 3]]))
    assert "没有文档" in said(cli, "list", *SESSION)
    added = said(cli, "add", "报告.pdf", "价格.xlsx", *SESSION)
    assert "已上传 报告.pdf（2 段）" in added and "已上传 价格.xlsx（1 段）" in added
    assert "这样提问：wenmai ask '…' --toolkits documents --session s1\n" in added
    assert "替换了" in said(cli, "add", "报告.pdf", *SESSION)
    said(cli, "add", "价格.xlsx", "--preloaded")
    listed = json.loads(said(cli, "list", *SESSION, "--json"))
    assert [(row["filename"], row["is_preloaded"]) for row in listed["documents"]] == [
        ("价格.xlsx", True),
        ("报告.pdf", False),
        ("价格.xlsx", False),
    ]
    for other in (("--session", "s2"), ("--session", "s1", "--user", "乙"), ("--preloaded",)):
        assert json.loads(said(cli, "list", *other, "--json"))["total"] == 1
    assert "s1 中没有：没有.pdf" in said(cli, "remove", "没有.pdf", *SESSION, "--yes", code=2)
    receipt = said(cli, "remove", "报告.pdf", *SESSION, "--yes")
    assert [line.strip() for line in receipt.splitlines()] == ["已删除会话 s1 的文档：报告.pdf", "文档：1", "段落：2"]
    gone = json.loads(said(cli, "remove", "--all", *SESSION, "--yes", "--json"))
    assert ([row["filename"] for row in gone["documents"]], gone["chunks"]) == (["价格.xlsx"], 1)
    assert json.loads(said(cli, "list", *SESSION, "--json"))["total"] == 1
    stored = (cli.folder / ".wenmai").rglob("*")
    assert not any(path.is_file() and "说的是气道".encode() in path.read_bytes() for path in stored)


def test_a_document_is_asked_where_it_was_added(tmp_path: Path) -> None:
    """DOC-02: elsewhere it is not seen; both outputs say how to ask."""
    cli = Cli(tmp_path)
    (cli.folder / "年假.md").write_text("# 手册\n\n年假十五天。\n", encoding="utf-8")
    added = said(cli, "add", "年假.md", "--session", "s9", "--user", "乙 一")
    assert "只在会话 s9 里可见" in added and "--session s9 --user '乙 一'" in added
    asked = ("ask", "年假有几天？", "--toolkits", "documents", "--user", "乙 一")
    elsewhere = cli.run(*asked).stdout
    assert "请先上传文档" in elsewhere and "只在那个会话里可见" in elsewhere and "--session" in elsewhere
    assert "年假十五天" in cli.run(*asked, "--session", "s9").stdout


def test_what_is_refused(cli: Cli) -> None:
    """DOC-03: one line each, exit code 2 for the caller's mistakes and 1 for a file; nothing is stored."""
    (cli.folder / "big.txt").write_bytes(b"a" * (11 * 2**20))
    (cli.folder / "scan.pdf").write_bytes(files.pdf([]))
    assert "上限是 10 MB（MAX_FILE_SIZE_MB）" in said(cli, "add", "big.txt", "--session", "s3", code=2)
    assert "OCR" in said(cli, "add", "scan.pdf", "--session", "s3", code=1)
    assert "没有这个文件：nowhere.txt" in said(cli, "add", "scan.pdf", "nowhere.txt", "--session", "s3", code=2)
    assert "--session" in said(cli, "add", "scan.pdf", code=2)
    assert "--preloaded" in said(cli, "add", "scan.pdf", "--session", "s3", "--preloaded", code=2)
    assert json.loads(said(cli, "list", "--session", "s3", "--json"))["documents"][1:] == []


async def test_python_and_the_command_line_have_the_same_sessions(tmp_path: Path) -> None:
    """DOC-02 PLA-08: who names no user is `local` in Python, too: what one adds, the other sees, asks and removes."""
    cli = Cli(tmp_path)
    (tmp_path / "报销.md").write_text("差旅报销要在三十天内提交发票。", encoding="utf-8")
    (tmp_path / "年假.md").write_text("年假每年五天，要提前两周申请。", encoding="utf-8")
    said(cli, "add", "报销.md", *SESSION)
    ask: dict[str, Any] = {"thread_id": "s1", "toolkits": ["documents"]}
    folders: dict[str, Any] = {"data_dir": tmp_path / ".wenmai", "trace_dir": tmp_path / "traces"}
    async with wenmai.open_agent(**folders) as agent:
        assert "三十天" in (await agent.ask("差旅报销要在几天内提交发票？", **ask)).text
        stored = await agent.upload(tmp_path / "年假.md", thread_id="s1")
        assert stored.document.owner == DocumentOwner("local", "s1")
        assert [one.filename for one in await agent.documents("s1")] == ["年假.md", "报销.md"]
        found = await agent.tool("semantic_search", query="年假", session_id="s1", top_k=1)
        assert found["result"]["chunks"][0]["filename"] == "年假.md"
        assert (await agent.get_context_chunks("年假有几天", "s1", 1)) == ["年假每年五天，要提前两周申请。\n"]
        rows = await wenmai.retriever(session_id="s1", agent=agent).ainvoke("年假有几天")
        assert {row.metadata["source"] for row in rows} == {"年假.md", "报销.md"}
        assert (await agent.ask("年假有几天？", user_id=None, thread_id="x", toolkits=["documents"])).citations == []
    async with wenmai.open(**folders) as app:
        assert "五天" in (await app.conversations.ask("年假每年有几天？", **ask)).text
    asked = cli.run("ask", "年假每年有几天？", "--toolkits", "documents", *SESSION, "--json")
    record = json.loads(asked.stdout)
    assert record["thread_id"] == "s1" and "五天" in record["answer"]
    async with wenmai.open_agent(**folders) as agent:
        assert (await agent.remove_documents("报销.md", thread_id="s1")).chunks == 1
    assert "报销" not in said(cli, "list", *SESSION)


async def test_what_nobody_asked_goes_on_as_that_of_this_machine(tmp_path: Path) -> None:
    """PLA-08: threads that Python began before it asked as `local` are his."""
    async with wenmai.open_agent(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces") as agent:
        first = await agent.ask("你能做什么？", toolkits=["documents"], user_id=None, thread_id="old")
        assert (await agent.ask("你能做什么？", toolkits=["documents"], thread_id="old")).thread_id == first.thread_id
        with pytest.raises(InputError, match="old"):
            await agent.ask("你能做什么？", toolkits=["documents"], user_id="甲", thread_id="old")


async def test_nobody_and_a_blank_name_are_not_the_user_of_this_machine(tmp_path: Path) -> None:
    """PLA-08: None is nobody, who sees preloaded documents alone and owns none; a blank name is refused everywhere."""
    async with wenmai.open_agent(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces") as agent:
        await agent.upload("a.md", thread_id="s1", content="年假每年五天，要提前两周申请。".encode())
        text: Any = "年假每年五天"
        with pytest.raises(InputError, match="content 必须是 bytes，收到 str"):
            await agent.upload("a.md", thread_id="s1", content=text)
        await agent.upload("b.md", preloaded=True, content="差旅报销要在三十天内提交发票。".encode())
        assert [one.filename for one in await agent.documents("s1", None)] == ["b.md"]
        assert await agent.get_context_chunks("年假有几天", "s1", user_id=None) == ["差旅报销要在三十天内提交发票。\n"]
        with pytest.raises(InputError, match="user_id"):
            await agent.upload("c.md", thread_id="s1", user_id=None, content=b"x")
        with pytest.raises(InputError, match="user_id"):
            await agent.remove_documents(thread_id="s1", user_id=None)
        for blank in ("", " "):
            for refused in (
                agent.ask("年假有几天？", user_id=blank, toolkits=["documents"]),
                agent.documents("s1", blank),
                agent.get_context_chunks("年假", "s1", user_id=blank),
                agent.upload("c.md", thread_id="s1", user_id=blank, content=b"x"),
                agent.upload("c.md", preloaded=True, user_id=blank, content=b"x"),
                agent.remove_documents(thread_id="s1", user_id=blank),
                agent.tool("semantic_search", user_id=blank, query="年假", session_id="s1"),
            ):
                with pytest.raises(InputError, match="user_id"):
                    await refused
        assert [one.filename for one in await agent.documents("s1")] == ["b.md", "a.md"]


async def test_upload_from_python(tmp_path: Path) -> None:
    """DOC-02 DOC-03 DOC-04: agent.upload stores a path or bytes in a session, or for everybody."""
    path = tmp_path / "故事.md"
    path.write_text("# 雾港\n\n沈青在白石渡等了三年。", encoding="utf-8")
    async with wenmai.open_agent(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces") as agent:
        first = await agent.upload(path, thread_id="t1", user_id="甲")
        assert (first.document.filename, first.document.chunks) == ("故事.md", 1)
        await agent.upload("笔记.txt", content="周老三住在对岸。".encode(), thread_id="t1", user_id="甲")
        assert [one.filename for one in await agent.documents("t1", "甲")] == ["笔记.txt", "故事.md"]
        assert await agent.documents("t1", "乙") == await agent.documents() == []
        both = {"thread_id": "t1", "user_id": "甲"}
        for_all = {"preloaded": True}
        neither: list[dict[str, Any]] = [{"user_id": "甲"}, {}, both | for_all, {"user_id": "甲"} | for_all]
        for wrong in neither:
            with pytest.raises(InputError, match="thread_id"):
                await agent.upload(path, **wrong)
        assert (await agent.remove_documents("笔记.txt", thread_id="t1", user_id="甲")).chunks == 1
        assert (await agent.remove_documents(thread_id="t1", user_id="甲")).chunks == 1
        assert await agent.documents("t1", "甲") == []
