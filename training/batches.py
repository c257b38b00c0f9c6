"""Batches of windows of like length, drawn from the corpora by their weights."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.windows import FACTS, TASKS, UNKNOWN, WindowFile
from wenmai.embedders.e5.weights import TokenVectors, Weights

TOKENS = 4096
"""Of a batch, with its padding."""
STEP = 32
"""Lengths are rounded up to a multiple, so that few shapes occur."""
POOL = 1200
"""Windows that are drawn at once, then sorted by length."""

STATE = "state"
"""What the names of files begin with that hold what training saved."""
WEIGHTS: Mapping[str, float] = {
    "cmrc2018_dev": 1.0,
    "drcd_dev": 0.5,
    "squad2_dev_zh": 0.3,
    "xquad_zh": 0.8,
    "xquad_en": 1.0,
    "fairytaleqa": 0.7,
    "novels": 0.4,
    "kdconv": 1.2,
    "cast": 1.5,
    "mtrag": 2.0,
    "litbank": 2.0,
    "marked": 3.0,
    "written_zh_questions": 1.8,
    "written_en_questions": 1.8,
    "written_zh_names": 3.0,
    "written_en_names": 2.5,
    "written_zh_talks": 3.5,
    "written_en_talks": 3.5,
}
"""How often a window of a corpus is seen while one of CMRC is seen once."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Arrays of a batch: (windows, tokens, hidden), (windows, tokens) and labels."""

    embedded: NDArray[np.float32]
    segments: NDArray[np.int32]
    mask: NDArray[np.float32]
    tokens: NDArray[np.int32]  # (len(TASKS), windows, tokens)
    facts: NDArray[np.int32]  # (len(FACTS), windows)


class Batches:
    """An endless stream of batches; a restart begins every corpus anew."""

    def __init__(self, folder: Path, weights: Weights, seed: int) -> None:
        """Load the windows of a folder. Raises ValueError for a corpus without a weight, and without any corpus."""
        self._files = {path.stem: WindowFile.load(path) for path in _corpora(folder)}
        self._random = np.random.default_rng(seed)
        self._embedded = TokenVectors.of(weights)
        self._left: dict[str, list[int]] = {name: [] for name in self._files}

    def __iter__(self) -> Iterator[Batch]:
        while True:
            pool = sorted(self._drawn(), key=lambda row: self._length(*row))
            groups = list(self._grouped(pool))
            for at in self._random.permutation(len(groups)):
                yield self._batch(groups[at])

    def _drawn(self) -> list[tuple[str, int]]:
        """Draw windows without putting back until a corpus is exhausted."""
        names = list(self._files)
        shares = np.array([WEIGHTS[name] * (len(self._files[name].starts) - 1) for name in names])
        counts = self._random.multinomial(POOL, shares / shares.sum())
        return [(name, self._next(name)) for name, count in zip(names, counts, strict=True) for _ in range(count)]

    def _next(self, name: str) -> int:
        left = self._left[name]
        if not left:
            left.extend(self._random.permutation(len(self._files[name].starts) - 1).tolist())
        return left.pop()

    def _length(self, name: str, window: int) -> int:
        starts = self._files[name].starts
        return int(starts[window + 1] - starts[window])

    def _grouped(self, pool: list[tuple[str, int]]) -> Iterator[list[tuple[str, int]]]:
        """Cut a sorted pool into batches of full size; the last is filled up with windows twice."""
        group: list[tuple[str, int]] = []
        for row in reversed(pool):
            group.append(row)
            if len(group) == TOKENS // _rounded(self._length(*group[0])):
                yield group
                group = []
        if group:
            size = TOKENS // _rounded(self._length(*group[0]))
            yield [group[at % len(group)] for at in range(size)]

    def _batch(self, rows: list[tuple[str, int]]) -> Batch:
        length = _rounded(max(self._length(*row) for row in rows))
        shape = (len(rows), length)
        ids, segments, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int32), np.zeros(shape, np.float32)
        tokens = np.full((len(TASKS), *shape), UNKNOWN, np.int32)
        facts = np.full((len(FACTS), len(rows)), UNKNOWN, np.int32)
        for at, (name, window) in enumerate(rows):
            file = self._files[name]
            part = slice(file.starts[window], file.starts[window + 1])
            count = part.stop - part.start
            ids[at, :count], segments[at, :count], mask[at, :count] = file.ids[part], file.segments[part], 1
            tokens[:, at, :count] = file.tokens[part].T
            facts[:, at] = file.facts[window]
        return Batch(self._embedded(ids), segments, mask, tokens, facts)


def _corpora(folder: Path) -> list[Path]:
    """Return the files of windows of a folder, which may hold states too."""
    found = [path for path in sorted(folder.glob("*.npz")) if not path.stem.startswith(STATE)]
    if unknown := [path.name for path in found if path.stem not in WEIGHTS]:
        raise ValueError(f"{folder} holds corpora that `WEIGHTS` does not name: {', '.join(unknown)}")
    if not found:
        raise ValueError(f"{folder} holds no windows: `python -m training prepare` makes them")
    return found


def _rounded(length: int) -> int:
    return max(2, -(-length // STEP)) * STEP
