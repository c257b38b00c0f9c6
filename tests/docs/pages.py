"""Runs the commands and programs of a Markdown page and compares what they print.

A fenced block `console` holds commands behind `$ ` and what they print; … stands for anything. A block `python` is a
program, and a block `text` right behind it is what it prints. Blocks of other languages are not run.
"""

import contextlib
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.command_line import own_log
from wenmai.cli.app import run

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Step:
    """Something that a page runs.

    Attributes:
        line: where it stands in the page, from 1.
        source: a command line, or a whole program.
        expected: what it prints; None where the page does not show it.
    """

    line: int
    source: str
    is_program: bool
    expected: str | None


def steps_of(text: str) -> list[Step]:
    """Return what a page runs, in order."""
    steps: list[Step] = []
    blocks = list(FENCE.finditer(text))
    for number, block in enumerate(blocks):
        line = text.count("\n", 0, block.start()) + 2
        if block[1] == "console":
            steps += commands_of(block[2], line)
        elif block[1] == "python":
            behind = blocks[number + 1] if number + 1 < len(blocks) else None
            is_shown = behind and behind[1] == "text" and not text[block.end() : behind.start()].strip()
            steps.append(Step(line, block[2], True, behind[2] if behind and is_shown else None))
    return steps


def commands_of(block: str, line: int) -> Iterator[Step]:
    """Yield the commands of a block, each with what it prints."""
    for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE):
        if part.startswith("$ "):
            command, _, expected = part.replace("\\\n", " ").partition("\n")
            yield Step(line, command[2:], False, expected if expected.strip() else None)
        line += part.count("\n")


def performed(step: Step, names: dict[str, Any]) -> tuple[int, str]:
    """Run a step in this process and return its exit code and what it prints; progress and remarks go to stderr.

    The programs of a page go on with the `names` of those before.
    """
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if step.is_program:
            exec(compile(step.source, f"line {step.line}", "exec"), names)
            return 0, printed.getvalue()
        return command_line(shlex.split(step.source, comments=True)), printed.getvalue()


def command_line(words: Sequence[str]) -> int:
    """Run `[NAME=value …] wenmai …`, `printf FORMAT LINES | wenmai …`, or `export NAME=value …`."""
    if words[0] == "export":
        os.environ.update(dict(word.split("=", 1) for word in words[1:]))
        return 0
    if words[0] == "printf":
        at = words.index("|")
        lines = words[2:at]
        with given("\n".join([*lines, ""])):
            return command_line(words[at + 1 :])
    own = [word for word in words if re.match(r"[A-Z_]+=", word) and words.index(word) < words.index("wenmai")]
    with environment(dict(word.split("=", 1) for word in own)):
        if words[len(own)] != "wenmai":
            raise ValueError(f"the pages run wenmai alone, not {words[len(own)]}")
        with own_log():
            return run(words[len(own) + 1 :])


@contextlib.contextmanager
def given(text: str) -> Iterator[None]:
    """Let a command read a text."""
    before, sys.stdin = sys.stdin, io.StringIO(text)
    try:
        yield
    finally:
        sys.stdin = before


@contextlib.contextmanager
def environment(variables: dict[str, str]) -> Iterator[None]:
    """Set variables for one command."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def matches(expected: str, printed: str) -> bool:
    """Return True if what was printed is what a page shows; … and ... stand for any text, also none."""
    pieces = (re.escape(" ".join(piece.split())) for piece in re.split(r"…|\.\.\.", expected))
    return re.fullmatch(".*".join(pieces), " ".join(printed.split())) is not None


def page_names(root: Path, *, reports: bool = False) -> list[str]:
    """Return the pages as paths below the root; generated reports only where they are asked for."""
    pages = [root / "README.md", root / "README.zh.md", *sorted((root / "docs").rglob("*.md"))]
    left_out = {"spec"} if reports else {"spec", "reports"}
    return [str(page.relative_to(root)) for page in pages if not left_out & set(page.relative_to(root).parts)]
