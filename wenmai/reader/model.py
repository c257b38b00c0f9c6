"""The encoder's session: one input in, the logits of its tokens out."""

from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from wenmai.embedders.e5.weights import TokenVectors, Weights
from wenmai.embedders.runtime import open_session
from wenmai.reader.inputs import Input

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]  # pyright: ignore[reportAttributeAccessIssue]

WORDS, SEGMENTS, LOGITS = "embedded", "segments", "logits"
Logits = NDArray[np.float32]
"""(tokens, COLUMNS) of one input."""


class ReaderModel:
    """Several threads may ask it at once; what it says of an input depends on that input alone."""

    def __init__(self, weights: Weights, session: "InferenceSession") -> None:
        self._session = session
        self._embedded = TokenVectors.of(weights)

    @classmethod
    def open(cls, weights: Weights, graph: Path) -> Self:
        """Load the graph. Raises RuntimeUnavailableError."""
        return cls(weights, open_session(graph))

    def logits(self, made: Input) -> Logits:
        segments = np.array([made.segments], np.int64)
        [found] = self._session.run([LOGITS], {WORDS: self._embedded(made.ids)[None], SEGMENTS: segments})
        return np.asarray(np.asarray(found)[0], np.float32)
