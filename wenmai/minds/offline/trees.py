"""A sum of decision trees, as LightGBM fits it; LightGBM itself would load SciPy at every start."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAF = -1
"""The column of a node that is a leaf; its threshold is the value."""


@dataclass(frozen=True, slots=True)
class Trees:
    """Trees over named columns: all nodes one after another, each tree's root where `roots` says.

    Attributes:
        columns: names of the columns of a row.
        column: which column a node asks for, `LEAF` where it is a leaf.
        threshold: a row goes left where its value is not above it; the value of a leaf.
        left: index of the node to the left, of a leaf its own; `right` likewise.
        depth: of the deepest tree.
    """

    columns: tuple[str, ...]
    roots: NDArray[np.int32]
    column: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    depth: int

    def scores(self, rows: Sequence[Sequence[float]]) -> list[float]:
        """Return the sum of all trees for each row."""
        values = np.asarray(rows, dtype=np.float64)
        at = np.tile(self.roots, (len(values), 1))
        places = np.arange(len(values))[:, None]
        for _ in range(self.depth):
            lower = values[places, self.column[at]] <= self.threshold[at]
            at = np.where(lower, self.left[at], self.right[at])
        return [float(total) for total in self.threshold[at].sum(axis=1)]


@cache
def loaded(name: str) -> Trees:
    """Return the trees that lie beside this module, read once."""
    return read(json.loads(files("wenmai.minds.offline").joinpath(name).read_text(encoding="utf-8")))


def read(kept: Mapping[str, Any]) -> Trees:
    """Return the trees of what `flattened` keeps."""
    return Trees(
        columns=tuple(kept["columns"]),
        roots=np.array(kept["roots"], dtype=np.int32),
        column=np.array(kept["column"], dtype=np.int32),
        threshold=np.array(kept["threshold"], dtype=np.float64),
        left=np.array(kept["left"], dtype=np.int32),
        right=np.array(kept["right"], dtype=np.int32),
        depth=kept["depth"],
    )
