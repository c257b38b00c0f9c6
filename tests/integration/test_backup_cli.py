"""`wenmai backup` and `wenmai restore`: what was there answers again; a wrong file or place is refused."""

import json
import os
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from filelock import FileLock

from tests.integration.cli_story import ALIASES, STORY, Cli

ASKED = ("ask", "沈河在对岸开了什么？", "--library", "river", "--json")
FOLLOW_UP = ("ask", "他的左腿怎么了？", "--library", "river", "--thread", "t1", "--json")
MEMORIES = ("memory", "export", "--user", "local")
FEW = ("river/catalog.sqlite", "checkpoints.sqlite", "keys.json")  # small files: those of vectors are large
DOCUMENTS = ("docs", "list", "--session", "t1", "--json")
Change = Callable[[dict[str, Any], dict[str, bytes]], None]


def said(cli: Cli, *arguments: str, code: int = 0, **settings: str) -> str:
    done = cli.run(*arguments, **settings)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """Things of every kind below `.wenmai`; a backup of them, and one of few files."""
    cli = Cli(tmp_path_factory.mktemp("backup"))
    (cli.folder / "story.txt").write_text(STORY, encoding="utf-8")
    (cli.folder / "names.json").write_text(json.dumps(ALIASES), encoding="utf-8")
    (cli.folder / "leave.md").write_text("# 年假\n\n员工每年有五天年假。", encoding="utf-8")
    said(cli, "ingest", "story.txt", "--library", "river", "--title", "白石渡", "--aliases", "names.json")
    said(cli, *ASKED, "--thread", "t1")
    said(cli, "memory", "add", "数据库配置：PostgreSQL，端口 5433", "--key", "lamp")
    said(cli, "docs", "add", "leave.md", "--session", "t1")
    said(cli, "keys", "add", "--user", "a")
    said(cli, "backup", "whole.zip")
    for name in FEW:
        (cli.folder / "few" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(cli.folder / ".wenmai" / name, cli.folder / "few" / name)
    said(cli, "backup", "few.zip", DATA_DIR="few")
    return cli


def known(cli: Cli, place: str) -> list[Any]:
    """Return what a DATA_DIR answers, remembers and lists."""
    answered = json.loads(said(cli, *ASKED, DATA_DIR=place))
    told = [answered["answer"], answered["citations"], answered["confidence"]]
    lists = [said(cli, *command, DATA_DIR=place) for command in (MEMORIES, DOCUMENTS, ("libraries",), ("keys", "list"))]
    return [*told, *lists]


def test_a_restored_folder_answers_as_before(cli: Cli) -> None:
    """A backup holds libraries, graph, memories, documents, keys and threads, which go on."""
    restored = said(cli, "restore", "whole.zip", DATA_DIR="elsewhere/data")
    assert "river" in restored
    assert known(cli, "elsewhere/data") == known(cli, ".wenmai")
    followed = json.loads(said(cli, *FOLLOW_UP, DATA_DIR="elsewhere/data"))
    assert "沈河" in followed["resolved_question"] and "石头砸断" in followed["answer"]
    assert (cli.folder / "elsewhere/data/keys.json").stat().st_mode & 0o777 == 0o600
    assert os.listdir(cli.folder / "elsewhere") == ["data"]


def test_what_a_backup_takes(cli: Cli) -> None:
    """What the file takes of the disk, and the folder; holes of files take nothing."""
    for told, place in (
        (said(cli, "backup", "again.zip"), cli.folder / "again.zip"),
        (said(cli, "restore", "again.zip", DATA_DIR="sized"), cli.folder / "sized"),
    ):
        files = [place] if place.is_file() else [one for one in place.rglob("*") if one.is_file()]
        [megabytes] = re.findall(r"占磁盘 ([\d.]+) MB", told)
        assert float(megabytes) == pytest.approx(sum(one.stat().st_blocks for one in files) * 512 / 1e6, abs=0.1)
    assert sum(one.stat().st_size for one in files) > 2e6 * float(megabytes)
    shutil.rmtree(cli.folder / "sized")


def test_a_later_ingest_keeps_what_came_along(cli: Cli) -> None:
    """STO-135: the alias file of the first one counts, and is said to; nothing is written."""
    told = said(cli, "ingest", "story.txt", "--library", "river", "--title", "白石渡")
    assert "沿用" in told and "5 个名字" in told and "没有变化" in told, told


@pytest.mark.parametrize(
    ("name", "remedies"),
    [
        ("river/catalog.sqlite", ("资料库 river",)),
        ("checkpoints.sqlite", ("--recover",)),
        ("identity.sqlite", ("备份",)),
    ],
)
@pytest.mark.parametrize("whole", [True, False])
def test_a_spoilt_file_is_no_backup(cli: Cli, name: str, remedies: tuple[str, ...], whole: bool) -> None:
    """PLA-63: it is named with what to do with it, no library but its own is; nothing is written."""
    folder = cli.folder / "spoilt"
    shutil.copytree(cli.folder / "few", folder)
    with closing(sqlite3.connect(folder / "identity.sqlite")) as file:
        file.execute("CREATE TABLE identity (id TEXT)")
        file.executemany("INSERT INTO identity VALUES (?)", [("x" * 3_000,)] * 9)
        file.commit()
    content = (folder / name).read_bytes()
    kept = 0 if whole else len(content) // 2
    (folder / name).write_bytes(content[:kept] + b"\xa5" * (len(content) - kept))
    told = said(cli, "backup", "spoilt.zip", code=1, DATA_DIR="spoilt")
    assert name in told and all(one in told for one in remedies) and "资料库 spoilt" not in told, told
    assert not (cli.folder / "spoilt.zip").exists()
    shutil.rmtree(folder)


def test_a_backup_of_what_is_in_use(cli: Cli) -> None:
    """A folder that a process holds, and one that a server runs on, are refused by name; nothing is written."""
    with FileLock(cli.folder / ".wenmai/river/.lock"):
        assert "river" in said(cli, "backup", "other.zip", code=1)
    server = cli.folder / ".wenmai/server.json"
    server.write_text(json.dumps({"url": "http://127.0.0.1:2024", "pid": os.getpid()}))
    try:
        assert "http://127.0.0.1:2024" in said(cli, "backup", "other.zip", code=1)
    finally:
        server.unlink()
    assert not (cli.folder / "other.zip").exists()


def test_where_a_backup_is_written(cli: Cli) -> None:
    """A folder gets a file of its own name; a file that is there stays; DATA_DIR itself is no place for it."""
    (cli.folder / "kept").mkdir()
    said(cli, "backup", "kept", DATA_DIR="few")
    (made,) = (cli.folder / "kept").iterdir()
    assert made.name.startswith("wenmai-") and zipfile.is_zipfile(made)
    before = (cli.folder / "whole.zip").read_bytes()
    assert "已经存在" in said(cli, "backup", "whole.zip", code=2)
    assert (cli.folder / "whole.zip").read_bytes() == before
    assert "DATA_DIR" in said(cli, "backup", ".wenmai/backup.zip", code=2)
    assert "没有可备份" in said(cli, "backup", "new.zip", code=2, DATA_DIR="nothing")


def test_what_is_on_servers_is_named(cli: Cli) -> None:
    told = said(cli, "backup", "served.zip", DATA_DIR="few", NEO4J_URI="bolt://127.0.0.1:1", NEO4J_PASSWORD="x")
    assert "Neo4j" in told and "docs/operations.md" in told


def test_a_folder_that_is_not_empty(cli: Cli) -> None:
    (cli.folder / "mine").mkdir()
    (cli.folder / "mine/file").write_text("x")
    assert "不是空的" in said(cli, "restore", "few.zip", code=2, DATA_DIR="mine")
    assert [one.name for one in (cli.folder / "mine").iterdir()] == ["file"]


def changed(cli: Cli, change: Change) -> str:
    """Return the name of a backup that was changed."""
    with zipfile.ZipFile(cli.folder / "few.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(files.pop("manifest.json"))
    change(manifest, files)
    with zipfile.ZipFile(cli.folder / "changed.zip", "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        archive.writestr("manifest.json", json.dumps(manifest))
    return "changed.zip"


def of_another_format(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    manifest["format"] = 2


def damaged(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    files["data/checkpoints.sqlite"] = files["data/checkpoints.sqlite"][::-1]


def cut(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    del files["data/river/catalog.sqlite"]


def longer(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    files["data/keys.json"] += b" "


def added(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    files["data/more"] = b"x"


def out_of_the_folder(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    files["data/../../out"] = b"x"
    manifest["files"]["../../out"] = {
        "size": 1,
        "sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
    }


def absolute(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    manifest["files"]["/tmp/out"] = manifest["files"].pop("keys.json")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (of_another_format, "格式"),
        (damaged, "checkpoints.sqlite"),
        (cut, "catalog.sqlite"),
        (longer, "keys.json"),
        (added, "more"),
        (out_of_the_folder, "不安全"),
        (absolute, "不安全"),
    ],
)
def test_a_file_that_is_refused(cli: Cli, change: Change, reason: str) -> None:
    """Nothing is left behind, neither in DATA_DIR nor beside it."""
    before = sorted(os.listdir(cli.folder))
    assert reason in said(cli, "restore", changed(cli, change), code=2, DATA_DIR="new")
    assert sorted(os.listdir(cli.folder)) == sorted({*before, "changed.zip"})


@pytest.mark.parametrize("content", [b"", b"no archive", None])
def test_what_is_no_backup(cli: Cli, content: bytes | None) -> None:
    """A text, an empty file, and a backup that was cut off."""
    whole = (cli.folder / "few.zip").read_bytes()
    (cli.folder / "bad.zip").write_bytes(whole[: len(whole) // 2] if content is None else content)
    assert "bad.zip" in said(cli, "restore", "bad.zip", code=2, DATA_DIR="new")
    assert not (cli.folder / "new").exists()


def test_a_bit_that_flipped(cli: Cli) -> None:
    content = bytearray((cli.folder / "few.zip").read_bytes())
    content[len(content) // 2] ^= 0xFF
    (cli.folder / "flipped.zip").write_bytes(content)
    assert "flipped.zip" in said(cli, "restore", "flipped.zip", code=2, DATA_DIR="new")
    assert not (cli.folder / "new").exists()
    shutil.rmtree(cli.folder / "elsewhere", ignore_errors=True)
