"""What attempts of one user to get at another's things leave: a row each, and the page that lists them."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.measures import write

SHOWN = 110
COLUMNS = "| # | kind | attempt | got | nothing of alice |\n| --- | --- | --- | --- | --- |\n"


@dataclass(frozen=True, slots=True)
class Row:
    """What an attempt got; `leaked` tells whether anything of the victim was in it."""

    kind: str
    attempt: str
    got: str
    leaked: bool


def cell(text: str) -> str:
    """Return a text as it may stand in a table."""
    shown = text.replace("|", "\\|").replace("`", "'").replace("\0", "\\0").replace("\n", " ")
    return shown[:SHOWN]


def page(head: str, rows: Sequence[Row]) -> str:
    """Return the rows as Markdown, below a heading and what was tried."""
    kept = sum(not row.leaked for row in rows)
    lines = [
        f"| {n} | {row.kind} | {cell(row.attempt)} | {cell(row.got)} | {'NO' if row.leaked else 'yes'} |"
        for n, row in enumerate(rows, 1)
    ]
    return f"{head} {kept} of {len(rows)} attempts got nothing of hers.\n\n{COLUMNS}" + "\n".join(lines) + "\n"


def told(benchmark: str, about: str, head: str, run: Callable[[], Sequence[Row]]) -> None:
    """Read the command line, run, and write page and figures. Raises SystemExit where anything crossed."""
    parser = argparse.ArgumentParser(description=about.split("\n", 1)[0])
    parser.add_argument("--markdown", type=Path, help="file for the table")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    rows = run()
    if arguments.markdown:
        arguments.markdown.write_text(page(head, rows), encoding="utf-8")
    write(arguments.json, {"benchmark": benchmark, "rows": [asdict(row) for row in rows]})
    if any(row.leaked for row in rows):
        raise SystemExit("an attempt got something of another user")
