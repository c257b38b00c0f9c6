"""Attempts of one user of the LangGraph server to get at another's things, on a running `langgraph dev`.

python benchmarks/server_isolation.py --markdown docs/reports/server_isolation.md --json server_isolation.json
"""

import asyncio
import json
import re
import tempfile
from pathlib import Path

import httpx

from benchmarks.crossing import SHOWN, Row, told
from benchmarks.server_attempts import Attempt, attempts
from benchmarks.server_house import MEMORY_KEY, SECRET, THIEF, VICTIM, House, Tokens, opened
from tests.integration.live_server import prepare, running, wenmai

HEAD = (
    "# Attempts to cross users on the server\n\nWritten by `benchmarks/server_isolation.py`: `mallory`, who has an "
    "API key of his own, tries to read, change or delete what `alice` has on a running LangGraph server; he knows "
    "all of her ids."
)
ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|user-[0-9a-f]{64}")


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


def every_row() -> list[Row]:
    """Make every attempt on a server of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        tokens = keys_in(folder)
        with running(folder) as server:
            return asyncio.run(run(server.url, tokens))


if __name__ == "__main__":
    told("server_isolation", __doc__ or "", HEAD, every_row)
