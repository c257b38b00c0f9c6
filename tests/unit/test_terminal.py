"""What the command line shows of texts that are not its own."""

import io

import pytest
from rich.console import Console

from wenmai.cli.output.terminal import TerminalLine, print_on, table, visible

HOSTILE = "\x1b[2J\x1b]0;title\x07云\u202e雀\u2066号\r\x9b31m\x85"


def test_what_a_terminal_would_obey_is_shown() -> None:
    """No escape sequence, return or mark of direction reaches the terminal; tabs, line ends and letters stay."""
    stream = io.StringIO()
    console = Console(file=stream, width=80)
    print_on(console, TerminalLine(HOSTILE))
    console.print(table(("名称",), [(HOSTILE,)]))
    shown = stream.getvalue()
    assert not set(shown) & set("\x1b\x07\x9b\x85\r\u202e\u2066")
    assert "云\ufffd雀\ufffd号" in shown
    assert visible("甲\t乙\n👩\u200d🚀") == "甲\t乙\n👩\u200d🚀"


def test_errors_are_shown_too(capsys: pytest.CaptureFixture[str]) -> None:
    """An error quotes what it was given: one line, nothing for a terminal to obey."""
    from wenmai.cli.app import complain

    assert complain(f"没有 {HOSTILE}", 2) == 2
    assert not set(capsys.readouterr().err) & set("\x1b\x07\x9b\r\u202e\u2066")
