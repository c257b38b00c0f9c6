"""A book of 10, 100 and 1,000 chapters: what its ingest costs, how fast a warm question is, disk and memory.

    python -m benchmarks.book_growth ../shared/data/novels_zh/*.json --questions FILE --json book_growth.json

The chapters are pieces of real novels; each size is a process of its own, and the offline mind answers.
Questions are asked once each, so that nothing of an answer is known from before.
"""

import argparse
import asyncio
import json
import multiprocessing
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.footprint import allocated
from benchmarks.latency import measure_turns
from benchmarks.measures import MEGABYTE, machine, write
from wenmai.app.container import Services
from wenmai.experiments.questions import load_questions
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import Settings

SIZES = (10, 100, 1_000)
CHARACTERS = 500
"""Of a chapter."""
QUESTIONS = 40
LIBRARY = "book"


def chapters(novels: Sequence[Path]) -> Iterator[str]:
    """Yield the texts of chapters, each as long as CHARACTERS."""
    for novel in novels:
        for chapter in json.loads(novel.read_text(encoding="utf-8"))["chapters"]:
            text = chapter["text"]
            yield from (text[at : at + CHARACTERS] for at in range(0, len(text) - CHARACTERS, CHARACTERS))


async def measured(folder: Path, texts: Sequence[str], asked: Sequence[str]) -> dict[str, Any]:
    """Take a book of these chapters in, twice, and ask it."""
    book = folder / "book.txt"
    book.write_text("\n\n".join(f"第{n}章\n\n{text}" for n, text in enumerate(texts, 1)), encoding="utf-8")
    settings = Settings(data_dir=folder / "data", trace_dir=folder / "traces")
    services = Services(settings)
    request = IngestRequest(path=book, library=LIBRARY)
    began = time.process_time()
    first = await ingest(request, stores=services.stores, embedder=services.embedder)
    spent = time.process_time() - began
    again = await ingest(request, stores=services.stores, embedder=services.embedder)
    await services.close()
    turn = await measure_turns(settings, LIBRARY, asked)
    return {
        "chapters": first.chapters,
        "passages": first.passages,
        "ingest_s": round(first.seconds, 1),
        "ingest_cpu_s": round(spent, 1),
        "again_s": round(again.seconds, 2),
        "disk_mb": round(allocated(folder / "data") / MEGABYTE, 1),
        "turn": turn,
    }


def run(texts: Sequence[str], asked: Sequence[str]) -> dict[str, Any]:
    """Measure in this process."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(measured(Path(folder), texts, asked))


def main() -> None:
    """Measure every size and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("novels", type=Path, nargs="+")
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="chapters")
    parser.add_argument("--json", type=Path, help="file for the figures")
    given = parser.parse_args()
    asked = [talk.turns[0].question for talk in load_questions(given.questions)][:QUESTIONS]
    texts, before = list(chapters(given.novels)), machine()
    rows = []
    for size in given.sizes:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            rows.append(pool.submit(run, texts[:size], asked).result())
    figures = {"benchmark": "book_growth", "characters": CHARACTERS, "rows": rows}
    write(given.json, {**figures, "machine": before, "after": machine()})


if __name__ == "__main__":
    main()
