"""What a command costs before it does anything: CPU seconds and peak memory of whole processes.

    python -m benchmarks.startup --peer /elsewhere/.venv/bin/wenmai --json startup.json

Each command runs several times on a small library of its own in a folder of its own, in turn with the peer, so that
both meet the same machine; the medians are shown. The first run of each is a warm-up: it fills the cache of files.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measures import machine, write
from wenmai.app import sample

MEGABYTE = 2**20
KILOBYTE = 2**10
UNSET = ("GOOGLE_API_KEY", "GEMINI_API_KEY", "QDRANT_URL", "NEO4J_URI", "POSTGRES_URI", "LANGSMITH_TRACING")
COMMANDS = {
    "--help": ("--help",),
    "libraries": ("libraries",),
    "entities": ("entities", "list", "-l", sample.LIBRARY),
    "memory": ("memory", "list"),
    "docs": ("docs", "list"),
    "keys": ("keys", "list"),
    "trace": ("trace",),
    "delete": ("delete", sample.LIBRARY, "--yes"),
    "ask": ("ask", "石敢是怎么救下孟鸢的？", "-l", sample.LIBRARY),
}
DESTROYING = ("delete",)  # these get a copy of the folder for each run


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process took."""

    cpu_s: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Installation:
    """An installed `wenmai` with a prepared folder."""

    name: str
    program: Path
    folder: Path

    def prepare(self) -> None:
        """Ingest the sample story and ask a question, so that there is a library and a trace."""
        story = sample.sample_folder()
        graph = [str(story / name) for name in sample.GRAPH]
        ingest = ("ingest", str(story / sample.STORY), "-l", sample.LIBRARY, "--graph", *graph)
        for command in (ingest, COMMANDS["ask"]):
            self.run(command, self.folder)

    def measure(self, command: str) -> Cost:
        """Run a command once."""
        with self.place(command in DESTROYING) as folder:
            return self.run(COMMANDS[command], folder)

    @contextmanager
    def place(self, is_copy: bool) -> Iterator[Path]:
        """Give the folder, or a copy that may be spoiled."""
        if not is_copy:
            yield self.folder
            return
        with tempfile.TemporaryDirectory() as name:
            yield Path(shutil.copytree(self.folder, Path(name, "copy")))

    def run(self, command: tuple[str, ...], folder: Path) -> Cost:
        """Run the program to its end and return what it took. Raises RuntimeError where it fails."""
        environment = {name: value for name, value in os.environ.items() if name not in UNSET}
        environment |= {"DATA_DIR": str(folder / "data"), "TRACE_DIR": str(folder / "traces")}
        with tempfile.TemporaryFile() as printed:
            process = subprocess.Popen(
                [self.program, *command], cwd=folder, env=environment, stdout=printed, stderr=subprocess.STDOUT
            )
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                printed.seek(0)
                raise RuntimeError(f"{self.program} {' '.join(command)}: {printed.read().decode(errors='replace')}")
        return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * KILOBYTE / MEGABYTE)


def measured(installations: list[Installation], commands: list[str], runs: int) -> dict[str, dict[str, Cost]]:
    """Return the medians by command and installation."""
    rows: dict[str, dict[str, Cost]] = {}
    for command in commands:
        costs: dict[str, list[Cost]] = {one.name: [] for one in installations}
        for number in range(runs + 1):
            for one in installations:
                cost = one.measure(command)
                if number:
                    costs[one.name].append(cost)
        rows[command] = {name: typical(found) for name, found in costs.items()}
    return rows


def typical(costs: list[Cost]) -> Cost:
    """Return the medians."""
    middle: Callable[[str], float] = lambda field: median(getattr(cost, field) for cost in costs)  # noqa: E731
    return Cost(middle("cpu_s"), middle("peak_mb"))


def table(rows: dict[str, dict[str, Cost]]) -> Iterator[str]:
    """Give the table in Markdown."""
    names = list(next(iter(rows.values())))
    heads = [f"{name}, {unit}" for name in names for unit in ("CPU s", "peak MB")]
    yield "| command | " + " | ".join(heads) + " |"
    yield "|---|" + "---:|" * len(heads)
    for command, costs in rows.items():
        cells = [text for name in names for text in (f"{costs[name].cpu_s:.2f}", f"{costs[name].peak_mb:.0f}")]
        yield f"| {command} | " + " | ".join(cells) + " |"


def figures(rows: dict[str, dict[str, Cost]], runs: int, before: dict[str, Any]) -> dict[str, Any]:
    """Return the figures as plain data."""
    return {
        "benchmark": "startup",
        "machine": before,
        "after": machine(),
        "runs": runs,
        "commands": {
            command: {name: {"cpu_s": cost.cpu_s, "peak_mb": cost.peak_mb} for name, cost in costs.items()}
            for command, costs in rows.items()
        },
    }


def main() -> None:
    """Measure, print the table and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--wenmai", type=Path, default=Path(sys.executable).with_name("wenmai"))
    parser.add_argument("--peer", type=Path, help="another installed wenmai to run beside this one")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    programs = {"wenmai": arguments.wenmai} | ({"peer": arguments.peer} if arguments.peer else {})
    before = machine()
    with tempfile.TemporaryDirectory() as folder:
        installations = [Installation(name, path.absolute(), Path(folder, name)) for name, path in programs.items()]
        for one in installations:
            one.folder.mkdir()
            one.prepare()
        rows = measured(installations, arguments.commands, arguments.runs)
    print("\n".join(table(rows)))
    if arguments.json:
        write(arguments.json, figures(rows, arguments.runs, before))


if __name__ == "__main__":
    main()
