"""Follow-up questions to a knowledge network that leave the entity out, beside a plain BM25 with the last two turns.

    python benchmarks/public/knowledge.py --kb kb.json --dialogues dev.json --json knowledge.json

Both files are in KdConv's own formats. The network is imported as it is (`wenmai knowledge import`), each dialogue is
one thread of the agent, and what was really replied stands in the thread (`benchmarks.public.knowledge_talk`).
triple_at_10: a gold triple is among the first ten pieces of evidence; entity_first: the first piece is of a gold head.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any

from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]  # it ships no types
from rich.console import Console
from rich.table import Table

from benchmarks.measures import machine, write
from benchmarks.public.kdconv import Dialogue, FollowUp, Triple, read_dialogues, read_triples
from benchmarks.public.knowledge_talk import Thread
from benchmarks.public.memory_peers import tokens
from state.schema import Evidence
from wenmai.agent import open_agent
from wenmai.knowledge.reading import read_content
from wenmai.stores.networks.local import KnowledgeFolders, import_content

TOP = 10
LAST_TURNS = 2
NETWORK = "kb"
PARITIES = {"all": (0, 1), "even": (0,), "odd": (1,)}


@dataclass
class Score:
    """What a system found, question by question."""

    triples: list[bool] = field(default_factory=list)
    entities: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, found: Sequence[Triple], question: FollowUp, seconds: float = 0.0) -> None:
        """Judge what was found for one question, best first."""
        self.triples.append(any(triple in question.gold for triple in found[:TOP]))
        self.entities.append(bool(found) and found[0][0] in question.entities)
        self.seconds.append(seconds)

    def figures(self) -> dict[str, float | None]:
        """Return the shares."""
        return {"triple_at_10": share(self.triples), "entity_first": share(self.entities)}


def share(found: Sequence[bool]) -> float | None:
    """Return the share of true values, None of nothing."""
    return round(mean(found), 4) if found else None


def triple_of(piece: Evidence) -> Triple:
    """Return a piece of evidence as the triple that it tells: 实体 — 属性: 值."""
    label = (piece["location"] or "").rpartition(" / ")[2]
    head, _, tail = piece["text"].partition(f" — {label}: ")
    return head, label, tail


@dataclass
class PlainBm25:
    """BM25 over whole triples; the query is the question behind the last two turns."""

    triples: Sequence[Triple]
    index: BM25Okapi = field(init=False)

    def __post_init__(self) -> None:
        self.index = BM25Okapi([tokens(" ".join(triple)) or [""] for triple in self.triples], k1=1.2, b=0.75)

    def search(self, dialogue: Dialogue, question: FollowUp) -> list[Triple]:
        """Return the best triples."""
        said = [*dialogue.messages[max(0, question.at - LAST_TURNS) : question.at], question.question]
        scores = self.index.get_scores(tokens(" ".join(said)))
        return [self.triples[at] for at in sorted(range(len(scores)), key=lambda at: (-scores[at], at))[:TOP]]


async def measured(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Ask every follow-up question of the agent and of the baseline."""
    content, _ = read_content(arguments.kb, NETWORK)
    import_content(KnowledgeFolders(folder), content, lambda done, total: None)
    numbered = enumerate(read_dialogues(arguments.dialogues))
    dialogues = [one for number, one in numbered if number % 2 in PARITIES[arguments.half]]
    bm25, ours, plain, wrong = PlainBm25(read_triples(arguments.kb)), Score(), Score(), list[dict[str, Any]]()
    async with open_agent(data_dir=folder, trace_dir=folder / "traces", google_api_key=None) as agent:
        for number, dialogue in enumerate(dialogues):
            thread = Thread(agent, f"dialogue-{number}", NETWORK)
            for question in dialogue.questions:
                begun = time.perf_counter()
                record = await thread.asked(dialogue, question)
                found = [triple_of(piece) for piece in record["evidence"]]
                ours.add(found, question, time.perf_counter() - begun)
                plain.add(bm25.search(dialogue, question), question)
                if not (ours.triples[-1] and ours.entities[-1]):
                    wrong.append(miss(number, dialogue, question, record, found))
            print(f"{number + 1}/{len(dialogues)}", end="\r", file=sys.stderr)
    return {
        "domain": arguments.dialogues.parent.name,
        "dialogues": len(dialogues),
        "half": arguments.half,
        "questions": len(ours.triples),
        **ours.figures(),
        "p50_ms": round(1000 * median(ours.seconds), 1) if ours.seconds else None,
        "peers": {"bm25_last_two_turns": plain.figures()},
        **({"misses": wrong} if arguments.misses else {}),
    }


def miss(
    number: int, dialogue: Dialogue, question: FollowUp, record: Mapping[str, Any], found: Iterable[Triple]
) -> dict[str, Any]:
    """Return what went wrong with a question, for who reads the figures."""
    return {
        "dialogue": number,
        "before": list(dialogue.messages[max(0, question.at - 4) : question.at]),
        "question": question.question,
        "resolved": record["resolved_question"],
        "answer": record["answer"][:100],
        "gold": [[head, name, tail[:40]] for head, name, tail in question.gold],
        "found": [[head, name, tail[:40]] for head, name, tail in list(found)[:4]],
    }


def drawn(result: Mapping[str, Any]) -> Table:
    """Return the figures of both systems as a table."""
    table = Table("", "triple@10", "entity first")
    for name, one in (("wenmai", result), *result["peers"].items()):
        table.add_row(name, *(f"{one[key]:.3f}" if one[key] is not None else "-" for key in KEYS))
    return table


KEYS = ("triple_at_10", "entity_first")


def parsed() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--kb", type=Path, required=True, help="kb.json: {head: [[head, relation, tail]…]}")
    parser.add_argument("--dialogues", type=Path, required=True, help="dev.json: dialogues with their triples")
    parser.add_argument("--half", choices=PARITIES, default="all", help="every dialogue, or those of even or odd place")
    parser.add_argument("--misses", action="store_true", help="write the questions that went wrong too")
    parser.add_argument("--json", type=Path, help="file for the figures")
    return parser.parse_args()


def main() -> None:
    """Measure, print and write the figures."""
    arguments = parsed()
    with tempfile.TemporaryDirectory() as folder:
        result = {"benchmark": "knowledge", "machine": machine(), **asyncio.run(measured(arguments, Path(folder)))}
    Console(width=100).print(drawn(result))
    if arguments.json:
        write(arguments.json, result)


if __name__ == "__main__":
    main()
