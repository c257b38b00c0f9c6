"""What `wenmai demo` says at its end."""

from pathlib import Path

import pytest

from wenmai.cli.commands.demo import activation


def test_a_shell_that_lacks_the_command_is_told_how_to_find_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`make demo` sets up a folder of its own, which no shell looks into."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.prefix", str(tmp_path / "venv"))
    monkeypatch.chdir(tmp_path)
    assert [line.split()[:2] for line in activation()] == [[".", "venv/bin/activate"]]


def test_a_shell_that_has_the_command_is_told_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The line would be noise."""
    command = tmp_path / "wenmai"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert activation() == []
