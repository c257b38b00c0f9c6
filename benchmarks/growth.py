"""How the passage store grows: 2,000 to 200,000 synthetic passages, beside qdrant-client's local mode and BM25.

    python benchmarks/growth.py --json growth.json

Every measurement runs in a process of its own, so that memory is told apart. The peers get the same vectors, the
same sparse vectors and the same filters, through langchain-qdrant and rank_bm25; above 20,000 rows they would take
hours and are left out.
"""

import argparse
import asyncio
import multiprocessing
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measures import latencies, machine, memory, quantiles, timed, write
from benchmarks.peers import bm25_peer, qdrant_peer
from benchmarks.synthetic import BATCH, DIMENSION, LIBRARY, NARROW, WIDE, Vectors, batch, exact, queries
from tools.records import PassageFilter
from tools.story.search import Retriever
from wenmai.stores.edge.passages import EdgePassageStore

SIZES = (2_000, 20_000, 200_000)
PEER_LIMIT = 20_000
QUERIES = 100
PEER_QUERIES = 10
TOP = 10
CANDIDATES = 50
FILTERS = {"none": PassageFilter(), "narrow": NARROW, "wide": WIDE}


@dataclass(frozen=True, slots=True)
class Given:
    """An embedder that knows the vectors of the queries."""

    vectors: dict[str, list[float]]
    name: str = "given"
    dimension: int = DIMENSION

    def expect_queries(self, texts: Sequence[str]) -> None:
        """Nothing to prepare."""

    async def embed_query(self, text: str) -> list[float]:
        """Return the query's vector."""
        return self.vectors[text]

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        return [self.vectors[text] for text in texts]


async def build(folder: Path, size: int) -> dict[str, Any]:
    """Write the passages and build the indexes."""
    store = EdgePassageStore(folder)
    upserting = 0.0
    for number in range(size // BATCH):
        rows = batch(number)
        with timed() as watch:
            await store.upsert(LIBRARY, rows.passages, rows.vectors.tolist())
        upserting += watch.seconds
    with timed() as optimizing:
        await store.optimize(LIBRARY)
    await store.close()
    return {"upsert_s": round(upserting, 2), "optimize_s": round(optimizing.seconds, 2), "build_memory": memory()}


async def ask(folder: Path, size: int, count: int) -> dict[str, Any]:
    """Run every kind of query under every filter; recall is measured after memory and times."""
    vectors, texts = queries(count)
    store = EdgePassageStore(folder)
    retriever = Retriever(store, Given(dict(zip(texts, vectors.tolist(), strict=True))))
    with timed() as opening:
        rows = {name: await store.count(LIBRARY, where) for name, where in FILTERS.items()}
    figures: dict[str, Any] = {"open_ms": round(opening.seconds * 1e3, 1), "rows": rows}
    for name, where in FILTERS.items():
        figures[name] = await kinds(store, retriever, vectors, texts, where)
    figures["memory"] = memory()
    for name, where in FILTERS.items():
        figures[name]["recall@10"] = await recall(store, vectors, where, size)
    await store.close()
    return figures


async def kinds(
    store: EdgePassageStore, retriever: Retriever, vectors: Vectors, texts: Sequence[str], where: PassageFilter
) -> dict[str, Any]:
    """Measure dense, sparse and hybrid queries under one filter, after a few to warm up."""
    calls: dict[str, list[Callable[[], Awaitable[Any]]]] = {
        "dense": [partial(store.dense, LIBRARY, vector, where, CANDIDATES) for vector in vectors.tolist()],
        "sparse": [partial(store.sparse, LIBRARY, text, where, CANDIDATES) for text in texts],
        "hybrid": [partial(retriever.search, LIBRARY, text, where, TOP) for text in texts],
    }
    figures = {}
    for kind, run in calls.items():
        await latencies(run[:5])
        figures[kind] = quantiles(await latencies(run))
    return figures


async def recall(store: EdgePassageStore, vectors: Vectors, where: PassageFilter, size: int) -> float:
    """Return the share of the true ten nearest rows that dense search gives, among its ten best."""
    truth = await asyncio.to_thread(exact, size, vectors, where, TOP)
    hits = total = 0
    for vector, wanted in zip(vectors.tolist(), truth, strict=True):
        found = {row.id for row in await store.dense(LIBRARY, vector, where, TOP)}
        hits, total = hits + len(found & set(wanted)), total + len(wanted)
    return round(hits / total, 4)


def built(folder: Path, size: int) -> dict[str, Any]:
    """Build in this process."""
    return asyncio.run(build(folder, size))


def asked(folder: Path, size: int, count: int) -> dict[str, Any]:
    """Ask in this process."""
    return asyncio.run(ask(folder, size, count))


def apart(function: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Run a measurement in a new process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def measure(size: int, arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure ours and, where they can follow, the peers."""
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        figures = {"wenmai": apart(built, Path(name), size)}
        figures["wenmai"] |= apart(asked, Path(name), size, arguments.queries)
    if size <= arguments.peer_limit:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
            figures["qdrant local"] = apart(qdrant_peer, Path(name), size, PEER_QUERIES, FILTERS, TOP)
        figures["bm25"] = apart(bm25_peer, size, PEER_QUERIES, FILTERS, TOP)
        figures["times faster"] = faster(figures)
    return figures


def faster(figures: dict[str, Any]) -> dict[str, Any]:
    """Return how many times faster each query is than in qdrant-client's local mode, by p50."""
    ours, theirs = figures["wenmai"], figures["qdrant local"]
    return {
        name: {k: round(theirs[name][k]["p50_ms"] / ours[name][k]["p50_ms"], 1) for k in ("dense", "sparse", "hybrid")}
        for name in FILTERS
    }


def main() -> None:
    """Measure and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="multiples of 1000")
    parser.add_argument("--peer-limit", type=int, default=PEER_LIMIT)
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--folder", type=Path, help="where the stores are built; a temporary folder by default")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    before = machine()
    sizes = {str(size): measure(size, arguments) for size in arguments.sizes}
    write(arguments.json, {"benchmark": "growth", "machine": before, "after": machine(), "sizes": sizes})


if __name__ == "__main__":
    main()
