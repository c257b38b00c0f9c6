"""What `wenmai demo` says at its end."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from tools.messages import speaking
from wenmai.cli.commands.demo import GO_ON, activation, command_line


def test_a_shell_that_lacks_the_command_is_told_how_to_find_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`make demo` sets up a folder of its own, which no shell looks into."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.prefix", str(tmp_path / "venv"))
    monkeypatch.chdir(tmp_path)
    assert [command for command, _ in activation()] == [". venv/bin/activate"]


def test_a_shell_that_has_the_command_is_told_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The line would be noise."""
    command = tmp_path / "wenmai"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert activation() == []


def test_what_comes_next_is_in_the_terminal_language() -> None:
    """What the commands do stands in one column, whatever characters they hold."""
    with speaking("en"):
        lines = [command_line(str(command), does) for command, does in GO_ON]
        columns = {cell_len(line) - cell_len(str(does)) for line, (_, does) in zip(lines, GO_ON, strict=True)}
    assert lines[0].split("  ")[-1].strip() == "a conversation"
    assert lines[-1].strip().startswith("wenmai ingest your-novel.txt --library name ")
    assert len(columns) == 1
