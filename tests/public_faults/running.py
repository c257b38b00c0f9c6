"""A reported fault as it is tried: files, commands, and what they print."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from tests.integration.cli_story import Cli


@dataclass(frozen=True, slots=True)
class Step:
    """A command, what its output must have, and what it must not."""

    command: str
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    code: int = 0
    stdin: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """Files and the commands that are run on them, in order; `fault` is the row of public_faults.jsonl."""

    fault: str
    name: str
    files: Mapping[str, str | bytes]
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return f"{self.fault}-{self.name}"


def perform(case: Case, cli: Cli, **settings: str) -> None:
    """Write the files, run the commands, and compare."""
    for name, content in case.files.items():
        path = cli.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    for step in case.steps:
        done = cli.run(*shlex.split(step.command), stdin=step.stdin, **settings)
        printed = done.stdout + done.stderr
        assert done.returncode == step.code, (step.command, printed)
        missing = [text for text in step.has if text not in printed]
        leaked = [text for text in step.lacks if text in printed]
        assert not missing and not leaked, (step.command, missing, leaked, printed)


def under(*headings: str, prose: tuple[str, ...], join: str = "\n") -> str:
    """Return a text with a line of prose of its own under each heading."""
    return join.join(f"{heading}\n{prose[at % len(prose)]}" for at, heading in enumerate(headings))
