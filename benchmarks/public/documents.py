"""Which passages the agent answers from: recall@1 and recall@5 through the whole agent in rag mode, with its history.

    python benchmarks/public/documents.py --passages passages.jsonl --questions questions.jsonl [--json FILE]

Passages are `{id, title, text}`, questions `{id, history: [{q, a}], question, gold: [[id, …], …]}`: any id of an inner
list counts, a question's recall is the share of its lists. The history is played into the thread as earlier turns. In
the same run: plain BM25 and dense vectors alone, both on the last question by itself. `--vectors FILE` keeps the
vectors of passages for the next run: with the default embedder they cost 0.3 s each. `--every N` asks each Nth
question alone, and the figures say so.
"""

import argparse
import asyncio
import hashlib
import sqlite3
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any
from uuid import uuid4

import numpy as np
from langchain_core.messages import AIMessage, HumanMessage
from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]  # it ships no types

import wenmai
from benchmarks.measures import machine, read_rows, write
from benchmarks.public.memory_peers import tokens
from nodes.roles import ResolveRequest
from nodes.turn import language_of
from state.context import Context
from state.session import ANSWER_CHARACTERS, MAX_TURNS, Session, SessionTurn
from tools.documents.records import Chunk, DocumentEntry, DocumentScope, Location
from tools.documents.scores import searched_text
from tools.ports import WindowEmbedder
from tools.story.windows import Embedded
from wenmai.agent import Agent

Row = dict[str, Any]
USER = "benchmark"
SEEN = DocumentScope()
SCHEMA = "CREATE TABLE IF NOT EXISTS embedded (digest TEXT PRIMARY KEY, vector BLOB, windows TEXT)"
DEPTHS = (1, 5)
BATCH = 20
K1, B = 1.2, 0.75  # of the plain BM25


@dataclass
class Kept:
    """Vectors of passages and their windows in a SQLite file, by the embedder and a text's digest."""

    embedder: WindowEmbedder
    path: Path | None
    _file: sqlite3.Connection = field(init=False)

    def __post_init__(self) -> None:
        self._file = sqlite3.connect(self.path or ":memory:")
        self._file.execute(SCHEMA)

    async def embedded(self, texts: Sequence[str]) -> list[Embedded]:
        """Return the vectors of each text; what is new is embedded and kept."""
        digests = [hashlib.sha256(f"{self.embedder.name}\n{text}".encode()).hexdigest() for text in texts]
        known = {digest: row for digest in digests if (row := self._row(digest))}
        new = [at for at, digest in enumerate(digests) if digest not in known]
        for start in range(0, len(new), BATCH):
            part = new[start : start + BATCH]
            made = await self.embedder.embed_windows([texts[at] for at in part])
            new_rows = {digests[at]: (to_bytes(one.vector), one.windows) for at, one in zip(part, made, strict=True)}
            self._file.executemany(
                "INSERT OR REPLACE INTO embedded VALUES (?, ?, ?)", [(digest, *row) for digest, row in new_rows.items()]
            )
            self._file.commit()
            known |= new_rows
            print(f"embedded {start + len(part)}/{len(new)}", file=sys.stderr)
        rows = [known[digest] for digest in digests]
        return [Embedded(np.frombuffer(vector, np.float32).tolist(), windows) for vector, windows in rows]

    def _row(self, digest: str) -> tuple[bytes, str] | None:
        found: tuple[bytes, str] | None = self._file.execute(
            "SELECT vector, windows FROM embedded WHERE digest = ?", (digest,)
        ).fetchone()
        return found


def to_bytes(vector: Sequence[float]) -> bytes:
    """Return a vector as it is kept."""
    return np.asarray(vector, np.float32).tobytes()


def chunks_of(passages: Sequence[Row]) -> list[Chunk]:
    """Return each passage as one chunk under its title, all of one preloaded document."""
    entry = DocumentEntry(
        id=str(uuid4()),
        filename="passages",
        mime_type="text/plain",
        uploaded_at=datetime.now(UTC),
        chunks=len(passages),
    )
    chunks, start = list[Chunk](), 0
    for number, row in enumerate(passages):
        end = start + len(row["text"])
        place = Location(heading=(row["title"],)) if row.get("title") else Location()
        chunks.append(
            Chunk(document=entry, chunk_index=number, content=row["text"], start=start, end=end, location=place)
        )
        start = end
    return chunks


