"""`wenmai keys`: made, listed, revoked, and what is wrong input."""

import json
import re
import shlex
from pathlib import Path

import pytest
from dotenv import dotenv_values

from tests.integration.cli_story import Cli

TOKEN = re.compile(r"wm_[0-9a-f]{12}_[\w-]{43}")


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


def test_a_key_from_its_making_to_its_end(cli: Cli) -> None:
    """PLA-01: shown once, on standard output alone; listed without hash or secret; revoked by its id."""
    assert "只接受本机" in cli.run("keys", "list").stdout
    made = cli.run(
        "keys", "add", "--user", "alice", "--permission", "sensitive_memory", "--days", "3", "--name", "笔记本"
    )
    token = made.stdout.strip()
    assert made.returncode == 0 and TOKEN.fullmatch(token) and token not in made.stderr
    id, secret = token.split("_", 2)[1:]
    listed = cli.run("keys", "list", "--json").stdout
    (row,) = map(json.loads, listed.splitlines())
    assert (row["id"], row["user"], row["permissions"], row["name"]) == (id, "alice", ["sensitive_memory"], "笔记本")
    assert "digest" not in row and secret not in listed
    table = cli.run("keys", "list").stdout
    assert "alice" in table and "有效至" in table and secret not in table
    assert "已吊销" in cli.run("keys", "revoke", id).stdout
    assert "吊销" in cli.run("keys", "list").stdout


def test_what_a_key_opens_is_said(cli: Cli) -> None:
    """PLA-34: when it is made and in the list, with a word on what is not there."""
    made = cli.run("keys", "add", "--user", "alice", "--admin", "--library", "nowhere")
    assert TOKEN.fullmatch(made.stdout.strip())
    said = made.stderr.splitlines()
    assert "admin；资料库：nowhere；知识网络：无" in said[-2] and "还没有名为 nowhere" in said[-1]
    made = cli.run("keys", "add", "--user", "bob", "--network", "harbor")
    assert "资料库：无；知识网络：harbor" in made.stderr and "还没有名为 harbor" in made.stderr
    whole = cli.run("keys", "add", "--user", "carol").stderr
    assert "全部资料库和知识网络" in whole and "还没有" not in whole
    rows = [json.loads(line) for line in cli.run("keys", "list", "--json").stdout.splitlines()]
    assert [(one["libraries"], one["networks"]) for one in rows] == [(["nowhere"], []), ([], ["harbor"]), (None, None)]


def test_a_key_for_the_environment(cli: Cli) -> None:
    """PLA-08: --print writes no file; its record is what WENMAI_API_KEYS takes."""
    printed = cli.run("keys", "add", "--user", "bob", "--print").stdout.splitlines()
    found = re.fullmatch(r"WENMAI_API_KEYS='(.*)'", printed[0])
    assert found and TOKEN.fullmatch(printed[1]) and not list(cli.folder.rglob("keys.json"))
    assert printed[1].split("_", 2)[2] not in printed[0]
    assert cli.run("doctor", WENMAI_API_KEYS=found[1]).stdout.count(json.loads(found[1])[0]["digest"]) == 0


@pytest.mark.parametrize("user", ["o'neil", r"home\alice", "a\\\"b'\\", "${HOME}", r"\${HOME}$x"])
def test_a_name_with_signs_for_the_environment(cli: Cli, user: str) -> None:
    """PLA-08: the printed line is one word of a shell, and the same record from `.env`."""
    line = cli.run("keys", "add", "--user", user, "--print").stdout.splitlines()[0]
    (word,) = shlex.split(line)
    name, _, record = word.partition("=")
    assert (name, json.loads(record)[0]["user"]) == ("WENMAI_API_KEYS", user)
    (cli.folder / ".env").write_text(line, encoding="utf-8")
    from_file = dotenv_values(cli.folder / ".env")["WENMAI_API_KEYS"]
    assert from_file and json.loads(from_file)[0]["user"] == user
    assert "WENMAI_API_KEYS 里的 1 个" in cli.run("keys", "list").stdout


def test_an_empty_file_lets_nobody_in(cli: Cli) -> None:
    """PLA-01: what the list says is what the server does."""
    file = cli.folder / "empty.json"
    file.write_text("[]", encoding="utf-8")
    assert "不接受任何请求" in cli.run("keys", "list", API_KEYS_FILE=str(file)).stdout
    assert "不接受任何请求" in cli.run("keys", "list", WENMAI_REQUIRE_KEYS="true").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add",), "--user"),
        (("add", "--user", " "), "--user 必须是"),
        (("add", "--user", "bob", "--permission", "root"), "sensitive_memory"),
        (("add", "--user", "bob", "--days", "0"), "days"),
        (("revoke", "123"), "wenmai keys list"),
    ],
)
def test_wrong_input_is_one_line(cli: Cli, words: tuple[str, ...], said: str) -> None:
    """PLA-08: with exit code 2, and no file is made."""
    done = cli.run("keys", *words)
    assert done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1 and said in done.stderr
    assert not list(cli.folder.rglob("keys.json"))


def test_a_broken_file_is_named(cli: Cli) -> None:
    """PLA-01: it is not overwritten, and nothing of it is shown."""
    file = cli.folder / "keys.json"
    file.write_text('[{"user": "秘密"}]', encoding="utf-8")
    for words in (("list",), ("add", "--user", "bob"), ("revoke", "0" * 12)):
        done = cli.run("keys", *words, API_KEYS_FILE=str(file))
        assert done.returncode == 2 and str(file) in done.stderr and "秘密" not in done.stderr + done.stdout
    assert file.read_text(encoding="utf-8") == '[{"user": "秘密"}]'
