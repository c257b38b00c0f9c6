"""PostgreSQL with pgvector beside the other engines: speed at 20,000 passages, and how it ranks the sample.

    python -m benchmarks.postgres --json postgres.json

Needs `python -m devservers up postgres`. Both engines get the same synthetic rows (growth.py) in one run. The ranking
compares the fused search of the tools on the sample's questions: the embedded engine, Qdrant's local mode, PostgreSQL
with the BM25 weights of all engines in a `sparsevec`, and PostgreSQL's own text search over words that were cut before.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection
from qdrant_client import AsyncQdrantClient

from benchmarks.growth import FILTERS, Given, kinds, recall
from benchmarks.measures import machine, timed, write
from benchmarks.synthetic import BATCH, LIBRARY, batch, queries
from tests.contracts.postgres import emptied
from tools.records import Passage, PassageFilter, Ranked, ScoredPassage
from tools.story.search import Retriever
from wenmai.app import sample
from wenmai.app.container import Services
from wenmai.experiments.questions import TOP, ExpectedTurn, holds_gold, load_questions
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.language.segmenting import cut
from wenmai.settings.settings import load_settings
from wenmai.stores.edge.passages import EdgePassageStore
from wenmai.stores.files.owners import Owner
from wenmai.stores.postgres.stores import postgres_passages
from wenmai.stores.postgres.table import PostgresServer
from wenmai.stores.qdrant.server import QdrantServer
from wenmai.stores.qdrant.stores import qdrant_passages
from wenmai.stores.vectors.passages import ServerPassageStore

SIZE = 20_000
DATABASE = "wenmai_benchmark"
QUERIES = 100
WORDS = "CREATE TABLE words (id text PRIMARY KEY, place integer, found tsvector)"
ADD = "INSERT INTO words VALUES (%s, %s, to_tsvector('simple', %s))"
RANK = """
SELECT id, place, {rank}(found, asked, 1) AS score FROM words, to_tsquery('simple', %s) AS asked
WHERE found @@ asked ORDER BY score DESC, place LIMIT %s
"""


async def known(library: str) -> None:
    """Know every library."""


async def somebody() -> Owner:
    """Return an owner."""
    return Owner("benchmark", "here")


async def speed(store: Any, size: int, count: int) -> dict[str, Any]:
    """Write rows, then ask every kind of query under every filter."""
    writing = 0.0
    for number in range(size // BATCH):
        rows = batch(number)
        with timed() as watch:
            await store.upsert(LIBRARY, rows.passages, rows.vectors.tolist())
        writing += watch.seconds
    with timed() as optimizing:
        await store.optimize(LIBRARY)
    vectors, texts = queries(count)
    retriever = Retriever(store, Given(dict(zip(texts, vectors.tolist(), strict=True))))
    figures: dict[str, Any] = {"upsert_s": round(writing, 2), "optimize_s": round(optimizing.seconds, 2)}
    for name, where in FILTERS.items():
        figures[name] = await kinds(store, retriever, vectors, texts, where)
        figures[name]["recall@10"] = await recall(store, vectors, where, size)
    return figures


@dataclass(frozen=True)
class TextSearch:
    """PostgreSQL's text search in place of BM25; all else is the store's."""

    store: ServerPassageStore
    uri: str
    rank: str

    async def dense(self, library: str, vector: Sequence[float], where: PassageFilter, limit: int) -> list[Ranked]:
        """Return the nearest rows."""
        return await self.store.dense(library, vector, where, limit)

    async def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        """Return the rows that have any word, best first."""
        words = " | ".join("'" + word.replace("'", "''").replace("\\", "\\\\") + "'" for word in cut(text))
        async with await AsyncConnection.connect(self.uri) as base:
            found = await base.execute(RANK.format(rank=self.rank), (words, limit))
            return [Ranked(id, score, place) for id, place, score in await found.fetchall()]

    async def fetch(self, library: str, ids: Sequence[str], vector: Any, horizon: Any) -> list[ScoredPassage]:
        """Return these passages."""
        return await self.store.fetch(library, ids, vector, horizon)

    async def put(self, passages: Sequence[Passage]) -> None:
        """Cut the words of the passages and store them."""
        async with await AsyncConnection.connect(self.uri) as base:
            await base.execute(WORDS)
            for one in passages:
                await base.execute(ADD, (one.id, one.event_order, " ".join(cut(one.text))))


async def asked(store: Any, services: Services, turns: Sequence[ExpectedTurn]) -> list[list[ScoredPassage]]:
    """Return the first ten passages for each question."""
    retriever = Retriever(store, services.embedder)
    return [await retriever.search(sample.LIBRARY, turn.question, PassageFilter(), TOP) for turn in turns]


async def ranking(folder: Path, uri: str) -> dict[str, Any]:
    """Return hit@10 of each engine on the sample, and in how many questions its first ten are the embedded engine's."""
    services = Services(load_settings(_env_file=None, data_dir=folder, trace_dir=folder / "traces", google_api_key=""))
    source = sample.sample_folder()
    await ingest(
        IngestRequest(path=source / sample.STORY, library=sample.LIBRARY, aliases=source / sample.ALIASES),
        stores=services.stores,
        embedder=services.embedder,
    )
    turns = [talk.turns[0] for talk in load_questions(source / sample.QUESTIONS) if talk.turns[0].gold]
    passages = await services.passages.scroll(sample.LIBRARY, PassageFilter())
    vectors = await services.passages.vectors(sample.LIBRARY, passages)
    client = AsyncQdrantClient(":memory:")
    local = qdrant_passages(QdrantServer(":memory:", lambda: client), "b", "e", known, somebody)
    stored = postgres_passages(PostgresServer(uri), "sample", "e", known)
    for store in (local, stored):
        await store.upsert(sample.LIBRARY, passages, [vectors[one.id] for one in passages])
    await TextSearch(stored, uri, "").put(passages)
    engines: dict[str, Any] = {"embedded": services.passages, "qdrant local": local, "postgres sparsevec": stored}
    engines |= {f"postgres {name}": TextSearch(stored, uri, name) for name in ("ts_rank", "ts_rank_cd")}
    found = {name: await asked(store, services, turns) for name, store in engines.items()}
    await services.close()
    await stored.close()
    await local.close()
    return {name: told(rows, found["embedded"], turns) for name, rows in found.items()}


