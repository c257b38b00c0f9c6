"""Answer quality on any novel, beside plain BM25 and plain reciprocal-rank fusion of BM25 and the dense vectors.

    python benchmarks/quality.py --novel novel.json --aliases aliases.json --graph relations/*.csv \
        --questions questions.jsonl --sessions sessions.jsonl --data-dir /tmp/quality --json quality.json

The measures are those of `wenmai experiment`. The peers rank the same passages for the question as it was asked.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]  # it ships no types
from rich.console import Console
from rich.table import Table

from tools.records import Passage, PassageFilter
from wenmai.agent import Agent, open_agent
from wenmai.app.container import Services
from wenmai.cli.output.live import ingest_progress
from wenmai.experiments.questions import (
    TOP,
    ExpectedTalk,
    ExpectedTurn,
    holds_gold,
    load_aliases,
    load_questions,
    load_sessions,
)
from wenmai.experiments.runner import TurnOutcome, by_type, cell, mean, plain, run, table
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import Settings

K1, B = 1.2, 0.75  # the usual constants of BM25
RRF_K = 60
CANDIDATES = 100
ANSWERED = "wenmai"
PEERS = ("bm25", "rrf(bm25, dense)")


def tokens(text: str) -> list[str]:
    """Return character bigrams of Chinese, words of other texts."""
    if text.isascii():
        return "".join(char.casefold() if char.isalnum() else " " for char in text).split()
    squeezed = [char for char in text if char.isalnum()]
    return ["".join(pair) for pair in pairwise(squeezed)] or squeezed


@dataclass(frozen=True)
class Peers:
    """Plain retrieval over the passages of a library."""

    services: Services
    library: str
    passages: Sequence[Passage]
    index: BM25Okapi

    @classmethod
    async def over(cls, services: Services, library: str) -> "Peers":
        """Index every passage."""
        passages = await services.passages.scroll(library, PassageFilter())
        return cls(services, library, passages, BM25Okapi([tokens(p.text) for p in passages], k1=K1, b=B))

    def bm25(self, question: str) -> list[str]:
        """Rank by BM25."""
        scores = self.index.get_scores(tokens(question))
        best = sorted(range(len(scores)), key=lambda at: (-scores[at], at))[:CANDIDATES]
        return [self.passages[at].id for at in best]

    async def fused(self, question: str) -> list[str]:
        """Rank by reciprocal-rank fusion of BM25 and the dense vectors."""
        vector = await self.services.embedder.embed_query(question)
        dense = await self.services.passages.dense(self.library, vector, PassageFilter(), CANDIDATES)
        scores: dict[str, float] = {}
        for ranking in (self.bm25(question), [row.id for row in dense]):
            for rank, id in enumerate(ranking, 1):
                scores[id] = scores.get(id, 0.0) + 1 / (RRF_K + rank)
        return sorted(scores, key=lambda id: -scores[id])

    async def recall(self, turn: ExpectedTurn) -> dict[str, float]:
        """Return recall@10 of each peer for a turn with gold quotes."""
        texts = {passage.id: passage.text for passage in self.passages}
        rankings = (self.bm25(turn.question), await self.fused(turn.question))
        hits = (any(holds_gold(turn, texts[id]) for id in ranking[:TOP]) for ranking in rankings)
        return dict(zip(PEERS, map(float, hits), strict=True))


async def compared(peers: Peers, outcomes: Sequence[TurnOutcome]) -> dict[str, dict[str, float | None]]:
    """Return recall@10 per question type, ours and the peers', over the turns that have gold quotes."""
    groups: dict[str, list[dict[str, float]]] = {}
    for outcome in outcomes:
        if outcome.turn.gold:
            row = {ANSWERED: outcome.scores["recall@10"] or 0.0, **await peers.recall(outcome.turn)}
            groups.setdefault(outcome.turn.type, []).append(row)
    singles = [row for name, rows in groups.items() if name != "session" for row in rows]
    groups["all single questions"] = singles
    return {
        name: {system: mean(row[system] for row in rows) for system in (ANSWERED, *PEERS)}
        for name, rows in groups.items()
        if rows
    }


def comparison(rows: dict[str, dict[str, float | None]]) -> Table:
    """Return recall@10 of all systems as a table."""
    drawn = Table("recall@10", ANSWERED, *PEERS)
    for name, row in rows.items():
        drawn.add_row(name, *(cell("share", row[system]) for system in (ANSWERED, *PEERS)))
    return drawn


async def ingested(settings: Settings, arguments: argparse.Namespace) -> None:
    """Bring the library up to date."""
    services = Services(settings)
    try:
        with ingest_progress() as progress:
            request = IngestRequest(
                path=arguments.novel,
                library=arguments.library,
                aliases=arguments.aliases,
                graph_files=tuple(arguments.graph),
            )
            report = await ingest(request, stores=services.stores, embedder=services.embedder, progress=progress)
    finally:
        await services.close()
    print(f"{report.passages} passages, {report.written} written in {report.seconds:.1f} s", file=sys.stderr)


async def answered(agent: Agent, talks: Sequence[ExpectedTalk], arguments: argparse.Namespace) -> list[TurnOutcome]:
    """Ask every question, telling how far it is."""
    names = load_aliases(arguments.aliases) if arguments.aliases else {}
    outcomes: list[TurnOutcome] = []
    async for outcome in run(agent, talks, names, context={"library": arguments.library}):
        outcomes.append(outcome)
        if len(outcomes) % 50 == 0:
            print(f"{len(outcomes)} turns", file=sys.stderr)
    return outcomes


async def measured(arguments: argparse.Namespace) -> dict[str, Any]:
    """Ingest, ask, compare, print; return every figure."""
    settings = Settings(data_dir=arguments.data_dir, trace_dir=arguments.data_dir / "traces")
    await ingested(settings, arguments)
    talks = load_questions(arguments.questions) if arguments.questions else []
    talks += load_sessions(arguments.sessions) if arguments.sessions else []
    async with open_agent(settings) as agent:
        outcomes = await answered(agent, talks, arguments)
        peers = await compared(await Peers.over(agent.services, arguments.library), outcomes)
    console = Console(width=180)
    console.print(table(by_type(outcomes)))
    console.print(comparison(peers))
    return {**plain(outcomes), "recall@10": peers}


def parsed() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--novel", type=Path, required=True)
    parser.add_argument("--library", default="novel")
    parser.add_argument("--aliases", type=Path)
    parser.add_argument("--graph", type=Path, nargs="*", default=[])
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--sessions", type=Path)
    parser.add_argument("--data-dir", type=Path, default=Path(".wenmai/quality"))
    parser.add_argument("--json", type=Path, help="file for the figures and every turn")
    return parser.parse_args()


def main() -> None:
    """Measure and write the figures."""
    arguments = parsed()
    figures = asyncio.run(measured(arguments))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
