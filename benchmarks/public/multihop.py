"""Questions in two or more steps over a public corpus of short pages: our search of documents beside others.

    python -m benchmarks.public.multihop --corpus 2wiki_corpus.json --questions fg101.json \
        [--vectors FILE] [--markdown FILE] [--json FILE]

README.md beside this file says where the files come from. Without a model, with the default embedder: our search, BM25,
cosines alone, both by rank fusion, LangChain's and LangGraph's stores on the same vectors. Published figures stand on
pools of their own; so there are two where the questions say what a published system retrieved (`evidence`): the whole
corpus, and what that system retrieved for any question with the gold pages. `--vectors` keeps the vectors for the next
run: they are nearly all of the time.

Recall@5 is the mean share of a question's gold pages among the first five; all in 8 the share of questions with all of
them among the first eight.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from langchain_core.vectorstores import InMemoryVectorStore
from langgraph.store.memory import InMemoryStore
from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]  # it ships no types

import wenmai
from benchmarks.measures import latencies, machine, quantiles, write
from benchmarks.peers import GivenVectors
from benchmarks.public.documents import SEEN, Kept, best_by_words, chunks_of, recall
from benchmarks.public.memory_peers import tokens
from tools.base import Scope
from tools.documents.records import Chunk
from tools.documents.scores import searched_text
from tools.documents.search import DocumentSearch
from tools.records import Ranked
from tools.story.search import fuse
from wenmai.agent import Agent

Row = dict[str, Any]
Way = Callable[[str], Awaitable[list[str]]]
FIRST, ALL_IN = 5, 8
DEPTH = 50


@dataclass(frozen=True)
class Pool:
    """Pages among which the gold ones are to be found, and the questions."""

    name: str
    passages: Sequence[Row]
    questions: Sequence[Row]


def pages_of(corpus: Sequence[Row] | Mapping[str, Sequence[str]]) -> list[Row]:
    """Return the pages of a corpus: rows with title and text, or sentences by title."""
    if isinstance(corpus, Mapping):
        return [{"id": title, "title": title, "text": "".join(sentences)} for title, sentences in corpus.items()]
    return [{"id": page["title"], "title": page["title"], "text": page["text"]} for page in corpus]


def gold_of(row: Row) -> set[str]:
    """Return the titles of a question's gold pages."""
    return set(row["ground_truth"] if "ground_truth" in row else (title for title, _ in row["supporting_facts"]))


def pools(passages: Sequence[Row], asked: Sequence[Row]) -> list[Pool]:
    """Return the whole corpus and, where questions tell it, what a published system saw with the gold pages."""
    questions = [{"question": row["question"], "gold": [[title] for title in sorted(gold_of(row))]} for row in asked]
    whole = Pool("the whole corpus", passages, questions)
    seen = {title for row in asked for title in row.get("evidence", ())}
    if not seen:
        return [whole]
    seen = seen.union(*map(gold_of, asked))
    return [whole, Pool("what the published system saw", [row for row in passages if row["id"] in seen], questions)]


