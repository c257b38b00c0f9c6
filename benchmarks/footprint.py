"""What one more passage takes on the disk and in memory: a real library's passages, many times over under other ids.

    python -m benchmarks.footprint --data-dir .wenmai --library novel --json footprint.json

The engine makes its files larger in steps; so the figures are the difference between two sizes, by passage.
"""

import argparse
import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from benchmarks.measures import machine, memory, write
from tools.records import Passage, PassageFilter
from wenmai.app.container import Services
from wenmai.settings.settings import load_settings
from wenmai.stores.edge.passages import EdgePassageStore

COPIES = (5, 15)


def allocated(folder: Path) -> int:
    """Return the bytes that a folder takes on the disk."""
    blocks = sum(file.stat().st_blocks for file in folder.rglob("*") if file.is_file())
    return blocks * 512


async def library(data_dir: Path, name: str) -> tuple[list[Passage], list[list[float]], dict[str, float]]:
    """Return passages, vectors, and what catalog and graph take by passage."""
    services = Services(load_settings(data_dir=data_dir))
    passages = await services.passages.scroll(name, PassageFilter())
    vectors = await services.passages.vectors(name, passages)
    await services.close()
    files = {"catalog": "catalog.sqlite", "graph": "graph.lbug"}
    beside = {kind: (data_dir / name / file).stat().st_size / len(passages) for kind, file in files.items()}
    return passages, [vectors[passage.id] for passage in passages], beside


async def stored(copies: int, passages: list[Passage], vectors: list[list[float]]) -> dict[str, float]:
    """Return disk and memory of a store with so many copies, read from anew."""
    with tempfile.TemporaryDirectory() as folder:
        store = EdgePassageStore(Path(folder))
        for n in range(copies):
            rows = [replace(one, library="copies", id=str(uuid5(NAMESPACE_OID, f"{one.id}{n}"))) for one in passages]
            await store.upsert("copies", rows, vectors)
        await store.optimize("copies")
        await store.close()
        return {"passages": copies * len(passages), "disk_bytes": allocated(Path(folder)), **memory()}


def slope(small: dict[str, float], large: dict[str, float], field: str) -> float:
    """Return what one passage more adds."""
    return (large[field] - small[field]) / (large["passages"] - small["passages"])


async def measured(data_dir: Path, name: str) -> dict[str, Any]:
    """Return every figure."""
    passages, vectors, beside = await library(data_dir, name)
    small, large = [await stored(copies, passages, vectors) for copies in COPIES]
    return {
        "machine": machine(),
        "passages": len(passages),
        "characters a passage": sum(len(one.text) for one in passages) / len(passages),
        "dimension": len(vectors[0]),
        "vector store, disk bytes a passage": slope(small, large, "disk_bytes"),
        **{f"{kind}, disk bytes a passage": size for kind, size in beside.items()},
        "sizes": [small, large],
    }


def main() -> None:
    """Measure and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data-dir", type=Path, default=Path(".wenmai"))
    parser.add_argument("--library", required=True)
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    write(arguments.json, asyncio.run(measured(arguments.data_dir, arguments.library)))


if __name__ == "__main__":
    main()