async def play(agent: Agent, thread: str, history: Sequence[Mapping[str, str]]) -> None:
    """Put earlier turns into a thread as the agent itself would have left them."""
    turns: list[SessionTurn] = []
    messages: list[HumanMessage | AIMessage] = []
    for one in history:
        session = Session(entities=[], topic=None, turns=turns[-MAX_TURNS:])
        request = ResolveRequest(
            question=one["q"],
            session=session,
            library="",
            horizon=None,
            language=language_of(one["q"], Context()),
            mode="rag",
        )
        resolution = await agent.services.assembly.mind.resolver.resolve(request)
        answer = one.get("a", "")[:ANSWER_CHARACTERS]
        turns.append(SessionTurn(question=one["q"], resolved=resolution.question, answer=answer, entities=[]))
        messages += [HumanMessage(one["q"]), AIMessage(one.get("a", ""))]
    session = Session(entities=[], topic=None, turns=turns[-MAX_TURNS:])
    values = {"messages": messages, "session": session, "owner": USER}
    await agent.graph.aupdate_state(agent.config(thread), values, as_node="remember")


async def found_by_agent(agent: Agent, row: Row, ids: Mapping[str, str]) -> list[str]:
    """Return the passages that the agent answered from, best first."""
    if not row["question"].strip():  # a fault of the set: the agent refuses it
        return []
    thread = str(uuid4())
    if row["history"]:
        await play(agent, thread, row["history"])
    answer = await agent.ask(row["question"], thread_id=thread, user_id=USER, toolkits=["documents"], mode="rag")
    return [ids[piece["id"]] for piece in answer.evidence]


def best_by_words(index: BM25Okapi, question: str, passages: Sequence[Row], depth: int = max(DEPTHS)) -> list[str]:
    """Return the passages that plain BM25 finds, best first."""
    scores = index.get_scores(tokens(question))
    return [passages[at]["id"] for at in sorted(range(len(passages)), key=lambda at: (-scores[at], at))[:depth]]


def recall(found: Sequence[str], gold: Sequence[Sequence[str]], depth: int) -> float:
    """Return the share of the gold lists that have a member among the first passages."""
    return sum(any(id in found[:depth] for id in one) for one in gold) / len(gold)


def figures(found: Mapping[str, Sequence[str]], questions: Sequence[Row]) -> dict[str, float]:
    """Return recall at each depth."""
    return {
        f"recall_at_{depth}": round(fmean(recall(found[q["id"]], q["gold"], depth) for q in questions), 4)
        for depth in DEPTHS
    }


async def measure(passages: Sequence[Row], questions: Sequence[Row], vectors: Path | None) -> dict[str, Any]:
    """Ask every question three ways."""
    chunks = chunks_of(passages)
    ids = {chunk.chunk_id: row["id"] for chunk, row in zip(chunks, passages, strict=True)}
    by_words = BM25Okapi([tokens(row["text"]) or [""] for row in passages], k1=K1, b=B)
    ways: dict[str, dict[str, list[str]]] = {"agent": {}, "bm25": {}, "dense": {}}
    with tempfile.TemporaryDirectory() as folder:
        paths: dict[str, Any] = {"data_dir": Path(folder) / "data", "trace_dir": Path(folder) / "traces"}
        async with wenmai.open_agent(**paths, google_api_key=None, top_k_retrieval=max(DEPTHS)) as agent:
            services = agent.services
            kept = Kept(services.embedder, vectors)
            embedded = await kept.embedded([searched_text(chunk) for chunk in chunks])
            chunks = [replace(chunk, windows=one.windows) for chunk, one in zip(chunks, embedded, strict=True)]
            await services.documents.put(chunks, [one.vector for one in embedded])
            for number, row in enumerate(questions, 1):
                ways["agent"][row["id"]] = await found_by_agent(agent, row, ids)
                vector = await services.embedder.embed_query(row["question"])
                near = await services.documents.dense(SEEN, vector, max(DEPTHS))
                ways["dense"][row["id"]] = [ids[one.chunk.chunk_id] for one in near]
                ways["bm25"][row["id"]] = best_by_words(by_words, row["question"], passages)
                if number % 100 == 0:
                    print(f"{number}/{len(questions)}", file=sys.stderr)
    told = {way: figures(found, questions) for way, found in ways.items()}
    counts = {"passages": len(passages), "questions": len(questions)}
    return {**told["agent"], **counts, "peers": {"bm25": told["bm25"], "dense": told["dense"]}}


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--set", default="", help="what the figures are called")
    given = parser.parse_args()
    asked = read_rows(given.questions)[:: given.every]
    head = {"benchmark": "documents", "set": given.set, "every": given.every, "machine": machine()}
    write(given.json, head | asyncio.run(measure(read_rows(given.passages), asked, given.vectors)))


if __name__ == "__main__":
    main()
