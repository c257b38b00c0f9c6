"""Print the coverage of each package: `python -m tests.coverage_by_package FILE`, with the file of `coverage json`."""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

LINES, BRANCHES = ("covered_lines", "num_statements"), ("covered_branches", "num_branches")
DEPTH = 2  # wenmai.stores is a package of the table, wenmai.stores.edge is not


def by_package(files: Mapping[str, Any]) -> dict[str, Counter[str]]:
    """Return the sums of the files' figures by package, and of all of them."""
    sums: dict[str, Counter[str]] = {}
    for name, file in sorted(files.items()):
        package = ".".join(Path(name).parent.parts[:DEPTH])
        figures = {key: file["summary"][key] for key in (*LINES, *BRANCHES)}
        for one in (package, "all"):
            sums.setdefault(one, Counter()).update(figures)
    return {name: sums[name] for name in sorted(sums, key=lambda name: (name == "all", name))}


def share(figures: Counter[str], pair: tuple[str, str]) -> str:
    """Return how much is covered, and of how many."""
    covered, number = (figures[key] for key in pair)
    return f"{covered / number:7.1%} of {number:6,}" if number else f"{'-':>17}"


def table(files: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"{'package':24}{'lines':>17}  {'branches':>17}"
    for name, figures in by_package(files).items():
        yield f"{name:24}{share(figures, LINES)}  {share(figures, BRANCHES)}"


if __name__ == "__main__":
    found = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print("\n".join(table(found["files"])))  # noqa: T201 - its result