async def ways(agent: Agent, pool: Pool, kept: Kept) -> dict[str, Way]:
    """Return what finds pages for a question, each on the same texts and vectors, filled."""
    services = agent.services
    chunks = chunks_of(pool.passages)
    titles = {chunk.chunk_id: row["id"] for chunk, row in zip(chunks, pool.passages, strict=True)}
    texts = [searched_text(chunk) for chunk in chunks]
    embedded = await kept.embedded(texts)
    chunks = [replace(chunk, windows=one.windows) for chunk, one in zip(chunks, embedded, strict=True)]
    vectors = [one.vector for one in embedded]
    await services.documents.put(chunks, vectors)
    search = DocumentSearch(services.documents, services.embedder)
    by_words = BM25Okapi([tokens(text) or [""] for text in texts])
    given = GivenVectors(dict(zip(texts, vectors, strict=True)))
    index = {"embed": given, "dims": len(vectors[0]), "fields": ["text"]}
    langgraph, langchain = InMemoryStore(index=index), InMemoryVectorStore(given)
    for row, text in zip(pool.passages, texts, strict=True):
        langgraph.put(("pages",), row["id"], {"text": text})
    langchain.add_texts(texts, ids=[row["id"] for row in pool.passages])

    async def ours(question: str) -> list[str]:
        return named(titles, [chunk for chunk, _ in await search.search(question, Scope(library=""), DEPTH)])

    async def dense(question: str) -> list[str]:
        vector = await services.embedder.embed_query(question)
        return named(titles, [one.chunk for one in await services.documents.dense(SEEN, vector, DEPTH)])

    async def bm25(question: str) -> list[str]:
        return best_by_words(by_words, question, pool.passages, DEPTH)

    async def fused(question: str) -> list[str]:
        rankings = (await dense(question), await bm25(question))
        return [row.id for row in fuse([[Ranked(title, 0.0, 0) for title in ranking] for ranking in rankings])]

    async def by_langgraph(question: str) -> list[str]:
        given.vectors[question] = await services.embedder.embed_query(question)
        return [item.key for item in langgraph.search(("pages",), query=question, limit=DEPTH)]

    async def by_langchain(question: str) -> list[str]:
        vector = await services.embedder.embed_query(question)
        found = langchain.similarity_search_by_vector(vector, k=DEPTH)
        return [page.id or "" for page in found]

    return {
        "wenmai, offline": ours,
        "BM25 (rank_bm25)": bm25,
        "dense": dense,
        "BM25 and dense, rank fusion": fused,
        "LangGraph InMemoryStore": by_langgraph,
        "LangChain InMemoryVectorStore": by_langchain,
    }


def named(titles: Mapping[str, str], chunks: Sequence[Chunk]) -> list[str]:
    return [titles[chunk.chunk_id] for chunk in chunks]


async def measured(way: Way, questions: Sequence[Row]) -> Row:
    """Ask all questions one way, once to warm up the embedder's cache of queries, and return its figures."""
    found = [await way(row["question"]) for row in questions]
    times = quantiles(await latencies([lambda row=row: way(row["question"]) for row in questions]))
    pairs = [(pages, row["gold"]) for pages, row in zip(found, questions, strict=True)]
    return {
        "recall_at_5": round(fmean(recall(pages, gold, FIRST) for pages, gold in pairs), 3),
        "all_in_8": round(fmean(recall(pages, gold, ALL_IN) == 1 for pages, gold in pairs), 3),
        **times,
    }


async def measure(given: argparse.Namespace) -> Row:
    corpus, asked = (json.loads(path.read_text(encoding="utf-8")) for path in (given.corpus, given.questions))
    figures: Row = {}
    for pool in pools(pages_of(corpus), asked):
        with tempfile.TemporaryDirectory() as folder:
            paths: Row = {"data_dir": Path(folder) / "data", "trace_dir": Path(folder) / "traces"}
            async with wenmai.open_agent(**paths, google_api_key=None) as agent:
                found = await ways(agent, pool, Kept(agent.services.embedder, given.vectors))
                rows = {name: await measured(way, pool.questions) for name, way in found.items()}
        figures[pool.name] = {"pages": len(pool.passages), "questions": len(pool.questions), "rows": rows}
    return figures


def table(figures: Row) -> str:
    """Return the figures as Markdown, a table for each pool."""
    lines: list[str] = []
    for name, pool in figures.items():
        lines += [f"{name}: {pool['pages']:,} pages, {pool['questions']} questions", ""]
        lines += ["| | recall@5 | all in 8 | p50, ms | p95, ms |", "| --- | --- | --- | --- | --- |"]
        lines += [
            f"| {way} | {row['recall_at_5']:.3f} | {row['all_in_8']:.3f} | {row['p50_ms']:.1f} | {row['p95_ms']:.1f} |"
            for way, row in pool["rows"].items()
        ]
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    given = parser.parse_args()
    figures = asyncio.run(measure(given))
    sys.stdout.write(table(figures) + "\n")
    if given.markdown:
        given.markdown.write_text(table(figures) + "\n", encoding="utf-8")
    write(given.json, {"benchmark": "multihop", "machine": machine(), "pools": figures})


if __name__ == "__main__":
    main()
