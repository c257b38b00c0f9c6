"""Attempts of one user of the LangGraph server to get at another's things, on a running `langgraph dev`.

python benchmarks/server_isolation.py --markdown docs/server_isolation.md --json server_isolation.json
"""

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx

from benchmarks.measures import write
from benchmarks.server_attempts import Attempt, attempts
from benchmarks.server_house import MEMORY_KEY, SECRET, THIEF, VICTIM, House, Tokens, opened
from tests.integration.live_server import prepare, running, wenmai

SHOWN = 110
ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|user-[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Row:
    """What an attempt got; `leaked` tells whether anything of the victim was in it."""

    kind: str
    attempt: str
    got: str
    leaked: bool


def keys_in(folder: Path) -> Tokens:
    """Make the keys of both, one of them revoked, and memories of the victim, by the command line."""
    tokens = [said(folder, "keys", "add", "--user", user) for user in (VICTIM, THIEF, VICTIM)]
    said(folder, "keys", "revoke", tokens[2].split("_")[1])
    said(folder, "memory", "add", f"数据库配置：口令是{SECRET}", "--user", VICTIM, "--key", MEMORY_KEY)
    said(folder, "memory", "add", "数据库配置：端口 5433", "--user", THIEF)
    return Tokens(victim=tokens[0], thief=tokens[1], revoked=tokens[2])


def said(folder: Path, *arguments: str) -> str:
    """Return what a command prints. Raises RuntimeError where it fails."""
    done = wenmai(folder, *arguments)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout.strip()


async def tried(house: House, attempt: Attempt) -> Row:
    """Make one attempt."""
    try:
        text = str(await attempt.run(house))
    except httpx.HTTPStatusError as error:
        text = f"{error.response.status_code} {error.response.text}"
    leaked = SECRET in text or json.dumps(SECRET).strip('"') in text
    return Row(attempt.kind, attempt.what, ID.sub("…", " ".join(text.split()))[:SHOWN], leaked)


async def run(url: str, tokens: Tokens) -> list[Row]:
    """Make every attempt. That she sees her own is checked before them, and again behind them."""
    async with opened(url, tokens) as house:
        if broken := await house.hers_is_whole():
            raise AssertionError(f"the victim does not see her own {broken}: the attempts would show nothing")
        rows = [await tried(house, attempt) for attempt in attempts()]
        broken = await house.hers_is_whole()
    return [*rows, Row("in the end", "what of hers is gone or changed", ", ".join(broken) or "nothing", bool(broken))]


def table(rows: Sequence[Row]) -> str:
    """Return the rows as Markdown."""
    kept = sum(not row.leaked for row in rows)
    head = (
        "# Attempts to cross users on the server\n\nWritten by `benchmarks/server_isolation.py`: `mallory`, who has an "
        "API key of his own, tries to read, change or delete what `alice` has on a running LangGraph server; he knows "
        f"all of her ids. {kept} of {len(rows)} attempts got nothing of hers.\n\n"
    )
    columns = "| # | kind | attempt | got | nothing of alice |\n| --- | --- | --- | --- | --- |\n"
    lines = [
        f"| {n} | {row.kind} | {cell(row.attempt)} | {cell(row.got)} | {'NO' if row.leaked else 'yes'} |"
        for n, row in enumerate(rows, 1)
    ]
    return head + columns + "\n".join(lines) + "\n"


def cell(text: str) -> str:
    """Return a text as it may stand in a table."""
    return text.replace("|", "\\|").replace("`", "'")


def main() -> None:
    """Run and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--markdown", type=Path, help="file for the table")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        tokens = keys_in(folder)
        with running(folder) as server:
            rows = asyncio.run(run(server.url, tokens))
    if arguments.markdown:
        arguments.markdown.write_text(table(rows), encoding="utf-8")
    write(arguments.json, {"benchmark": "server_isolation", "rows": [asdict(row) for row in rows]})
    if any(row.leaked for row in rows):
        raise SystemExit("an attempt got something of another user")


if __name__ == "__main__":
    main()