def told(
    rows: Sequence[Sequence[ScoredPassage]], ours: Sequence[Sequence[ScoredPassage]], turns: Sequence[ExpectedTurn]
) -> dict[str, Any]:
    """Return the figures of one engine."""
    hits = [any(holds_gold(turn, one.passage.text) for one in found) for turn, found in zip(turns, rows, strict=True)]
    same = [
        [one.passage.id for one in found] == [one.passage.id for one in mine]
        for found, mine in zip(rows, ours, strict=True)
    ]
    return {"questions": len(turns), "hit@10": round(sum(hits) / len(hits), 3), "same_ten": sum(same)}


async def measured(size: int, count: int) -> dict[str, Any]:
    """Return all figures."""
    before, uri = machine(), emptied(DATABASE)
    with tempfile.TemporaryDirectory() as folder:
        ranked = await ranking(Path(folder), uri)
        edge, server = EdgePassageStore(Path(folder) / "growth"), PostgresServer(uri)
        speeds = {
            "embedded": await speed(edge, size, count),
            "postgres": await speed(postgres_passages(server, "growth", "given", known), size, count),
        }
        await edge.close()
        await server.close()
    return {
        "benchmark": "postgres",
        "machine": before,
        "after": machine(),
        "passages": size,
        "speed": speeds,
        "ranking": ranked,
    }


def main() -> None:
    """Measure and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--size", type=int, default=SIZE, help="a multiple of 1000")
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    write(arguments.json, asyncio.run(measured(arguments.size, arguments.queries)))


if __name__ == "__main__":
    main()
