"""`wenmai memory`, from the first memory to the last."""

import json
from pathlib import Path

import pytest

from tests.integration.cli_story import Cli

TURNS = (
    {"dialogue": "小林", "id": "a", "speaker": "小林", "text": "我下周搬去成都", "time": "2026-05-01T09:00:00"},
    {"dialogue": "小林", "id": "b", "speaker": "AI", "text": "成都的小吃很多", "time": "2026-05-01T09:00:00"},
    {"dialogue": "小周", "id": "a", "speaker": "小周", "text": "我养了一只猫", "time": "2026-05-02T09:00:00"},
)


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A folder without any library."""
    return Cli(tmp_path_factory.mktemp("memory"))


def said(cli: Cli, *arguments: str, code: int = 0) -> str:
    done = cli.run("memory", *arguments)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_add_search_show_forget(cli: Cli) -> None:
    """MEM-05 S002-08 MEM-04: one memory from its first day to its last, with the messages of memory.md."""
    mine = ("--user", "甲")
    assert "未找到相关记忆" in said(cli, "list", *mine)
    said(cli, "add", "数据库配置：PostgreSQL，端口 5433", "--key", "db_config_001", *mine)
    assert "db_config_001" in said(cli, "search", "我之前的数据库配置", *mine)
    assert "db_config_001" in said(cli, "list", *mine)
    assert "未找到相关记忆" in said(cli, "search", "我之前的数据库配置", "--user", "乙")
    assert "端口 5433" in said(cli, "show", "db_config_001", *mine)
    assert said(cli, "show", "db_config_001", "--user", "乙", code=2) == "未找到记忆：db_config_001\n"
    assert "已存在" in said(cli, "add", "别的", "--key", "db_config_001", *mine, code=2)
    receipt = said(cli, "forget", "db_config_001", "--yes", *mine)
    assert [line.strip() for line in receipt.splitlines()[1:]] == ["记忆（含历史）：1", "会话：0", "轨迹：0", "缓存：0"]
    assert said(cli, "show", "db_config_001", "--history", *mine, code=2) == "未找到记忆：db_config_001\n"
    assert said(cli, "forget", "db_config_001", "--yes", *mine, code=2) == "未找到记忆：db_config_001\n"


def test_sensitive_memories(cli: Cli) -> None:
    """S002-D19: without the permission no text is shown, and a search finds nothing."""
    said(cli, "add", "密码是 hunter2", "--key", "pw", "--sensitive", "--user", "丙")
    shown = said(cli, "list", "--user", "丙")
    assert "[敏感记忆]" in shown and "hunter2" not in shown
    for command in (("search", "密码"), ("search", "密码", "--mode", "keyword"), ("search", "密码", "--json")):
        assert said(cli, *command, "--user", "丙").strip() in ("未找到相关记忆", "")
    assert "hunter2" in said(cli, "search", "密码", "--mode", "keyword", "--sensitive", "--user", "丙")
    assert "hunter2" not in said(cli, "show", "pw", "--user", "丙", code=2)
    assert "hunter2" in said(cli, "show", "pw", "--sensitive", "--user", "丙")


def test_import_and_export(cli: Cli) -> None:
    """MEM-04 MEM-06: a talk's dialogues become users; what one exports, another store imports."""
    path = cli.folder / "turns.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in TURNS), encoding="utf-8")
    assert "已导入 3 条记忆（文件共 3 条，2 个用户）" in said(cli, "import", "turns.jsonl")
    assert "已导入 0 条记忆" in said(cli, "import", "turns.jsonl")
    assert "2 段对话" in said(cli, "import", "turns.jsonl", "--user", "丁", code=2)
    out = cli.run("memory", "export", "--user", "小林").stdout
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["content"] for row in rows] == ["我下周搬去成都", "成都的小吃很多"]
    Path(cli.folder / "copy.jsonl").write_text(out, encoding="utf-8")
    assert "用户 小林" in said(cli, "import", "copy.jsonl", "--user", "丁", code=2)
    assert "已导入 0 条记忆" in said(cli, "import", "copy.jsonl", "--user", "小林")
    assert "猫" not in said(cli, "list", "--user", "小林")
