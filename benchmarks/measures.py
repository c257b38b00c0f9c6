"""What the benchmarks share: times, memory, the machine, and the file of figures."""

import json
import os
import platform
import resource
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

MEGABYTE = 2**20


@dataclass(slots=True)
class Watch:
    """Seconds of a block."""

    seconds: float = 0.0


@contextmanager
def timed() -> Iterator[Watch]:
    """Measure how long a block takes."""
    watch, started = Watch(), time.perf_counter()
    yield watch
    watch.seconds = time.perf_counter() - started


@dataclass(slots=True)
class Busy:
    """Milliseconds during which at least one of several concurrent blocks was running."""

    milliseconds: float = 0.0
    running: int = 0
    since: float = 0.0

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Count a block."""
        if not self.running:
            self.since = time.perf_counter()
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            if not self.running:
                self.milliseconds += (time.perf_counter() - self.since) * 1e3


async def latencies(calls: Sequence[Callable[[], Awaitable[Any]]]) -> list[float]:
    """Return the milliseconds of each call; one after the other."""
    found = []
    for call in calls:
        with timed() as watch:
            await call()
        found.append(watch.seconds * 1e3)
    return found


def quantiles(milliseconds: Sequence[float]) -> dict[str, float]:
    """Return p50 and p95 in milliseconds, and of how many."""
    p50, p95 = np.percentile(milliseconds, [50, 95]) if milliseconds else (float("nan"), float("nan"))
    return {"p50_ms": round(float(p50), 3), "p95_ms": round(float(p95), 3), "n": len(milliseconds)}


def memory() -> dict[str, float]:
    """Return this process's resident memory in MB: all of it, what no file backs, and the most there ever was."""
    rows = dict(line.split(":", 1) for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
    kilobytes = {name: int(rows[name].split()[0]) for name in ("Rss", "Anonymous")}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "rss_mb": round(kilobytes["Rss"] / 1024, 1),
        "anonymous_mb": round(kilobytes["Anonymous"] / 1024, 1),
        "peak_mb": round(peak / 1024, 1),
    }


def machine() -> dict[str, Any]:
    """Describe where the figures were taken; the load says whether the machine was quiet."""
    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "load_1min": round(os.getloadavg()[0], 2),
    }


def write(path: Path | None, figures: dict[str, Any]) -> None:
    """Print the figures and keep them in a file if one is named."""
    print(json.dumps(figures, ensure_ascii=False, indent=1))
    keep(path, figures)


def keep(path: Path | None, figures: Any) -> None:
    """Keep figures in a file if one is named."""
    if path:
        path.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def draw(figures: Sequence[Mapping[str, Any]]) -> None:
    """Print figures of the same names as a table."""
    drawn = Table(*figures[0])
    for figure in figures:
        drawn.add_row(*map(str, figure.values()))
    Console(width=120).print(drawn)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
