"""Attempts of one user to get at another's memories, on the embedded engine, through the real tools and graph.

python benchmarks/isolation.py --markdown docs/reports/isolation.md --json isolation.json
"""

import asyncio
import json
import tempfile
from pathlib import Path

from benchmarks.crossing import Row, told
from benchmarks.isolation_attempts import Attempt, attempts
from benchmarks.isolation_bench import SECRET, VICTIM, Bench
from wenmai.app.container import Services
from wenmai.settings.settings import Settings, load_settings

HEAD = (
    "# Attempts to cross users\n\nWritten by `benchmarks/isolation.py`: `mallory` tries to read, find or change "
    "memories of `alice`, on the embedded engine, through the tools and the graph."
)


async def tried(bench: Bench, attempt: Attempt) -> Row:
    """Make one attempt."""
    bench.told.clear()
    got = await attempt.run(bench)
    text = got if isinstance(got, str) else json.dumps(got, ensure_ascii=False, default=str)
    return Row(attempt.kind, attempt.what, gist(text), SECRET in text)


def gist(text: str) -> str:
    """Return what a result comes to."""
    try:
        found = json.loads(text)
    except ValueError:
        return text
    record = found[0] if isinstance(found, list) else found
    keys = [row["memory_key"] for row in record.get("results", record.get("memories", []))]
    told = record.get("error") or record.get("action") or record.get("message") or text
    return f"{' '.join(str(told).split())}{'; own: ' + ', '.join(keys) if keys else ''}"


async def run(settings: Settings) -> list[Row]:
    """Make every attempt on one store. That the victim reads her own is checked first."""
    bench = Bench(Services(settings))
    try:
        await bench.stock()
        own = await bench.tool("search_memories", {"query": "数据库配置", "min_relevance_score": 0}, user=VICTIM)
        if SECRET not in str(own):
            raise AssertionError("the victim does not find her own memories: the attempts would show nothing")
        return [await tried(bench, attempt) for attempt in attempts()]
    finally:
        await bench.services.close()


def every_row() -> list[Row]:
    """Make every attempt on a store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(data_dir=Path(folder) / "data", trace_dir=Path(folder) / "traces", google_api_key=None)
        return asyncio.run(run(settings))


if __name__ == "__main__":
    told("isolation", __doc__ or "", HEAD, every_row)
