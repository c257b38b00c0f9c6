"""Commands run inside the test process leave it as it was, and see only what they are given."""

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests import command_line
from tests.command_line import run_command
from tests.integration.cli_story import Cli


def printing(arguments: Sequence[str]) -> int:
    """Play a command that prints its surroundings, changes them, and logs."""
    logging.basicConfig(level="DEBUG", stream=sys.stderr, format="%(message)s")
    logging.getLogger("wenmai.played").setLevel("DEBUG")
    logging.getLogger("wenmai.played").debug("logged")
    print(*arguments, sorted(os.environ), Path.cwd().name, sys.stdin.read(), sep="|")  # noqa: T201 - it plays a command
    os.environ["LEFT"] = "behind"
    return 7


async def test_it_has_its_own_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Environment, folder, streams and log are its own, also inside an event loop; nothing of it stays."""
    monkeypatch.setattr(command_line, "run", printing)
    logged, before = logging.getLogger("wenmai.played"), (dict(os.environ), Path.cwd(), sys.stdin, sys.stdout)
    handlers = logging.getLogger().handlers[:]
    done = run_command(["a", "b"], folder=tmp_path, environment={"ONE": "1"}, stdin="问\n")
    assert (done.returncode, done.stdout) == (7, f"a|b|['ONE']|{tmp_path.name}|问\n\n")
    assert done.stderr == "logged\n"
    assert before == (dict(os.environ), Path.cwd(), sys.stdin, sys.stdout)
    assert (logged.level, logging.getLogger().handlers) == (logging.NOTSET, handlers)


def test_each_command_reads_its_own_settings(tmp_path: Path) -> None:
    """A setting of one command is not there for the next one."""
    cli = Cli(tmp_path)
    assert "不接受任何请求" in cli.run("keys", "list", WENMAI_REQUIRE_KEYS="true").stdout
    assert "只接受本机" in cli.run("keys", "list").stdout


def test_inside_and_outside_are_the_same(tmp_path: Path) -> None:
    """A process prints and returns what a command inside this one does."""
    cli = Cli(tmp_path)
    for words in (("libraries",), ("keys", "revoke", "123"), ("nothing",)):
        inside, outside = cli.run(*words), cli.spawn(*words)
        assert (inside.returncode, inside.stdout, inside.stderr) == (
            outside.returncode,
            outside.stdout,
            outside.stderr,
        )
