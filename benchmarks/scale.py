"""The arithmetic of docs/reports/scale.md: what a billion passages take, from what was measured for thousands.

    python -m benchmarks.scale --passages 1e9

Reads benchmarks/figures; prices are arguments, their sources stand in docs/reports/scale.md.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FIGURES = Path(__file__).parent / "figures"
HOURS_A_MONTH = 730
GIGABYTE = 1e9
RAM_FACTOR = 1.5  # Qdrant's capacity planning: indexes, versions, segments under optimization
READING_USD = 2.7777  # `wenmai ingest 三国演义.json --estimate`: 1,007 passages, gemini-3.8-flash
READ_PASSAGES = 1_007


def figures(name: str) -> Any:
    """Return a file of figures."""
    return json.loads((FIGURES / f"{name}.json").read_text(encoding="utf-8"))


def growth(field: str) -> float:
    """Return bytes of memory that one passage more takes, from 20,000 to 200,000."""
    small = figures("growth")["sizes"]["20000"]["wenmai"]["memory"][field]
    large = figures("growth")["sizes"]["200000"]["wenmai"]["memory"][field]
    return float((large - small) * 2**20 / 180_000)


def once(passages: float, price: float) -> Iterator[tuple[str, str, str]]:
    """Yield what is paid once: (what, processor hours or calls, USD)."""
    for row in figures("embedders")["rows"]:
        hours = passages / row["passages per CPU second"] / 3_600
        yield f"embedding by {row['embedder'].split('@')[0]}", f"{hours:,.0f} vCPU hours", f"{hours * price:,.0f}"
    rest = figures("ingest")["wenmai"]["other_s"] / figures("ingest")["wenmai"]["passages"]
    hours = rest * passages / 3_600
    yield "everything else of an ingest, patterns", f"{hours:,.0f} hours of one writer", f"{hours * price:,.0f}"
    built = figures("growth")["sizes"]["200000"]["wenmai"]
    hours = (built["upsert_s"] + built["optimize_s"]) * 2 / 200_000 * passages / 3_600
    yield "writing and indexing vectors", f"{hours:,.0f} vCPU hours", f"{hours * price:,.0f}"
    yield "reading by Gemini, if wanted", "", f"{READING_USD / READ_PASSAGES * passages:,.0f}"


def kept(passages: float, dimension: int, replicas: int, ram: float, disk: float) -> Iterator[tuple[str, str, str]]:
    """Yield what is paid every month: (what, GB with all replicas, USD)."""
    measured = figures("footprint")
    parts = {
        "vectors, words and texts on disk": measured["vector store, disk bytes a passage"],
        "catalog on disk": measured["catalog, disk bytes a passage"],
        "graph on disk": measured["graph, disk bytes a passage"],
    }
    for what, size in parts.items():
        amount = size * passages * replicas / GIGABYTE
        yield what, f"{amount:,.0f}", f"{amount * disk:,.0f}"
    memory = {
        "memory: all vectors in it": dimension * 4 * RAM_FACTOR,
        "memory: vectors as int8 in it, the originals on disk": dimension * RAM_FACTOR,
        "memory: as measured, everything on disk": growth("anonymous_mb"),
    }
    for what, size in memory.items():
        amount = size * passages * replicas / GIGABYTE
        yield what, f"{amount:,.0f}", f"{amount * ram * HOURS_A_MONTH:,.0f}"


def table(heads: tuple[str, str, str], rows: Iterator[tuple[str, str, str]]) -> str:
    """Return rows as Markdown."""
    lines = [heads, ("---", "---:", "---:"), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--passages", type=float, default=1e9)
    parser.add_argument("--dimension", type=int, default=512)
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--vcpu-hour", type=float, default=0.0408, help="USD")
    parser.add_argument("--ram-gb-hour", type=float, default=0.0102, help="USD")
    parser.add_argument("--disk-gb-month", type=float, default=0.10, help="USD")
    given = parser.parse_args()
    print(table(("once", "amount", "USD"), once(given.passages, given.vcpu_hour)), "\n")
    monthly = kept(given.passages, given.dimension, given.replicas, given.ram_gb_hour, given.disk_gb_month)
    print(table(("every month", "GB, with replicas", "USD"), monthly))


if __name__ == "__main__":
    main()
