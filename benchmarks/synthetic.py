"""Synthetic passages for the growth of the stores: clustered vectors, texts of Zipf words, chapters and entities.

Every batch is made from the seed and its number alone: nothing of the collection has to stay in memory.
"""

from dataclasses import dataclass
from uuid import NAMESPACE_URL, uuid5

import numpy as np
from numpy.typing import NDArray

from tools.records import Passage, PassageFilter

LIBRARY = "growth"
DIMENSION = 384
BATCH = 1_000
SEED = 20_240_607
CLUSTERS = 400
SPREAD = 0.9  # noise beside a unit centre: neighbours at cosines around 0.55, as passages of one scene have them
CHAPTERS = 120
WORDS, VOCABULARY, ZIPF = 100, 30_000, 1.0
ENTITIES, PER_PASSAGE = 400, 4
CENTRAL = "人物0"  # in most passages, as a novel's hero
NARROW = PassageFilter(chapters=(30, 60), entity="人物40")
WIDE = PassageFilter(chapters=(20, 100), entity=CENTRAL)

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows with everything that a store is given."""

    passages: list[Passage]
    vectors: Vectors


def batch(number: int, *, texts: bool = True) -> Batch:
    """Make the rows of one batch; without texts it is much faster."""
    random = np.random.default_rng([SEED, number])
    vectors = near_centres(random, BATCH)
    chapters = random.integers(1, CHAPTERS + 1, BATCH)
    people = random.choice(ENTITIES, (BATCH, PER_PASSAGE), p=zipf(ENTITIES))
    written = sentences(random, BATCH) if texts else [""] * BATCH
    rows = [
        passage(number * BATCH + at, int(chapters[at]), sorted(set(people[at].tolist())), written[at])
        for at in range(BATCH)
    ]
    return Batch(rows, vectors)


def passage(order: int, chapter: int, people: list[int], text: str) -> Passage:
    """Make one row."""
    return Passage(
        id=str(uuid5(NAMESPACE_URL, f"{LIBRARY}/{order}")),
        library=LIBRARY,
        text=text,
        part=1,
        chapter=chapter,
        event_order=order,
        start=0,
        end=len(text),
        task_id=LIBRARY,
        entities=tuple(f"人物{who}" for who in people),
    )


def near_centres(random: np.random.Generator, count: int) -> Vectors:
    """Return unit vectors around the centres of the collection."""
    centres = np.random.default_rng(SEED).standard_normal((CLUSTERS, DIMENSION))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    noise = random.standard_normal((count, DIMENSION)) * (SPREAD / DIMENSION**0.5)
    rows = centres[random.integers(0, CLUSTERS, count)] + noise
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def sentences(random: np.random.Generator, count: int, words: int = WORDS) -> list[str]:
    """Return texts of words drawn by their rank."""
    ranks = random.choice(VOCABULARY, (count, words), p=zipf(VOCABULARY))
    return [" ".join(map(word, row)) for row in ranks.tolist()]


def zipf(count: int) -> NDArray[np.float64]:
    """Return the probability of each rank."""
    weights = 1 / np.arange(1, count + 1) ** ZIPF
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares


def word(rank: int) -> str:
    """Return a word of letters for a rank."""
    letters = ""
    rank += 26**2
    while rank:
        rank, letter = divmod(rank, 26)
        letters += chr(97 + letter)
    return letters


def queries(count: int) -> tuple[Vectors, list[str]]:
    """Return query vectors from the same clusters, and query texts of five words."""
    random = np.random.default_rng([SEED, 10**6])
    return near_centres(random, count), sentences(random, count, 5)


def matches(row: Passage, where: PassageFilter) -> bool:
    """Tell whether a row passes a filter of chapters and an entity."""
    inside = where.chapters is None or where.chapters[0] <= (row.chapter or 0) <= where.chapters[1]
    return inside and (where.entity is None or where.entity in row.entities)


def exact(size: int, vectors: Vectors, where: PassageFilter, limit: int) -> list[list[str]]:
    """Return the ids of the true nearest rows of each query, compared one by one."""
    ids: list[str] = []
    kept: list[Vectors] = []
    for number in range(size // BATCH):
        rows = batch(number, texts=False)
        inside = [at for at, row in enumerate(rows.passages) if matches(row, where)]
        ids += [rows.passages[at].id for at in inside]
        kept.append(vectors @ rows.vectors[inside].T)
    scores = np.concatenate(kept, axis=1)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :limit]
    return [[ids[at] for at in row] for row in best]
